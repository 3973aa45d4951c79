# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of layouts: who owns what. Needs Matplotlib, which is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._distview import Layout
from ._errors import UsageError
from ._plot_composition import Composition
from ._plot_panels import POINTS, WIDTH, Style
from ._plot_planes import planes as planes_of

if TYPE_CHECKING:
    from ._array import DistView

# Beyond that nobody can read the sections' panels, nor a legend with a line per process.
MOST_SECTIONS = 36
MOST_IN_LEGEND = 24


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
    """Draws who owns what, and returns the Matplotlib Figure.

    The whole array is on the left or on top, every element in its owner's colour, with global
    indices at the edges. Beside it is what each process holds: communication padding is hatched and
    has the colour of the process that owns what it copies; boundary padding is dotted.

    layout_or_view: a Layout, or a DistView, whose layout is drawn.
    axes: Matplotlib Axes to draw the whole array in, without the sections.
    process_coords: True names processes by their grid coordinates, False by number, a sequence by
        its entries.
    legend: whether to explain the marks, and the colours where names do not fit.
    values: an array of the global shape, to be written into the cells; or True for a view's own,
        which are gathered: then the call is collective over the view's communicator, draws on
        process 0, and returns None elsewhere. Unstructured axes are in ascending order of indices.
    title: of the figure; None for the layout in words, "" for none.
    sections: whether to draw the processes' sections (never for more than 36 processes).
    at: {axis: global index}, for arrays of more than two axes. All axes but the last two are drawn
        slice by slice, one slice per grid coordinate; `at` chooses those that hold an index.
    cmap: a Matplotlib colormap or its name, instead of colours that suit the colour-blind.

    Local (not collective) unless values=True. Example: examples/python/layouts.py
    """
    layout, values, draws_here = _layout_and_values("plot_layout", layout_or_view, values)
    if not draws_here:
        return None
    matplotlib, pyplot = _matplotlib()
    style = Style(matplotlib, layout, _names(layout, process_coords), cmap)
    planes = planes_of(layout, values, at)
    title = _title(layout) if title is None else title
    if axes is not None:
        return _draw_in(axes, layout, style, planes, legend, title)
    sections = bool(sections) and layout.process_count <= MOST_SECTIONS
    return _draw(pyplot, layout, style, planes, legend, title, True, sections)


def plot_array_distribution(
    darray: Layout | DistView,
    process_coords: Sequence[Any] | None = None,
    title: str | None = None,
    xlabel: str | None = None,
    ylabel: str | None = None,
    yflip: bool = False,
    cell_label: bool = True,
    legend: bool = False,
    global_plot_filename: str | None = None,
    local_plot_filename: str | None = None,
    *,
    yticks: Any = None,
    cmap: Any = None,
) -> Any:
    """Draws who owns what, with the names and defaults of DistArray's function, for old notebooks.

    The Figure of the whole array is returned, and saved to global_plot_filename;
    local_plot_filename gets the sections. cell_label writes the elements' values into the cells;
    then the call is collective (see plot_layout). yflip lets axis 0 grow upwards. New programs call
    plot_layout().
    """
    wanted = True if cell_label and _is_view(darray) else None
    layout, values, draws_here = _layout_and_values("plot_array_distribution", darray, wanted)
    if not draws_here:
        return None
    matplotlib, pyplot = _matplotlib()
    names = True if process_coords is None else process_coords
    style = Style(matplotlib, layout, _names(layout, names), cmap)
    planes = planes_of(layout, values, None)
    figure = _draw(pyplot, layout, style, planes, legend, title or "", True, False, colours=True)
    axes = figure.axes[0]
    if xlabel is not None:
        axes.set_xlabel(xlabel)
    if ylabel is not None:
        axes.set_ylabel(ylabel)
    if yticks is not None:
        axes.set_yticks(yticks)
    if yflip:
        axes.invert_yaxis()
    is_first = not _is_view(darray) or darray.process == 0
    if global_plot_filename is not None and is_first:
        figure.savefig(global_plot_filename, dpi=100)
    if local_plot_filename is not None and is_first:
        local = _draw(pyplot, layout, style, planes, True, "Local Arrays", False, True)
        local.savefig(local_plot_filename, dpi=100)
        pyplot.close(local)
    return figure


def _is_view(layout_or_view):
    return hasattr(layout_or_view, "layout")


