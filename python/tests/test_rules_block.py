# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules B1 to B15: blocks, their bounds and their padding.

The 18 elements on two processes with padding (1, 1) of both versions' texts, B at the boundary and
C copied from the neighbour:

    process 0:  B0 1 2 3 4 5 6 7 8 C9           0.10: [0, 10)   0.9: [0, 9)
    process 1:                  C8 9 ... 16 B17  0.10: [8, 18)   0.9: [9, 18)
"""

import pytest
from dap_cases import (
    Index,
    accepts,
    accepts_all,
    block,
    block_row,
    both_versions,
    changed,
    group,
    one,
    refuses,
    refuses_all,
    refuses_together,
)

WIDTHS = [(4, 1), (1, 2), (2, 3), (3, 0)]
BOUNDS = [0, 10, 16, 23, 30]


@both_versions
def test_B1_start_is_not_negative(version):
    """Global indices of a block count from 0; padding does not reach below, periodic or not."""
    for more in ({}, {"periodic": True}, {"periodic": True, "padding": (1, 1)}):
        refuses(one(version, block(10, 2, 0, -1, 5, **more), 6), "start_negative", 0, "start")
        refuses(one(version, block(10, 2, 1, -1, 5, **more), 6), "start_negative", 0, "start")
    refuses(one(version, block(10, 2, 1, -(2**63), 10), 10), "start_negative", 0, "start")


@both_versions
def test_B2_stop_is_not_below_start(version):
    """stop is at least start; if they are equal, the section is empty."""
    refuses(one(version, block(10, 3, 1, 6, 5), 1), "stop_lt_start", 0, "stop")
    refuses(one(version, block(10, 3, 1, 6, -1), 0), "stop_lt_start", 0, "stop")
    refuses(one(version, block(10, 3, 1, 0, -(2**63)), 0), "stop_lt_start", 0, "stop")
    for empty in (block(10, 3, 1, 6, 6), block(10, 3, 1, 0, 0), block(10, 3, 2, 10, 10)):
        accepts(one(version, empty, 0))


@both_versions
def test_B3_stop_is_not_above_size(version):
    """A block ends at the end of the array or before."""
    refuses(one(version, block(10, 2, 1, 4, 11), 7), "stop_gt_size", 0, "stop")
    refuses(one(version, block(10, 1, 0, 0, 11), 11), "stop_gt_size", 0, "stop")
    refuses(one(version, block(10, 3, 1, 11, 11), 0), "stop_gt_size", 0, "stop")
    refuses(one(version, block(0, 1, 0, 0, 1), 1), "stop_gt_size", 0, "stop")
    refuses(one(version, block(10, 2, 0, 0, 2**63 - 1), 5), "stop_gt_size", 0, "stop")
    accepts(one(version, block(10, 2, 1, 4, 10), 6))


@both_versions
def test_B4_first_block_starts_at_zero(version):
    """Grid rank 0 starts at index 0, even when it owns nothing."""
    refuses(one(version, block(10, 2, 0, 1, 5), 4), "edge_start", 0, "start")
    refuses(one(version, block(10, 2, 0, 10, 10), 0), "edge_start", 0, "start")
    refuses(one(version, block(10, 1, 0, 1, 10), 9), "edge_start", 0, "start")
    accepts(one(version, block(10, 2, 0, 0, 0), 0))
    accepts(one(version, block(10, 2, 1, 0, 10), 10))


@both_versions
def test_B4_last_block_stops_at_size(version):
    """The last grid rank stops at size, even when it owns nothing."""
    refuses(one(version, block(10, 2, 1, 5, 9), 4), "edge_stop", 0, "stop")
    refuses(one(version, block(10, 2, 1, 0, 0), 0), "edge_stop", 0, "stop")
    refuses(one(version, block(10, 1, 0, 0, 9), 9), "edge_stop", 0, "stop")
    accepts(one(version, block(10, 2, 1, 10, 10), 0))
    accepts(one(version, block(10, 2, 0, 0, 10), 10))


@both_versions
def test_B5_extent_of_the_buffer(version):
    """The buffer has as many elements along the axis as the dictionary describes."""
    error = refuses(one(version, block(10, 2, 0, 0, 5), 7), "shape_mismatch", 0)
    assert "dim_data[0] describes 5 local elements, but buffer.shape[0] is 7" in str(error)
    for extent in (0, 4, 6, 10):
        refuses(one(version, block(10, 2, 0, 0, 5), extent), "shape_mismatch", 0)
    refuses(one(version, block(10, 3, 1, 4, 4), 1), "shape_mismatch", 0)


@pytest.mark.parametrize(
    "version, other, reading", [("0.10.0", "0.9.0", "10, 10"), ("0.9.0", "0.10.0", "9, 9")]
)
def test_B5_tells_the_versions_apart(version, other, reading):
    """start and stop include padding in 0.10, but not in 0.9: only the extent distinguishes them."""
    sections = group(version, block_row(version, [0, 9, 18], [(1, 1), (1, 1)]))
    accepts_all(sections)
    assert [s["buffer"].shape for s in sections] == [(10,), (10,)]
    stop_minus_start = [s["dim_data"][0]["stop"] - s["dim_data"][0]["start"] for s in sections]
    assert ", ".join(map(str, stop_minus_start)) == reading
    for section in sections:
        refuses({**section, "__version__": other}, "shape_mismatch", 0)


@both_versions
def test_B6_blocks_of_any_size(version):
    """Blocks need not be equal, and any of them may be empty."""
    for bounds in ([0, 1, 9, 10], [0, 0, 10], [0, 10, 10], [0, 0, 0], [0, 5, 5, 12, 20]):
        accepts_all(group(version, block_row(version, bounds)))
    accepts_all(group(version, block_row(version, [0, 0, 0, 4, 4, 4, 9])))
    accepts_all(group(version, block_row(version, [0, 0, 3]), block_row(version, [0, 2, 2, 2])))


@both_versions
def test_B7_padding_is_a_pair_of_widths(version):
    """padding is a tuple or a list of two integers that are not negative."""
    section = one(version, block(10, 1, 0, 0, 10), 10)
    pair = type("Pair", (tuple,), {})
    good = [(1, 2), [1, 2], (0, 0), [0, 0], pair((1, 2)), (Index(1), Index(2)), (5, 5), (10, 0)]
    for widths in good:
        accepts(changed(section, padding=widths))
    bad = [
        1,
        0,
        None,
        True,
        "",
        "11",
        b"\x01\x01",
        (),
        (1,),
        [1],
        (1, 1, 1),
        ((1, 1),),
        {1: 1, 2: 2},
    ]
    bad += [(-1, 0), (0, -1), (0, 1.0), (0.0, 0), ("1", "1"), (None, None), (0, None), (True, 0)]
    bad += [
        (False, False),
        (Index(-1), 0),
        (Index(ValueError("no")), 0),
        {1, 2},
        range(2),
        iter((1, 1)),
    ]
    for widths in bad:
        refuses(changed(section, padding=widths), "padding_form", 0, "padding")
    for widths in ((0, 2**63), [2**200, 0]):
        refuses(changed(section, padding=widths), "overflow", 0, "padding")


def test_B8_padding_on_all_processes_or_on_none_in_0_9():
    """In 0.9 either every process of the axis has the key, possibly (0, 0), or none."""
    for missing in range(3):
        sections = group("0.9.0", block_row("0.9.0", [0, 3, 6, 9], [(0, 0)] * 3))
        accepts_all(sections)
        sections[missing] = changed(sections[missing], padding=...)
        refuses_together(sections, "padding_partial", 0, "padding")
    row = block_row("0.9.0", [0, 3, 6])
    sections = group("0.9.0", row, block_row("0.9.0", [0, 4, 8], [(1, 1), (1, 1)]))
    accepts_all(sections)
    sections[2] = changed(sections[2], 0, padding=(0, 0))
    refuses_together(sections, "padding_partial", 0, "padding")


def test_B8_padding_is_free_in_0_10():
    """In 0.10 no key is the same as (0, 0)."""
    sections = group("0.10.0", block_row("0.10.0", [0, 3, 6, 9], [(1, 0), (0, 0), (0, 0)]))
    accepts_all([sections[0], changed(sections[1], padding=...), changed(sections[2], padding=...)])
    accepts_all(
        [changed(sections[0], padding=[1, 0]), changed(sections[1], padding=...), sections[2]]
    )


def test_B9_padding_fits_its_own_block():
    """In 0.10 both widths are inside start and stop; in 0.9 only widths at the boundary are."""
    refuses(
        one("0.10.0", block(10, 3, 1, 4, 5, padding=(0, 3)), 1), "padding_too_wide", 0, "padding"
    )
    refuses(
        one("0.10.0", block(10, 3, 0, 0, 1, padding=(0, 3)), 1), "padding_too_wide", 0, "padding"
    )
    refuses(
        one("0.10.0", block(10, 3, 1, 4, 6, padding=(1, 2)), 2), "padding_too_wide", 0, "padding"
    )
    accepts(one("0.10.0", block(10, 3, 1, 4, 7, padding=(1, 2)), 3))
    for version in ("0.9.0", "0.10.0"):
        refuses(
            one(version, block(5, 1, 0, 0, 5, padding=(3, 3)), 5), "padding_too_wide", 0, "padding"
        )
        accepts(one(version, block(5, 1, 0, 0, 5, padding=(3, 2)), 5))
    refuses(
        one("0.9.0", block(10, 2, 0, 0, 2, padding=(3, 0)), 2), "padding_too_wide", 0, "padding"
    )
    accepts(one("0.9.0", block(10, 3, 1, 4, 5, padding=(3, 3)), 7))
    huge = 2**63 - 1
    refuses(one("0.10.0", block(5, 1, 0, 0, 5, padding=(huge, huge)), 5), "padding_too_wide", 0)
    refuses(one("0.9.0", block(5, 1, 0, 0, 5, padding=(huge, huge)), 5), "padding_too_wide", 0)
    refuses(one("0.9.0", block(5, 3, 1, 0, 5, padding=(huge, huge)), 3), "shape_mismatch", 0)


def test_B10_widths_equal_those_of_the_neighbour():
    """In 0.10 a rank's right communication padding is as wide as the next rank's left one."""
    sections = group("0.10.0", block_row("0.10.0", [0, 4, 8, 12], [(0, 2), (1, 1), (1, 0)]))
    error = refuses_together(sections, "padding_mismatch", 0, "padding")
    text = "right padding 2 of grid rank 0 differs from left padding 1 of grid rank 1"
    assert text in str(error)
    sections = group("0.10.0", block_row("0.10.0", [0, 4, 8, 12], [(0, 1), (1, 0), (1, 0)]))
    refuses_together(sections, "padding_mismatch", 0, "padding")
    accepts_all(group("0.10.0", block_row("0.10.0", BOUNDS, WIDTHS)))


@both_versions
def test_B10_edges_have_no_counterpart(version):
    """The widths at the two ends of an axis are free, periodic or not."""
    for periodic in (False, True):
        row = block_row(version, [0, 8, 14], [(2, 1), (1, 3)], periodic)
        accepts_all(group(version, row))


def test_B10_widths_are_free_in_0_9():
    """0.9 does not compare the widths of two neighbours."""
    accepts_all(group("0.9.0", block_row("0.9.0", [0, 4, 8, 12], [(0, 2), (1, 1), (0, 0)])))


def test_B11_padding_reaches_one_neighbour_only():
    """In 0.10 a communication width is at most the neighbour's owned extent; 0.9 has no rule."""
    for widths in ([(0, 3), (3, 3), (3, 0)], [(0, 2), (2, 2), (2, 0)]):
        refuses_together(
            group("0.10.0", block_row("0.10.0", [0, 4, 5, 9], widths)), "padding_too_wide", 0
        )
        accepts_all(group("0.9.0", block_row("0.9.0", [0, 4, 5, 9], widths)))
    accepts_all(group("0.10.0", block_row("0.10.0", [0, 4, 5, 9], [(0, 1), (1, 1), (1, 0)])))


