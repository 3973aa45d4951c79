# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules K1 to K9: the keys of a dimension dictionary, and the types of their values."""

import collections
import decimal
import enum
import fractions

import numpy as np
import pytest
from dap_cases import (
    VERSIONS,
    Index,
    accepts,
    accepts_all,
    block,
    both_versions,
    changed,
    cyclic,
    export,
    one,
    refuses,
    unstructured,
)

SECTIONS = {
    "b": lambda version: one(version, block(10, 2, 1, 4, 10), 6),
    "c": lambda version: one(version, cyclic(10, 2, 1, 2, block_size=2), 4),
    "u": lambda version: one(version, unstructured(10, 2, 1, np.arange(4)), 4),
}
INTEGERS = {
    "b": ("size", "proc_grid_size", "proc_grid_rank", "start", "stop"),
    "c": ("size", "proc_grid_size", "proc_grid_rank", "start", "block_size"),
    "u": ("size", "proc_grid_size", "proc_grid_rank"),
}
every_kind = pytest.mark.parametrize("kind", "bcu")


class Color(enum.IntEnum):
    four = 4


def test_K1_empty_dictionary_is_an_axis_that_is_not_distributed():
    """In 0.10, {} is one block from 0 to the extent of the buffer, on a grid of one process."""
    accepts_all([one("0.10.0", {}, 7)])
    accepts_all([one("0.10.0", {}, 0)])
    accepts_all([export("0.10.9", ({}, {}, {}), (2, 0, 3))])
    accepts(
        one("0.10.0", collections.OrderedDict(), 7), one("0.10.0", collections.defaultdict(int), 7)
    )
    mixed = [export("0.10.0", (block(4, 2, r, 2 * r, 2 * r + 2), {}), (2, 3)) for r in range(2)]
    accepts_all(mixed)
    full = block(3, 1, 0, 0, 3)  # processes may mix the alias and its full form
    accepts_all([mixed[0], {**mixed[1], "dim_data": (mixed[1]["dim_data"][0], full)}])


def test_K1_only_the_empty_dictionary_and_only_in_0_10():
    """With any key in it, or in 0.9, the dictionary needs a dist_type."""
    error = refuses(one("0.9.0", {}, 7), "missing_key", 0, "dist_type")
    assert "dim_data[0] lacks 'dist_type'" in str(error)
    for version in VERSIONS:
        for data in ({"size": 5}, {"periodic": False}, {"comment": 1}, {None: None}):
            refuses(one(version, data, 5), "missing_key", 0, "dist_type")
        refuses(export(version, (block(5, 1, 0, 0, 5), {"size": 5}), (5, 5)), "missing_key", 1)


@both_versions
@every_kind
def test_K2_required_keys(version, kind):
    """Every dist_type has its keys; optional keys may be left out, required keys may not."""
    section = SECTIONS[kind](version)
    accepts(section)
    for key in section["dim_data"][0]:
        if key == "block_size":
            accepts(one(version, cyclic(10, 2, 1, 1), 5))
        else:
            refuses(changed(section, **{key: ...}), "missing_key", 0, key)
    holder = collections.defaultdict(int, changed(section, size=...)["dim_data"][0])
    refuses({**section, "dim_data": (holder,)}, "missing_key", 0, "size")


@both_versions
def test_K2_message_names_dist_type_and_key(version):
    """The message names the missing key and its dist_type."""
    data = cyclic(10, 2, 1, 1)
    del data["size"]
    error = refuses(one(version, data, 5), "missing_key", 0, "size")
    assert "dim_data[0] (dist_type 'c') lacks 'size'" in str(error)
    error = refuses(export(version, (block(5, 1, 0, 0, 5), data), (5, 5)), "missing_key", 1, "size")
    assert "dim_data[1] (dist_type 'c') lacks 'size'" in str(error)


