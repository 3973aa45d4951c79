// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/collectives.hpp>

#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace distview {

namespace {

template <class T>
MPI_Datatype mpi_type() {
    if constexpr (std::same_as<T, std::int32_t>)
        return MPI_INT32_T;
    else if constexpr (std::same_as<T, std::uint32_t>)
        return MPI_UINT32_T;
    else if constexpr (std::same_as<T, std::int64_t>)
        return MPI_INT64_T;
    else
        return MPI_UINT64_T;
}

/// Names of calls by ReduceOperation.
constexpr std::array reduce_names{"all_reduce(sum)", "all_reduce(min)", "all_reduce(max)"};
const std::array reduce_operations{MPI_SUM, MPI_MIN, MPI_MAX};

/// NaN is less and greater than every number: min and max return it.
template <std::floating_point T>
void combine(ReduceOperation operation, T& here, T other) {
    switch (operation) {
    case ReduceOperation::sum: here += other; break;
    case ReduceOperation::min: here = other < here || std::isnan(other) ? other : here; break;
    case ReduceOperation::max: here = here < other || std::isnan(other) ? other : here; break;
    }
}

/// MPI may combine in a different order on each rank, and may give other bits for NaNs and signed zeros.
template <std::floating_point T>
void reduce_in_rank_order(const Communicator& comm, ReduceOperation operation, std::span<T> values,
                          std::vector<T>& all) {
    impl::all_gather(comm, values.data(), all.data(), values.size_bytes());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = all[i];
        for (std::size_t j = i + values.size(); j < all.size(); j += values.size())
            combine(operation, values[i], all[j]);
    }
}

void check_root(const Communicator& comm, const char* caller, int root) {
    require<UsageError>(root >= 0 && root < comm.size(), [&] {
        return text(caller, ": expected a root in [0, ", comm.size(), "), got ", root);
    });
}

void check_sizes(const Communicator& comm, const char* caller, std::int64_t my_size,
                 std::span<const std::int64_t> sizes) {
    const bool sizes_match =
        std::ssize(sizes) == comm.size() &&
        sizes[static_cast<std::size_t>(comm.rank())] == my_size &&
        std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size >= 0; });
    require<UsageError>(sizes_match, [&] {
        return text(caller, ": expected the sizes of ", comm.size(), " ranks, each >= 0, with ",
                    my_size, " bytes for rank ", comm.rank());
    });
}

/// The pieces of all ranks in one round, as the arguments of MPI_Gatherv and MPI_Scatterv.
class Rounds {
public:
    Rounds(const char* caller, const Communicator& comm, int root, std::int64_t my_size,
           std::span<const std::int64_t> sizes, const impl::PieceOptions& options)
        : m_sizes(sizes), m_counts(sizes.size()), m_offsets(sizes.size()) {
        check_root(comm, caller, root);
        const std::int64_t ranks = comm.size();
        check_sizes(comm, caller, my_size, sizes);
        const std::int64_t element = std::max<std::int64_t>(options.element_bytes, 1);
        require<UsageError>(element <= std::numeric_limits<int>::max() / ranks, [&] {
            return text(caller, ": elements of ", element, " bytes from ", ranks,
                        " ranks exceed MPI's limit of 2^31-1");
        });
        const std::int64_t staging =
            std::min<std::int64_t>(options.staging_bytes, std::numeric_limits<int>::max());
        m_piece = std::max<std::int64_t>(staging / ranks / element, 1) * element;
        m_longest = *std::max_element(sizes.begin(), sizes.end());
        if (comm.rank() != root) return;
        std::int64_t total = 0; // of the first round, which is the longest
        for (const std::int64_t size : sizes) total += std::min(size, m_piece);
        m_staging = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(total));
    }

    /// Moves on to the next round; false when all has been moved.
    bool next() {
        m_begin += m_started ? m_piece : 0;
        m_started = true;
        int offset = 0;
        for (std::size_t r = 0; r < m_sizes.size(); ++r) {
            m_counts[r] =
                static_cast<int>(std::clamp<std::int64_t>(m_sizes[r] - m_begin, 0, m_piece));
            m_offsets[r] = offset;
            offset += m_counts[r];
        }
        return m_begin < m_longest;
    }

    std::int64_t begin() const { return m_begin; }
    int count(int rank) const { return m_counts[static_cast<std::size_t>(rank)]; }
    const int* counts() const { return m_counts.data(); }
    const int* offsets() const { return m_offsets.data(); }
    std::byte* staging() { return m_staging.get(); }

    /// On root, calls visit(rank, offset in the rank's bytes, staged piece).
    template <class Visit>
    void for_each_piece(Visit&& visit) {
        for (std::size_t r = 0; r < m_sizes.size(); ++r)
            if (m_counts[r] > 0)
                visit(static_cast<int>(r), m_begin,
                      std::span(m_staging.get() + m_offsets[r],
                                static_cast<std::size_t>(m_counts[r])));
    }

