// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stored_array.hpp"

#include <distview/core/process_grid.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace distview::impl {

std::int64_t StoredArray::elements() const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) count *= extent;
    return count;
}

namespace {

/// Calls move(position in the file, bytes, bytes before) for each part of [begin, end) that is contiguous in the file.
template <class Move>
void for_each_stored_run(const StoredArray& stored, std::int64_t begin, std::int64_t end,
                         const Move& move) {
    if (stored.chunks.empty()) return move(stored.offset + begin, end - begin, std::int64_t{0});
    const std::int64_t in_row = (stored.row_bytes + stored.chunk_bytes - 1) / stored.chunk_bytes;
    for (std::int64_t at = begin; at < end;) {
        const std::int64_t row = at / stored.row_bytes;
        const std::int64_t within = at % stored.row_bytes;
        const std::int64_t chunk = within / stored.chunk_bytes;
        const std::int64_t next =
            std::min(end, row * stored.row_bytes +
                              std::min(stored.row_bytes, (chunk + 1) * stored.chunk_bytes));
        move(stored.chunks[static_cast<std::size_t>(row * in_row + chunk)] +
                 within % stored.chunk_bytes,
             next - at, at - begin);
        at = next;
    }
}

} // namespace

void StoredArray::read(const RawFile& file, std::int64_t begin, std::int64_t end, void* to,
                       const std::string& what) const {
    for_each_stored_run(*this, begin, end,
                        [&](std::int64_t at, std::int64_t count, std::int64_t before) {
                            file.read(static_cast<std::byte*>(to) + before, count, at, what);
                        });
}

void StoredArray::write(const RawFile& file, std::int64_t begin, std::int64_t end, const void* from,
                        const std::string& what) const {
    for_each_stored_run(
        *this, begin, end, [&](std::int64_t at, std::int64_t count, std::int64_t before) {
            file.write(static_cast<const std::byte*>(from) + before, count, at, what);
        });
}

StridedBytes::StridedBytes(void* data, std::vector<std::int64_t> extents,
                           std::vector<std::int64_t> strides, std::int64_t element_bytes)
    : m_data(static_cast<std::byte*>(data)), m_run(element_bytes), m_bytes(element_bytes) {
    for (const std::int64_t extent : extents) m_bytes *= extent;
    // Merges an axis with the next one if its rows follow each other in memory; skips axes with one element.
    for (std::size_t d = extents.size(); d-- > 0;) {
        if (extents[d] == 1) continue;
        if (m_extents.empty() && strides[d] == m_run) {
            m_run *= extents[d];
        } else if (!m_extents.empty() && strides[d] == m_extents.front() * m_strides.front()) {
            m_extents.front() *= extents[d];
        } else {
            m_extents.insert(m_extents.begin(), extents[d]);
            m_strides.insert(m_strides.begin(), strides[d]);
        }
    }
}

template <class Visit>
void StridedBytes::for_each_run(std::int64_t begin, std::int64_t end,
                                const Visit& visit) const noexcept {
    if (begin >= end) return;
    std::int64_t within = begin % m_run;
    std::int64_t number = begin / m_run;
    const std::size_t axes = m_extents.size();
    std::array<std::int64_t, max_rank> index{};
    std::byte* row = m_data;
    for (std::size_t d = axes; d-- > 0; number /= m_extents[d]) {
        index[d] = number % m_extents[d];
        row += index[d] * m_strides[d];
    }
    for (std::int64_t left = end - begin; left > 0;) {
        const std::int64_t count = std::min(left, m_run - within);
        visit(row + within, count);
        left -= count;
        within = 0;
        for (std::size_t d = axes; d-- > 0;) {
            row += m_strides[d];
            if (++index[d] < m_extents[d]) break;
            row -= m_extents[d] * m_strides[d];
            index[d] = 0;
        }
    }
}

std::byte* StridedBytes::find(std::int64_t begin, std::int64_t end) const noexcept {
    if (begin / m_run != (end - 1) / m_run) return nullptr;
    std::byte* found = nullptr;
    for_each_run(begin, end, [&](std::byte* memory, std::int64_t) { found = memory; });
    return found;
}

void StridedBytes::copy_out(std::int64_t begin, std::int64_t end, std::byte* to) const noexcept {
    for_each_run(begin, end, [&](const std::byte* memory, std::int64_t count) {
        std::memcpy(to, memory, static_cast<std::size_t>(count));
        to += count;
    });
}

void StridedBytes::copy_in(std::int64_t begin, std::int64_t end,
                           const std::byte* from) const noexcept {
    for_each_run(begin, end, [&](std::byte* memory, std::int64_t count) {
        std::memcpy(memory, from, static_cast<std::size_t>(count));
        from += count;
    });
}

} // namespace distview::impl
