// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace distview {

/// Owns an object of a solver stack: converts to what the stack's calls take. `Stack` says by watch() and destroy() what
/// happens when one is made and when it goes, and by run() how often the stack has been stopped: an object of an earlier
/// run is null, and so is one that was moved from.
///
/// Collective: destruction and assignment, as destruction of the stack's objects; nothing happens once the stack has stopped
template <class Object, class Stack>
class SolverHandle {
public:
    SolverHandle() = default;
    explicit SolverHandle(Object object) : m_object(object), m_run(Stack::run()) {
        Stack::watch(object);
    }
    SolverHandle(SolverHandle&& other) noexcept
        : m_object(std::exchange(other.m_object, nullptr)), m_run(other.m_run) {}
    SolverHandle& operator=(SolverHandle&& other) noexcept {
        SolverHandle moved(std::move(other));
        std::swap(m_object, moved.m_object);
        std::swap(m_run, moved.m_run);
        return *this;
    }
    ~SolverHandle() {
        if (get()) Stack::destroy(m_object);
    }

    Object get() const noexcept { return m_run == Stack::run() ? m_object : nullptr; }
    operator Object() const noexcept { return get(); }

private:
    Object m_object = nullptr;
    int m_run = 0;
};

} // namespace distview
