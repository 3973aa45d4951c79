# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot_layout() and plot_array_distribution()."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._array import DistView
from .._comm import agreed
from .._distview import Layout
from .._errors import UsageError
from ._figure import draw_figure, draw_in, layout_title
from ._panels import Style
from ._planes import planes as planes_of

MOST_SECTIONS = 36  # more sections are unreadable


def plot_layout(
    layout_or_view: Layout | DistView,
    *,
    axes: Any = None,
    process_coords: bool | Sequence[Any] = True,
    legend: bool = True,
    values: Any = None,
    title: str | None = None,
    sections: bool = True,
    at: Mapping[int, int] | None = None,
    cmap: Any = None,
) -> Any:
    """Draws the owners of an array's elements, and returns the Matplotlib Figure.

    The whole array is on the left or on top: every element in its owner's colour, with global indices at the
    edges. Beside it are the processes' sections. Communication padding is hatched and has the colour of the
    process that owns the copied element; boundary padding is dotted.

    layout_or_view: a Layout, or a DistView, whose layout is drawn.
    axes: Matplotlib Axes to draw the whole array in, without the sections.
    process_coords: True names processes by their grid coordinates, False by number, a sequence by
        its entries.
    legend: whether to explain the marks, and the colours where names do not fit.
    values: an array to be written into the cells, as returned by gather(): of the layout's shape, or of
        its protocol_shape with values of boundary padding (cells="owned"). True gathers and shows the
        view's own values: then the call is collective over the view's communicator, draws on
        process 0, and returns None elsewhere. Unstructured axes are in ascending order of indices.
    title: title of the figure; None for a description of the layout, "" for no title.
    sections: whether to draw the processes' sections (never for more than 36 processes).
    at: {axis: global index}, for arrays of more than two axes. All axes except the last two are drawn
        slice by slice, one slice per grid coordinate; `at` chooses the slice that holds an index.
    cmap: a Matplotlib colormap or its name, instead of colours that suit the colour-blind.

    Local (not collective) unless values=True. Example: examples/python/layouts.py
    """
    with_values = values is not None and values is not False

    def prepare() -> tuple[Any, ...]:
        layout = _layout_of("plot_layout", layout_or_view)
        matplotlib, pyplot = _matplotlib()
        style = Style(matplotlib, layout, _names(layout, process_coords), cmap)
        planes = planes_of("plot_layout", layout, at, with_values)
        if axes is not None and len(planes) != 1:
            raise UsageError(
                f"plot_layout: {len(planes)} slices do not fit into the given axes; choose one "
                "with at={axis: index}, or leave axes out"
            )
        return layout, pyplot, style, planes

    # An error on one process is raised on all processes before they gather.
    comm = _communicator_of(layout_or_view) if values is True else None
    layout, pyplot, style, planes = agreed(comm, "plot_layout", prepare)
    if with_values and not _show_values("plot_layout", layout_or_view, layout, planes, values):
        return None
    title = layout_title(layout) if title is None else title
    if axes is not None:
        return draw_in(axes, style, planes[0], legend, title)
    sections = bool(sections) and layout.process_count <= MOST_SECTIONS
    return draw_figure(pyplot, style, planes, legend, title, sections=sections)


