// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/array_layout.hpp>

#include <span>
#include <vector>

namespace distview::impl {

/// Copies of a padding exchange of these fields on the rank that copies most: as it is, on every other process grid on which
/// it is possible, and with every smaller depth. Computed from schedules, without communication; fields have one geometry,
/// and alternatives keep the order of their axes in memory.
std::vector<ExchangeShape> exchange_shapes(const ArrayLayout& layout,
                                           const PaddingExchangeOptions& options,
                                           std::span<const Field> fields,
                                           const std::vector<char>& borrowed);

} // namespace distview::impl
