# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One panel of a layout's picture: coloured cells, padding, names and numbers on one Axes."""

import itertools

import numpy as np

from ._owners import process_colours, strips

LINE = "#333333"
PALE = "#888888"
# More cells than this are drawn without lines between them, as one piece per owner.
MOST_CELLS = 64
POINTS = 72  # per inch
WIDTH = 0.62  # width of a character, relative to the font size


class Style:
    """Style that all panels of a figure share: colours and names of the processes."""

    def __init__(self, matplotlib, layout, names, cmap):
        count = layout.process_count
        if cmap is None:
            colours = process_colours(layout.grid)
        else:
            cmap = matplotlib.colormaps[cmap] if isinstance(cmap, str) else cmap
            colours = cmap((np.arange(count) + 0.5) / count)
        self.matplotlib = matplotlib
        self.cmap = matplotlib.colors.ListedColormap(colours, name="processes")
        self.norm = matplotlib.colors.BoundaryNorm(np.arange(count + 1) - 0.5, count)
        self.names = names

    def text_colour(self, process):
        red, green, blue, _ = self.cmap(process)
        return "black" if 0.3 * red + 0.59 * green + 0.11 * blue > 0.45 else "white"

    def hatch(self, axes, kind, rectangles):
        """Marks ((row, column), height, width) rectangles as padding of one kind."""
        for (row, column), height, width in rectangles:
            axes.add_patch(self.patch(kind, (column, row), width, height))

    def patch(self, kind, corner=(0, 0), width=1, height=1):
        copies = kind == "communication padding"
        patch = self.matplotlib.patches.Rectangle(
            corner,
            width,
            height,
            facecolor=(1, 1, 1, 0.55) if copies else "none",
            edgecolor="#666666" if copies else "#555555",
            hatch="/////" if copies else "....",
            linewidth=0,
        )
        if hasattr(patch, "set_hatch_linewidth"):  # from Matplotlib 3.10 on
            patch.set_hatch_linewidth(0.6)
        patch.set_gid(kind)
        return patch


def draw_cells(axes, style, rows, columns, process_of, cell):
    """Colours every cell, `cell` inches wide and high, by process_of(row owners, column owners)."""
    small = max(len(rows), len(columns)) <= MOST_CELLS
    y = np.arange(len(rows) + 1) if small else rows.pieces()
    x = np.arange(len(columns) + 1) if small else columns.pieces()
    owners = process_of(rows.owners[y[:-1]][:, None], columns.owners[x[:-1]][None, :])
    width = min(0.7, 0.04 * min(cell) * POINTS)
    lines = {"edgecolors": "white", "linewidth": width} if small else {"linewidth": 0}
    mesh = axes.pcolormesh(x, y, owners, cmap=style.cmap, norm=style.norm, **lines)
    mesh.set_gid("owners")
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(rows), 0)


def draw_padding(axes, style, rows, columns):
    """Hatches copies of other processes' cells, dots boundary padding, and frames the owned cells."""
    whole = ((0, len(rows)), (0, len(columns)))
    owned = (rows.owned, columns.owned)
    interior = (rows.interior, columns.interior)
    style.hatch(axes, "communication padding", strips(whole, owned))
    style.hatch(axes, "boundary padding", strips(owned, interior))
    for inner, outer, dashes in ((owned, whole, "-"), (interior, owned, (0, (4, 3)))):
        if inner != outer and _area(inner):
            (top, bottom), (left, right) = inner
            axes.add_patch(
                style.matplotlib.patches.Rectangle(
                    (left, top),
                    right - left,
                    bottom - top,
                    fill=False,
                    edgecolor=LINE,
                    linewidth=1.1,
                    linestyle=dashes,
                )
            )


def _area(box):
    return (box[0][1] - box[0][0]) * (box[1][1] - box[1][0])


def draw_borders(axes, rows, columns):
    """Lines between one process's cells and another's."""
    for along, other, draw in ((rows, columns, axes.hlines), (columns, rows, axes.vlines)):
        changes = np.flatnonzero(np.diff(along.owners)) + 1
        if 0 < len(changes) <= MOST_CELLS:
            draw(changes, 0, len(other), color=LINE, linewidth=1.0)


