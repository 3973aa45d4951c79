// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/core/array_layout.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace distview::impl {

/// The sections of an array that this process reaches by loads, and by stores if asked for: its
/// own section and, on the node's other processes, sections of make_dist_view().
struct ReachedSections {
    using Section = ReadablePeer::RemoteField; ///< no data if it is out of reach or empty
    std::map<int, Section> sections{}; ///< of this process and the node's others, by process
    std::optional<PlanLines> lines{};  ///< kept: other processes use them
    std::vector<ReadablePeer> peers{}; ///< keep sections mapped
};

/// Collective: over comm
/// Errors:     UsageError if ranks pass arrays of different layouts or types, ShapeError if kernels of `layer` (null:
///             the host's) cannot access the section (thrown on all ranks); `caller` begins the text
ReachedSections reach_sections(const Communicator& comm, const char* caller, const Field& field,
                               DeviceLayer* layer, Access access);

/// Throws UsageError for an element that a kernel could not reach.
[[noreturn]] void throw_out_of_reach(const char* caller, const std::string& label,
                                     const ArrayLayout& layout, const std::int64_t* index);

} // namespace distview::impl
