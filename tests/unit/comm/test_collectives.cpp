// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>
#include <distview_testing/random.hpp>
#include <distview_testing/values.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::gather_pieces;
using distview::impl::PieceOptions;
using distview::impl::scatter_pieces;

Communicator world() { return Communicator(MPI_COMM_WORLD); }

std::byte byte_of(int rank, std::int64_t position) {
    return static_cast<std::byte>((rank * 89 + position * 7 + 3) & 255);
}

std::vector<std::byte> bytes_of(int rank, std::int64_t count) {
    std::vector<std::byte> bytes;
    for (std::int64_t i = 0; i < count; ++i) bytes.push_back(byte_of(rank, i));
    return bytes;
}

template <class T>
void check_all_reduce() {
    const Communicator comm = world();
    const T n = static_cast<T>(comm.size());
    const T r = static_cast<T>(comm.rank());
    std::array<T, 3> values{r, static_cast<T>(r + 1), static_cast<T>(10 * r)};
    std::array<T, 3> sums = values;
    all_reduce(comm, ReduceOperation::sum, std::span<T>(sums));
    const T triangle = static_cast<T>(n * (n - 1) / 2);
    EXPECT_EQ(sums, (std::array<T, 3>{triangle, static_cast<T>(triangle + n),
                                      static_cast<T>(10 * triangle)}));
    EXPECT_EQ(all_reduce(comm, ReduceOperation::min, static_cast<T>(r + 4)), T(4));
    EXPECT_EQ(all_reduce(comm, ReduceOperation::max, r), static_cast<T>(n - 1));
}

} // namespace

TEST(AllReduce, every_type_and_operation) {
    check_all_reduce<std::int32_t>();
    check_all_reduce<std::uint32_t>();
    check_all_reduce<std::int64_t>();
    check_all_reduce<std::uint64_t>();
    check_all_reduce<float>();
    check_all_reduce<double>();
}

TEST(AllReduce, nothing_to_reduce) {
    const Communicator comm = world();
    all_reduce(comm, ReduceOperation::sum, std::span<double>());
    all_reduce(comm, ReduceOperation::max, std::span<std::int64_t>());
}

TEST(AllReduce, sums_are_added_in_the_order_of_the_ranks) {
    const Communicator comm = world();
    // Each order of these additions gives a different rounding.
    const auto value = [](int rank) { return std::ldexp(1.1 + 0.37 * rank, rank % 2 ? 53 : 0); };
    double expected = value(0);
    for (int r = 1; r < comm.size(); ++r) expected += value(r);
    for (int repeat = 0; repeat < 100; ++repeat)
        EXPECT_TRUE(
            bits_equal(all_reduce(comm, ReduceOperation::sum, value(comm.rank())), expected));
}

// Otherwise a loop whose end depends on the result may continue on some ranks.
TEST(AllReduce, least_and_greatest_have_the_same_bits_on_all_ranks) {
    const Communicator comm = world();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [one, other] : {std::pair(nan, 1.0), std::pair(-0.0, 0.0)})
        for (int place = 0; place < comm.size(); ++place)
            for (const bool is_swapped : {false, true})
                for (const auto operation : {ReduceOperation::min, ReduceOperation::max}) {
                    const bool is_one = (comm.rank() == place) != is_swapped;
                    const double result = all_reduce(comm, operation, is_one ? one : other);
                    for (const double theirs : all_gather(comm, result))
                        EXPECT_TRUE(bits_equal(theirs, result));
                    EXPECT_EQ(std::isnan(result),
                              std::isnan(one) && (comm.size() > 1 || !is_swapped));
                }
}

TEST(AllGather, in_the_order_of_the_ranks) {
    struct Value {
        std::int64_t a = 0;
        char b = 0;
    };
    const Communicator comm = world();
    const auto all =
        all_gather(comm, Value{10 + comm.rank(), static_cast<char>('a' + comm.rank())});
    ASSERT_EQ(static_cast<int>(all.size()), comm.size());
    for (int r = 0; r < comm.size(); ++r) {
        EXPECT_EQ(all[static_cast<std::size_t>(r)].a, 10 + r);
        EXPECT_EQ(all[static_cast<std::size_t>(r)].b, 'a' + r);
    }
}

