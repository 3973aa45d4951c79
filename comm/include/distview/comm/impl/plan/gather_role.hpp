// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/plan/reader_packs.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace distview::impl {

/// Elements that one process receives and sends in a gather by global indices.
///
/// Positions count the elements of a section, padding included, in C order (last axis fastest).
struct GatherRole {
    struct Wanted {
        int rank = 0;
        std::vector<std::int64_t> positions; ///< in that rank's section
        std::vector<std::int64_t> places; ///< in the list, or positions in this process's section
    };
    struct Given {
        int rank = 0;
        std::vector<std::int64_t> positions; ///< in this process's section
    };
    std::int64_t size = 0;        ///< of the list
    Extents extents{};            ///< of this process's section
    std::vector<Wanted> wanted{}; ///< by ascending rank; this process included
    std::vector<Given> given{};   ///< by ascending rank; to other ranks only

    std::vector<int> wanted_ranks(int self) const; ///< without this process
    std::vector<int> given_ranks() const;
};

/// Finds the owners of the elements in `list`, and sends each owner its elements' positions. Along `unique_axis`, an
/// unstructured axis, no index may have several owners.
///
/// Collective: over comm; the layout is the same on all ranks and already checked
/// Cost:       O(size of the list) on this rank, and on owners O(their elements in all lists); messages to owners
/// Errors:     UsageError if an element of the list has no owner, or several (on all ranks); its text begins with
///             `caller`
GatherRole find_gather_role(const Communicator& comm, const char* caller, const ArrayLayout& layout,
                            const IndexList& list, std::optional<int> unique_axis = {});

struct GatherProgramSetting {
    const char* caller = ""; ///< begins the text of errors
    int rank = 0;
    const GatherRole* role = nullptr;
    bool combines = false;
    bool into_array = false;  ///< whether the list is part of the array
    bool packs_apart = false; ///< whether owners pack elements that lie apart
    ReaderPacks packs{};
    /// By reader, then by field: whether the pack has the field's elements.
    std::map<int, std::vector<char>> packed{};
    DeviceSetting device{};
};

/// Errors: UsageError if the size of a message exceeds the range of MPI's counts
ExchangeProgram gather_program(const GatherProgramSetting& setting, std::span<const Field> fields,
                               const PeerTransports& transports);

} // namespace distview::impl