def test_B11_beside_an_empty_block_there_is_no_padding():
    """An empty rank owns nothing that could be copied."""
    empty = block_row("0.10.0", [0, 4, 4, 8], [(0, 1), (1, 1), (1, 0)])
    refuses_together(group("0.10.0", empty), "padding_too_wide", 0, "padding")
    accepts_all(group("0.10.0", block_row("0.10.0", [0, 4, 4, 8], [(2, 0), (0, 0), (0, 1)])))


def test_B11_owned_counts_the_boundary_of_the_neighbour():
    """The neighbour owns its boundary padding, so it may be copied."""
    accepts_all(group("0.10.0", block_row("0.10.0", [0, 2, 6], [(2, 2), (2, 0)])))
    accepts_all(group("0.10.0", block_row("0.10.0", [0, 3, 6], [(3, 3), (3, 3)])))


@both_versions
def test_B12_blocks_tile_the_axis(version):
    """The ranks' owned ranges follow each other, without gaps and overlaps."""
    right = [block(10, 3, 0, 0, 4), block(10, 3, 1, 4, 7), block(10, 3, 2, 7, 10)]
    accepts_all([one(version, d, d["stop"] - d["start"]) for d in right])
    for start, stop in ((5, 7), (3, 7), (4, 6), (4, 8), (5, 6), (4, 4), (7, 7), (0, 10), (9, 9)):
        wrong = [right[0], {**right[1], "start": start, "stop": stop}, right[2]]
        sections = [one(version, d, d["stop"] - d["start"]) for d in wrong]
        refuses_together(sections, "block_not_contiguous", 0)
    swapped = [block(10, 4, r, *b) for r, b in enumerate([(0, 3), (5, 7), (3, 5), (7, 10)])]
    sections = [one(version, d, d["stop"] - d["start"]) for d in swapped]
    refuses_together(sections, "block_not_contiguous", 0)


