// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.hpp"
#include "traffic.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

namespace distview::testing {

namespace {

using ptrans::Array;
using ptrans::Check;
using ptrans::Matrix;
using ptrans::Options;
using ptrans::Variant;

/// C = C + A^T of 26 x 18 elements on all ranks.
struct Problem {
    explicit Problem(Variant variant) {
        options.variant = variant;
        options.m = 26;
        options.n = 18;
        options.mb = 3;
        options.nb = 2;
        const ProcessGrid grid = ProcessGrid::balanced(world.size(), 2);
        shape = {options.m, options.n, options.mb, options.nb, grid.extent(0), grid.extent(1)};
        a = make(ptrans::layout_of_a(shape));
        c = make(ptrans::layout_of_c(shape));
        exec.fence("distview::testing: the host writes");
        ptrans::set(options, Matrix::a, a);
        ptrans::set(options, Matrix::c, c);
    }
    Array make(const ArrayLayout& layout) const {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, "a matrix",
                                                                                world, layout);
    }
    RedistributionPlan plan() const {
        return {world, a.layout(), c.layout(), {.permutation = {1, 0}}};
    }
    Check check() const { return ptrans::check(world, options, a, c); }

    ptrans::Exec exec;
    Communicator world{MPI_COMM_WORLD};
    Options options;
    ptrans::Shape shape;
    Array a;
    Array c;
};

/// Changes one element of C on the last rank that has any.
template <class Change>
void change_one(const Problem& problem, Change&& change) {
    const int has = problem.c.view().size() > 0 ? problem.world.rank() : -1;
    if (all_reduce(problem.world, ReduceOperation::max, has) == problem.world.rank())
        change(problem.c.view()(0, 0));
}

TEST(CheckTest, one_wrong_element_is_seen) {
    for (const Variant variant : {Variant::hpcc, Variant::chapel}) {
        Problem problem(variant);
        EXPECT_FALSE(problem.check().passed()); // before the transposition
        problem.plan().execute(problem.exec, 1.0, problem.a, 1.0, problem.c);
        const Check right = problem.check();
        EXPECT_TRUE(right.passed());

        change_one(problem, [](double& element) { element += 1e-9; });
        EXPECT_FALSE(problem.check().passed());
        change_one(problem,
                   [](double& element) { element = std::numeric_limits<double>::quiet_NaN(); });
        const Check wrong = problem.check();
        EXPECT_FALSE(wrong.passed());
        EXPECT_EQ(wrong.residual, std::numeric_limits<double>::infinity());
        EXPECT_FALSE(wrong.sum_2p30.valid());
    }
}

TEST(CheckTest, one_bit_shows_in_the_residual_of_hpcc) {
    Problem problem(Variant::hpcc);
    problem.plan().execute(problem.exec, 1.0, problem.a, 1.0, problem.c);
    EXPECT_EQ(problem.check().residual, 0.0);
    change_one(problem, [](double& element) { element = std::nextafter(element, 4.0); });
    EXPECT_GT(problem.check().residual, 0.0);
    EXPECT_FALSE(problem.check().sum_2p30.is_integer());
}

TEST(CheckTest, exchanged_elements_show_in_the_weighted_sum) {
    Problem problem(Variant::hpcc);
    problem.plan().execute(problem.exec, 1.0, problem.a, 1.0, problem.c);
    const Check right = problem.check();
    if (problem.c.view().extent(0) > 0 && problem.c.view().extent(1) > 1)
        std::swap(problem.c.view()(0, 0), problem.c.view()(0, 1));
    const Check wrong = problem.check();
    EXPECT_EQ(wrong.sum_2p30, right.sum_2p30);
    EXPECT_NE(wrong.wsum_2p30, right.wsum_2p30);
}

TEST(CheckTest, forced_messages_carry_the_scheduled_bytes) {
    const char* const variable = "DISTVIEW_TRANSPORT";
    const char* const old = std::getenv(variable);
    const std::string kept = old ? old : "";
    setenv(variable, "message", 1);
    Problem problem(Variant::hpcc);
    RedistributionPlan plan = problem.plan();
    if (kept.empty())
        unsetenv(variable);
    else
        setenv(variable, kept.c_str(), 1);

    plan.execute(problem.exec, 1.0, problem.a, 1.0, problem.c); // binds the arrays
    ptrans::set(problem.options, Matrix::c, problem.c);
    MpiCounters counters;
    plan.execute(problem.exec, 1.0, problem.a, 1.0, problem.c);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(problem.check().residual, 0.0);
    const ptrans::Traffic expected = ptrans::traffic_of(plan.schedule());
    EXPECT_EQ(all_reduce(problem.world, ReduceOperation::sum, traffic.sent_total().bytes),
              expected.wire_bytes);
    EXPECT_EQ(traffic.sent_total().messages, static_cast<std::int64_t>(plan.send_peers().size()));
}

} // namespace

} // namespace distview::testing
