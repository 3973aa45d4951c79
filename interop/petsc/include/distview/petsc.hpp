// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/petsc/checked.hpp>
#include <distview/petsc/matrix.hpp>
#include <distview/petsc/session.hpp>
#include <distview/petsc/solve.hpp>
#include <distview/petsc/star_forest.hpp>
#include <distview/petsc/vector.hpp>
