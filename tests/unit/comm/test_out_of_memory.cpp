// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An allocation fails on one rank at some point in a collective call.
#include "import_fixture.hpp"
#include "numbered_array.hpp"
#include "out_of_memory.hpp"
#include "transports.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/elements.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/migration_plan.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/text.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <span>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Objects made before allocations fail belong to no collective call: programs must handle such
/// failures themselves.
class OutOfMemory : public ::testing::Test {
protected:
    const Communicator world{MPI_COMM_WORLD};
    const int n = world.size();
    const int rank = world.rank();
    const Exec exec{};

    NumberedArray borrowed(const ArrayLayout& layout) const { return make_array(world, layout); }

    static bool exchange(const Communicator& comm, const NumberedArray& array) {
        number(array, 1);
        PaddingExchangePlan plan(comm, array.layout());
        plan.execute(Exec(), array);
        return find_wrong_number(array, 1).empty();
    }

    static bool redistribute(const Communicator& comm, const NumberedArray& from,
                             const NumberedArray& to) {
        number(from, 1);
        RedistributionPlan plan(comm, from.layout(), to.layout());
        plan.execute(Exec(), from, to);
        for (LocalIndex j(0); j < static_cast<std::int64_t>(to.view().extent(1)); ++j)
            for (std::int64_t i = 0; i < 12; ++i)
                if (to.view()(i, j.value()) != number_of(i, to.global_index(1, j).value(), 1))
                    return false;
        return true;
    }

    const ArrayLayout rows{ProcessGrid{n, 1}, {block(12), block(8)}};
    const ArrayLayout columns{ProcessGrid{1, n}, {block(12), cyclic(8)}};
};

TEST_F(OutOfMemory, InCollectives) {
    check_out_of_memory([](const Communicator& comm) {
        const std::vector<int> ranks = all_gather(comm, comm.rank());
        const double sum = all_reduce(comm, ReduceOperation::sum, 1.0);
        barrier(comm);
        return ranks.back() == comm.size() - 1 && sum == comm.size();
    });
}

// The error text needs memory, too.
TEST_F(OutOfMemory, InAgreementsOfRanksThatDiffer) {
    const ArrayLayout alone(ProcessGrid{1}, {block(1)});
    const DistView<double*> a(exec, "a", alone, 0), b(exec, "b", alone, 0);
    check_out_of_memory([&](const Communicator& comm) {
        for (const auto& array : {a, b}) distview::impl::number_array(comm, array.identity());
        const std::array<std::uint64_t, 1> one{(comm.rank() == 0 ? a : b).identity()};
        const auto differ = [&](std::uint64_t digest, std::span<const std::uint64_t> arrays) {
            try {
                agree(
                    comm, "call", nullptr, digest,
                    [&] { return std::vector<Argument>{{"number", text(digest)}}; }, arrays);
            } catch (const DeadlineError&) {
                throw;
            } catch (const std::exception&) { // one rank has no memory for an error text
                return true;
            }
            return false;
        };
        differ(0, one); // no difference if a rank could not number them
        return differ(static_cast<std::uint64_t>(comm.rank()), {});
    });
}

TEST_F(OutOfMemory, InPaddingExchangesInPlace) {
    const ArrayLayout layout = ring(world);
    check_out_of_memory([&](const Communicator& comm) {
        return exchange(comm, make_dist_view<double**>(exec, "array", comm, layout));
    });
}

TEST_F(OutOfMemory, InPaddingExchangesOfBorrowedArrays) {
    const NumberedArray array = borrowed(ring(world));
    check_out_of_memory([&](const Communicator& comm) { return exchange(comm, array); });
}

TEST_F(OutOfMemory, InPaddingExchangesOfTypesKnownAtRunTime) {
    const NumberedArray array = borrowed(ring(world));
    const std::array any{AnyDistView(array)};
    check_out_of_memory([&](const Communicator& comm) {
        number(array, 1);
        PaddingExchangePlan plan(comm, array.layout());
        // All allocations occur in the first call. Ranks that leave it by an error treat the second call as the first.
        plan.execute(exec, any);
        plan.execute(exec, any);
        return find_wrong_number(array, 1).empty();
    });
}

TEST_F(OutOfMemory, InPaddingExchangesByMessages) {
    const TransportSetting setting(Transport::message);
    const NumberedArray array = borrowed(ring(world));
    check_out_of_memory([&](const Communicator& comm) { return exchange(comm, array); });
}

TEST_F(OutOfMemory, InRedistributions) {
    check_out_of_memory([&](const Communicator& comm) {
        const auto from = make_dist_view<double**>(exec, "from", comm, rows);
        const auto to = make_dist_view<double**>(exec, "to", comm, columns);
        return redistribute(comm, from, to);
    });
}

