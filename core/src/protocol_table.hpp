// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/dimension.hpp>
#include <distview/core/protocol/version.hpp>

#include <cstdint>
#include <span>

namespace distview::protocol::impl {

/// The completed dictionaries of all processes; throws the violation that check_all() finds.
DimensionTable conforming_table(const Version& version,
                                std::span<const SectionDescription> sections);

/// The completed dictionary of one axis; throws the violation that the rules of check_local() find.
Dimension conforming_dimension(const Version& version, const DimData& dim, std::int64_t extent);

} // namespace distview::protocol::impl
