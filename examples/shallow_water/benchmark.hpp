// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"
#include "report.hpp"

namespace shallow_water {

/// Times 500 steps after the first one, runs the STREAM triad for comparison, and leaves the
/// model at step 501.
///
/// The same as the published benchmark, except that it waits for the warm-up: first step; copy of the state;
/// 100 steps that are discarded; 500 steps between barriers.
///
/// Collective: over comm
template <class Real, class Space>
BenchmarkReport benchmark(const Space& exec, const distview::Communicator& comm,
                          const Options& options, Model<Real, Space>& model);

} // namespace shallow_water
