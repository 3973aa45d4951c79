// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"
#include "statistics.hpp"

#include <distview/algorithms/gather.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace distview::testing {

using shallow_water::Cut;
using shallow_water::Exchanges;
using shallow_water::Mode;
using shallow_water::Options;
using Digests = std::array<std::uint64_t, 3>;

inline Options small_run(std::int64_t nx, std::int64_t ny, Mode mode, Exchanges exchanges) {
    Options options;
    options.nx = nx;
    options.ny = ny;
    options.mode = mode;
    options.exchanges = exchanges;
    return options;
}

template <class Real>
std::array<shallow_water::Statistics, 3> statistics_of(const Communicator& comm,
                                                       const Options& options,
                                                       const shallow_water::Model<Real>& model) {
    return {shallow_water::statistics(comm, model.section(), options.nx, model.field(model.h())),
            shallow_water::statistics(comm, model.section(), options.nx, model.field(model.u())),
            shallow_water::statistics(comm, model.section(), options.nx, model.field(model.v()))};
}

/// Runs `steps` steps and returns digests of the bits of h, u and v.
template <class Real = double>
Digests digests_after(const Communicator& comm, const Options& options, int steps) {
    shallow_water::Model<Real> model(shallow_water::Exec(), comm, options);
    model.initialize();
    for (int step = 0; step < steps; ++step) model.step();
    const auto all = statistics_of(comm, options, model);
    return {all[0].digest, all[1].digest, all[2].digest};
}

/// Every rows x columns grid of `processes` processes in which each process has a cell.
inline std::vector<std::array<int, 2>> grids(int processes, std::int64_t nx, std::int64_t ny) {
    std::vector<std::array<int, 2>> result;
    for (int rows = 1; rows <= processes; ++rows)
        if (processes % rows == 0 && rows <= ny && processes / rows <= nx)
            result.push_back({rows, processes / rows});
    return result;
}

} // namespace distview::testing
