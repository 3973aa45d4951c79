# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positions of a picture's panels, in inches, so that cells have the same size in all panels."""

from ._panels import POINTS, WIDTH

TICKS_LEFT = 0.55  # row indices and the axis' name
TICKS_TOP = 0.42
TITLE = 0.22  # above a section
GAP = 0.2
MARGIN = 0.25
STRIP = 0.42  # height of a one-dimensional section
NAME = 1.3  # its name, left of it
MOST_WIDTH = 15.0


class Composition:
    """Positions ((x, y), (width, height)), y downwards, of all panels of some planes."""

    def __init__(self, planes, whole=True, sections=True):
        self.planes = planes
        self.plane = planes[0]
        self.cell = self._cell_size(planes)
        self.wholes = []  # (plane, x, y, width, height)
        self.sections = []  # (plane, row, column, x, y, width, height)
        self.titles = []  # (text, x, y)
        y = 0.0
        for plane in planes:
            if plane.title():
                self.titles.append((plane.title(), 0.0, y))
                y += 0.3
            y = self._place(plane, y, whole, sections) + 0.35
        panels = self.wholes + self.sections
        self.width = max((p[-4] + p[-2] for p in panels), default=1.0)
        self.height = max((p[-3] + p[-1] for p in panels), default=1.0)

    @staticmethod
    def _cell_size(planes):
        columns, rows = max(len(planes[0].columns), 1), max(len(planes[0].rows), 1)
        if planes[0].row_axis is None:
            return min(0.5, 11.0 / columns), STRIP
        width = min(0.45, 5.2 / columns)
        height = min(0.45, (5.2 if len(planes) == 1 else max(1.2, 8.0 / len(planes))) / rows)
        # Square cells, unless the array would become a thin line.
        if 1 / 3 <= columns / rows <= 3:
            width = height = min(width, height)
        return width, height

    def _place(self, plane, y, whole, sections):
        """Places a plane's panels below y; returns their lowest edge."""
        width = max(len(plane.columns) * self.cell[0], 0.6)
        height = max(len(plane.rows) * self.cell[1], 0.3)
        is_strip = plane.row_axis is None and plane.column_axis is not None
        x = NAME if is_strip and sections else TICKS_LEFT
        if whole:
            self.wholes.append((plane, x, y + TICKS_TOP, width, height))
        bottom = y + TICKS_TOP + height if whole else y
        if not sections or plane.column_axis is None:
            return bottom
        if plane.row_axis is None:
            return self._place_strips(plane, x, bottom + (0.3 if whole else 0.0))
        if not whole:
            return self._place_grid(plane, x, y)
        beside = x + width + 0.35
        if width <= 1.6 * height and beside + self._grid_width(plane) <= MOST_WIDTH:
            return max(bottom, self._place_grid(plane, beside + TICKS_LEFT - 0.2, y))
        return self._place_grid(plane, x, bottom + 0.25)

    def _place_strips(self, plane, x, y):
        """Places one strip per process; sections of block axes are aligned with their place in the whole array."""
        aligned = plane.layout.types[plane.column_axis] == "b"
        for column in range(plane.grid[1]):
            labels = plane.section(0, column)[1].labels
            first = plane.columns.labels[0]
            offset = (labels[0] - first) * self.cell[0] if aligned and len(labels) else 0.0
            width = max(len(labels) * self.cell[0], 0.6)
            y += 0.2 if self._strip_has_ticks(plane) else 0.0
            self.sections.append((plane, 0, column, x + offset, y, width, STRIP))
            y += STRIP + 0.12
        return y

    def _strip_has_ticks(self, plane):
        """Whether global indices do not fit into the cells, or values are written there."""
        labels = plane.columns.labels
        longest = max(len(str(labels[0])), len(str(labels[-1]))) if len(labels) else 1
        has_room = self.cell[0] * POINTS * 0.85 / (WIDTH * longest) >= 4
        return plane.values is not None or not has_room

    def _grid_sizes(self, plane):
        """(heights of the grid's rows, widths of its columns)"""
        rows = [len(plane.section(r, 0)[0]) for r in range(plane.grid[0])]
        columns = [len(plane.section(0, c)[1]) for c in range(plane.grid[1])]
        return (
            [max(n * self.cell[1], 0.3) for n in rows],
            [max(n * self.cell[0], 0.6) for n in columns],
        )

    def _grid_width(self, plane):
        widths = self._grid_sizes(plane)[1]
        return TICKS_LEFT + sum(widths) + GAP * (len(widths) - 1)

    def _place_grid(self, plane, x, y):
        """Places one panel per process, arranged as in the process grid."""
        heights, widths = self._grid_sizes(plane)
        y += TITLE
        for row, height in enumerate(heights):
            y += self._ticks_above(plane, row)
            left = x
            for column, width in enumerate(widths):
                self.sections.append((plane, row, column, left, y, width, height))
                left += width + GAP
            y += height + TITLE + 0.06
        return y - TITLE - 0.06

    @staticmethod
    def _ticks_above(plane, row):
        return 0.2 if row == first_shown(plane)[0] else 0.0

    def figure(self, pyplot, top, bottom, least_width):
        """A new figure with `top` and `bottom` inches kept free; draw() fills it."""
        self.top = MARGIN + top
        self.size = (
            max(self.width + 2 * MARGIN, least_width),
            self.height + self.top + bottom + MARGIN,
        )
        return pyplot.figure(figsize=self.size, facecolor="white")

    def add_axes(self, figure, x, y, width, height):
        x, y = x + MARGIN, y + self.top
        total_width, total_height = self.size
        return figure.add_axes(
            (
                x / total_width,
                1 - (y + height) / total_height,
                width / total_width,
                height / total_height,
            )
        )

    def draw(self, figure, style):
        """Draws every panel."""
        for plane, *place in self.wholes:
            plane.draw_whole(self.add_axes(figure, *place), style, self.cell)
        for plane, row, column, *place in self.sections:
            axes = self.add_axes(figure, *place)
            first = first_shown(plane)
            if plane.row_axis is None:
                show = (False, self._strip_has_ticks(plane))
            else:
                show = (column == first[1], row == first[0])
            plane.draw_section(axes, style, row, column, self.cell, show)
            self._name(axes, style, plane, row, column, place, show)
        for text, x, y in self.titles:
            figure.text(
                (x + MARGIN) / self.size[0],
                1 - (y + self.top) / self.size[1],
                text,
                fontsize=10,
                weight="bold",
                va="top",
            )

    def _name(self, axes, style, plane, row, column, place, show):
        """Writes the name of a section's process, above it or left of a strip, as large as fits."""
        process = plane.process_of(row, column)
        name = style.names[process]
        if plane.row_axis is None:
            axes.annotate(
                f"process {name}",
                (0, 0.5),
                xycoords="axes fraction",
                xytext=(-6, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=9,
            )
            return
        room = place[2] * POINTS
        text, size = next(
            (
                (t, s)
                for t, s in ((f"process {name}", 9), (name, 9), (name, 7))
                if len(t) * s * WIDTH <= room
            ),
            (name, 6),
        )
        above_ticks = show[1] and not plane.is_empty(row, column)
        axes.set_title(text, fontsize=size, pad=15 if above_ticks else 3)


def first_shown(plane):
    """The first row and column of the process grid whose sections are not empty."""
    rows = [r for r in range(plane.grid[0]) if len(plane.section(r, 0)[0])]
    columns = [c for c in range(plane.grid[1]) if len(plane.section(0, c)[1])]
    return rows[0] if rows else 0, columns[0] if columns else 0
