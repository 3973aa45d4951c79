// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_struct_mv.h>

#include <utility>

namespace distview::hypre {

namespace impl {
/// Nothing if hypre or MPI have been finalised.
void destroy(HYPRE_IJVector object) noexcept;
void destroy(HYPRE_IJMatrix object) noexcept;
void destroy(HYPRE_StructGrid object) noexcept;
void destroy(HYPRE_StructStencil object) noexcept;
void destroy(HYPRE_StructVector object) noexcept;
void destroy(HYPRE_StructMatrix object) noexcept;
} // namespace impl

/// Owns an object of hypre: converts to a HYPRE_IJVector, a HYPRE_StructMatrix, which hypre's calls take.
///
/// Collective: destruction, as that of hypre's objects; nothing happens after HYPRE_Finalize()
template <class Object>
class Handle {
public:
    Handle() = default;
    explicit Handle(Object object) noexcept : m_object(object) {}
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

} // namespace distview::hypre
