// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Names of plans, as errors and the report give them.
namespace distview::impl::plan_names {

inline constexpr const char* padding_exchange = "PaddingExchangePlan";
inline constexpr const char* redistribution = "RedistributionPlan";
inline constexpr const char* gather = "GatherPlan";
inline constexpr const char* ghost_exchange = "GhostExchangePlan";
inline constexpr const char* migration = "MigrationPlan";
inline constexpr const char* other_program = "OtherProgram";

} // namespace distview::impl::plan_names

namespace distview {
namespace plan_names = impl::plan_names;
} // namespace distview
