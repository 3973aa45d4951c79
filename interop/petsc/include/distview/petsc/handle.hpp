// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/solver_handle.hpp>

namespace distview::petsc {

namespace impl {
/// A session destroys the objects that are left of it when it stops PETSc, in the order in which they were made.
struct Objects {
    static int run() noexcept; ///< how often PETSc has been stopped while it had objects of handles
    /// Takes memory for handles that are made next: those of one call of checked() cannot fail.
    static void make_room();
    static void watch(void* object);
    static void destroy(void* object) noexcept;
};
} // namespace impl

/// Owns a reference to an object of PETSc: a Vec, a Mat, an IS, which all of PETSc's calls take.
template <class Object>
using Handle = SolverHandle<Object, impl::Objects>;

} // namespace distview::petsc