def test_K2_axes_of_0_9_that_are_not_distributed():
    """dist_type n of 0.9 needs only its size; an explicit grid of one process is allowed."""
    accepts_all([one("0.9.0", {"dist_type": "n", "size": 10}, 10)])
    accepts_all([one("0.9.4", {"dist_type": "n", "size": 0}, 0)])
    grid = {"proc_grid_size": 1, "proc_grid_rank": 0}
    accepts_all([one("0.9.0", {"dist_type": "n", "size": 10, **grid}, 10)])
    accepts_all([one("0.9.0", {"dist_type": "n", "size": 10, "periodic": True}, 10)])
    accepts_all([one("0.9.0", {"dist_type": "n", "size": 10, "padding": (2, 1)}, 10)])
    both = {"dist_type": "n", "size": 10, "padding": (2, 1), "periodic": True}
    accepts_all([one("0.9.0", both, 13)])
    refuses(one("0.9.0", both, 10), "shape_mismatch", 0)
    refuses(one("0.9.0", {"dist_type": "n"}, 10), "missing_key", 0, "size")
    spread = {"dist_type": "n", "size": 10, "proc_grid_size": 2, "proc_grid_rank": 0}
    error = refuses(one("0.9.3", spread, 10), "grid_product", 0, "proc_grid_size")
    assert "'proc_grid_size'] is 2, expected 1: the axis is not distributed" in str(error)
    refuses(one("0.9.0", {**spread, "proc_grid_size": 0}, 10), "grid_size_lt1", 0, "proc_grid_size")
    alone = {**spread, "proc_grid_size": 1, "proc_grid_rank": 1}
    refuses(one("0.9.0", alone, 10), "grid_rank_range", 0, "proc_grid_rank")
    refuses(one("0.9.0", {"dist_type": "n", "size": 10}, 9), "shape_mismatch", 0)
    refuses(one("0.9.0", {"dist_type": "n", "size": -1}, 0), "size_negative", 0, "size")


@both_versions
def test_K3_dist_type(version):
    """dist_type is a str, one of the letters of its version in lower case; values may be unhashable."""
    section = SECTIONS["b"](version)
    accepts(changed(section, dist_type=np.str_("b")))
    bad = [
        "B",
        "",
        "q",
        "bb",
        "b ",
        "b\0",
        "block",
        "d",
        "\ud800",
        "ｂ",
        b"b",
        ["b"],
        ("b",),
        {"b"},
    ]
    for value in [*bad, {}, None, 0, True, ord("b"), np.array("b"), object()]:
        refuses(changed(section, dist_type=value), "bad_dist_type", 0, "dist_type")


def test_K3_n_is_of_version_0_9():
    """Version 0.10 has no n: it writes a block on a grid of one process."""
    data = {"dist_type": "n", "size": 10}
    accepts(one("0.9.0", data, 10))
    error = refuses(one("0.10.0", data, 10), "bad_dist_type", 0, "dist_type")
    assert "dim_data[0]['dist_type'] is 'n'; version 0.10 knows 'b', 'c', 'u'" in str(error)
    refuses(one("0.10.0", {**block(10, 1, 0, 0, 10), **data}, 10), "bad_dist_type", 0, "dist_type")


@both_versions
@every_kind
def test_K4_integers(version, kind):
    """An integer is an object with __index__, except bool."""
    section = SECTIONS[kind](version)
    for key in INTEGERS[kind]:
        value = section["dim_data"][0][key]
        good = [Index(value), np.int64(value), np.uint8(value), np.int16(value), np.array(value)]
        for same in good:
            accepts(changed(section, **{key: same}))
        bad = [float(value), str(value), None, bool(value), np.float64(value), complex(value)]
        bad += [
            [value],
            (value,),
            np.bool_(value),
            decimal.Decimal(value),
            fractions.Fraction(value),
        ]
        bad += [
            b"1",
            object(),
            float("nan"),
            float("inf"),
            Index(1.5),
            Index("1"),
            np.array([value]),
        ]
        bad += [Index(TypeError("no")), Index(ValueError("no")), Index(OverflowError("no"))]
        for other in bad:
            refuses(changed(section, **{key: other}), "bad_type", 0, key)
    if kind == "b":
        accepts(changed(section, start=Color.four))


