// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/other_program.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace distview {

namespace {

/// The joined communicator of an intercommunicator, kept as its attribute and freed with it.
class Joined {
public:
    static MPI_Comm of(MPI_Comm intercommunicator) {
        const int key = attribute_key();
        void* found_value = nullptr;
        int found = 0;
        check_mpi(
            MPI_Comm_get_attr(intercommunicator, key, static_cast<void*>(&found_value), &found),
            "MPI_Comm_get_attr");
        if (found != 0) return static_cast<Joined*>(found_value)->m_comm;
        auto made = std::make_unique<Joined>();
        // Both say the same: which group comes first is left to MPI.
        check_mpi(MPI_Intercomm_merge(intercommunicator, 0, &made->m_comm), "MPI_Intercomm_merge");
        check_mpi(MPI_Comm_set_attr(intercommunicator, key, made.get()), "MPI_Comm_set_attr");
        return made.release()->m_comm;
    }

private:
    static int attribute_key() {
        static std::mutex mutex;
        static int key = MPI_KEYVAL_INVALID;
        const std::lock_guard lock(mutex);
        if (key == MPI_KEYVAL_INVALID)
            check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_freed, &key, nullptr),
                      "MPI_Comm_create_keyval");
        return key;
    }
    static int on_freed(MPI_Comm, int, void* value, void*) {
        const std::unique_ptr<Joined> joined(static_cast<Joined*>(value));
        return MPI_Comm_free(&joined->m_comm);
    }

    MPI_Comm m_comm = MPI_COMM_NULL;
};

MPI_Comm checked(MPI_Comm intercommunicator) {
    require_mpi(plan_names::other_program);
    require<UsageError>(intercommunicator != MPI_COMM_NULL, "OtherProgram: got MPI_COMM_NULL");
    int inter = 0;
    check_mpi(MPI_Comm_test_inter(intercommunicator, &inter), "MPI_Comm_test_inter");
    require<UsageError>(inter != 0, "OtherProgram: expected an intercommunicator");
    return intercommunicator;
}

/// The ranks that a group of an intercommunicator has in another communicator.
std::vector<int> ranks_in(MPI_Comm comm, MPI_Comm intercommunicator, bool others) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group part = MPI_GROUP_NULL;
    check_mpi(MPI_Comm_group(comm, &all), "MPI_Comm_group");
    check_mpi(others ? MPI_Comm_remote_group(intercommunicator, &part)
                     : MPI_Comm_group(intercommunicator, &part),
              "MPI_Comm_group");
    int count = 0;
    check_mpi(MPI_Group_size(part, &count), "MPI_Group_size");
    std::vector<int> in_part(static_cast<std::size_t>(count));
    std::iota(in_part.begin(), in_part.end(), 0);
    std::vector<int> result(in_part.size());
    check_mpi(MPI_Group_translate_ranks(part, count, in_part.data(), all, result.data()),
              "MPI_Group_translate_ranks");
    check_mpi(MPI_Group_free(&part), "MPI_Group_free");
    check_mpi(MPI_Group_free(&all), "MPI_Group_free");
    return result;
}

/// Specifications of layouts, in numbers.
class Writer {
public:
    void add(std::int64_t number) { numbers.push_back(number); }
    void add(Widths widths) {
        add(widths.low);
        add(widths.high);
    }
    template <class T>
    void add(const std::vector<T>& list) {
        add(static_cast<std::int64_t>(list.size()));
        for (const T& each : list) add(each);
    }
    void add(const BlockSpec& spec) {
        add(spec.interior_size);
        add(static_cast<std::int64_t>(spec.split));
        add(spec.options.padding);
        add(spec.options.boundary);
        add(std::int64_t{spec.options.periodic});
        add(spec.bounds);
        add(spec.paddings);
    }
    void add(const CyclicSpec& spec) {
        add(spec.size);
        add(spec.block_size);
        add(std::int64_t{spec.periodic});
    }
    void add(const UnstructuredSpec& spec) {
        const bool is_partly_known = spec.known_process >= 0;
        add(spec.size);
        add(std::int64_t{spec.one_to_one});
        add(std::int64_t{is_partly_known ? 0 : -1});
        add(std::int64_t{spec.periodic});
        add(is_partly_known ? std::vector<std::vector<std::int64_t>>(1) : spec.labels);
        add(is_partly_known ? std::vector<std::int64_t>() : spec.ghosts);
    }

    std::vector<std::int64_t> numbers;
};

std::vector<std::int64_t> written(const ArrayLayout& layout) {
    Writer to;
    to.add(layout.rank());
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisSpec spec = axis_spec(layout.axis(d));
        to.add(layout.grid().extent(d));
        to.add(static_cast<std::int64_t>(spec.value.index()));
        std::visit([&](const auto& kind) { to.add(kind); }, spec.value);
    }
    return std::move(to.numbers);
}

class Reader {
public:
    explicit Reader(std::span<const std::int64_t> numbers) : m_numbers(numbers) {}

