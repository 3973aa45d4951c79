# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The planes of a layout's picture, and the panels of one plane."""

import itertools

import numpy as np

from .._errors import UsageError
from ._owners import Axis, section_axis, whole_axis
from ._panels import (
    draw_borders,
    draw_cells,
    draw_names,
    draw_padding,
    draw_texts,
    draw_ticks,
    name_places,
)

MOST_SLICES = 8


def planes(caller, layout, at, with_values):
    """All planes: one, or for more than two axes one per grid coordinate of the leading axes.

    with_values: whether values will be shown; they need `at` for every leading axis.
    """
    leading = range(max(layout.rank - 2, 0))
    # The other function has no argument `at`.
    takes_at = caller == "plot_layout"
    chosen = "at={axis: index}" if takes_at else "plot_layout(..., at={axis: index})"
    at = dict(at or {})
    if not set(at) <= set(leading):
        raise UsageError(
            f"{caller}: expected at={{axis: index}} with axes of {list(leading)}, got {at}; the "
            "last two axes are drawn whole"
        )
    if with_values and set(at) != set(leading):
        raise UsageError(
            f"{caller}: values of a {layout.rank}-d array need {chosen} for each of "
            f"the axes {list(leading)}{'' if takes_at else '; or pass cell_label=False'}"
        )
    choices = []
    for axis in leading:
        whole = whole_axis(layout, axis)
        if axis in at:
            where = np.flatnonzero(whole.labels == at[axis])
            if not len(where):
                raise UsageError(f"{caller}: axis {axis} has no index {at[axis]}")
            choices.append([int(whole.owners[where[0]])])
        else:
            choices.append(range(layout.grid[axis]))
    leads = list(itertools.product(*choices))
    if len(leads) > MOST_SLICES:
        raise UsageError(
            f"{caller}: {len(leads)} slices, one per grid coordinate of axes {list(leading)}, "
            f"are more than the {MOST_SLICES} that fit; choose with {chosen}"
        )
    return [Plane(layout, lead, at) for lead in leads]