def test_B12_overlap_is_exactly_the_padding():
    """In 0.10 stop - next start is the sum of the two widths; one more or less leaves a gap."""
    sections = group("0.10.0", block_row("0.10.0", BOUNDS, WIDTHS))
    bounds = [(s["dim_data"][0]["start"], s["dim_data"][0]["stop"]) for s in sections]
    assert bounds == [(0, 11), (9, 18), (14, 26), (20, 30)]
    data = {**sections[1]["dim_data"][0], "start": 8}
    refuses_together(
        [sections[0], one("0.10.0", data, 10), *sections[2:]], "block_not_contiguous", 0
    )
    data = {**sections[1]["dim_data"][0], "stop": 17}
    refuses_together(
        [sections[0], one("0.10.0", data, 8), *sections[2:]], "block_not_contiguous", 0
    )


@both_versions
def test_B13_size_counts_boundary_padding_only(version):
    """size is the sum of the owned extents: with boundary padding, without copies."""
    sections = group(version, block_row(version, BOUNDS, WIDTHS))
    accepts_all(sections)
    assert sum(s["buffer"].size for s in sections) == 42
    for size in (26, 29, 31, 42):  # interior only, and everything
        code = "edge_stop" if size > 30 else "stop_gt_size"
        refuses_all([changed(s, size=size) for s in sections], code, 0, "stop", process=3)