def _layout_and_values(caller, layout_or_view, values):
    """(layout, array of values or None, whether this process draws)."""
    is_view = _is_view(layout_or_view)
    layout = layout_or_view.layout if is_view else layout_or_view
    if layout is None:
        raise UsageError(
            f"{caller}: this view knows its own section only; attach(comm) tells it of the others"
        )
    if values is None or values is False:
        return layout, None, True
    if values is True:
        if not is_view:
            raise UsageError(f"{caller}: values=True expects a DistView; a layout has no values")
        values = layout_or_view.gather(root=0, cells="owned")
        if values is None:
            return layout, None, False
    values = np.asarray(values)
    if values.shape != tuple(layout.shape):
        raise UsageError(
            f"{caller}: expected values of shape {tuple(layout.shape)}, boundary padding included, "
            f"got {values.shape}"
        )
    return layout, values, True


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
    """What every process is called."""
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


def _title(layout):
    if layout.rank == 0:
        return "An array without axes: one element on one process"
    shape = " x ".join(map(str, layout.shape))
    kinds = " x ".join(_kind(layout, axis) for axis in range(layout.rank))
    grid = " x ".join(map(str, layout.grid))
    return f"{shape} elements, {kinds}, on {grid} process{'es' if layout.process_count > 1 else ''}"


def _kind(layout: Layout, axis: int) -> str:
    if layout.types[axis] != "c":
        return "block" if layout.types[axis] == "b" else "unstructured"
    first = layout.global_indices(axis, 0)
    in_blocks = layout.grid[axis] > 1 and len(first) > 1 and first[1] == first[0] + 1
    return "block-cyclic" if in_blocks else "cyclic"


def _legend_handles(layout, style, planes, colours):
    """Keys of the paddings that there are, and of the processes if `colours`."""
    handles = []
    if colours and layout.process_count <= MOST_IN_LEGEND:
        for process, name in enumerate(style.names):
            label = f"process {name}"
            handles.append(style.matplotlib.patches.Patch(color=style.cmap(process), label=label))
    sections = [
        axis
        for plane in planes
        for row in range(plane.grid[0])
        for column in range(plane.grid[1])
        for axis in plane.section(row, column)
    ]
    padded = {
        "communication padding": any(axis.owned != (0, len(axis)) for axis in sections),
        "boundary padding": any(axis.interior != axis.owned for axis in sections),
    }
    for kind in [kind for kind, is_there in padded.items() if is_there]:
        patch = style.patch(kind)
        patch.set(label=kind, linewidth=0.5)
        if kind == "communication padding":
            patch.set(label=f"{kind}: a copy, in its owner's colour", facecolor="#DDE6EE")
        handles.append(patch)
    if any(axis.shared.any() for plane in planes for axis in (plane.rows, plane.columns)):
        label = "on several processes: in the colour of the lowest"
        handles.append(
            style.matplotlib.lines.Line2D(
                [],
                [],
                color="none",
                marker="$n+$",
                markersize=14,
                markeredgecolor="none",
                markerfacecolor="#666666",
                label=label,
            )
        )
    return handles


def _draw_in(axes, layout, style, planes, legend, title):
    if len(planes) != 1:
        raise UsageError(
            f"plot_layout: {len(planes)} slices do not fit into the given axes; choose one with "
            "at={axis: index}, or leave axes out"
        )
    box = axes.get_window_extent()
    dpi = axes.figure.dpi
    cell = (
        box.width / dpi / max(len(planes[0].columns), 1),
        box.height / dpi / max(len(planes[0].rows), 1),
    )
    planes[0].draw_whole(axes, style, cell)
    axes.set_title(title)
    colours = planes[0].name_places(style, cell) is None
    handles = _legend_handles(layout, style, planes, colours) if legend else []
    if handles:
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8)
    return axes.figure


def _draw(pyplot, layout, style, planes, legend, title, whole, sections, colours=None):
    composition = Composition(planes, whole, sections)
    width = composition.width
    if colours is None:
        # Without room for names in the whole array the legend says what colours mean.
        colours = whole and any(p.name_places(style, composition.cell) is None for p in planes)
    handles = _legend_handles(layout, style, planes, colours) if legend else []
    columns = max(1, int(max(width, 6) / 2.2)) if handles else 1
    bottom = 0.3 + 0.22 * -(-len(handles) // columns) if handles else 0.0
    top = 0.3 if title else 0.0
    figure = composition.figure(pyplot, top, bottom, len(title) * 12 * WIDTH / POINTS + 0.5)
    if title:
        figure.suptitle(
            title,
            x=0.25 / composition.size[0],
            y=1 - 0.2 / composition.size[1],
            ha="left",
            va="top",
            fontsize=12,
            weight="bold",
        )
    composition.draw(figure, style)
    if handles:
        figure.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0.25 / composition.size[0], 0),
            ncols=columns,
            fontsize=8,
            frameon=False,
        )
    return figure
