// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>

#include <vector>

namespace distview::protocol {

/// What one process exports: the protocol's version, dimension dictionaries and buffer.
///
/// The C++ image of what `__distarray__()` returns, and of a distview_dap_section. As a DimData,
/// it may hold whatever a foreign producer says.
struct ExportedSection {
    Version version = v0_10_0;
    std::vector<DimData> dim_data{};
    AnySection section{};
    /// The producer's rank, and how many there are; -1 if it did not say.
    int process = -1;
    int process_count = -1;

    /// The dictionaries and extents, without the data.
    SectionDescription description() const { return {dim_data, section.extents}; }
};

/// The export of a distributed array on this process; shares its memory.
///
/// Collective: no (local)
/// Cost:       that of export_dim_data()
/// Errors:     those of export_dim_data()
ExportedSection export_section(const AnyDistView& view, const Version& version = v0_10_0);

} // namespace distview::protocol
