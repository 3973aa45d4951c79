// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace hpl {

namespace {

/// Calls work(0) to work(count - 1): serially if starting threads would take longer than the work.
template <class Work>
void for_each_part(const Exec& exec, const char* label, std::size_t count, std::size_t operations,
                   const Work& work) {
    constexpr std::size_t few = 50000;
    if (operations < few || count < 2) {
        for (std::size_t part = 0; part < count; ++part) work(part);
        return;
    }
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, count), work);
    exec.fence("hpl: all parts are done");
}

constexpr std::size_t parts_of(std::size_t size, std::size_t part) {
    return (size + part - 1) / part;
}

// A register of numbers, on which compilers operate as a whole. They do not always vectorise loops over single
// numbers, and such loops are five times as slow.
#if defined(__GNUC__) && !defined(__CUDACC__)
#if defined(__AVX512F__)
constexpr std::size_t lanes = 8;
#elif defined(__AVX__)
constexpr std::size_t lanes = 4;
#else
constexpr std::size_t lanes = 2;
#endif
typedef double Vector __attribute__((vector_size(8 * lanes)));
#else
constexpr std::size_t lanes = 1;
using Vector = double;
#endif

Vector load(const double* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof(Vector));
    return vector;
}

// A tile of c stays in half of the registers while all of its products are subtracted.
constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_vectors = 2;
constexpr std::size_t tile_columns = tile_vectors * lanes;

/// Tiles one after the other; within a tile the elements that are used together. Missing elements are 0.
using Packed = Kokkos::View<double*, Kokkos::HostSpace>;

Packed make_packed(const Exec& exec, std::size_t size) {
    return Packed(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "hpl::packed"), size);
}

Packed packed_rows(const Exec& exec, const Block& l) {
    const std::size_t rows = l.extent(0), width = l.extent(1);
    const std::size_t tiles = parts_of(rows, tile_rows);
    const Packed packed = make_packed(exec, tiles * tile_rows * width);
    for_each_part(exec, "hpl::packed_rows", tiles, rows * width, [=](std::size_t tile) {
        double* to = packed.data() + tile * tile_rows * width;
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t i = tile * tile_rows; i < (tile + 1) * tile_rows; ++i)
                *to++ = i < rows ? l(i, k) : 0;
    });
    return packed;
}

Packed packed_columns(const Exec& exec, const Block& u) {
    const std::size_t width = u.extent(0), columns = u.extent(1);
    const std::size_t tiles = parts_of(columns, tile_columns);
    const Packed packed = make_packed(exec, tiles * tile_columns * width);
    for_each_part(exec, "hpl::packed_columns", tiles, columns * width, [=](std::size_t tile) {
        double* to = packed.data() + tile * tile_columns * width;
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t j = tile * tile_columns; j < (tile + 1) * tile_columns; ++j)
                *to++ = j < columns ? u(k, j) : 0;
    });
    return packed;
}

/// This file is compiled such that products of vectors are fused with their sums if the processor can do so: the same
/// rounding as minus_product() for each number.
void update_tile(const double* l, const double* u, std::size_t width, double* c,
                 std::size_t stride) {
    Vector sums[tile_rows][tile_vectors];
    for (std::size_t i = 0; i < tile_rows; ++i)
        for (std::size_t j = 0; j < tile_vectors; ++j)
            sums[i][j] = load(c + i * stride + j * lanes);
    for (std::size_t k = 0; k < width; ++k, l += tile_rows, u += tile_columns)
        for (std::size_t i = 0; i < tile_rows; ++i)
            for (std::size_t j = 0; j < tile_vectors; ++j) sums[i][j] -= l[i] * load(u + j * lanes);
    for (std::size_t i = 0; i < tile_rows; ++i)
        for (std::size_t j = 0; j < tile_vectors; ++j)
            std::memcpy(c + i * stride + j * lanes, &sums[i][j], sizeof(Vector));
}

/// Updates a tile that crosses the edges of c, in a copy.
void update_edge(const double* l, const double* u, std::size_t width, const Block& c,
                 const Range& rows, const Range& columns) {
    std::array<double, tile_rows * tile_columns> copy{};
    const auto each = [&](const auto& visit) {
        for (std::size_t i = rows.first; i < rows.second; ++i)
            for (std::size_t j = columns.first; j < columns.second; ++j)
                visit(copy[(i - rows.first) * tile_columns + j - columns.first], c(i, j));
    };
    each([](double& in_copy, const double& element) { in_copy = element; });
    update_tile(l, u, width, copy.data(), tile_columns);
    each([](const double& in_copy, double& element) { element = in_copy; });
}

