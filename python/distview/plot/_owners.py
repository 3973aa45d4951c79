# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Owners along one axis as arrays, from which pictures are drawn. Needs no Matplotlib."""

import numpy as np

from .._errors import UsageError

# A picture cannot show more changes of owner along an axis than this.
MOST_PIECES = 2000
MOST_ELEMENTS = 10_000_000


class Axis:
    """Positions 0 to n - 1 along an axis, of the whole array or of one section.

    labels: global index of every position; owners: grid coordinate of its owner; owned, interior:
    half-open ranges of positions; shared: which positions are on several processes.
    """

    def __init__(self, labels, owners, owned, interior, shared=None):
        self.labels = labels
        self.owners = owners
        self.owned = owned
        self.interior = interior
        self.shared = np.zeros(len(labels), bool) if shared is None else shared

    def __len__(self):
        return len(self.labels)

    def pieces(self):
        """Bounds of runs of positions with the same owner and kind: [0, ..., n]."""
        changes = np.flatnonzero(np.diff(self.owners)) + 1
        bounds = {0, len(self), *changes.tolist(), *self.owned, *self.interior}
        return np.array(sorted(bounds), dtype=np.int64)


def process_at(layout, axis, coordinate):
    """A process with this coordinate along one axis and 0 along the others."""
    process = 0
    for d, extent in enumerate(layout.grid):
        process = process * extent + (coordinate if d == axis else 0)
    return process


def whole_axis(layout, axis):
    """An axis of the whole array; unstructured indices in ascending order."""
    if layout.protocol_shape[axis] > MOST_ELEMENTS:
        raise UsageError(
            f"plot_layout: axis {axis} has {layout.protocol_shape[axis]} elements, a picture shows at most "
            f"{MOST_ELEMENTS}: plot a smaller array of the same layout"
        )
    parts = []
    for c in range(layout.grid[axis]):
        process = process_at(layout, axis, c)
        begin, end = layout.owned_range(axis, process)
        parts.append(layout.global_indices(axis, process)[begin:end])
    low, high = layout.boundary(axis)
    if layout.types[axis] == "u":
        held = np.concatenate(parts)
        holders = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        # Sorted by index, then by coordinate: the first holder is the owner, as the library has it.
        order = np.lexsort((holders, held))
        labels, first, counts = np.unique(held[order], return_index=True, return_counts=True)
        owners = holders[order][first]
        shared = counts > 1
    else:
        labels = np.arange(-low, layout.shape[axis] + high)
        owners = np.zeros(len(labels), dtype=np.int64)
        for coordinate, part in enumerate(parts):
            owners[part + low] = coordinate
        shared = None
    n = len(labels)
    result = Axis(labels, owners, (0, n), (low, n - high), shared)
    if len(result.pieces()) > MOST_PIECES:
        raise UsageError(
            f"plot_layout: axis {axis} changes owner {len(result.pieces()) - 2} times, a picture "
            f"shows at most {MOST_PIECES}: plot a smaller array of the same layout"
        )
    return result


def section_axis(layout, axis, process, whole):
    """An axis of one process's section; `whole` is the axis of the whole array."""
    labels = layout.global_indices(axis, process)
    owned = layout.owned_range(axis, process)
    interior = layout.interior_range(axis, process)
    owners = whole.owners[np.searchsorted(whole.labels, labels)] if len(labels) else labels
    # If several processes hold an element, each one's section shows it as its own.
    owners = np.array(owners)
    owners[owned[0] : owned[1]] = layout.coordinates(process)[axis]
    return Axis(labels, owners, owned, interior)


def strips(outer, inner):
    """Rectangles ((row, column), height, width) that cover `outer` without `inner`.

    Both are ((row begin, row end), (column begin, column end)); inner lies inside outer.
    """
    (top, bottom), (left, right) = outer
    (inner_top, inner_bottom), (inner_left, inner_right) = inner
    result = [
        ((top, left), inner_top - top, right - left),
        ((inner_bottom, left), bottom - inner_bottom, right - left),
        ((inner_top, left), inner_bottom - inner_top, inner_left - left),
        ((inner_top, inner_right), inner_bottom - inner_top, right - inner_right),
    ]
    return [strip for strip in result if strip[1] > 0 and strip[2] > 0]


# Tol's "light" scheme: the colour-blind can distinguish its colours, and black text is readable on all of them.
_FEW = ["77AADD", "EE8866", "EEDD88", "FFAABB", "44BB99", "BBCC33", "99DDFF", "AAAA00"]


def process_colours(grid):
    """RGB of every process of a grid, an array of shape (number of processes, 3)."""
    count = int(np.prod(grid))
    if count <= len(_FEW):
        return np.array([[int(c[i : i + 2], 16) / 255 for i in (0, 2, 4)] for c in _FEW[:count]])
    # Hues around the circle of the OKLCH space, alternately light and dark as on a chess board.
    hue = 2 * np.pi * np.arange(count) / count
    lightness = np.where(np.indices(grid).sum(axis=0).ravel() % 2, 0.86, 0.74)
    a, b = 0.10 * np.cos(hue), 0.10 * np.sin(hue)
    cones = np.stack(
        [
            lightness + 0.3963377774 * a + 0.2158037573 * b,
            lightness - 0.1055613458 * a - 0.0638541728 * b,
            lightness - 0.0894841775 * a - 1.2914855480 * b,
        ]
    )
    to_rgb = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.7076147010],
        ]
    )
    linear = np.clip(to_rgb @ cones**3, 0, 1)
    return np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear).T
