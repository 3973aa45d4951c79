// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "states.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace distview::tpetra {

namespace impl {

namespace {

int free_duplicate(MPI_Comm, int, void* value, void*) {
    auto* duplicate = static_cast<MPI_Comm*>(value);
    const int code = MPI_Comm_free(duplicate);
    delete duplicate;
    return code;
}

int duplicate_key() {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &made, nullptr),
                  "MPI_Comm_create_keyval");
        return made;
    }();
    return key;
}

void require_local(std::int64_t rows) {
    require<UsageError>(rows >= 0, [&] {
        return text("tpetra::Map: expected a number of rows that is not negative, got ", rows);
    });
    constexpr std::int64_t most = std::numeric_limits<LocalOrdinal>::max();
    require<UsageError>(rows <= most, [&] {
        return text("tpetra::Map: expected at most ", most,
                    " rows on a rank, the limit of Tpetra's local ordinal, got ", rows);
    });
}
void require_global(std::int64_t row) {
    constexpr std::int64_t last = std::numeric_limits<GlobalOrdinal>::max();
    require<UsageError>(row <= last, [&] {
        return text("tpetra::Map: expected row numbers up to ", last,
                    ", the limit of Tpetra's global ordinal, got ", row);
    });
}

} // namespace

Teuchos::RCP<const Teuchos::Comm<int>> trilinos_comm(const Communicator& comm) {
    void* value = nullptr;
    int found = 0;
    check_mpi(MPI_Comm_get_attr(comm.mpi(), duplicate_key(), &value, &found), "MPI_Comm_get_attr");
    if (!found) {
        auto made = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
        check_mpi(MPI_Comm_dup(comm.mpi(), made.get()), "MPI_Comm_dup");
        check_mpi(MPI_Comm_set_attr(comm.mpi(), duplicate_key(), made.get()), "MPI_Comm_set_attr");
        value = made.release();
    }
    return Teuchos::rcp(new Teuchos::MpiComm<int>(*static_cast<MPI_Comm*>(value)));
}

bool are_congruent(const Communicator& a, const Communicator& b) {
    int relation = MPI_UNEQUAL;
    check_mpi(MPI_Comm_compare(a.mpi(), b.mpi(), &relation), "MPI_Comm_compare");
    return relation == MPI_CONGRUENT || relation == MPI_IDENT;
}

} // namespace impl

Map::Map(const Communicator& comm, std::int64_t rows) {
    const CollectiveCall call(comm, "tpetra::Map");
    agree_on(comm, "tpetra::Map", [&] { impl::require_local(rows); });
    const std::int64_t all = all_reduce(comm, ReduceOperation::sum, rows);
    impl::require_global(all - 1);
    impl::guarded(comm, "tpetra::Map", [&] {
        m_state = std::make_shared<const impl::MapState>(impl::MapState{
            comm, Teuchos::rcp(new impl::TrilinosMap(static_cast<Tpetra::global_size_t>(all),
                                                     static_cast<std::size_t>(rows), 0,
                                                     impl::trilinos_comm(comm)))});
    });
}

Map::Map(const Communicator& comm, const std::vector<std::int64_t>& rows) {
    const CollectiveCall call(comm, "tpetra::Map");
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t least = agree_on(comm, "tpetra::Map", [&] {
        impl::require_local(static_cast<std::int64_t>(rows.size()));
        std::int64_t found = none;
        for (const std::int64_t row : rows) {
            require<UsageError>(row >= 0, [&] {
                return text("tpetra::Map: expected rows that are not negative, got ", row);
            });
            impl::require_global(row);
            found = std::min(found, row);
        }
        return found;
    });
    // Tpetra needs the least row of all ranks as the index base.
    least = all_reduce(comm, ReduceOperation::min, least);
    impl::guarded(comm, "tpetra::Map", [&] {
        const std::vector<impl::GlobalOrdinal> listed(rows.begin(), rows.end());
        const Teuchos::ArrayView<const impl::GlobalOrdinal> view(
            listed.data(),
            static_cast<Teuchos::ArrayView<const impl::GlobalOrdinal>::size_type>(listed.size()));
        m_state = std::make_shared<const impl::MapState>(
            impl::MapState{comm, Teuchos::rcp(new impl::TrilinosMap(
                                     Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), view,
                                     static_cast<impl::GlobalOrdinal>(least == none ? 0 : least),
                                     impl::trilinos_comm(comm)))});
    });
}

