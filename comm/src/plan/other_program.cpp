// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/other_program.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/archive.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <variant>

namespace distview {

namespace {

/// The merged communicator of an intercommunicator, stored as its attribute and freed with it.
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
        // Both groups pass 0 as `high`: MPI chooses the first group.
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

/// Number of Specification's format, to be raised when its members change.
constexpr std::uint32_t specification_format = 1;

/// Arguments of a layout's constructor.
struct Specification {
    std::uint32_t format = specification_format; ///< first in the bytes, in every format
    std::vector<int> grid{};
    std::vector<AxisSpec> axes{};
};

struct SpecificationMembers {
    static auto of(Widths& it) { return std::tie(it.low, it.high); }
    static auto of(BlockOptions& it) { return std::tie(it.padding, it.boundary, it.periodic); }
    static auto of(BlockSpec& it) {
        return std::tie(it.interior_size, it.split, it.options, it.bounds, it.paddings);
    }
    static auto of(CyclicSpec& it) { return std::tie(it.size, it.block_size, it.periodic); }
    static auto of(UnstructuredSpec& it) {
        return std::tie(it.size, it.one_to_one, it.labels, it.known_process, it.periodic,
                        it.ghosts);
    }
    static auto of(AxisSpec& it) { return std::tie(it.value); }
    static auto of(Specification& it) { return std::tie(it.format, it.grid, it.axes); }
};

std::string written(const ArrayLayout& layout) {
    Specification said;
    for (int d = 0; d < layout.rank(); ++d) {
        said.grid.push_back(layout.grid().extent(d));
        AxisSpec& axis = said.axes.emplace_back(axis_spec(layout.axis(d)));
        // If each rank knows its own labels only, no labels are sent to the other program.
        auto* const labels = std::get_if<UnstructuredSpec>(&axis.value);
        if (!labels || labels->known_process < 0) continue;
        labels->known_process = 0;
        labels->labels.assign(1, {});
        labels->ghosts.clear();
    }
    return impl::packed<SpecificationMembers>(said);
}

ArrayLayout read(const std::string& written) {
    std::uint32_t format = 0;
    if (written.size() >= sizeof(format)) std::memcpy(&format, written.data(), sizeof(format));
    require<UsageError>(format == specification_format, [&] {
        return text(plan_names::other_program,
                    ": expected two programs with the same version of the library: this "
                    "program sends layouts in format ",
                    specification_format, ", the other program in format ", format);
    });
    const auto said = impl::unpacked<SpecificationMembers, Specification>(written);
    return {ProcessGrid(said.grid), said.axes};
}

} // namespace

OtherProgram::OtherProgram(MPI_Comm intercommunicator)
    : m_comm(Joined::of(checked(intercommunicator))),
      m_ranks(ranks_in(m_comm.mpi(), intercommunicator, true)),
      m_own_ranks(ranks_in(m_comm.mpi(), intercommunicator, false)) {}

ArrayLayout OtherProgram::exchange(const ArrayLayout& mine) const {
    const CollectiveCall call(m_comm, "OtherProgram::exchange");
    const bool speaks = m_comm.rank() == m_own_ranks.front();
    std::array<std::string, 2> said;     // by this program, by the other
    std::array<std::int64_t, 2> sizes{}; // by the lower ranks, by the others
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
                        "all ranks of the other, got ",
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
