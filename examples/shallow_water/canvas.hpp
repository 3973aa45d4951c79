// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shallow_water {

/// Red, green and blue from 0 to 1.
struct Colour {
    float red = 0;
    float green = 0;
    float blue = 0;
};

Colour mix(const Colour& from, const Colour& to, float share);

/// An image to draw on; (0, 0) is the upper left corner, y grows downwards, units are pixels.
class Canvas {
public:
    Canvas(int width, int height, const Colour& background);

    int width() const noexcept { return m_width; }
    int height() const noexcept { return m_height; }

    /// Confines all further drawing to a rectangle.
    void clip(int x, int y, int width, int height);
    void set(int x, int y, const Colour& colour);
    /// Blends a colour over the pixel; opacity from 0 to 1.
    void blend(int x, int y, const Colour& colour, float opacity);
    void fill(double x, double y, double width, double height, const Colour& colour);
    /// A line with round ends.
    void draw_line(double x0, double y0, double x1, double y1, double thickness,
                   const Colour& colour, float opacity);
    /// A line from tail to tip with a head of two strokes.
    void draw_arrow(double x0, double y0, double x1, double y1, double thickness, double head,
                    const Colour& colour, float opacity);
    /// Text whose capital letters are about 7 * scale high, its upper left corner at (x, y).
    void draw_text(double x, double y, int scale, const std::string& text, const Colour& colour);
    static int text_width(int scale, const std::string& text);

    /// Writes a PNG; false if that fails.
    bool write_png(const std::string& path) const;

private:
    Colour& at(int x, int y) {
        return m_pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width) +
                        static_cast<std::size_t>(x)];
    }
    bool contains(int x, int y) const noexcept {
        return x >= m_left && y >= m_top && x < m_right && y < m_bottom;
    }

    int m_width;
    int m_height;
    int m_left = 0; ///< m_left to m_bottom: the part that may be drawn on
    int m_top = 0;
    int m_right;
    int m_bottom;
    std::vector<Colour> m_pixels;
};

} // namespace shallow_water
