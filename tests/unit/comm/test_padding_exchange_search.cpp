// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a few words: what is fastest for them is tried out by the first exchange, and by nothing else.
#include "transports.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Rows of `cells` cells a process, with 3 cells of padding on both ends of each: 72 KB for a neighbour on
/// either side.
class PaddingExchangeSearch : public ::testing::Test {
protected:
    static constexpr std::int64_t rows = 3000;
    static constexpr std::int64_t cells = 20;
    static constexpr std::int64_t width = 3;

    Array make() const {
        return make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(exec, comm, layout,
                                                                                "array");
    }
    double value(std::int64_t row, std::int64_t column, int round) const {
        const std::int64_t columns = cells * comm.size();
        return static_cast<double>((row * columns + (column + columns) % columns) * 16 + round);
    }
    void fill(const Array& array, int round) const {
        const auto view = array.view();
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = -width; j < cells + width; ++j)
                view(i, j + width) = j < 0 || j >= cells ? std::numeric_limits<double>::quiet_NaN()
                                                         : value(i, comm.rank() * cells + j, round);
    }
    std::int64_t count_wrong(const Array& array, int round) const {
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = -width; j < cells + width; ++j)
                if (array.view()(i, j + width) != value(i, comm.rank() * cells + j, round)) ++wrong;
        return wrong;
    }
    /// The most messages that an exchange sent to one process.
    template <class Exchange>
    static std::int64_t most_messages(Exchange&& exchange) {
        MpiCounters counters;
        exchange();
        std::int64_t most = 0;
        for (const auto& [peer, count] : counters.stop().sent)
            most = std::max<std::int64_t>(most, count.messages);
        return most;
    }
    bool tries_out() const {
        return comm.size() > 1 && Exec().concurrency() == 1 && !comm.state()->crowded();
    }

    const TransportSetting setting{Transport::message};
    const Communicator comm{MPI_COMM_WORLD};
    const Exec exec{};
    const ArrayLayout layout{
        ProcessGrid{1, comm.size()},
        {block(rows), block(cells* comm.size(), {.padding = width, .periodic = true})}};
    /// Two ranks are each other's neighbours on both sides.
    static constexpr std::int64_t of_one_exchange = 2;
    static constexpr std::int64_t of_trials = 14;
};

TEST_F(PaddingExchangeSearch, IsDoneByTheFirstExchange) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make();
    const Array b = make();
    for (int round = 0; round < 3; ++round) {
        fill(a, round);
        const std::int64_t most = most_messages([&] { plan.execute(exec, a); });
        EXPECT_EQ(count_wrong(a, round), 0) << "round " << round;
        if (round == 0)
            EXPECT_EQ(most >= of_trials, tries_out()) << most << " messages";
        else
            EXPECT_LE(most, of_one_exchange);
    }
}

TEST_F(PaddingExchangeSearch, IsDoneOnceForFieldsOfTheSameTypes) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make();
    const Array b = make();
    const auto expect = [&](bool trials, auto&& exchange) {
        fill(a, 1);
        fill(b, 2);
        const std::int64_t most = most_messages(exchange);
        EXPECT_EQ(most >= of_trials, trials && tries_out()) << most << " messages";
    };
    expect(true, [&] { plan.execute(exec, a, b); });
    EXPECT_EQ(count_wrong(a, 1) + count_wrong(b, 2), 0);
    expect(false, [&] { plan.execute(exec, b, a); });
    EXPECT_EQ(count_wrong(a, 1) + count_wrong(b, 2), 0);
    expect(true, [&] { plan.execute(exec, a); });
    EXPECT_EQ(count_wrong(a, 1), 0);
    expect(false, [&] { plan.execute(exec, b); });
    EXPECT_EQ(count_wrong(b, 2), 0);
}

// What is computed while the exchange is under way does not reach the padding.
TEST_F(PaddingExchangeSearch, IsDoneByStartBeforeSomebodyComputes) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make();
    fill(a, 1);
    const std::int64_t most = most_messages([&] {
        auto exchange = plan.start(exec, a);
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 2 * width; j < cells; ++j) a.view()(i, j) += 1;
        exchange.finish();
    });
    EXPECT_EQ(most >= of_trials, tries_out()) << most << " messages";
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 2 * width; j < cells; ++j) a.view()(i, j) -= 1;
    EXPECT_EQ(count_wrong(a, 1), 0);
}

TEST_F(PaddingExchangeSearch, FindsTheSameOnAllRanks) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make();
    fill(a, 1);
    plan.execute(exec, a);
    const std::string description = plan.describe();
    const bool by_datatype = description.find("by a datatype") != std::string::npos;
    const std::vector<char> answers = on_all_ranks(comm, by_datatype);
    for (const char answer : answers) EXPECT_EQ(answer != 0, by_datatype) << description;
    EXPECT_EQ(description.find("bound set 1"), std::string::npos) << description;
}

TEST_F(PaddingExchangeSearch, IsNotDoneByBind) {
    PaddingExchangePlan plan(comm, layout);
    const Array a = make();
    fill(a, 1);
    plan.bind(exec, a);
    for (std::int64_t i = 0; i < rows; ++i) {
        EXPECT_TRUE(std::isnan(a.view()(i, 0)));
        EXPECT_TRUE(std::isnan(a.view()(i, cells + 2 * width - 1)));
    }
    EXPECT_LE(most_messages([&] { plan.execute(exec, a); }), of_one_exchange);
    EXPECT_EQ(count_wrong(a, 1), 0);
}

TEST_F(PaddingExchangeSearch, IsNotDoneIfTheUserHasChosen) {
    for (const char* choice : {"0", "1"}) {
        const VariableSetting datatypes("DISTVIEW_MESSAGE_DATATYPES", choice);
        PaddingExchangePlan plan(comm, layout);
        const Array a = make();
        fill(a, 2);
        EXPECT_LT(most_messages([&] { plan.execute(exec, a); }), of_trials);
        EXPECT_EQ(count_wrong(a, 2), 0);
        EXPECT_EQ(plan.describe().find("by a datatype") != std::string::npos,
                  *choice == '1' && comm.size() > 1)
            << plan.describe();
    }
}

} // namespace

} // namespace distview::testing
