// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank makes another call, or passes other arguments: all ranks get an error, and the
// communicator is in step afterwards.
#include "sections.hpp"

#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/min_max.hpp>
#include <distview/algorithms/norm.hpp>
#include <distview/algorithms/reduce.hpp>
#include <distview/algorithms/sum.hpp>
#include <distview/comm/import_dist_view.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/protocol/exported_section.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

struct CountCells {
    template <class... Counts>
    KOKKOS_FUNCTION void operator()(std::int64_t, std::int64_t, Counts&... counts) const {
        ((counts += 1), ...);
    }
};

struct Call {
    std::string name;
    std::function<void()> make;
};

TEST(AlgorithmCalls, EndWithAnErrorOnAllRanksWhereTheyDiffer) {
    const Communicator comm(MPI_COMM_WORLD);
    if (comm.size() == 1) return;
    const Exec exec;
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(24), block(3)});
    const ArrayLayout other_layout(ProcessGrid{comm.size(), 1}, {block(24), block(4)});
    const auto a = make_dist_view<double**>(exec, "a", comm, layout);
    const auto b = make_dist_view<double**>(exec, "b", comm, layout);
    const auto floats = make_dist_view<float**>(exec, "floats", comm, layout);
    const auto wide = make_dist_view<double**>(exec, "wide", comm, other_layout);
    const auto part = make_dist_view<double**>(exec, "part", comm, layout);
    const GlobalView<decltype(a)> whole = gather(exec, comm, a, 0);
    double count = 0;
    const std::vector<Call> calls{
        {"sum", [&] { sum(exec, comm, a); }},
        {"sum of owned cells", [&] { sum(exec, comm, a, Cells::owned); }},
        {"sum of another type", [&] { sum(exec, comm, floats); }},
        {"sum of another layout", [&] { sum(exec, comm, wide); }},
        {"dot", [&] { dot(exec, comm, a, b); }},
        {"norm1", [&] { norm1(exec, comm, a); }},
        {"norm2", [&] { norm2(exec, comm, a); }},
        {"norm_inf", [&] { norm_inf(exec, comm, a); }},
        {"min", [&] { min(exec, comm, a); }},
        {"max", [&] { max(exec, comm, a); }},
        {"min_location", [&] { min_location(exec, comm, a); }},
        {"max_location", [&] { max_location(exec, comm, a); }},
        {"reduce", [&] { reduce(exec, comm, a, CountCells(), count); }},
        {"reduce to two results", [&] { reduce(exec, comm, a, CountCells(), count, count); }},
        {"gather", [&] { gather(exec, comm, a, 0); }},
        {"gather to another rank", [&] { gather(exec, comm, a, 1); }},
        {"scatter", [&] { scatter(exec, comm, whole, 0, part); }},
        {"import_dist_view",
         [&] { import_dist_view(comm, [&] { return protocol::export_section(AnyDistView(a)); }); }},
    };
    int odd = 0;
    for (const Call& usual : calls)
        for (const Call& other : calls) {
            if (&usual == &other) continue;
            odd = (odd + 1) % comm.size();
            SCOPED_TRACE(text(usual.name, "; rank ", odd, ": ", other.name));
            EXPECT_THROW_ON_ALL_RANKS((comm.rank() == odd ? other : usual).make(), UsageError, "");
            EXPECT_EQ(sum(exec, comm, b), 0.0);
        }
}

// Arrays that are equal in all properties; ranks distinguish them by numbers assigned when the arrays were made.
TEST(AlgorithmCalls, EndWithAnErrorWhereRanksPassOtherArrays) {
    const Communicator comm = world();
    if (comm.size() == 1) return;
    const Exec exec;
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(3 * comm.size())});
    const auto a = make_dist_view<double*>(exec, "a", comm, layout);
    const auto b = make_dist_view<double*>(exec, "b", comm, layout);
    for (int odd = 0; odd < comm.size(); ++odd) {
        const auto& mine = comm.rank() == odd ? b : a;
        const auto expect_error = [&](const auto& call) {
            EXPECT_THROW_ON_ALL_RANKS(call(), UsageError,
                                      text("expected the same arrays, in the same order, on all "
                                           "ranks, those of rank ",
                                           std::max(odd, 1), " differ from those of rank 0"));
        };
        expect_error([&] { sum(exec, comm, mine); });
        expect_error([&] { dot(exec, comm, a, mine); });
        expect_error([&] { norm2(exec, comm, mine); });
        expect_error([&] { max_location(exec, comm, mine); });
        expect_error([&] { gather(exec, comm, mine, 0); });
        EXPECT_EQ(sum(exec, comm, a), 0.0);
        EXPECT_EQ(dot(exec, comm, a, b), 0.0);
    }
}

} // namespace

} // namespace distview::testing
