// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/solver_handle.hpp>

namespace distview::petsc {

namespace impl {
/// When a session stops PETSc, it destroys the objects that still exist, in the order in which they were made.
struct Objects {
    static int run() noexcept; ///< how often PETSc was stopped while handles owned objects
    /// Allocates room for the handles of one call of checked(), so that making them cannot fail.
    static void make_room();
    static void watch(void* object);
    static void destroy(void* object) noexcept;
};
} // namespace impl

/// Owns a reference to an object of PETSc, such as a Vec, a Mat or an IS, and converts to it in PETSc's calls.
template <class Object>
using Handle = SolverHandle<Object, impl::Objects>;

} // namespace distview::petsc
