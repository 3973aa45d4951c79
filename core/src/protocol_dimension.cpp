// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/dimension.hpp>

#include "protocol_arithmetic.hpp"

#include <string_view>

namespace distview::protocol {

namespace {

/// Number of elements of a block-cyclic section; no intermediate value exceeds size, for any grid and block size.
std::int64_t cyclic_count(const Dimension& dim) noexcept {
    const std::int64_t full = dim.size / dim.block_size;
    const std::int64_t turn = full % dim.grid_size;
    const std::int64_t blocks = full / dim.grid_size + (dim.grid_rank < turn ? 1 : 0);
    const std::int64_t partial = dim.grid_rank == turn ? dim.size % dim.block_size : 0;
    return blocks * dim.block_size + partial;
}

} // namespace

std::optional<std::int64_t> Dimension::local_count() const noexcept {
    switch (type) {
    case DistType::cyclic: return cyclic_count(*this);
    case DistType::unstructured: return static_cast<std::int64_t>(indices.size());
    case DistType::block: break;
    }
    const std::int64_t between = stop - start;
    if (version.is_0_10()) return between;
    const Widths copies = edges_counted() ? communication() : padding;
    const auto with_low = impl::checked_sum(between, copies.low);
    return with_low ? impl::checked_sum(*with_low, copies.high) : std::nullopt;
}

Dimension complete(const Version& version, const DimData& dim, std::int64_t extent, int axis,
                   int process) {
    Dimension result;
    result.version = version;
    result.process = process;
    result.axis = axis;
    result.extent = extent;
    if (version.is_0_10() && dim.empty()) {
        result.size = result.stop = extent;
        return result;
    }
    const std::string_view type = dim.dist_type ? std::string_view(*dim.dist_type) : "b";
    result.size = dim.size.value_or(0);
    result.periodic = dim.periodic.value_or(false);
    result.grid_size = dim.proc_grid_size.value_or(type == "n" ? 1 : 0);
    result.grid_rank = dim.proc_grid_rank.value_or(0);
    if (type == "n") result.stop = result.size;
    if (type == "c") {
        result.type = DistType::cyclic;
        result.start = dim.start.value_or(0);
        result.block_size = dim.block_size.value_or(1);
    } else if (type == "u") {
        result.type = DistType::unstructured;
        result.one_to_one = dim.one_to_one.value_or(false);
        if (dim.indices) result.indices = *dim.indices;
    } else {
        result.padding_given = dim.padding.has_value();
        if (dim.padding) result.padding = {dim.padding->low, dim.padding->high};
        if (type != "n") {
            result.start = dim.start.value_or(0);
            result.stop = dim.stop.value_or(0);
        }
    }
    return result;
}

int DimensionTable::stride(int axis) const noexcept {
    std::int64_t stride = 1;
    for (int d = m_rank - 1; d > axis; --d) stride *= (*this)(0, d).grid_size;
    return static_cast<int>(stride);
}

std::vector<Dimension> DimensionTable::row(int axis) const {
    std::vector<Dimension> result;
    const int step = stride(axis);
    const auto count = static_cast<int>((*this)(0, axis).grid_size);
    result.reserve(static_cast<std::size_t>(count));
    for (int r = 0; r < count; ++r) result.push_back((*this)(r * step, axis));
    return result;
}

} // namespace distview::protocol
