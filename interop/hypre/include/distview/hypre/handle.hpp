// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/solver_handle.hpp>

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_struct_mv.h>

namespace distview::hypre {

namespace impl {
/// destroy() does nothing if hypre or MPI was finalised.
struct Objects {
    static int run() noexcept { return 0; } // objects stay when hypre stops
    template <class Object>
    static void watch(Object) noexcept {}
    static void destroy(HYPRE_IJVector object) noexcept;
    static void destroy(HYPRE_IJMatrix object) noexcept;
    static void destroy(HYPRE_StructGrid object) noexcept;
    static void destroy(HYPRE_StructStencil object) noexcept;
    static void destroy(HYPRE_StructVector object) noexcept;
    static void destroy(HYPRE_StructMatrix object) noexcept;
};
} // namespace impl

/// Owns an object of hypre, such as a HYPRE_IJVector or a HYPRE_StructMatrix, and converts to it in hypre's calls.
template <class Object>
using Handle = SolverHandle<Object, impl::Objects>;

} // namespace distview::hypre
