// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/cells.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/reduce.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/comm.hpp>
