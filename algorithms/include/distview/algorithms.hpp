// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/axpby.hpp>
#include <distview/algorithms/cells.hpp>
#include <distview/algorithms/concepts.hpp>
#include <distview/algorithms/conjugate_gradient.hpp>
#include <distview/algorithms/copy.hpp>
#include <distview/algorithms/exact_sum.hpp>
#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/for_each.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/grid_axis.hpp>
#include <distview/algorithms/histogram.hpp>
#include <distview/algorithms/inspected_loop.hpp>
#include <distview/algorithms/operations.hpp>
#include <distview/algorithms/plain_array.hpp>
#include <distview/algorithms/random.hpp>
#include <distview/algorithms/reduce.hpp>
#include <distview/algorithms/scan.hpp>
#include <distview/algorithms/sort.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview/algorithms/transform_reduce.hpp>
#include <distview/algorithms/with_local_copy.hpp>
#include <distview/comm.hpp>
