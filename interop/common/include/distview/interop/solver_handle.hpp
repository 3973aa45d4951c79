// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace distview {

/// Owns an object of a solver stack: converts to what the stack's calls take. `Stack` says by watch() and destroy() what
/// happens when one is made and when it goes.
///
/// Collective: destruction, as that of the stack's objects; nothing happens once the stack has stopped
template <class Object, class Stack>
class SolverHandle {
public:
    SolverHandle() = default;
    explicit SolverHandle(Object object) : m_object(object) { Stack::watch(object); }
    SolverHandle(SolverHandle&& other) noexcept
        : m_object(std::exchange(other.m_object, nullptr)) {}
    SolverHandle& operator=(SolverHandle&& other) noexcept {
        std::swap(m_object, other.m_object);
        return *this;
    }
    ~SolverHandle() {
        if (m_object) Stack::destroy(m_object);
    }

    Object get() const noexcept { return m_object; }
    operator Object() const noexcept { return m_object; }

private:
    Object m_object = nullptr;
};

} // namespace distview
