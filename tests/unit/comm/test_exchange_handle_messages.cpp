// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges by messages, and abandoned ones: a rank that abandons an exchange may write and free
// its array, and the others still get the values from before.
#include "numbered_array.hpp"
#include "transports.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <gtest/gtest.h>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Rank `dropping` ends its exchange before the others begin theirs. Covers arrays in which a plane
/// is contiguous, and arrays in which it is strided.
template <class Array>
class MessageExchangeHandles : public ::testing::Test {
protected:
    MessageExchangeHandles() : m_parent(duplicate_world()), comm(m_parent.get()) {}
    ~MessageExchangeHandles() override {
        if (comm.is_open()) comm.close();
        // No message may be left that could disturb others.
        const Communicator world(MPI_COMM_WORLD);
        PaddingExchangePlan plan(world, layout);
        const Array array = make_on(world);
        number(array, 77);
        plan.execute(exec, array);
        EXPECT_EQ(find_wrong_number(array, 77), "");
    }

    Array make_of(const Communicator& on, const ArrayLayout& of) const {
        return make_dist_view<double**, typename Array::view_type::array_layout, Kokkos::HostSpace>(
            exec, "array", on, of);
    }
    Array make_on(const Communicator& on) const { return make_of(on, layout); }
    Array make(int round) const {
        const Array array = make_on(comm);
        number(array, round);
        return array;
    }
    /// Waits until all messages in flight have arrived.
    void wait_for_all() const {
        MPI_Barrier(comm.mpi());
        MPI_Barrier(comm.mpi());
    }
    /// The abandoning rank has sent its messages before, so the others must get right values.
    void take_part(PaddingExchangePlan& plan, const Array& array) const {
        plan.execute(exec, array);
        EXPECT_EQ(find_wrong_number(array, 1), "") << "rank " << comm.rank();
    }
    /// Whether a rank receives messages from the abandoning rank.
    bool is_neighbour(int rank) const {
        const int n = comm.size();
        return rank != dropping && ((rank + 1) % n == dropping || (rank + n - 1) % n == dropping);
    }

private:
    const TransportSetting m_setting{Transport::message};
    OwnedComm m_parent;

protected:
    Communicator comm;
    const Exec exec{};
    // A plane is a contiguous run, far longer than MPI sends at once.
    const ArrayLayout layout = ring(comm, 4, 40000);
    const int dropping = comm.size() / 2;
};

using Arrays = ::testing::Types<NumberedArray, NumberedArrayLeft>;
TYPED_TEST_SUITE(MessageExchangeHandles, Arrays);

TYPED_TEST(MessageExchangeHandles, SendOneMessageForAllFields) {
    const ArrayLayout rows = ring(this->comm, 4, 150);
    PaddingExchangePlan plan(this->comm, rows);
    std::vector<TypeParam> fields;
    std::vector<AnyDistView> views;
    for (int f = 0; f < 8; ++f) {
        fields.push_back(this->make_of(this->comm, rows));
        views.emplace_back(fields.back());
    }
    plan.bind(Exec(), views);
    const int n = this->comm.size();
    for (int round = 0; round < 3; ++round) {
        for (int f = 0; f < 8; ++f) number(fields[static_cast<std::size_t>(f)], 10 * round + f);
        MpiCounters counters;
        plan.execute(this->exec, std::span<const AnyDistView>(views));
        const MpiTraffic traffic = counters.stop();
        for (int f = 0; f < 8; ++f)
            EXPECT_EQ(find_wrong_number(fields[static_cast<std::size_t>(f)], 10 * round + f), "");
        // Between two ranks, the only neighbour gets two rows of each field.
        for (const auto& [peer, count] : traffic.sent) {
            EXPECT_EQ(count.messages, 1) << "to " << peer;
            EXPECT_EQ(count.bytes, (n == 2 ? 2 : 1) * 8 * 1200);
        }
        EXPECT_EQ(traffic.sent.size(), static_cast<std::size_t>(std::min(n - 1, 2)));
    }
}

TYPED_TEST(MessageExchangeHandles, TakeAnArrayTwice) {
    for (const std::int64_t columns : {700, 5000}) {
        const ArrayLayout rows = ring(this->comm, 4, columns);
        PaddingExchangePlan plan(this->comm, rows);
        const TypeParam a = this->make_of(this->comm, rows);
        number(a, 2);
        plan.execute(this->exec, a, a);
        EXPECT_EQ(find_wrong_number(a, 2), "");
    }
}

TYPED_TEST(MessageExchangeHandles, AbandonedLetTheArrayBeWritten) {
    PaddingExchangePlan plan(this->comm, this->layout);
    const TypeParam a = this->make(1);
    plan.bind(Exec(), a);
    if (this->comm.rank() == this->dropping) {
        static_cast<void>(plan.start(this->exec, a));
        number(a, 99);
    }
    this->wait_for_all();
    if (this->comm.rank() != this->dropping) this->take_part(plan, a);
    this->wait_for_all();
}