TEST_F(OutOfMemory, InRedistributionsByMessages) {
    const TransportSetting setting(Transport::message);
    const NumberedArray from = borrowed(rows), to = borrowed(columns);
    check_out_of_memory([&](const Communicator& comm) { return redistribute(comm, from, to); });
}

TEST_F(OutOfMemory, InRedistributionsInPlace) {
    const ArrayLayout layout(ProcessGrid{n, 1}, {block(10), block(10)});
    RedistributionOptions options;
    options.permutation = {1, 0};
    options.in_place = true;
    check_out_of_memory([&](const Communicator& comm) {
        const auto a = make_dist_view<double**>(exec, "a", comm, layout);
        number(a, 1);
        RedistributionPlan plan(comm, layout, layout, options);
        plan.execute(exec, a, a);
        for (LocalIndex i(0); i < static_cast<std::int64_t>(a.view().extent(0)); ++i)
            for (std::int64_t j = 0; j < 10; ++j)
                if (a.view()(i.value(), j) != number_of(j, a.global_index(0, i).value(), 1))
                    return false;
        return true;
    });
}

/// The even numbers; each process knows only its own.
ArrayLayout listed(int n, int rank) {
    std::vector<std::int64_t> labels;
    for (std::int64_t i = rank; i < 5 * n; i += n) labels.push_back(2 * i);
    return {ProcessGrid{n}, {unstructured_local(5 * n, rank, std::move(labels))}};
}

TEST_F(OutOfMemory, InElementsByOwnLabels) {
    const ArrayLayout layout = listed(n, rank);
    const IndexList list({8, 0, 6});
    // Kokkos ends the program if it has no memory to free a View with a long label, so the Views are kept.
    std::vector<Kokkos::View<double*, Kokkos::HostSpace>> kept;
    kept.reserve(10000);
    check_out_of_memory([&](const Communicator& comm) {
        const auto u = make_dist_view<double*>(exec, "u", comm, layout);
        for (LocalIndex i(0); i < static_cast<std::int64_t>(u.view().extent(0)); ++i)
            u.view()(i.value()) = static_cast<double>(u.global_index(0, i).value());
        const auto& values = kept.emplace_back(get_elements(exec, comm, u, list));
        put_elements(exec, comm, u, list, values);
        return values(0) == 8 && values(1) == 0 && values(2) == 6;
    });
}

TEST_F(OutOfMemory, InGhostExchanges) {
    const std::vector<std::int64_t> owned{rank}, needed{(rank + 1) % n};
    const std::vector<AxisSpec> no_more;
    check_out_of_memory([&](const Communicator& comm) {
        const GhostedLayout x = make_ghosted_layout(comm, owned, needed, no_more);
        const auto u = make_dist_view<double*>(exec, "u", comm, x.layout);
        u.view()(0) = rank;
        u.view()(1) = -1;
        GhostExchangePlan plan(comm, x);
        plan.execute(exec, u);
        return u.view()(x.positions[0]) == (rank + 1) % n;
    });
}

TEST_F(OutOfMemory, InMigrations) {
    const std::vector<int> targets(3, (rank + 1) % n);
    const Kokkos::View<double*, Kokkos::HostSpace> mass("mass", targets.size());
    Kokkos::deep_copy(mass, rank);
    check_out_of_memory([&](const Communicator& comm) {
        MigrationPlan plan(comm, targets);
        const auto [moved] = plan.moved(exec, mass);
        return plan.size() == 3 && moved(2) == (rank + n - 1) % n;
    });
}

// With a report: ranks send their figures to rank 0.
TEST_F(OutOfMemory, InClose) {
    const NumberedArray array = borrowed(ring(world));
    const CollectiveCalls close = [](Communicator comm) {
        comm.close();
        return true;
    };
    for (const int victim : {0, n - 1}) {
        bool may_fail = true;
        for (std::int64_t skipped = 0; may_fail; skipped += 1 + skipped / 4) {
            const OwnedComm parent = duplicate_world();
            Communicator comm(parent.get());
            comm.set_report("/dev/null");
            ASSERT_TRUE(exchange(comm, array));
            const Try tried =
                run_try(comm, close, rank == victim ? std::optional(skipped) : std::nullopt);
            const auto [least, most] = range_of(static_cast<int>(tried.end));
            ASSERT_EQ(least, most) << "rank " << victim << " after " << skipped << " allocations";
            ASSERT_TRUE(tried.end == TryEnd::right || tried.end == TryEnd::error) << tried.what;
            may_fail = range_of(tried.has_failed ? 1 : 0)[1] > 0;
            if (comm.is_open()) close(comm);
        }
    }
}

TEST_F(OutOfMemory, InImports) {
    const DistView<double*> u(exec, "u", listed(n, rank), rank);
    const protocol::ExportedSection section = protocol::export_section(AnyDistView(u));
    check_out_of_memory([&](const Communicator& comm) {
        return import_dist_view(comm, section).section().data == u.view().data();
    });
}

} // namespace

} // namespace distview::testing
