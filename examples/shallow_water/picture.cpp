// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.hpp"

#include "canvas.hpp"

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace shallow_water {

namespace {

constexpr Colour ink{0.13F, 0.16F, 0.20F};
constexpr Colour paper{0.985F, 0.98F, 0.965F};

/// From deep to high water: dark blue, light, dark red, in evenly perceived steps.
Colour colour_of(double value) {
    static constexpr std::array<Colour, 9> stops{{{0.04F, 0.13F, 0.33F},
                                                  {0.09F, 0.33F, 0.60F},
                                                  {0.26F, 0.58F, 0.78F},
                                                  {0.63F, 0.82F, 0.90F},
                                                  {0.96F, 0.95F, 0.92F},
                                                  {0.98F, 0.80F, 0.62F},
                                                  {0.92F, 0.52F, 0.36F},
                                                  {0.72F, 0.20F, 0.20F},
                                                  {0.38F, 0.04F, 0.12F}}};
    const double at = std::clamp(value, -1.0, 1.0) * 4 + 4;
    const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    return mix(stops[below], stops[below + 1], static_cast<float>(at - static_cast<double>(below)));
}

/// Values at the centres of cells, interpolated between them: periodic from west to east, constant beyond the walls.
class Surface {
public:
    Surface(const Snapshot& snapshot, const std::vector<double>& values)
        : m_nx(snapshot.nx), m_ny(snapshot.ny), m_values(values) {}

    /// column and row in cells; the centre of cell (j, i) is at (j, i).
    double operator()(double row, double column) const {
        const double j = std::floor(row);
        const double i = std::floor(column);
        const double y = row - j;
        const double x = column - i;
        const auto jj = static_cast<std::int64_t>(j);
        const auto ii = static_cast<std::int64_t>(i);
        return (1 - y) * ((1 - x) * cell(jj, ii) + x * cell(jj, ii + 1)) +
               y * ((1 - x) * cell(jj + 1, ii) + x * cell(jj + 1, ii + 1));
    }

private:
    double cell(std::int64_t j, std::int64_t i) const {
        j = std::clamp<std::int64_t>(j, 0, m_ny - 1);
        i = ((i % m_nx) + m_nx) % m_nx;
        return m_values[static_cast<std::size_t>(j * m_nx + i)];
    }

    std::int64_t m_nx;
    std::int64_t m_ny;
    const std::vector<double>& m_values;
};

/// The place of the map on the canvas, and the conversion of pixels to cells.
struct Map {
    int left, top, width, height;
    double cells_per_pixel_x, cells_per_pixel_y;

    double column(double x) const { return (x + 0.5 - left) * cells_per_pixel_x - 0.5; }
    double row(double y) const { return (top + height - y - 0.5) * cells_per_pixel_y - 0.5; }
};

/// A number of the form 1, 2 or 5 times a power of ten, not above `value`.
double round_number(double value) {
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {5.0, 2.0})
        if (factor * power <= value) return factor * power;
    return power;
}

std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
}

/// The elevation that 99.5 % of the cells do not exceed, in absolute value.
double height_range(const std::vector<double>& elevation) {
    std::vector<double> sizes;
    for (const double value : elevation)
        sizes.push_back(std::isfinite(value) ? std::abs(value) : 0);
    const auto at = static_cast<std::ptrdiff_t>(0.995 * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), sizes.begin() + at, sizes.end());
    return std::max(sizes[static_cast<std::size_t>(at)], 1e-6);
}

/// Colour by height, with light from the north-west so that waves show.
void paint_surface(Canvas& canvas, const Map& map, const Surface& elevation, double range) {
    const double step = std::max(0.75, map.cells_per_pixel_x);
    for (int y = map.top; y < map.top + map.height; ++y)
        for (int x = map.left; x < map.left + map.width; ++x) {
            const double row = map.row(y);
            const double column = map.column(x);
            const double slope = (elevation(row, column + step) - elevation(row, column - step)) -
                                 (elevation(row + step, column) - elevation(row - step, column));
            const double light = std::tanh(slope / (0.08 * range)) * 0.13;
            const Colour base = colour_of(elevation(row, column) / range);
            canvas.set(x, y,
                       light > 0 ? mix(base, {1, 1, 1}, static_cast<float>(light))
                                 : mix(base, {0, 0, 0.08F}, static_cast<float>(-light)));
        }
}

/// Draws arrows of the current on an even grid; the longest arrows are speeds from `fastest` on.
void paint_current(Canvas& canvas, const Map& map, const Snapshot& snapshot, double fastest) {
    const Surface u(snapshot, snapshot.u);
    const Surface v(snapshot, snapshot.v);
    constexpr double spacing = 30;
    const auto across = std::max(1L, std::lround(map.width / spacing));
    const auto down = std::max(1L, std::lround(map.height / spacing));
    for (long b = 0; b < down; ++b)
        for (long a = 0; a < across; ++a) {
            const double shift = b % 2 == 0 ? 0.25 : 0.75; // staggered, so that no stripes appear
            const double x = map.left + (static_cast<double>(a) + shift) * map.width /
                                            static_cast<double>(across);
            const double y =
                map.top + (static_cast<double>(b) + 0.5) * map.height / static_cast<double>(down);
            const double row = map.row(y);
            const double column = map.column(x);
            // Speeds are given on faces, half a cell east and north of the centre.
            const double east = u(row, column - 0.5);
            const double north = v(row - 0.5, column);
            const double speed = std::hypot(east, north);
            const double share = std::min(1.0, speed / fastest);
            if (!(share > 0.03)) continue;
            const double length = 1.5 * spacing * std::sqrt(share) / speed;
            const double dx = 0.5 * length * east;
            const double dy = -0.5 * length * north;
            canvas.draw_arrow(x - dx, y - dy, x + dx, y + dy, 1.1 + 0.7 * share, 3.5 + 3 * share,
                              ink, static_cast<float>(0.35 + 0.55 * share));
        }
}