@both_versions
def test_B14_periodic_on_one_process(version):
    """One process may be periodic and padded; without the key an axis is not periodic."""
    accepts_all([one(version, block(10, 1, 0, 0, 10, periodic=True), 10)])
    accepts_all(group(version, block_row(version, [0, 10], [(2, 2)], periodic=True)))
    sections = group(version, block_row(version, [0, 5, 10]))
    accepts_all([sections[0], changed(sections[1], periodic=False)])
    sections[1] = changed(sections[1], periodic=True)
    refuses_together(sections, "axis_inconsistent", 0, "periodic", process=1)


def test_B15_periodic_edges_count_in_0_10_only():
    """Padding at the ends of a periodic axis counts to size in 0.10 and does not in 0.9."""
    periodic = {"padding": (2, 2), "periodic": True}
    accepts_all([one("0.10.0", block(10, 1, 0, 0, 10, **periodic), 10)])
    accepts_all([one("0.9.0", block(10, 1, 0, 0, 10, **periodic), 14)])
    refuses(one("0.10.0", block(10, 1, 0, 0, 10, **periodic), 14), "shape_mismatch", 0)
    refuses(one("0.9.0", block(10, 1, 0, 0, 10, **periodic), 10), "shape_mismatch", 0)
    for version in ("0.9.0", "0.10.0"):
        refuses(one(version, block(10, 1, 0, -2, 10, **periodic), 12), "start_negative", 0, "start")
        refuses(one(version, block(10, 1, 0, 0, 12, **periodic), 12), "stop_gt_size", 0, "stop")
    new = group("0.10.0", block_row("0.10.0", [0, 7, 14], [(2, 1), (1, 2)], periodic=True))
    old = group("0.9.0", block_row("0.9.0", [0, 7, 14], [(2, 1), (1, 2)], periodic=True))
    for sections, size, bounds in ((new, 14, [(0, 8), (6, 14)]), (old, 10, [(0, 5), (5, 10)])):
        accepts_all(sections)
        data = [s["dim_data"][0] for s in sections]
        assert [d["size"] for d in data] == [size, size]
        assert [(d["start"], d["stop"]) for d in data] == bounds
        assert [s["buffer"].size for s in sections] == [8, 8]
