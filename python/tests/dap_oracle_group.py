# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules between processes, X1 to X7 with B8, B10 to B12, U5 and U6; see dap_oracle."""

import math

from dap_oracle import ANY, require

SHARED = {
    "kind": "dist_type",
    "size": "size",
    "n_ranks": "proc_grid_size",
    "periodic": "periodic",
    "block_size": "block_size",
    "one_to_one": "one_to_one",
}


def between(sections):
    """Checks [(version, axes), ...] of all processes, each accepted alone."""
    version, first = sections[0]
    everyone = [axes for _, axes in sections]
    for process, (other, _) in enumerate(sections):  # the meaning of numbers depends on the version
        require(other == version, "axis_inconsistent", ANY, process=process)
    _same_axes(everyone, first)
    _grid(everyone, first)
    for axis in range(len(first)):
        _same_rank_same_section(everyone, axis)
    for axis in range(len(first)):
        row = [
            next(s[axis] for s in everyone if s[axis].rank == r) for r in range(first[axis].n_ranks)
        ]
        if first[axis].kind == "b":
            _tiling(row, [s[axis].has_padding for s in everyone], version, axis)
        elif first[axis].kind == "u":
            _labels(row, axis)


def _same_axes(everyone, first):
    """X1: all processes describe an axis in the same way."""
    for process, axes in enumerate(everyone):
        require(len(axes) == len(first), "axis_inconsistent", ANY, process=process)
    for process, axes in enumerate(everyone):
        for axis, (ours, reference) in enumerate(zip(axes, first)):
            differing = [
                key
                for name, key in SHARED.items()
                if getattr(ours, name) != getattr(reference, name)
            ]
            key = differing[0] if len(differing) == 1 else ANY
            require(not differing, "axis_inconsistent", axis, key, process=process)


def _grid(everyone, first):
    """X2: the process grid has as many places as the array has processes. X3, X4: in C order."""
    shape = [a.n_ranks for a in first]
    require(math.prod(shape) == len(everyone), "grid_product", ANY, process=ANY)
    for process, axes in enumerate(everyone):
        place = 0
        for n, a in zip(shape, axes):
            place = place * n + a.rank
        require(place == process, "grid_order", ANY, process=process)


def _same_rank_same_section(everyone, axis):
    """X5: processes of one grid rank hold the same part of the axis; boundary padding may differ."""
    seen = {}
    for process, axes in enumerate(everyone):
        a = axes[axis]
        part = (a.start, a.stop, a.low, a.high, a.indices, a.extent)
        same = seen.setdefault(a.rank, part) == part
        require(same, "axis_inconsistent", axis, process=process)


def one_interior(everyone):
    """X5 allows different boundary padding; distview uses that of the lowest process of a grid rank."""
    for axis in range(len(everyone[0])):
        seen = {}
        for process, axes in enumerate(everyone):
            a = axes[axis]
            if a.kind == "b":
                same = seen.setdefault(a.rank, a.padding) == a.padding
                require(same, "axis_inconsistent", axis, "padding", process=process)


def _tiling(row, has_padding, version, axis):
    neighbours = list(zip(row, row[1:]))
    anywhere = dict(process=ANY)
    if version == (0, 9):
        require(len(set(has_padding)) == 1, "padding_partial", axis, "padding", **anywhere)  # B8
    if version == (0, 10):
        for a, b in neighbours:
            require(a.high == b.low, "padding_mismatch", axis, "padding", **anywhere)  # B10
    for a, b in neighbours:
        require(a.owned[1] == b.owned[0], "block_not_contiguous", axis, **anywhere)  # B12
    if version == (0, 10):
        for a, b in neighbours:  # B11
            require(
                a.high <= b.owned[1] - b.owned[0], "padding_too_wide", axis, "padding", **anywhere
            )
            require(
                b.low <= a.owned[1] - a.owned[0], "padding_too_wide", axis, "padding", **anywhere
            )


def _labels(row, axis):
    labels = [i for a in row for i in a.indices]
    n_labels = len(set(labels))
    if row[0].one_to_one:
        require(n_labels == len(labels), "not_one_to_one", axis, process=ANY)  # U5
    require(n_labels <= row[0].size <= len(labels), "size_sum", axis, "size", process=ANY)  # U6