void paint_colour_bar(Canvas& canvas, const Map& map, double range) {
    const int x = map.left + map.width + 24;
    constexpr int width = 18;
    for (int y = 0; y < map.height; ++y)
        canvas.fill(x, map.top + y, width, 1, colour_of(1 - 2 * (y + 0.5) / map.height));
    const double step = round_number(range / 2);
    for (double value = -step * std::floor(range / step); value <= range * 1.0001; value += step) {
        const double y = map.top + map.height * (1 - value / range) / 2;
        canvas.fill(x + width, y - 1, 6, 2, ink);
        const double shown = std::abs(value) < step / 2 ? 0 : value;
        canvas.draw_text(x + width + 11, y - 7, 2, (shown > 0 ? "+" : "") + number(shown), ink);
    }
    canvas.draw_text(x, map.top - 24, 2, "m", ink);
}

/// Ticks below and left of the map, in kilometres.
void paint_axes(Canvas& canvas, const Map& map, const Snapshot& snapshot) {
    const double km_per_pixel_x = map.cells_per_pixel_x * snapshot.cell_metres / 1000;
    const double km_per_pixel_y = map.cells_per_pixel_y * snapshot.cell_metres / 1000;
    const double step = round_number(map.width * km_per_pixel_x / 4);
    for (double km = 0; km <= map.width * km_per_pixel_x * 1.0001; km += step) {
        const double x = map.left + km / km_per_pixel_x;
        canvas.fill(x - 1, map.top + map.height, 2, 7, ink);
        const std::string label = number(km) + (km == 0 ? " km" : "");
        canvas.draw_text(x - Canvas::text_width(2, number(km)) / 2.0, map.top + map.height + 12, 2,
                         label, ink);
    }
    for (double km = step; km <= map.height * km_per_pixel_y * 1.0001; km += step) {
        const double y = map.top + map.height - km / km_per_pixel_y;
        canvas.fill(map.left - 7, y - 1, 7, 2, ink);
        canvas.draw_text(map.left - 12 - Canvas::text_width(2, number(km)), y - 7, 2, number(km),
                         ink);
    }
}

void paint_frame(Canvas& canvas, const Map& map) {
    canvas.fill(map.left - 2, map.top - 2, map.width + 4, 2, ink);
    canvas.fill(map.left - 2, map.top + map.height, map.width + 4, 2, ink);
    canvas.fill(map.left - 2, map.top, 2, map.height, ink);
    canvas.fill(map.left + map.width, map.top, 2, map.height, ink);
}

void paint_titles(Canvas& canvas, const Map& map, const Snapshot& snapshot, double fastest) {
    canvas.draw_text(map.left, 18, 3, "Surface height and current", ink);
    canvas.draw_text(
        map.left, 48, 2,
        distview::text(time_text(snapshot.days), ", ", snapshot.nx, " x ", snapshot.ny, " cells"),
        ink);
    // A sample arrow for the fastest current.
    const std::string label = number(std::round(fastest * 10) / 10) + " m/s";
    const int right = map.left + map.width;
    const int text_left = right - Canvas::text_width(2, label);
    canvas.draw_text(text_left, 48, 2, label, ink);
    canvas.draw_arrow(text_left - 57, 54, text_left - 12, 54, 1.8, 6.5, ink, 0.9F);
}

} // namespace

std::string time_text(double days) {
    if (days == 0) return "initial state";
    char buffer[32];
    if (days < 0.1)
        std::snprintf(buffer, sizeof buffer, "after %.2g hours", days * 24);
    else
        std::snprintf(buffer, sizeof buffer, "after %.1f days", days);
    return buffer;
}

void write_picture(const std::string& path, const Snapshot& snapshot) {
    // About 1440 pixels wide for any number of cells, and never too thin to look at.
    constexpr double target_width = 1440;
    const double shape = static_cast<double>(snapshot.ny) / static_cast<double>(snapshot.nx);
    const double shown = std::clamp(shape, 0.15, 1.5);
    const double width = shown > 1 ? target_width / shown : target_width;
    Map map{96, 84, static_cast<int>(width), static_cast<int>(width * shown), 0, 0};
    map.cells_per_pixel_x = static_cast<double>(snapshot.nx) / map.width;
    map.cells_per_pixel_y = static_cast<double>(snapshot.ny) / map.height;
    Canvas canvas(map.left + map.width + 130, map.top + map.height + 48, paper);

    double mean = 0;
    for (const double value : snapshot.h) mean += value / static_cast<double>(snapshot.h.size());
    std::vector<double> elevation;
    for (const double value : snapshot.h) elevation.push_back(value - mean);
    double fastest = 1e-9;
    for (std::size_t i = 0; i < snapshot.u.size(); ++i)
        fastest = std::max(fastest, std::hypot(snapshot.u[i], snapshot.v[i]));

    const double range = height_range(elevation);
    paint_surface(canvas, map, Surface(snapshot, elevation), range);
    canvas.clip(map.left, map.top, map.width, map.height);
    paint_current(canvas, map, snapshot, fastest);
    canvas.clip(0, 0, canvas.width(), canvas.height());
    paint_frame(canvas, map);
    paint_axes(canvas, map, snapshot);
    paint_colour_bar(canvas, map, range);
    paint_titles(canvas, map, snapshot, fastest);
    distview::require<distview::UsageError>(
        canvas.write_png(path), [&] { return distview::text("--png: cannot write '", path, "'"); });
}

} // namespace shallow_water
