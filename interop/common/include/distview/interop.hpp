// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/interop/matrix_rows.hpp>
#include <distview/interop/row_numbering.hpp>
#include <distview/interop/solver_arrays.hpp>
#include <distview/interop/solver_error.hpp>
#include <distview/interop/solver_handle.hpp>
#include <distview/interop/solver_memory.hpp>
#include <distview/interop/unpadded_stencil.hpp>