// The last rank sends no data in this exchange, so no data message can report to its neighbour that it has abandoned.
TYPED_TEST(MessageExchangeHandles, AbandonedByARankThatOnlyReceives) {
    const int last = this->comm.size() - 1;
    if (last == 0) return;
    const ArrayLayout chain(ProcessGrid{last + 1, 1},
                            {block(4 * (last + 1), {.padding = {1, 0}}), block(40000)});
    PaddingExchangePlan plan(this->comm, chain);
    const TypeParam a = this->make_of(this->comm, chain);
    Kokkos::deep_copy(this->exec, a.view(), 1.0);
    plan.bind(Exec(), a);
    if (this->comm.rank() == last)
        static_cast<void>(plan.start(this->exec, a));
    else
        plan.execute(this->exec, a);
    this->wait_for_all();
    if (this->comm.rank() >= last - 1) {
        EXPECT_THROW(plan.execute(this->exec, a), UsageError);
        EXPECT_FALSE(plan.is_usable());
    } else {
        try { // the neighbour of such a rank executes, or has failed already
            plan.execute(this->exec, a);
        } catch (const UsageError&) {
        }
    }
    this->wait_for_all();
}

TYPED_TEST(MessageExchangeHandles, AbandonedFillNoPaddingLater) {
    PaddingExchangePlan plan(this->comm, this->layout);
    const TypeParam a = this->make(1);
    plan.bind(Exec(), a);
    if (this->comm.rank() == this->dropping) {
        static_cast<void>(plan.start(this->exec, a));
        Kokkos::deep_copy(a.view(), -5.0);
    }
    this->wait_for_all();
    if (this->comm.rank() != this->dropping) this->take_part(plan, a);
    this->wait_for_all();
    if (this->comm.rank() != this->dropping) return;
    for (std::size_t i = 0; i < a.view().extent(0); ++i)
        for (std::size_t j = 0; j < a.view().extent(1); ++j) ASSERT_EQ(a.view()(i, j), -5.0);
}

TYPED_TEST(MessageExchangeHandles, AbandonedLetTheArrayGo) {
    PaddingExchangePlan plan(this->comm, this->layout);
    TypeParam a = this->make(1);
    plan.bind(Exec(), a);
    std::shared_ptr<void> later;
    const std::size_t count = a.view().span();
    if (this->comm.rank() == this->dropping) {
        auto handle = plan.start(this->exec, a);
        a = {};
        // Probably reuses the memory of the array.
        later = allocate_shared(this->comm, count * sizeof(double));
        std::fill_n(static_cast<double*>(later.get()), count, 7.0);
    }
    this->wait_for_all();
    if (this->comm.rank() != this->dropping) this->take_part(plan, a);
    this->wait_for_all();
    if (this->comm.rank() != this->dropping) return;
    const auto* const values = static_cast<const double*>(later.get());
    EXPECT_EQ(std::count(values, values + count, 7.0), static_cast<std::ptrdiff_t>(count));
}

// A rank that only sends to the abandoning rank must not wait forever.
TYPED_TEST(MessageExchangeHandles, AbandonedStillTakeWhatIsSent) {
    const PaddingExchangeOptions low_only{.widths = std::vector<Widths>{{1, 0}, {0, 0}}};
    PaddingExchangePlan plan(this->comm, this->layout, low_only);
    const TypeParam a = this->make(1);
    plan.bind(Exec(), a);
    if (this->comm.rank() == this->dropping) static_cast<void>(plan.start(this->exec, a));
    this->wait_for_all();
    if (this->comm.rank() != this->dropping) {
        plan.execute(this->exec, a);
        const std::int64_t all = 4 * this->comm.size();
        const std::int64_t before = (4 * this->comm.rank() + all - 1) % all;
        EXPECT_EQ(a.view()(0, 0), number_of(before, 0, 1));
        EXPECT_EQ(a.view()(0, 39999), number_of(before, 39999, 1));
    }
    this->wait_for_all();
}

// Covers the arrays of the abandoned exchange, and other arrays bound to the plan. A rank that is
// not a neighbour may get the error from a neighbour.
TYPED_TEST(MessageExchangeHandles, AbandonedAreAnErrorInTheNextExchange) {
    for (const bool same : {true, false}) {
        PaddingExchangePlan plan(this->comm, this->layout);
        const TypeParam a = this->make(1);
        const TypeParam b = this->make(2);
        plan.bind(Exec(), a);
        plan.bind(Exec(), b);
        if (this->comm.rank() == this->dropping)
            static_cast<void>(plan.start(this->exec, a));
        else
            this->take_part(plan, a);
        this->wait_for_all();
        if (this->comm.rank() == this->dropping) {
            EXPECT_THROW(plan.execute(this->exec, same ? a : b), UsageError);
        } else {
            try {
                plan.execute(this->exec, same ? a : b);
                EXPECT_FALSE(this->is_neighbour(this->comm.rank())) << "nothing thrown";
            } catch (const UsageError& error) {
                EXPECT_NE(std::string(error.what()).find("has abandoned an exchange"),
                          std::string::npos)
                    << error.what();
            }
        }
        this->wait_for_all();
    }
}

// All ranks abandon the same exchange one after the other; none may wait forever.
TYPED_TEST(MessageExchangeHandles, AbandonedOneAfterTheOtherEnd) {
    PaddingExchangePlan plan(this->comm, this->layout);
    const TypeParam a = this->make(1);
    plan.bind(Exec(), a);
    for (int rank = 0; rank < this->comm.size(); ++rank) {
        if (this->comm.rank() == rank) static_cast<void>(plan.start(this->exec, a));
        MPI_Barrier(this->comm.mpi());
    }
    this->comm.close();
}

} // namespace

} // namespace distview::testing