private:
    std::span<const std::int64_t> m_sizes;
    std::vector<int> m_counts;
    std::vector<int> m_offsets;
    std::unique_ptr<std::byte[]> m_staging;
    std::int64_t m_piece = 0;
    std::int64_t m_longest = 0;
    std::int64_t m_begin = 0;
    bool m_started = false;
};

} // namespace

namespace impl {

void all_gather(const Communicator& comm, const void* mine, void* all, std::size_t bytes) {
    const int count = impl::message_count(static_cast<std::int64_t>(bytes), "all_gather");
    check_mpi(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm.mpi()),
              "MPI_Allgather");
}

} // namespace impl

namespace {

/// Agrees that all ranks pass the same arguments and `sizes`. Returns the result of `check`,
/// whose exception on one rank is thrown on all.
template <class Check>
auto meet(const Communicator& comm, const char* caller, const Check& check,
          std::initializer_list<std::pair<const char*, std::int64_t>> arguments,
          std::span<const std::int64_t> sizes = {}) {
    Hash digest;
    for (const auto& [name, value] : arguments) digest.add(value);
    for (const std::int64_t size : sizes) digest.add(size);
    return agree_on(comm, caller, check, digest.value(), [&] {
        std::vector<Argument> result;
        for (const auto& [name, value] : arguments) result.push_back({name, text(value)});
        std::string lines; // an error shows the first line that differs
        for (std::size_t r = 0; r < sizes.size(); ++r)
            lines += text(sizes[r], " for rank ", r, '\n');
        result.push_back({"number of bytes", lines});
        return result;
    });
}

Rounds meet_for_rounds(const char* caller, const Communicator& comm, int root, std::int64_t my_size,
                       std::span<const std::int64_t> sizes, const impl::PieceOptions& options) {
    return meet(
        comm, caller, [&] { return Rounds(caller, comm, root, my_size, sizes, options); },
        {{"root", root},
         {"bytes of an element", options.element_bytes},
         {"staging_bytes", options.staging_bytes}},
        sizes);
}

/// Visits the pieces of a round, unless an earlier round has failed.
template <class Visit>
void try_pieces(Rounds& rounds, const Visit& visit, std::exception_ptr& failure) {
    if (failure) return;
    try {
        rounds.for_each_piece(visit);
    } catch (...) {
        failure = std::current_exception();
    }
}

} // namespace

void impl::meet_to_gather(const Communicator& comm, std::size_t bytes) {
    meet(comm, "all_gather",
         [&] { impl::message_count(static_cast<std::int64_t>(bytes), "all_gather"); },
         {{"bytes of a value", static_cast<std::int64_t>(bytes)}});
}

void barrier(const Communicator& comm) {
    const CollectiveCall call(comm, "barrier");
    agree(comm, "barrier", nullptr);
}

template <ReducibleNumber T>
void all_reduce(const Communicator& comm, ReduceOperation operation, std::span<T> values) {
    const auto number = static_cast<std::size_t>(operation);
    const CollectiveCall call(comm, reduce_names[number]);
    int count = 0;
    std::vector<T> all;
    meet(comm, reduce_names[number],
         [&] {
             count = impl::message_count(static_cast<std::int64_t>(values.size()), "all_reduce",
                                         "values");
             if constexpr (std::floating_point<T>)
                 all.resize(values.size() * static_cast<std::size_t>(comm.size()));
         },
         {{"number of values", static_cast<std::int64_t>(values.size())},
          {"bytes of a value", sizeof(T)},
          {"whether values are floating-point numbers", std::floating_point<T>},
          {"whether values are signed", std::is_signed_v<T>}});
    if constexpr (std::floating_point<T>)
        reduce_in_rank_order(comm, operation, values, all);
    else
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), count, mpi_type<T>(),
                                reduce_operations[number], comm.mpi()),
                  "MPI_Allreduce");
}

template void all_reduce(const Communicator&, ReduceOperation, std::span<std::int32_t>);
template void all_reduce(const Communicator&, ReduceOperation, std::span<std::uint32_t>);
template void all_reduce(const Communicator&, ReduceOperation, std::span<std::int64_t>);
template void all_reduce(const Communicator&, ReduceOperation, std::span<std::uint64_t>);
template void all_reduce(const Communicator&, ReduceOperation, std::span<float>);
template void all_reduce(const Communicator&, ReduceOperation, std::span<double>);

