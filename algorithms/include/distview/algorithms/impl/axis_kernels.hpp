// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/impl/axis_loop.hpp>
#include <distview/algorithms/impl/axis_operations.hpp>
#include <distview/algorithms/impl/flat_cells.hpp>

#include <cstdint>

namespace distview::impl {

/// Reduces every line of a section along an axis, chunk by chunk, to one value in a buffer. Lines must not be
/// empty.
///
/// `Ordered`: values are joined in the order of the cells, as a scan requires. Otherwise a contiguous line is joined
/// into several partial values, so that the loop vectorises.
template <class T, class Operation, bool Ordered, std::int64_t Tile>
struct LineReduction {
    static constexpr std::int64_t tile = Tile;
    using Value = typename Operation::value_type;
    AxisLoop loop;
    const T* source;
    std::int64_t line_step;
    LineChunks chunks;
    std::int64_t buffer_size; ///< values of a chunk
    Value* buffer;
    Operation operation;

    KOKKOS_FUNCTION Value reduce_line(const T* line, std::int64_t cells) const {
        constexpr int lanes = Ordered ? 1 : 8;
        std::int64_t k = 1;
        if constexpr (lanes > 1) {
            if (cells >= 2 * lanes) return reduce_in_lanes<lanes>(line, cells);
        }
        Value value = operation.take(line[0]);
        for (; k < cells; ++k) value = operation.join(value, operation.take(line[k * line_step]));
        return value;
    }

    template <int Lanes>
    KOKKOS_FUNCTION Value reduce_in_lanes(const T* line, std::int64_t cells) const {
        Value values[Lanes];
        for (int l = 0; l < Lanes; ++l) values[l] = operation.take(line[l * line_step]);
        std::int64_t k = Lanes;
        for (; k + Lanes <= cells; k += Lanes)
            for (int l = 0; l < Lanes; ++l)
                add_element(operation, values[l], line[(k + l) * line_step]);
        for (int l = 0; k < cells; ++k, ++l) add_element(operation, values[l], line[k * line_step]);
        for (int l = 1; l < Lanes; ++l) values[0] = operation.join(values[0], values[l]);
        return values[0];
    }

    KOKKOS_FUNCTION void unit(std::int64_t chunk, std::int64_t row, std::int64_t first,
                              std::int64_t lines) const {
        const Offsets at = loop.at_row(row);
        const Offsets step = loop.step();
        const std::int64_t begin = chunks.begin(chunk);
        const std::int64_t cells = chunks.begin(chunk + 1) - begin;
        const T* from = source + at.source + first * step.source + begin * line_step;
        Value* to = buffer + chunk * buffer_size + at.buffer + first * step.buffer;
        if (lines == 1 || line_step < step.source) {
            for (std::int64_t i = 0; i < lines; ++i)
                to[i * step.buffer] = reduce_line(from + i * step.source, cells);
            return;
        }
        Value values[Tile];
        for (std::int64_t i = 0; i < lines; ++i) values[i] = operation.take(from[i * step.source]);
        for (std::int64_t k = 1; k < cells; ++k) {
            const T* cell = from + k * line_step;
            if (step.source == 1)
                for (std::int64_t i = 0; i < lines; ++i) add_element(operation, values[i], cell[i]);
            else
                for (std::int64_t i = 0; i < lines; ++i)
                    add_element(operation, values[i], cell[i * step.source]);
        }
        for (std::int64_t i = 0; i < lines; ++i) to[i * step.buffer] = values[i];
    }
};

/// Scans every line of a section along an axis into another section, chunk by chunk; each chunk starts with its value
/// in the buffer. Source and target may be the same.
template <class T, class Result, class Operation, bool Inclusive, std::int64_t Tile>
struct LineScan {
    static constexpr std::int64_t tile = Tile;
    using Value = typename Operation::value_type;
    AxisLoop loop;
    const T* source;
    std::int64_t source_step;
    Result* target;
    std::int64_t target_step;
    LineChunks chunks;
    std::int64_t buffer_size;
    const Value* buffer;
    bool has_first; ///< whether the buffer has values for the first chunk
    Operation operation;