class Plane:
    """The last two axes of an array (or all axes of one with fewer) at one grid coordinate of the other axes."""

    def __init__(self, layout, lead, at):
        self.layout = layout
        self.lead = lead
        self.at = at
        self.values = None
        self._sections = {}
        rank = layout.rank
        self.row_axis = rank - 2 if rank > 1 else None
        self.column_axis = rank - 1 if rank > 0 else None
        self.rows = self._whole(self.row_axis)
        self.columns = self._whole(self.column_axis)

    def _whole(self, axis):
        if axis is None:
            return Axis(np.zeros(1, int), np.zeros(1, int), (0, 1), (0, 1))
        return whole_axis(self.layout, axis)

    def show(self, values):
        """Sets values of the whole array, to be written into the cells."""
        for axis, index in sorted(self.at.items()):
            values = values[np.searchsorted(whole_axis(self.layout, axis).labels, index)]
        self.values = values

    @property
    def grid(self):
        """Numbers of processes along the rows' and the columns' axis."""
        axes = self.row_axis, self.column_axis
        return tuple(1 if axis is None else self.layout.grid[axis] for axis in axes)

    def process_of(self, row, column):
        """Numbers of the processes with these coordinates."""
        number = 0
        for axis, coordinate in enumerate(self.lead):
            number = number * self.layout.grid[axis] + coordinate
        return (number * self.grid[0] + row) * self.grid[1] + column

    def section(self, row, column):
        """(rows, columns) of the section of the process with these coordinates."""
        process = self.process_of(row, column)
        return (
            self._section_axis(self.row_axis, row, process, self.rows),
            self._section_axis(self.column_axis, column, process, self.columns),
        )

    def _section_axis(self, axis, coordinate, process, whole):
        if axis is None:
            return whole
        if (axis, coordinate) not in self._sections:
            self._sections[axis, coordinate] = section_axis(self.layout, axis, process, whole)
        return self._sections[axis, coordinate]

    def is_empty(self, row, column):
        return not all(map(len, self.section(row, column)))

    def title(self):
        """A title such as "axis 0: 0 to 4"; empty if the array has no other axes."""
        parts = []
        for axis, coordinate in enumerate(self.lead):
            if axis in self.at:
                parts.append(f"axis {axis}: {self.at[axis]}")
                continue
            whole = whole_axis(self.layout, axis)
            parts.append(f"axis {axis}: {_listed(whole.labels[whole.owners == coordinate])}")
        return ", ".join(parts)

    def axis_name(self, axis):
        return f"axis {axis}" + (", periodic" if self.layout.periodic[axis] else "")

    def name_places(self, style, cell):
        """Positions of the owners' names; None if they do not fit, or if values are shown."""
        if self.values is not None:
            return None
        return name_places(style, self.rows, self.columns, self.process_of, cell)

    def draw_whole(self, axes, style, cell):
        """Draws the whole plane, whose cells are `cell` inches wide and high."""
        axes.set_label("whole array")
        if not len(self.rows) or not len(self.columns):
            _draw_nothing(axes)
            return
        draw_cells(axes, style, self.rows, self.columns, self.process_of, cell)
        draw_padding(axes, style, self.rows, self.columns)
        draw_borders(axes, self.rows, self.columns)
        draw_ticks(
            axes,
            self.rows,
            self.columns,
            cell,
            show=(self.row_axis is not None, self.column_axis is not None),
        )
        if self.column_axis is not None:
            axes.xaxis.set_label_position("top")
            axes.set_xlabel(self.axis_name(self.column_axis), fontsize=9)
        if self.row_axis is not None:
            axes.set_ylabel(self.axis_name(self.row_axis), fontsize=9)
        if self.values is None:
            draw_names(axes, style, self.name_places(style, cell) or [])
        else:
            self._draw_values(axes, style, self.rows, self.columns, cell)

    def draw_section(self, axes, style, row, column, cell, show=(True, True)):
        """Draws one process's section; `show`: whether to write indices of rows and of columns."""
        axes.set_label(f"process {self.process_of(row, column)}")
        rows, columns = self.section(row, column)
        if not len(rows) or not len(columns):
            _draw_nothing(axes)
            return
        draw_cells(axes, style, rows, columns, self.process_of, cell)
        draw_padding(axes, style, rows, columns)
        draw_ticks(axes, rows, columns, cell, show, longest=len(str(self.columns.labels[-1])))
        if self.values is not None:
            self._draw_values(axes, style, rows, columns, cell)
        elif self.row_axis is None and self.column_axis is not None:
            draw_texts(
                axes,
                style,
                rows,
                columns,
                self.process_of,
                cell,
                lambda i, j: str(columns.labels[j]),
            )

    def _draw_values(self, axes, style, rows, columns, cell):
        where_rows = np.searchsorted(self.rows.labels, rows.labels)
        where_columns = np.searchsorted(self.columns.labels, columns.labels)

        def text_of(i, j):
            index = [where_rows[i]] if self.row_axis is not None else []
            index += [where_columns[j]] if self.column_axis is not None else []
            value = self.values[tuple(index)]
            return str(value) if np.asarray(value).dtype.kind in "iubOSU" else f"{value:.3g}"

        draw_texts(axes, style, rows, columns, self.process_of, cell, text_of)


def _listed(labels):
    """A short text for global indices."""
    if len(labels) < 3:
        return ", ".join(map(str, labels.tolist())) or "none"
    if labels[-1] - labels[0] == len(labels) - 1:
        return f"{labels[0]} to {labels[-1]}"
    return f"{labels[0]}, {labels[1]}, .. {labels[-1]}"


def _draw_nothing(axes):
    axes.set(xticks=[], yticks=[])
    axes.set_facecolor("none")
    for spine in axes.spines.values():
        spine.set(color="#BBBBBB", linestyle=(0, (2, 2)))
    axes.text(
        0.5,
        0.5,
        "empty",
        transform=axes.transAxes,
        ha="center",
        va="center",
        fontsize=8,
        color="#888888",
        style="italic",
    )