@both_versions
@every_kind
def test_K4_integers_fit_64_bits(version, kind):
    """A number that does not fit a signed 64-bit integer is refused, not wrapped around."""
    section = SECTIONS[kind](version)
    for key in INTEGERS[kind]:
        for value in (
            2**63,
            -(2**63) - 1,
            2**64,
            2**64 + 10,
            2**200,
            Index(2**63),
            np.uint64(2**63),
        ):
            refuses(changed(section, **{key: value}), "overflow", 0, key)
    refuses(changed(section, size=-(2**63)), "size_negative", 0, "size")
    grown = changed(section, size=2**63 - 1)
    if kind == "b":
        refuses(grown, "edge_stop", 0, "stop")
        accepts(changed(grown, proc_grid_size=3))
    elif kind == "u":
        accepts(grown)


@both_versions
def test_K5_flags_are_bool(version):
    """periodic and one_to_one are True or False, not values that convert to bool."""
    block_section, labels = SECTIONS["b"](version), SECTIONS["u"](version)
    for value in (True, False):
        accepts(changed(block_section, periodic=value), changed(labels, one_to_one=value))
    for value in (
        0,
        1,
        None,
        "True",
        "False",
        "",
        1.0,
        np.bool_(True),
        np.array(True),
        [],
        Index(1),
    ):
        refuses(changed(block_section, periodic=value), "bad_type", 0, "periodic")
        refuses(changed(labels, one_to_one=value), "bad_type", 0, "one_to_one")
    error = refuses(changed(block_section, periodic=1), "bad_type", 0, "periodic")
    assert "dim_data[0]['periodic'] is 1 (int), expected bool" in str(error)


@both_versions
@every_kind
def test_K6_unknown_keys_are_ignored(version, kind):
    """A key unknown to the protocol is ignored, with any name and value."""
    section = SECTIONS[kind](version)
    for key in (
        "comment",
        "Size",
        "",
        "\ud800",
        "padding ",
        "dim_name",
        5,
        None,
        (1, 2),
        b"size",
        2.5,
    ):
        for value in (None, object(), 2**200, [1]):
            accepts({**section, "dim_data": ({**section["dim_data"][0], key: value},)})


@both_versions
def test_K6_keys_of_another_dist_type(version):
    """A known key of another dist_type is ignored if it has its default, and refused otherwise."""
    for kind in "cu":
        section = SECTIONS[kind](version)
        for none in ((0, 0), [0, 0], (Index(0), np.int8(0))):
            accepts(changed(section, padding=none))
        accepts(changed(section, periodic=False))
        for widths in ((1, 1), [0, 2], (1, 0)):
            refuses(changed(section, padding=widths), "key_not_applicable", 0, "padding")
    accepts(changed(SECTIONS["b"](version), block_size=1, one_to_one=False))
    accepts(changed(SECTIONS["c"](version), one_to_one=False))
    accepts(changed(SECTIONS["u"](version), block_size=1))
    error = refuses(
        changed(SECTIONS["c"](version), padding=(1, 1)), "key_not_applicable", 0, "padding"
    )
    assert "'padding' (1, 1) on a cyclic dimension" in str(error)


@pytest.mark.parametrize("kind", "cu")
def test_K6_periodic_is_of_any_dist_type_in_0_9(kind):
    """0.9 allows every axis to be periodic; 0.10 only blocks."""
    accepts(changed(SECTIONS[kind]("0.9.0"), periodic=True))
    refuses(changed(SECTIONS[kind]("0.10.0"), periodic=True), "key_not_applicable", 0, "periodic")


@both_versions
@every_kind
def test_K7_size_is_not_negative(version, kind):
    """size counts elements."""
    for size in (-1, -4, -(2**40)):
        refuses(changed(SECTIONS[kind](version), size=size), "size_negative", 0, "size")


@both_versions
@every_kind
def test_K8_grid_has_a_process(version, kind):
    """An axis is distributed over at least one process."""
    for n_ranks in (0, -1, -(2**63)):
        section = changed(SECTIONS[kind](version), proc_grid_size=n_ranks)
        refuses(section, "grid_size_lt1", 0, "proc_grid_size")


@both_versions
@every_kind
def test_K9_rank_is_in_the_grid(version, kind):
    """Grid ranks count from 0 to one below proc_grid_size, in 0.9 too."""
    for rank in (2, 3, -1, 2**63 - 1, -(2**63)):
        section = changed(SECTIONS[kind](version), proc_grid_rank=rank)
        refuses(section, "grid_rank_range", 0, "proc_grid_rank")