void swap_rows(const Block& matrix, std::size_t a, std::size_t b) {
    if (a == b) return;
    for (std::size_t j = 0; j < matrix.extent(1); ++j) std::swap(matrix(a, j), matrix(b, j));
}

/// Row of the largest element of a column, from its diagonal element down; the first one of several.
std::size_t pivot_row(const Block& panel, std::size_t column) {
    std::size_t row = column;
    for (std::size_t i = column + 1; i < panel.extent(0); ++i)
        if (std::abs(panel(i, column)) > std::abs(panel(row, column))) row = i;
    return row;
}

/// Factorises columns `strip` of a panel in turn; swaps whole rows of the panel. Returns whether all have pivots.
bool factorise_strip(const Block& panel, const Range& strip, std::span<std::int64_t> pivots) {
    for (std::size_t k = strip.first; k < strip.second; ++k) {
        const std::size_t row = pivot_row(panel, k);
        const double pivot = panel(row, k);
        pivots[k] = pivot == 0 ? no_pivot : static_cast<std::int64_t>(row);
        if (pivot == 0) return false;
        swap_rows(panel, k, row);
        for (std::size_t i = k + 1; i < panel.extent(0); ++i) {
            const double l = panel(i, k) /= pivot;
            for (std::size_t j = k + 1; j < strip.second; ++j)
                panel(i, j) = minus_product(panel(i, j), l, panel(k, j));
        }
    }
    return true;
}

} // namespace

void subtract_product(const Exec& exec, const Block& c, const Block& l, const Block& u) {
    const std::size_t rows = c.extent(0), columns = c.extent(1), width = l.extent(1);
    if (rows == 0 || columns == 0 || width == 0) return;
    const Packed left = packed_rows(exec, l);
    const Packed right = packed_columns(exec, u);
    // Tiles of a part share tiles of l and u, which fit in the first caches. Parts follow the rows, like c in memory.
    constexpr std::size_t part_rows = 64, part_columns = 64;
    const std::size_t across = parts_of(columns, part_columns);
    const std::size_t parts = parts_of(rows, part_rows) * across;
    for_each_part(exec, "hpl::update", parts, rows * columns * width, [=](std::size_t part) {
        const std::size_t first_row = part / across * part_rows;
        const std::size_t first_column = part % across * part_columns;
        const std::size_t last_row = std::min(rows, first_row + part_rows);
        const std::size_t last_column = std::min(columns, first_column + part_columns);
        for (std::size_t i = first_row; i < last_row; i += tile_rows)
            for (std::size_t j = first_column; j < last_column; j += tile_columns) {
                const double* const l_tile = left.data() + i * width;
                const double* const u_tile = right.data() + j * width;
                if (i + tile_rows <= rows && j + tile_columns <= columns)
                    update_tile(l_tile, u_tile, width, &c(i, j), c.stride(0));
                else
                    update_edge(l_tile, u_tile, width, c, {i, std::min(i + tile_rows, rows)},
                                {j, std::min(j + tile_columns, columns)});
            }
    });
}

void solve_unit_lower(const Exec& exec, const Block& l, const Block& u) {
    const std::size_t width = u.extent(0), columns = u.extent(1);
    constexpr std::size_t part_columns = 64;
    for_each_part(exec, "hpl::solve_unit_lower", parts_of(columns, part_columns),
                  width * width * columns / 2, [=](std::size_t part) {
                      const std::size_t begin = part * part_columns;
                      const std::size_t end = std::min(columns, begin + part_columns);
                      for (std::size_t r = 1; r < width; ++r)
                          for (std::size_t s = 0; s < r; ++s) {
                              double* const to = &u(r, 0);
                              const double* const from = &u(s, 0);
                              for (std::size_t j = begin; j < end; ++j)
                                  to[j] = minus_product(to[j], l(r, s), from[j]);
                          }
                  });
}

void factorise_panel(const Exec& exec, const Block& panel, std::span<std::int64_t> pivots) {
    // A strip is computed in place, one cache line of each row; all other columns are updated once per strip.
    constexpr std::size_t strip_columns = 8;
    const std::size_t rows = panel.extent(0), columns = panel.extent(1);
    for (std::size_t begin = 0; begin < columns; begin += strip_columns) {
        const std::size_t end = std::min(columns, begin + strip_columns);
        const Range strip{begin, end}, right{end, columns}, below{end, rows};
        if (!factorise_strip(panel, strip, pivots)) return;
        const Block u = part_of(panel, strip, right);
        solve_unit_lower(exec, part_of(panel, strip, strip), u);
        subtract_product(exec, part_of(panel, below, right), part_of(panel, below, strip), u);
    }
}

} // namespace hpl
