// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_box.hpp>
#include <distview/comm/impl/plan/exchange_parts.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/process_grid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace distview::impl {

/// The place of a region's elements: the first one's, and how far apart they are, in bytes.
struct Elements {
    char* first = nullptr;
    std::array<std::int64_t, max_rank> strides{};
};

/// Elements of a field from a position on.
Elements elements(char* data, const std::array<std::int64_t, max_rank>& strides,
                  const std::array<LocalIndex, max_rank>& begin, int rank);

/// In C order, last axis fastest.
Elements packed(char* first, const ExchangePart& part, std::int64_t element_size);

CopyBox box_of(const ExchangePart& part, std::int64_t element_size, const Elements& from,
               const Elements& to);

/// The positions that a part fills, or leaves from. Along axes that the field does not have, though others
/// of the exchange may, a region is everywhere.
LocalBox positions(const ExchangePart& part);

/// Whether two boxes of a section of one field have a cell in common.
bool meet(const ExchangePart& a, const ExchangePart& b);

/// Appends what a device packs of one part that is given to another process.
///
/// What goes to others may be padding that is filled from within the section, by those of `taken` that come
/// from this `process`. It is packed from where it is filled from, so that one kernel can do both.
void append_device_packing(std::vector<CopyBox>& pack, const ExchangePart& part, const Field& field,
                           const Elements& to, const std::vector<ExchangePart>& taken, int process);

/// By part: in which of several kernels, one after the other, a device combines it. Each goes into the first kernel
/// behind those of all earlier parts that it overlaps: every element is combined in the same order as with one
/// kernel a part.
std::vector<std::size_t> combination_steps(const std::vector<ExchangePart>& taken);

} // namespace distview::impl
