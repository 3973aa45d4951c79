// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

#include <span>
#include <string>

namespace distview::impl {

/// Writes what has been gathered, JSON lines if the name ends in ".json", else text. The first report of a process to a
/// file replaces what was there, others follow it. A file that cannot be written is said to the message sink.
void write_report(const std::string& file, std::span<const RankReport> ranks);

} // namespace distview::impl