Map::Map(const RowNumbering& rows)
    : Map(rows.is_contiguous() ? Map(rows.communicator(), rows.local_rows())
                               : Map(rows.communicator(), rows.local_row_numbers())) {
    m_state =
        std::make_shared<const impl::MapState>(impl::MapState{m_state->comm, m_state->map, rows});
}

const RowNumbering& Map::numbering() const {
    require<UsageError>(
        m_state->numbering.has_value(),
        "tpetra::Map::numbering: expected a map made from a RowNumbering, got a map without one");
    return *m_state->numbering;
}
const Communicator& Map::communicator() const { return m_state->comm; }
std::int64_t Map::size() const {
    return static_cast<std::int64_t>(m_state->map->getGlobalNumElements());
}
std::int64_t Map::local_size() const {
    return static_cast<std::int64_t>(m_state->map->getLocalNumElements());
}
std::int64_t Map::row(std::int64_t position) const {
    require<UsageError>(position >= 0 && position < local_size(), [&] {
        return text("tpetra::Map::row: expected a position in [0, ", local_size(), "), got ",
                    position);
    });
    return m_state->map->getGlobalElement(static_cast<impl::LocalOrdinal>(position));
}
std::int64_t Map::position(std::int64_t row) const {
    if (row < 0 || row > std::int64_t(std::numeric_limits<impl::GlobalOrdinal>::max())) return -1;
    const auto found = m_state->map->getLocalElement(static_cast<impl::GlobalOrdinal>(row));
    return found == Teuchos::OrdinalTraits<impl::LocalOrdinal>::invalid() ? -1 : found;
}

GhostedLayout Map::ghosted_layout() const {
    std::vector<std::int64_t> rows;
    rows.reserve(static_cast<std::size_t>(local_size()));
    for (std::int64_t l = 0; l < local_size(); ++l) rows.push_back(row(l));
    return make_ghosted_layout(communicator(), rows, {});
}

bool operator==(const Map& a, const Map& b) {
    // isSameAs() communicates if the sizes are equal, so both maps must have the same ranks.
    return a.m_state->map.get() == b.m_state->map.get() ||
           (impl::are_congruent(a.communicator(), b.communicator()) &&
            a.m_state->map->isSameAs(*b.m_state->map));
}

Map::Map(std::shared_ptr<const impl::MapState> state) : m_state(std::move(state)) {}

Teuchos::RCP<const Tpetra::Map<>> rcp(const Map& map) { return map.state()->map; }

Map make_map(const Communicator& comm, const Teuchos::RCP<const Tpetra::Map<>>& map) {
    agree_on(comm, "tpetra::make_map", [&] {
        require<UsageError>(!map.is_null(), "tpetra::make_map: expected a map, got a null pointer");
        const auto* own = dynamic_cast<const Teuchos::MpiComm<int>*>(map->getComm().get());
        int relation = MPI_UNEQUAL;
        if (own)
            check_mpi(MPI_Comm_compare(*own->getRawMpiComm(), comm.mpi(), &relation),
                      "MPI_Comm_compare");
        require<UsageError>(relation == MPI_CONGRUENT || relation == MPI_IDENT,
                            "tpetra::make_map: expected a map over the ranks of the communicator, "
                            "in the same order, got a map over other ranks");
    });
    return Map(std::make_shared<const impl::MapState>(impl::MapState{comm, map}));
}

} // namespace distview::tpetra
