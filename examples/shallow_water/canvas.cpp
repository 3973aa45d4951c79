// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "canvas.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>

#include <stb_easy_font.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <cmath>
#include <fstream>

namespace shallow_water {

Colour mix(const Colour& from, const Colour& to, float share) {
    return {from.red + share * (to.red - from.red), from.green + share * (to.green - from.green),
            from.blue + share * (to.blue - from.blue)};
}

Canvas::Canvas(int width, int height, const Colour& background)
    : m_width(width), m_height(height), m_right(width), m_bottom(height),
      m_pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

void Canvas::clip(int x, int y, int width, int height) {
    m_left = std::max(x, 0);
    m_top = std::max(y, 0);
    m_right = std::min(x + width, m_width);
    m_bottom = std::min(y + height, m_height);
}

void Canvas::set(int x, int y, const Colour& colour) {
    if (contains(x, y)) at(x, y) = colour;
}

void Canvas::blend(int x, int y, const Colour& colour, float opacity) {
    if (contains(x, y)) at(x, y) = mix(at(x, y), colour, std::clamp(opacity, 0.0F, 1.0F));
}

void Canvas::fill(double x, double y, double width, double height, const Colour& colour) {
    for (int j = static_cast<int>(std::lround(y)); j < std::lround(y + height); ++j)
        for (int i = static_cast<int>(std::lround(x)); i < std::lround(x + width); ++i)
            set(i, j, colour);
}

void Canvas::draw_line(double x0, double y0, double x1, double y1, double thickness,
                       const Colour& colour, float opacity) {
    const double dx = x1 - x0;
    const double dy = y1 - y0;
    const double length2 = std::max(dx * dx + dy * dy, 1e-12);
    const double reach = thickness / 2 + 1;
    const int left = static_cast<int>(std::floor(std::min(x0, x1) - reach));
    const int right = static_cast<int>(std::ceil(std::max(x0, x1) + reach));
    const int top = static_cast<int>(std::floor(std::min(y0, y1) - reach));
    const int bottom = static_cast<int>(std::ceil(std::max(y0, y1) + reach));
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            const double along = std::clamp(((x - x0) * dx + (y - y0) * dy) / length2, 0.0, 1.0);
            const double distance = std::hypot(x - x0 - along * dx, y - y0 - along * dy);
            // Opacity falls off over one pixel at the edge, which makes it smooth.
            const double cover = std::clamp(thickness / 2 + 0.5 - distance, 0.0, 1.0);
            if (cover > 0) blend(x, y, colour, opacity * static_cast<float>(cover));
        }
}

void Canvas::draw_arrow(double x0, double y0, double x1, double y1, double thickness, double head,
                        const Colour& colour, float opacity) {
    draw_line(x0, y0, x1, y1, thickness, colour, opacity);
    const double angle = std::atan2(y1 - y0, x1 - x0);
    constexpr double spread = 2.55; // from the shaft, in radians
    for (const double side : {-spread, spread})
        draw_line(x1, y1, x1 + head * std::cos(angle + side), y1 + head * std::sin(angle + side),
                  thickness, colour, opacity);
}

void Canvas::draw_text(double x, double y, int scale, const std::string& text,
                       const Colour& colour) {
    // The library returns the text as rectangles: four corners, each with x, y, z and a colour.
    struct Corner {
        float x, y, z;
        unsigned char colour[4];
    };
    std::vector<Corner> corners(text.size() * 68 + 4);
    std::string characters = text;
    const int count = stb_easy_font_print(0, 0, characters.data(), nullptr, corners.data(),
                                          static_cast<int>(corners.size() * sizeof(Corner)));
    for (int i = 0; i < count; ++i) {
        const Corner* quad = &corners[static_cast<std::size_t>(4 * i)];
        fill(x + scale * static_cast<double>(quad[0].x), y + scale * static_cast<double>(quad[0].y),
             scale * static_cast<double>(quad[2].x - quad[0].x),
             scale * static_cast<double>(quad[2].y - quad[0].y), colour);
    }
}

int Canvas::text_width(int scale, const std::string& text) {
    std::string characters = text;
    return scale * stb_easy_font_width(characters.data());
}

bool Canvas::write_png(const std::string& path) const {
    std::vector<unsigned char> bytes;
    bytes.reserve(m_pixels.size() * 3);
    for (const Colour& pixel : m_pixels)
        for (const float channel : {pixel.red, pixel.green, pixel.blue})
            bytes.push_back(
                static_cast<unsigned char>(std::lround(255.0F * std::clamp(channel, 0.0F, 1.0F))));
    // stbi_write_png() does not check whether all of its output is written.
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    const auto write = [](void* to, void* data, int size) {
        static_cast<std::ofstream*>(to)->write(static_cast<const char*>(data), size);
    };
    const bool made =
        stbi_write_png_to_func(write, &out, m_width, m_height, 3, bytes.data(), 3 * m_width) != 0;
    out.close();
    return made && out;
}

} // namespace shallow_water
