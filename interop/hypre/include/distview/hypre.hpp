// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/hypre/checked.hpp>
#include <distview/hypre/matrix.hpp>
#include <distview/hypre/session.hpp>
#include <distview/hypre/solve.hpp>
#include <distview/hypre/structured.hpp>
#include <distview/hypre/vector.hpp>
