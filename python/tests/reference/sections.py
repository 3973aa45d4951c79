# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections of arrays with one axis each, and named changes for verdicts.py."""

import numpy as np


class Index:
    """An integer that has only __index__."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def _section(dist_type, size, ranks, rank, extent, **more):
    common = dict(dist_type=dist_type, size=size, proc_grid_size=ranks, proc_grid_rank=rank)
    return common | more, extent


# (dimension dictionary, local extent) by name.
SECTIONS = {
    "only block": _section("b", 7, 1, 0, 7, start=0, stop=7),
    "first block": _section("b", 20, 2, 0, 5, start=0, stop=5),
    "middle block": _section("b", 20, 4, 1, 7, start=5, stop=12),
    "middle empty block": _section("b", 20, 4, 2, 0, start=5, stop=5),
    "last block": _section("b", 20, 2, 1, 15, start=5, stop=20),
    "first padded block": _section("b", 18, 2, 0, 10, start=0, stop=10, padding=(1, 1)),
    "middle padded block": _section("b", 30, 4, 2, 12, start=14, stop=26, padding=(2, 3)),
    "last padded block": _section("b", 18, 2, 1, 10, start=8, stop=18, padding=(1, 1)),
    "periodic block": _section("b", 10, 1, 0, 10, start=0, stop=10, padding=(2, 2), periodic=True),
    "cyclic": _section("c", 10, 4, 1, 3, start=1),
    "first cyclic": _section("c", 10, 2, 0, 5, start=0),
    "cyclic without elements": _section("c", 2, 4, 3, 0, start=3),
    "block-cyclic": _section("c", 24, 3, 1, 8, start=4, block_size=4),
    "partial block": _section("c", 13, 4, 2, 3, start=4, block_size=2),
    "block-cyclic without elements": _section("c", 9, 4, 3, 0, start=15, block_size=5),
    "indices": _section("u", 6, 2, 1, 3, indices=np.array([9, 8, 5])),
    "negative indices": _section("u", 6, 3, 0, 3, indices=np.array([7, -3, 100])),
    "no indices": _section("u", 6, 3, 1, 0, indices=np.array([], dtype=np.int64)),
    "one_to_one": _section("u", 5, 2, 0, 2, indices=np.array([4, 0], dtype="u4"), one_to_one=True),
}


def envelope(dim_data, buffer, version="0.10.0", **more):
    return {"__version__": version, "buffer": buffer, "dim_data": dim_data} | more


# Conditions on (dim_dict, extent): the sections that a change fits.


def kind(*letters):
    return lambda d, extent: d["dist_type"] in letters


every = kind("b", "c", "u")
block, cyclic, unstructured = kind("b"), kind("c"), kind("u")


def both(*conditions):
    return lambda d, extent: all(condition(d, extent) for condition in conditions)


def where(key, test):
    return lambda d, extent: key in d and test(d[key])


# Changes: functions of (dim_dict, extent) that return the changed pair.


def put(**values):
    return lambda d, extent: (d | values, extent)


def drop(key):
    return lambda d, extent: ({k: v for k, v in d.items() if k != key}, extent)


def convert(key, function):
    return lambda d, extent: (d | {key: function(d[key])}, extent)


def has(key):
    return where(key, lambda value: True)


def has_elements(d, extent):
    return extent > 1


def last(d, extent):
    return d["proc_grid_rank"] == d["proc_grid_size"] - 1


def first(d, extent):
    return d["proc_grid_rank"] == 0