    KOKKOS_FUNCTION void unit(std::int64_t chunk, std::int64_t row, std::int64_t first,
                              std::int64_t lines) const {
        const Offsets at = loop.at_row(row);
        const Offsets step = loop.step();
        const std::int64_t begin = chunks.begin(chunk);
        const std::int64_t end = chunks.begin(chunk + 1);
        const T* from = source + at.source + first * step.source;
        Result* to = target + at.target + first * step.target;
        const bool starts = chunk == 0 && !has_first;
        Value values[Tile];
        for (std::int64_t i = 0; i < lines && !starts; ++i)
            values[i] = buffer[chunk * buffer_size + at.buffer + (first + i) * step.buffer];
        for (std::int64_t k = begin; k < end; ++k) {
            const T* cell = from + k * source_step;
            Result* result = to + k * target_step;
            for (std::int64_t i = 0; i < lines; ++i) {
                const Value value = operation.take(cell[i * step.source]);
                const bool is_first = starts && k == begin;
                if constexpr (Inclusive) {
                    values[i] = is_first ? value : operation.join(values[i], value);
                    result[i * step.target] = operation.template result<Result>(values[i]);
                } else {
                    result[i * step.target] = operation.template result<Result>(values[i]);
                    values[i] = operation.join(values[i], value);
                }
            }
        }
    }
};

/// Joins the values of several places in their order: buffer j of places[0], places[1], ..., `stride` bytes apart.
template <class Operation>
struct JoinPlaces {
    using Value = typename Operation::value_type;
    const char* from;
    std::int64_t stride;
    const int* places;
    int count; ///< at least 1
    Value* to;
    Operation operation;

    KOKKOS_FUNCTION void operator()(std::int64_t j) const {
        Value value = at(0, j);
        for (int i = 1; i < count; ++i) value = operation.join(value, at(i, j));
        to[j] = value;
    }
    KOKKOS_FUNCTION const Value& at(int i, std::int64_t j) const {
        return reinterpret_cast<const Value*>(from + places[i] * stride)[j];
    }
};

/// Replaces the values of each place by the joined values of the places before it; the first place's values do not
/// change.
template <class Operation>
struct ScanPlaces {
    using Value = typename Operation::value_type;
    char* values;
    std::int64_t stride;
    const int* places;
    int count;
    int all; ///< number of places, those without values included
    Operation operation;

    KOKKOS_FUNCTION void operator()(std::int64_t j) const {
        Value before{};
        bool any = false;
        int next = 0;
        for (int place = 0; place < all; ++place) {
            Value& here = reinterpret_cast<Value*>(values + place * stride)[j];
            const bool has_value = next < count && places[next] == place;
            const Value mine = has_value ? here : before;
            if (any) here = before;
            if (!has_value) continue;
            before = any ? operation.join(before, mine) : mine;
            any = true;
            ++next;
        }
    }
};

/// Replaces the values of each chunk by the joined values before it: first `start`, if there is one, then the buffer
/// `before`, then the chunks before.
template <class Operation>
struct ScanChunks {
    using Value = typename Operation::value_type;
    const Value* before; ///< null: no values
    Value* values;       ///< may be `before` if there is one chunk
    std::int64_t size;
    std::int64_t chunks;
    bool has_start;
    Value start;
    Operation operation;

    KOKKOS_FUNCTION void operator()(std::int64_t j) const {
        Value value = start;
        bool any = has_start;
        if (before) {
            value = any ? operation.join(value, before[j]) : before[j];
            any = true;
        }
        for (std::int64_t c = 0; c < chunks; ++c) {
            Value& here = values[c * size + j];
            const Value mine = here;
            if (any) here = value;
            if (c + 1 == chunks) break;
            value = any ? operation.join(value, mine) : mine;
            any = true;
        }
    }
};

/// Joins the values of all chunks into `to`.
template <class Operation>
struct JoinChunks {
    using Value = typename Operation::value_type;
    const Value* values;
    std::int64_t size;
    std::int64_t chunks;
    Value* to;
    Operation operation;

    KOKKOS_FUNCTION void operator()(std::int64_t j) const {
        Value value = values[j];
        for (std::int64_t c = 1; c < chunks; ++c)
            value = operation.join(value, values[c * size + j]);
        to[j] = value;
    }
};

struct CopyWords {
    const std::uint64_t* from;
    std::uint64_t* to;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = from[i]; }
};

} // namespace distview::impl