def name_places(style, rows, columns, process_of, cell):
    """(x, y, process, font size) for the owner's name in every piece; None if a name does not fit."""
    runs = [_owner_runs(rows), _owner_runs(columns)]
    if len(runs[0]) * len(runs[1]) > 400:
        return None
    places = []
    for top, bottom in runs[0]:
        for left, right in runs[1]:
            process = int(process_of(rows.owners[top], columns.owners[left]))
            room = (right - left) * cell[0] * POINTS, (bottom - top) * cell[1] * POINTS
            size = min(13, 0.9 * room[0] / (WIDTH * len(style.names[process])), 0.6 * room[1])
            if size < 5:
                return None
            places.append(((left + right) / 2, (top + bottom) / 2, process, size))
    return places


def draw_names(axes, style, places):
    """Writes owners' names where name_places() says."""
    for x, y, process, size in places:
        text = _write(axes, x, y, style.names[process], size, style.text_colour(process))
        # Covers the lines between cells behind it.
        text.set_bbox({"facecolor": style.cmap(process), "edgecolor": "none", "pad": 1})


def _owner_runs(axis):
    if not len(axis):
        return []
    bounds = [0, *(np.flatnonzero(np.diff(axis.owners)) + 1).tolist(), len(axis)]
    return list(itertools.pairwise(bounds))


def draw_texts(axes, style, rows, columns, process_of, cell, text_of):
    """Writes text_of(row, column) into every cell, if the texts fit."""
    texts = [[text_of(i, j) for j in range(len(columns))] for i in range(len(rows))]
    longest = max((len(text) for line in texts for text in line), default=0)
    size = min(8, 0.85 * cell[0] * POINTS / (WIDTH * max(longest, 1)), 0.5 * cell[1] * POINTS)
    if size < 4 or len(rows) * len(columns) > 2500:
        return
    for i, line in enumerate(texts):
        for j, text in enumerate(line):
            colour = style.text_colour(int(process_of(rows.owners[i], columns.owners[j])))
            written = _write(axes, j + 0.5, i + 0.5, text, size, colour)
            if not (_within(i, rows.interior) and _within(j, columns.interior)):
                # Covers the hatches behind it.
                light = "white" if colour == "black" else "black"
                written.set_path_effects(
                    [style.matplotlib.patheffects.withStroke(linewidth=2.5, foreground=light)]
                )


def _within(position, bounds):
    return bounds[0] <= position < bounds[1]


def _write(axes, x, y, text, size, colour):
    return axes.text(
        x, y, text, fontsize=size, color=colour, ha="center", va="center", clip_on=True
    )


def draw_ticks(axes, rows, columns, cell, show=(True, True), longest=0):
    """Writes global indices at the left and at the top; `longest`: least number of characters to reserve."""
    axes.tick_params(
        length=0,
        labelsize=7,
        pad=2,
        labelcolor=PALE,
        top=True,
        labeltop=True,
        bottom=False,
        labelbottom=False,
    )
    for axis, along, size, horizontal, wanted in (
        (axes.yaxis, rows, cell[1], False, show[0]),
        (axes.xaxis, columns, cell[0], True, show[1]),
    ):
        positions = []
        if wanted:
            ends = [along.labels.min(), along.labels.max()]
            longest = max(longest, max(len(str(end)) for end in ends) + int(along.shared.any()))
            room = longest * 7 * WIDTH + 4 if horizontal else 9
            positions = _tick_positions(along.labels, room / (size * POINTS))
        texts = [f"{along.labels[p]}{'+' if along.shared[p] else ''}" for p in positions]
        axis.set_ticks([p + 0.5 for p in positions], texts)
    for spine in axes.spines.values():
        spine.set(color=LINE, linewidth=1.0)


def _tick_positions(labels, least):
    """Positions at least `least` apart; at round indices if indices ascend by one."""
    step = next(s for d in range(9) for s in (10**d, 2 * 10**d, 5 * 10**d) if s >= least)
    if step > 1 and len(labels) > 1 and np.all(np.diff(labels) == 1):
        return np.flatnonzero(labels % step == 0).tolist()
    return list(range(0, len(labels), step))
