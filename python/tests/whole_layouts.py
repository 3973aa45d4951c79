# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of many processes, made in one process: those that zeros(...) would make on these ranks."""

import itertools

import distview


def layout_of(shape, layout, processes, *, padding=0, boundary=None, periodic=False, grid=None):
    return distview.make_layout(
        shape, layout, processes, padding=padding, boundary=boundary, periodic=periodic, grid=grid
    )


LAYOUTS = {
    "padded": layout_of((10, 12), "bb", 4, padding=1, periodic=(False, True)),
    "widths": layout_of((9, 8), "bb", 4, padding=((2, 1), 0), boundary=((0, 3), (1, 0))),
    "uneven": layout_of((9, 12), ([0, 0, 4, 9], [0, 7, 12]), 6, padding=(0, 2), boundary=0),
    "empty sections": layout_of((6, 5), ([0, 3, 3, 6], [0, 0, 5]), 6),
    "cyclic": layout_of((7, 9), "cc", 6),
    "block-cyclic": layout_of((12, 18), (("c", 2), ("c", 3)), 6),
    "unstructured": layout_of((None, 8), ([[5, -1, 3], [], [4, 0, 9]], "b"), 6, grid=(3, 2)),
    "shared indices": layout_of(None, ("u", [[7, -3, 100], [], [9, 8, 7]]), 3),
    "one axis": layout_of(16, "b", 3, padding=1),
    "long axis": layout_of(300, "b", 4, padding=(3, 2), periodic=True),
    "large": layout_of((200, 400), "bb", 6, padding=4),
    "three axes": layout_of((6, 8, 10), "bbc", 8, padding=(1, 1, 0)),
    "three axes, at": layout_of((6, 8, 10), "bbc", 8, padding=(1, 1, 0)),
    "no axes": layout_of((), (), 1),
    "no elements": layout_of((0, 5), "bb", 4),
}


def elements(layout):
    """All index tuples of the whole array with their owners; for a few thousand elements."""
    axes = []
    for axis in range(layout.rank):
        held = [layout.global_indices(axis, p).tolist() for p in range(layout.process_count)]
        axes.append(sorted(set(itertools.chain(*held))))
    return {index: layout.owner(list(index)) for index in itertools.product(*axes)}