def plot_array_distribution(
    darray: Layout | DistView,
    process_coords: Sequence[Any] | None = None,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    yflip: bool = False,
    cell_label: bool = True,
    legend: bool = False,
    global_plot_filename: Any = None,
    local_plot_filename: Any = None,
    *,
    yticks: Any = None,
    cmap: Any = None,
) -> Any:
    """Draws the owners of an array's elements, with the names and defaults of DistArray's function, for old notebooks.

    Returns the Figure of the whole array and saves it to global_plot_filename; local_plot_filename gets the
    sections. cell_label writes the elements' values into the cells and makes the call collective (see
    plot_layout). yflip lets axis 0 grow upwards. New programs call plot_layout().
    """
    is_view = _is_view(darray)

    def prepare() -> tuple[Any, ...]:
        layout = _layout_of("plot_array_distribution", darray)
        matplotlib, pyplot = _matplotlib()
        names = _names(layout, True if process_coords is None else process_coords)
        style = Style(matplotlib, layout, names, cmap)
        planes = planes_of("plot_array_distribution", layout, None, is_view and cell_label)
        return layout, pyplot, style, planes

    comm = _communicator_of(darray) if is_view and cell_label else None
    layout, pyplot, style, planes = agreed(comm, "plot_array_distribution", prepare)
    draws_here = True
    if is_view and cell_label:
        draws_here = _show_values("plot_array_distribution", darray, layout, planes, True)
    if not draws_here:
        return None
    figure = draw_figure(pyplot, style, planes, legend, title or "", colours=True)
    axes = figure.axes[0]
    if xlabel is not None:
        axes.set_xlabel(xlabel)
    if ylabel is not None:
        axes.set_ylabel(ylabel)
    if yticks is not None:
        axes.set_yticks(yticks)
    if yflip:
        axes.invert_yaxis()
    is_first = getattr(darray, "process", 0) == 0
    if global_plot_filename is not None and is_first:
        figure.savefig(global_plot_filename, dpi=100)
    if local_plot_filename is not None and is_first:
        local = draw_figure(pyplot, style, planes, True, "Local Arrays", whole=False, sections=True)
        local.savefig(local_plot_filename, dpi=100)
        pyplot.close(local)
    return figure


def _is_view(layout_or_view):
    return hasattr(layout_or_view, "layout")


def _communicator_of(view: Any) -> Any:
    return getattr(view, "_communicator", None)


def _layout_of(caller: str, layout_or_view: Any) -> Layout:
    if not _is_view(layout_or_view) and not isinstance(layout_or_view, Layout):
        raise UsageError(
            f"{caller}: expected a Layout or a DistView, got {type(layout_or_view).__name__}"
        )
    layout = layout_or_view.layout if _is_view(layout_or_view) else layout_or_view
    if layout is None:
        raise UsageError(
            f"{caller}: this view knows its own section only; attach(comm) adds the others"
        )
    return layout


def _show_values(
    caller: str, layout_or_view: Any, layout: Layout, planes: list[Any], values: Any
) -> bool:
    """Gives the planes values; returns whether this process has them. Collective if values is True."""
    if values is True:
        if not _is_view(layout_or_view):
            raise UsageError(f"{caller}: values=True expects a DistView; a layout has no values")
        values = layout_or_view.gather(root=0, cells="owned")
        if values is None:
            return False
    values = np.asarray(values)
    if values.shape == layout.shape != layout.protocol_shape:
        # Boundary padding has no values: its cells stay empty.
        inner = values
        values = np.full(layout.protocol_shape, "", object)
        values[
            tuple(
                slice(layout.boundary(d)[0], layout.boundary(d)[0] + n)
                for d, n in enumerate(layout.shape)
            )
        ] = inner
    if values.shape != layout.protocol_shape:
        padded = f", or {layout.protocol_shape} with boundary padding"
        raise UsageError(
            f"{caller}: expected values of shape {layout.shape}"
            f"{padded if layout.protocol_shape != layout.shape else ''}, got {values.shape}"
        )
    for plane in planes:
        plane.show(values)
    return True


def _matplotlib():
    try:
        import matplotlib
        import matplotlib.colors
        import matplotlib.lines
        import matplotlib.patches
        import matplotlib.patheffects
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "distview.plot_layout needs Matplotlib: pip install 'distview[plot]'. Without it, "
            "print(distview.describe(layout)) draws in text"
        ) from error
    return matplotlib, pyplot


def _names(layout, process_coords):
    """The displayed name of every process."""
    count = layout.process_count
    if process_coords is False:
        return [str(process) for process in range(count)]
    coordinates = process_coords
    if process_coords is True:
        coordinates = [layout.coordinates(process) for process in range(count)]
    if len(coordinates) != count:
        raise UsageError(
            f"plot_layout: expected process_coords of {count} processes, got {len(coordinates)}"
        )
    return [
        f"({', '.join(map(str, at))})" if isinstance(at, (tuple, list)) else str(at)
        for at in coordinates
    ]