    std::int64_t number() { return m_numbers[m_at++]; }
    bool flag() { return number() != 0; }
    Widths widths() {
        const std::int64_t low = number();
        return {low, number()};
    }
    template <class Read>
    auto list(const Read& read) {
        std::vector<decltype(read())> result;
        for (std::int64_t left = number(); left > 0; --left) result.push_back(read());
        return result;
    }
    std::vector<std::int64_t> numbers() {
        return list([&] { return number(); });
    }
    AxisSpec axis() {
        switch (number()) {
        case 0: {
            BlockSpec spec;
            spec.interior_size = number();
            spec.split = static_cast<BlockSplit>(number());
            spec.options.padding = widths();
            spec.options.boundary = widths();
            spec.options.periodic = flag();
            spec.bounds = numbers();
            spec.paddings = list([&] { return widths(); });
            return {std::move(spec)};
        }
        case 1: {
            CyclicSpec spec;
            spec.size = number();
            spec.block_size = number();
            spec.periodic = flag();
            return {spec};
        }
        default: {
            UnstructuredSpec spec;
            spec.size = number();
            spec.one_to_one = flag();
            spec.known_process = static_cast<int>(number());
            spec.periodic = flag();
            spec.labels = list([&] { return numbers(); });
            spec.ghosts = numbers();
            return {std::move(spec)};
        }
        }
    }

private:
    std::span<const std::int64_t> m_numbers;
    std::size_t m_at = 0;
};
static_assert(std::variant_size_v<decltype(AxisSpec::value)> == 3);

ArrayLayout read(std::span<const std::int64_t> numbers) {
    Reader from(numbers);
    std::vector<int> grid;
    std::vector<AxisSpec> axes;
    for (std::int64_t left = from.number(); left > 0; --left) {
        grid.push_back(static_cast<int>(from.number()));
        axes.push_back(from.axis());
    }
    return {ProcessGrid(grid), axes};
}

} // namespace

OtherProgram::OtherProgram(MPI_Comm intercommunicator)
    : m_comm(Joined::of(checked(intercommunicator))),
      m_ranks(ranks_in(m_comm.mpi(), intercommunicator, true)),
      m_own_ranks(ranks_in(m_comm.mpi(), intercommunicator, false)) {}

ArrayLayout OtherProgram::exchange(const ArrayLayout& mine) const {
    const CollectiveCall call(m_comm, "OtherProgram::exchange");
    const bool speaks = m_comm.rank() == m_own_ranks.front();
    std::array<std::vector<std::int64_t>, 2> said; // by this program, by the other
    std::array<std::int64_t, 2> sizes{};           // by the lower ranks, by the others
    const bool is_first = m_own_ranks.front() < m_ranks.front();
    agree_on(m_comm, plan_names::other_program, [&] {
        if (speaks) said[0] = written(mine);
    });
    sizes[is_first ? 0 : 1] = static_cast<std::int64_t>(said[0].size());
    all_reduce(m_comm, ReduceOperation::max, std::span<std::int64_t>(sizes));
    agree_on(m_comm, plan_names::other_program, [&] {
        said[0].resize(static_cast<std::size_t>(sizes[is_first ? 0 : 1]));
        said[1].resize(static_cast<std::size_t>(sizes[is_first ? 1 : 0]));
    });
    for (const bool first : {true, false}) {
        const bool is_own = first == is_first;
        broadcast(m_comm, is_own ? m_own_ranks.front() : m_ranks.front(),
                  std::as_writable_bytes(std::span(said[is_own ? 0 : 1])));
    }
    return agree_on(m_comm, plan_names::other_program, [&] { return read(said[1]); });
}

RedistributionPlan OtherProgram::plan(const ArrayLayout& mine, RedistributionOptions options,
                                      bool sends) const {
    const CollectiveCall call(m_comm, plan_names::other_program);
    const std::vector<std::int32_t> senders = all_gather(m_comm, std::int32_t{sends});
    for (int rank = 0; rank < m_comm.size(); ++rank) {
        const bool is_first = rank < std::max(m_ranks.front(), m_own_ranks.front());
        const bool as_first = senders[static_cast<std::size_t>(rank)] == senders.front();
        require<UsageError>(as_first == is_first, [&] {
            return text(plan_names::other_program,
                        ": expected plan_to() on all ranks of one program and plan_from() on "
                        "those of the other, got ",
                        senders.front() != 0 ? "plan_to() on rank 0 and "
                                             : "plan_from() on rank 0 and ",
                        senders[static_cast<std::size_t>(rank)] != 0 ? "plan_to()" : "plan_from()",
                        " on rank ", rank);
        });
    }
    const ArrayLayout theirs = exchange(mine);
    options.from_ranks = sends ? m_own_ranks : m_ranks;
    options.to_ranks = sends ? m_ranks : m_own_ranks;
    const auto fit = [](std::vector<int>& ranks, const ArrayLayout& layout) {
        ranks.resize(std::min(ranks.size(), static_cast<std::size_t>(layout.process_count())));
    };
    fit(options.from_ranks, sends ? mine : theirs);
    fit(options.to_ranks, sends ? theirs : mine);
    return {m_comm, sends ? mine : theirs, sends ? theirs : mine, options};
}

} // namespace distview