void broadcast(const Communicator& comm, int root, std::span<std::byte> bytes) {
    const CollectiveCall call(comm, "broadcast");
    meet(comm, "broadcast", [&] { check_root(comm, "broadcast", root); },
         {{"root", root}, {"number of bytes", static_cast<std::int64_t>(bytes.size())}});
    constexpr std::size_t most = std::size_t{1} << 30;
    for (std::size_t begin = 0; begin < bytes.size(); begin += most) {
        const std::size_t count = std::min(most, bytes.size() - begin);
        check_mpi(
            MPI_Bcast(bytes.data() + begin, static_cast<int>(count), MPI_BYTE, root, comm.mpi()),
            "MPI_Bcast");
    }
}

void gather_bytes(const Communicator& comm, int root, std::span<const std::byte> mine,
                  std::span<const std::int64_t> sizes, std::span<std::byte> all) {
    const CollectiveCall call(comm, "gather_bytes");
    std::int64_t total = 0;
    std::vector<int> counts;
    std::vector<int> offsets;
    meet(
        comm, "gather_bytes",
        [&] {
            check_root(comm, "gather_bytes", root);
            check_sizes(comm, "gather_bytes", std::ssize(mine), sizes);
            total = std::accumulate(sizes.begin(), sizes.end(), total);
            require<UsageError>(comm.rank() != root || std::ssize(all) == total, [&] {
                return text("gather_bytes: expected a buffer of ", total, " bytes, got ",
                            all.size());
            });
            if (!std::in_range<int>(total)) return;
            for (const std::int64_t size : sizes) {
                offsets.push_back(counts.empty() ? 0 : offsets.back() + counts.back());
                counts.push_back(static_cast<int>(size));
            }
        },
        {{"root", root}}, sizes);
    if (!std::in_range<int>(total)) {
        std::vector<std::int64_t> begins(sizes.size());
        std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), std::int64_t{0});
        return impl::gather_pieces(
            comm, root, mine, sizes, {},
            [&](int rank, std::int64_t offset, std::span<const std::byte> piece) {
                const std::int64_t at = begins[static_cast<std::size_t>(rank)] + offset;
                std::copy(piece.begin(), piece.end(), all.begin() + at);
            });
    }
    check_mpi(MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(),
                          counts.data(), offsets.data(), MPI_BYTE, root, comm.mpi()),
              "MPI_Gatherv");
}

void impl::gather_pieces(
    const Communicator& comm, int root, std::span<const std::byte> mine,
    std::span<const std::int64_t> sizes, const impl::PieceOptions& options,
    const std::function<void(int, std::int64_t, std::span<const std::byte>)>& receive) {
    const CollectiveCall call(comm, "gather_pieces");
    const int rank = comm.rank();
    Rounds rounds = meet_for_rounds("gather_pieces", comm, root, std::ssize(mine), sizes, options);
    std::exception_ptr failure; // on root; the others wait for it in later rounds
    while (rounds.next()) {
        const int count = rounds.count(rank);
        const std::byte* piece = count > 0 ? mine.data() + rounds.begin() : nullptr;
        check_mpi(MPI_Gatherv(piece, count, MPI_BYTE, rounds.staging(), rounds.counts(),
                              rounds.offsets(), MPI_BYTE, root, comm.mpi()),
                  "MPI_Gatherv");
        if (rank == root) try_pieces(rounds, receive, failure);
    }
    agree(comm, "gather_pieces", failure);
}

void impl::scatter_pieces(
    const Communicator& comm, int root, std::span<const std::int64_t> sizes,
    const impl::PieceOptions& options,
    const std::function<void(int, std::int64_t, std::span<std::byte>)>& provide,
    std::span<std::byte> mine) {
    const CollectiveCall call(comm, "scatter_pieces");
    const int rank = comm.rank();
    Rounds rounds = meet_for_rounds("scatter_pieces", comm, root, std::ssize(mine), sizes, options);
    std::exception_ptr failure; // as in gather_pieces()
    while (rounds.next()) {
        if (rank == root) try_pieces(rounds, provide, failure);
        const int count = rounds.count(rank);
        std::byte* piece = count > 0 ? mine.data() + rounds.begin() : nullptr;
        check_mpi(MPI_Scatterv(rounds.staging(), rounds.counts(), rounds.offsets(), MPI_BYTE, piece,
                               count, MPI_BYTE, root, comm.mpi()),
                  "MPI_Scatterv");
    }
    agree(comm, "scatter_pieces", failure);
}

} // namespace distview
