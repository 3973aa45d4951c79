// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace distview {

/// Owns an object of a solver stack and converts to it in the stack's calls. `Stack` provides watch(), called for a new
/// object, destroy(), and run(), which counts how often the stack was stopped: a handle of an earlier run is null, and
/// a handle that was moved from is null.
///
/// Collective: destruction and assignment, as destruction of the stack's objects; without effect once the stack has
///             stopped
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
