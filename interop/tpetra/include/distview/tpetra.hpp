// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/tpetra/ghost_import.hpp>
#include <distview/tpetra/map.hpp>
#include <distview/tpetra/matrix.hpp>
#include <distview/tpetra/multi_vector.hpp>
#include <distview/tpetra/operator.hpp>
#include <distview/tpetra/solve.hpp>
