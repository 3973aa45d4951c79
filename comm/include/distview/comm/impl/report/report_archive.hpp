// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

#include <string>
#include <string_view>

namespace distview::impl {

/// A rank's report as bytes that another process of the same build reads.
std::string packed(const RankReport& report);
/// Throws Error if the bytes end too early.
RankReport unpacked(std::string_view bytes);

} // namespace distview::impl
