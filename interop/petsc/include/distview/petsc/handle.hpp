// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

namespace distview::petsc {

namespace impl {
/// A session destroys the objects that are left of it when it stops PETSc, in the order in which they were made.
void watch(void* object);
void destroy(void* object) noexcept;
} // namespace impl

/// Owns a reference to an object of PETSc: converts to a Vec, a Mat, an IS, which all of PETSc's calls take.
///
/// Collective: destruction, as that of PETSc's objects; nothing happens once PETSc has stopped
template <class Object>
class Handle {
public:
    Handle() = default;
    explicit Handle(Object object) : m_object(object) { impl::watch(object); }
    Handle(Handle&& other) noexcept : m_object(std::exchange(other.m_object, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(m_object, other.m_object);
        return *this;
    }
    ~Handle() {
        if (m_object) impl::destroy(m_object);
    }

    Object get() const noexcept { return m_object; }
    operator Object() const noexcept { return m_object; }

private:
    Object m_object = nullptr;
};

} // namespace distview::petsc
