# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole figures of a layout: panels, title and legend."""

from ._composition import Composition
from ._panels import POINTS, WIDTH

MOST_IN_LEGEND = 24


def layout_title(layout):
    """A description of a layout in one line."""
    if layout.rank == 0:
        return "An array without axes: one element on one process"
    shape = " x ".join(map(str, layout.shape))
    kinds = " x ".join(_kind(layout, axis) for axis in range(layout.rank))
    grid = " x ".join(map(str, layout.grid))
    return f"{shape} elements, {kinds}, on {grid} process{'es' if layout.process_count > 1 else ''}"


def _kind(layout, axis):
    if layout.types[axis] != "c":
        return "block" if layout.types[axis] == "b" else "unstructured"
    first = layout.global_indices(axis, 0)
    in_blocks = layout.grid[axis] > 1 and len(first) > 1 and first[1] == first[0] + 1
    return "block-cyclic" if in_blocks else "cyclic"


def _legend_handles(style, planes, colours):
    """Legend entries of the kinds of padding in the picture, and of the processes if `colours`."""
    handles = []
    if colours and len(style.names) <= MOST_IN_LEGEND:
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


def draw_in(axes, style, plane, legend, title):
    """Draws a whole plane in given Axes; returns their Figure."""
    box = axes.get_window_extent()
    dpi = axes.figure.dpi
    cell = (
        box.width / dpi / max(len(plane.columns), 1),
        box.height / dpi / max(len(plane.rows), 1),
    )
    plane.draw_whole(axes, style, cell)
    axes.set_title(title)
    colours = plane.name_places(style, cell) is None
    handles = _legend_handles(style, [plane], colours) if legend else []
    if handles:
        axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=8)
    return axes.figure


def draw_figure(pyplot, style, planes, legend, title, *, whole=True, sections=False, colours=None):
    """A new Figure of the planes; colours: whether its legend explains colours, None: if needed."""
    composition = Composition(planes, whole, sections)
    if colours is None:
        # If names do not fit into the whole array, the legend explains the colours.
        colours = whole and any(p.name_places(style, composition.cell) is None for p in planes)
    handles = _legend_handles(style, planes, colours) if legend else []
    columns = max(1, int(max(composition.width, 6) / 2.2)) if handles else 1
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