TEST(Broadcast, from_every_root) {
    const Communicator comm = world();
    for (int root = 0; root < comm.size(); ++root) {
        auto bytes = bytes_of(comm.rank(), 1000);
        broadcast(comm, root, bytes);
        EXPECT_EQ(bytes, bytes_of(root, 1000));
    }
    broadcast(comm, 0, {});
    EXPECT_THROW_ON_ALL_RANKS(broadcast(comm, comm.size(), {}), UsageError,
                              "broadcast: expected a root in [0, ");
    EXPECT_THROW_ON_ALL_RANKS(broadcast(comm, -1, {}), UsageError, "got -1");
}

TEST(Pieces, gather_and_scatter_bytes_of_any_lengths) {
    for_each_case(60, [](Random& random, std::uint64_t) {
        const Communicator comm = world();
        const std::int64_t element = random.integer(1, 9);
        std::vector<std::int64_t> sizes;
        for (int r = 0; r < comm.size(); ++r)
            sizes.push_back(random.chance(0.3) ? 0 : element * random.integer(0, 40));
        const int root = static_cast<int>(random.integer(0, comm.size()));
        // From one element per round to all in one round.
        const PieceOptions options{element, random.integer(0, 500)};
        const auto mine = bytes_of(comm.rank(), sizes[static_cast<std::size_t>(comm.rank())]);

        std::vector<std::vector<std::byte>> received(sizes.size());
        gather_pieces(comm, root, mine, sizes, options,
                      [&](int from, std::int64_t offset, std::span<const std::byte> piece) {
                          auto& bytes = received[static_cast<std::size_t>(from)];
                          EXPECT_EQ(static_cast<std::int64_t>(bytes.size()), offset);
                          EXPECT_EQ(std::ssize(piece) % element, 0);
                          EXPECT_LE(std::ssize(piece) * comm.size(),
                                    std::max(options.staging_bytes, element * comm.size()));
                          bytes.insert(bytes.end(), piece.begin(), piece.end());
                      });
        for (int r = 0; r < comm.size(); ++r) {
            const auto i = static_cast<std::size_t>(r);
            EXPECT_EQ(received[i], bytes_of(r, comm.rank() == root ? sizes[i] : 0));
        }

        std::vector<std::byte> sent(mine.size());
        scatter_pieces(
            comm, root, sizes, options,
            [&](int to, std::int64_t offset, std::span<std::byte> piece) {
                EXPECT_EQ(comm.rank(), root);
                for (std::size_t i = 0; i < piece.size(); ++i)
                    piece[i] = byte_of(to, offset + static_cast<std::int64_t>(i));
            },
            sent);
        EXPECT_EQ(sent, mine);
    });
}

TEST(GatherBytes, puts_one_ranks_behind_the_others) {
    for_each_case(60, [](Random& random, std::uint64_t) {
        const Communicator comm = world();
        std::vector<std::int64_t> sizes;
        std::vector<std::byte> expected;
        const int root = static_cast<int>(random.integer(0, comm.size()));
        for (int r = 0; r < comm.size(); ++r) {
            sizes.push_back(random.chance(0.3) ? 0 : random.integer(0, 400));
            const auto bytes = bytes_of(r, comm.rank() == root ? sizes.back() : 0);
            expected.insert(expected.end(), bytes.begin(), bytes.end());
        }
        std::vector<std::byte> all(expected.size());
        gather_bytes(comm, root,
                     bytes_of(comm.rank(), sizes[static_cast<std::size_t>(comm.rank())]), sizes,
                     all);
        EXPECT_EQ(all, expected);
    });
}

