// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>

#include <vector>

namespace distview::protocol {

/// One process's export: the protocol's version, dimension dictionaries and buffer.
///
/// The C++ form of the result of `__distarray__()` and of a distview_dap_section. Like a DimData,
/// it may hold any values that a foreign producer writes.
struct ExportedSection {
    Version version = v0_10_0;
    std::vector<DimData> dim_data{};
    AnySection section{};
    /// The producer's rank and the number of processes; -1 if the producer did not give it.
    int process = -1;
    int process_count = -1;

    /// The dictionaries and extents, without the data.
    SectionDescription description() const { return {dim_data, section.extents}; }
};

/// The export of a distributed array on this process; shares its memory.
///
/// Collective: no (local)
/// Cost:       as export_dim_data()
/// Errors:     as export_dim_data(); UsageError for a default-constructed array
ExportedSection export_section(const AnyDistView& view, const Version& version = v0_10_0);

} // namespace distview::protocol
