// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

using Labels = std::vector<std::int64_t>;
using Line = DistView<double*>;

/// One-dimensional arrays of which each rank knows only its own labels.
class OwnLabels : public ::testing::Test {
protected:
    using Exec = Kokkos::DefaultHostExecutionSpace;
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const int n = comm.size();
    const int me = comm.rank();

    ArrayLayout own(std::int64_t size, Labels labels, bool one_to_one = false) const {
        return {ProcessGrid{n}, {unstructured_local(size, me, std::move(labels), one_to_one)}};
    }
    ArrayLayout blocks(std::int64_t size) const { return {ProcessGrid{n}, {block(size)}}; }
    /// Every n-th of the labels 0 to size - 1 for this rank, in descending order.
    Labels every_nth(std::int64_t size) const {
        Labels labels;
        for (std::int64_t label = size - 1; label >= 0; --label)
            if (label % n == me) labels.push_back(label);
        return labels;
    }
    Line make(const ArrayLayout& layout) const {
        return make_dist_view<double*>(exec, "distview::test::line", comm, layout);
    }
    /// An array whose elements are value(label).
    template <class Value>
    Line make_of(const ArrayLayout& layout, Value&& value) const {
        const Line line = make(layout);
        for_each(line, [&](double& element, std::int64_t label) { element = value(label); });
        return line;
    }
    template <class Visit>
    static void for_each(const Line& line, Visit&& visit) {
        for (std::int64_t l = 0; l < line.view().extent_int(0); ++l)
            visit(line.view()(l), line.global_index(0, LocalIndex(l)).value());
    }
    template <class Value>
    static int wrong(const Line& line, Value&& value) {
        int count = 0;
        for_each(line,
                 [&](double element, std::int64_t label) { count += element != value(label); });
        return count;
    }
    void build(const ArrayLayout& from, const ArrayLayout& to,
               const RedistributionOptions& options = {}) const {
        const RedistributionPlan plan(comm, from, to, options);
    }
    static double square(std::int64_t label) { return static_cast<double>(label * label); }
};

} // namespace distview::testing