TEST(GatherBytes, wrong_use_throws_on_all_ranks) {
    const Communicator comm = world();
    const auto n = static_cast<std::size_t>(comm.size());
    const std::vector<std::int64_t> sizes(n, 4);
    const auto mine = bytes_of(comm.rank(), 4);
    std::vector<std::byte> all(4 * n);
    EXPECT_THROW_ON_ALL_RANKS(gather_bytes(comm, -1, mine, sizes, all), UsageError,
                              "gather_bytes: expected a root in [0, ");
    EXPECT_THROW_ON_ALL_RANKS(gather_bytes(comm, 0, mine, std::vector<std::int64_t>(n + 1, 4), all),
                              UsageError, "gather_bytes: expected the sizes of ");
    const auto less = bytes_of(comm.rank(), comm.rank() == comm.size() - 1 ? 3 : 4);
    EXPECT_THROW_ON_ALL_RANKS(gather_bytes(comm, 0, less, sizes, all), UsageError,
                              "3 bytes for rank ");
    all.pop_back(); // only root knows it
    EXPECT_THROW_ON_ALL_RANKS(gather_bytes(comm, 0, mine, sizes, all), UsageError,
                              "gather_bytes: expected a buffer of ");
    all.push_back({});
    std::vector<std::int64_t> below(sizes);
    below.back() = -1;
    EXPECT_THROW_ON_ALL_RANKS(gather_bytes(comm, 0, mine, below, all), UsageError, "each >= 0");
    if (n >= 3) { // rank 0 passes other sizes for two other ranks, with the same sum
        std::vector<std::int64_t> other(sizes);
        if (comm.rank() == 0) other[1] -= 1, other[2] += 1;
        EXPECT_THROW_ON_ALL_RANKS(
            gather_bytes(comm, 0, mine, other, all), UsageError,
            "number of bytes is 4 for rank 1 on rank 1, 3 for rank 1 on rank 0");
    }
    gather_bytes(comm, 0, mine, sizes, all);
    EXPECT_EQ(all.back(), comm.rank() == 0 ? byte_of(comm.size() - 1, 3) : std::byte{});
}

TEST(Pieces, no_rank_has_anything) {
    const Communicator comm = world();
    const std::vector<std::int64_t> sizes(static_cast<std::size_t>(comm.size()), 0);
    gather_pieces(comm, 0, {}, sizes, {},
                  [](int, std::int64_t, std::span<const std::byte>) { ADD_FAILURE(); });
    scatter_pieces(comm, 0, sizes, {},
                   [](int, std::int64_t, std::span<std::byte>) { ADD_FAILURE(); }, {});
}

TEST(Pieces, send_no_messages_of_their_own) {
    // Point-to-point messages could match those of an exchange in flight: pieces use collectives only.
    const Communicator comm = world();
    const std::vector<std::int64_t> sizes(static_cast<std::size_t>(comm.size()), 100);
    const auto mine = bytes_of(comm.rank(), 100);
    MpiCounters counters;
    gather_pieces(comm, 0, mine, sizes, {1, 10 * comm.size()},
                  [](int, std::int64_t, std::span<const std::byte>) {});
    MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.sent_total().messages, 0);
    EXPECT_EQ(traffic.collectives["MPI_Gatherv"], 10);
}

TEST(Pieces, wrong_use_throws_on_all_ranks) {
    const Communicator comm = world();
    const auto ignore = [](int, std::int64_t, std::span<const std::byte>) {};
    const auto n = static_cast<std::size_t>(comm.size());
    const std::vector<std::int64_t> sizes(n, 4);
    const auto mine = bytes_of(comm.rank(), 4);
    EXPECT_THROW_ON_ALL_RANKS(gather_pieces(comm, comm.size(), mine, sizes, {}, ignore), UsageError,
                              "gather_pieces: expected a root in [0, ");
    const std::vector<std::int64_t> too_many(n + 1, 4);
    EXPECT_THROW_ON_ALL_RANKS(gather_pieces(comm, 0, mine, too_many, {}, ignore), UsageError,
                              "gather_pieces: expected the sizes of ");
    // Only the last rank passes fewer bytes than its stated size.
    const auto less = bytes_of(comm.rank(), comm.rank() == comm.size() - 1 ? 3 : 4);
    EXPECT_THROW_ON_ALL_RANKS(gather_pieces(comm, 0, less, sizes, {}, ignore), UsageError,
                              "3 bytes for rank ");
    std::vector<std::byte> room(3);
    EXPECT_THROW_ON_ALL_RANKS(
        scatter_pieces(
            comm, 0, sizes, {}, [](int, std::int64_t, std::span<std::byte>) {}, room),
        UsageError, "scatter_pieces: expected the sizes of ");
    EXPECT_THROW_ON_ALL_RANKS(
        gather_pieces(comm, 0, mine, sizes, {std::int64_t{1} << 31, 64}, ignore), UsageError,
        "exceed MPI's limit of 2^31-1");
}

} // namespace distview::testing
