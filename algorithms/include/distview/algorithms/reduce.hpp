// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// All reductions; collective, and repeatable to the bit for fixed numbers of ranks and threads.
#include <distview/algorithms/min_max.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/sum.hpp>
