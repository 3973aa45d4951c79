# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every way to describe a layout, and the resulting layout. Needs no MPI: layouts of several processes
are examined as a whole."""

import itertools
import math

import distview
import numpy as np
import pytest
from whole_layouts import layout_of


def owned(layout, axis=0):
    """The global indices that each process owns along an axis."""
    result = []
    for p in range(layout.process_count):
        begin, end = layout.owned_range(axis, p)
        result.append(layout.global_indices(axis, p)[begin:end].tolist())
    return result


def held(layout, axis=0):
    return [layout.global_indices(axis, p).tolist() for p in range(layout.process_count)]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 6, 7, 12, 23])
@pytest.mark.parametrize("processes", [1, 2, 3, 4, 7])
class TestWhoOwnsWhat:
    """One axis of n elements, distributed over the processes as documented."""

    def test_blocks_differ_by_at_most_one(self, n, processes):
        expected = [part.tolist() for part in np.array_split(np.arange(n), processes)]
        for layout in (None, "b", ("b",), ["b"], ("b", "balanced"), [("b", "balanced")]):
            assert owned(layout_of(n, layout, processes)) == expected

    def test_regular_blocks(self, n, processes):
        width = math.ceil(n / processes)
        expected = [[i for i in range(n) if i // max(width, 1) == p] for p in range(processes)]
        for layout in (("b", "regular"), [("b", "regular")], ["b", "regular"]):
            assert owned(layout_of(n, layout, processes)) == expected

    def test_block_bounds(self, n, processes):
        bounds = sorted({0: 0, processes: n}.get(p, p * p % (n + 1)) for p in range(processes + 1))
        expected = [list(range(a, b)) for a, b in itertools.pairwise(bounds)]
        as_array = np.array(bounds, np.int16)
        for layout in (bounds, tuple(bounds), [bounds], ("b", bounds), [("b", tuple(bounds))],
                       ("b", as_array)):  # fmt: skip
            assert owned(layout_of(n, layout, processes)) == expected
            assert owned(layout_of(None, layout, processes)) == expected

    def test_cyclic(self, n, processes):
        expected = [list(range(p, n, processes)) for p in range(processes)]
        for layout in ("c", ("c",), ["c"], ("c", 1), [("c", 1)], ("c", np.int8(1))):
            assert owned(layout_of(n, layout, processes)) == expected

    @pytest.mark.parametrize("width", [2, 3, 100])
    def test_block_cyclic(self, n, processes, width):
        expected = [[i for i in range(n) if i // width % processes == p] for p in range(processes)]
        for layout in (("c", width), ["c", width], [("c", width)]):
            assert owned(layout_of(n, layout, processes)) == expected

    def test_index_lists(self, n, processes):
        lists = [[10 - 3 * i for i in range(n) if i * i % processes == p] for p in range(processes)]
        as_arrays = [np.array(part, np.int32) for part in lists]
        forms = [("u", lists), [("u", lists)], ("u", lists, False), ("u", as_arrays)]
        forms += [("u", lists, True), [("u", tuple(map(tuple, lists)), True)]]
        if processes > 1:  # else a list in a list is the entry for the only axis
            forms += [lists, [lists], as_arrays]
        for layout in forms:
            for size in (n, None):
                assert owned(layout_of(size, layout, processes)) == lists

    def test_not_distributed(self, n, processes):
        if processes == 1:
            assert owned(layout_of(n, "n", 1)) == [list(range(n))]
        else:
            with pytest.raises(distview.LayoutError, match=f"a grid of {processes} processes"):
                layout_of(n, "n", processes)
        layout = layout_of((n, 40), "nb", processes)
        assert layout.grid == (1, processes)
        assert owned(layout) == [list(range(n))] * processes


def test_shared_indices_are_owned_by_the_first():
    layout = layout_of(None, [[7, -3], [8, 7]], 2)
    assert held(layout) == [[7, -3], [8, 7]]
    assert [layout.owner([i]) for i in (-3, 7, 8, 0)] == [0, 0, 1, -1]
    assert layout.shape == layout.protocol_shape == (3,)


def test_a_string_has_one_letter_for_each_axis():
    layout = layout_of((6, 8, 5), "bcn", 6)
    assert (layout.types, layout.grid) == ("bcb", (3, 2, 1))
    assert layout == layout_of((6, 8, 5), ["b", "c", "n"], 6)
    assert layout == layout_of([6, 8, 5], ("b", ("c", 1), "n"), 6, grid=(3, 2, 1))
    assert layout == layout_of(np.array([6, 8, 5]), ("b", ("c", 1), "n"), 6, grid=(3, None, 0))


def test_shape_is_an_integer_or_a_sequence_of_them():
    assert layout_of(5, "b", 1) == layout_of((5,), "b", 1) == layout_of([np.int64(5)], "b", 1)
    assert layout_of(np.array(5), "b", 1) == layout_of(range(5, 6), "b", 1)
    assert layout_of((), None, 1).shape == layout_of((), "", 1).shape == ()
    assert layout_of((2,) * 8, None, 1).rank == 8


# Padding: 10 elements in blocks of 4, 3 and 3.


@pytest.mark.parametrize(
    "padding, boundary, expected",
    [
        (0, None, [range(0, 4), range(4, 7), range(7, 10)]),
        (1, None, [range(-1, 5), range(3, 8), range(6, 11)]),
        ((2, 1), None, [range(-2, 5), range(2, 8), range(5, 11)]),
        ([2, 1], None, [range(-2, 5), range(2, 8), range(5, 11)]),
        (((2, 1),), None, [range(-2, 5), range(2, 8), range(5, 11)]),
        ((np.int32(2), np.uint8(1)), None, [range(-2, 5), range(2, 8), range(5, 11)]),
        (1, 0, [range(0, 5), range(3, 8), range(6, 10)]),
        (1, (0, 2), [range(0, 5), range(3, 8), range(6, 12)]),
        (0, (1, 2), [range(-1, 4), range(4, 7), range(7, 12)]),
        ((3,), (0,), [range(0, 7), range(1, 10), range(4, 10)]),
    ],
)
def test_sections_with_padding(padding, boundary, expected):
    """Padding at the array's two ends has indices below 0, and from the size on."""
    for periodic in (False, True, [False], (np.True_,)):
        layout = layout_of(10, "b", 3, padding=padding, boundary=boundary, periodic=periodic)
        assert held(layout) == [list(part) for part in expected]
        low, high = layout.boundary(0)
        assert layout.shape == (10,) and layout.protocol_shape == (10 + low + high,)
        assert [i for part in owned(layout) for i in part] == list(range(-low, 10 + high))
        inner = [layout.interior_range(0, p) for p in range(3)]
        assert [end - begin for begin, end in inner] == [4, 3, 3]
        assert [layout.global_indices(0, p)[b] for p, (b, _) in enumerate(inner)] == [
            0, 4, 7]  # fmt: skip
        assert layout.periodic == (bool(np.any(periodic)),)


def test_padding_of_several_axes():
    """One width applies to all block axes; a sequence has a width or a pair for each axis."""
    shape, processes = (10, 9), 4
    for padding, pairs in (
        (2, [(2, 2), (2, 2)]),
        ((2, 1), [(2, 2), (1, 1)]),
        ([(2, 1), 3], [(2, 1), (3, 3)]),
        (((1, 0), (0, 2)), [(1, 0), (0, 2)]),
    ):
        layout = layout_of(shape, "bb", processes, padding=padding)
        assert [layout.boundary(d) for d in range(2)] == pairs
        for d, (low, high) in enumerate(pairs):
            first, last = layout_of(shape[d], "b", 2, padding=(low, high)), processes - 1
            assert held(layout, d)[0] == held(first)[0] and held(layout, d)[last] == held(first)[1]
    mixed = layout_of((10, 9, 8), "bcb", 4, padding=1, periodic=True, grid=(2, 1, 2))
    assert [mixed.boundary(d) for d in range(3)] == [(1, 1), (0, 0), (1, 1)]
    assert mixed.periodic == (True, False, True)
    assert mixed == layout_of((10, 9, 8), "bcb", 4, padding=(1, 0, 1),
                              periodic=[True, False, True], grid=(2, 1, 2))  # fmt: skip
    assert layout_of((4, 4), "cc", 4, padding=(0, 0), boundary=0, periodic=[False] * 2).grid == (2, 2)


def test_padding_of_an_axis_that_is_not_distributed_is_boundary_padding():
    layout = layout_of((4, 6), "nb", 2, padding=((1, 2), 1))
    assert layout.boundary(0) == (1, 2)
    assert held(layout) == [list(range(-1, 6))] * 2


def test_irregular_blocks_with_padding():
    layout = layout_of(12, [0, 5, 5, 12], 3, padding=(1, 0), boundary=0)
    assert held(layout) == [[0, 1, 2, 3, 4], [4], list(range(4, 12))]
    assert owned(layout) == [[0, 1, 2, 3, 4], [], list(range(5, 12))]


# Grids


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_grid_is_as_near_to_equal_as_can_be(axes):
    for processes in [*range(1, 41), 60, 64, 72, 96, 97, 210, 1024]:
        divisors = [d for d in range(1, processes + 1) if processes % d == 0]
        factors = (
            tuple(sorted(f, reverse=True))
            for f in itertools.product(divisors, repeat=axes)
            if math.prod(f) == processes
        )
        assert layout_of((9,) * axes, "b" * axes, processes).grid == min(factors)


def test_grid_is_chosen_around_what_is_given():
    shape = (6, 6, 6)
    for grid, expected in (
        ((None, None, None), (3, 2, 2)),
        ([0, 0, 0], (3, 2, 2)),
        ((1, None, None), (1, 4, 3)),
        ((None, 2, 0), (3, 2, 2)),
        ((None, None, 12), (1, 1, 12)),
        ((2, 3, 2), (2, 3, 2)),
        ((np.int64(6), 2, 1), (6, 2, 1)),
    ):
        assert layout_of(shape, "bcb", 12, grid=grid).grid == expected
    assert layout_of(shape, "nbn", 12).grid == (1, 12, 1)
    assert layout_of(shape, ("b", [0, 1, 6], "c"), 12).grid == (3, 2, 2)
    assert layout_of((6, None), ("b", [[0], [1], [2]]), 12).grid == (4, 3)
    assert layout_of((), "", 1, grid=()).grid == ()


# A Layout in place of a description


def test_a_layout_stands_for_all_of_it():
    layout = distview.zeros((4, 5), "bc", padding=(1, 0), periodic=(True, False)).layout
    for shape in ((4, 5), [4, 5], None):
        made = distview.zeros(shape, layout, dtype="i2")
        assert made.layout == layout and made.local_shape == (6, 5)
    wrapped = distview.wrap(np.zeros((6, 5)), None, layout)
    assert wrapped.layout == layout


@pytest.mark.parametrize(
    "more, text",
    [
        (dict(shape=(5, 5)), "the shape is (5, 5), but the Layout has (4, 5)"),
        (dict(shape=(6, 7)), "the shape is (6, 7), but the Layout has (4, 5)"),
        (dict(shape=4), "the shape is 4, but the Layout has (4, 5)"),
        (dict(padding=1), "a Layout has its own padding, got padding=1 as well"),
        (dict(padding=(0, 0)), "a Layout has its own padding, got padding=(0, 0) as well"),
        (dict(boundary=0), "a Layout has its own boundary, got boundary=0 as well"),
        (dict(periodic=True), "a Layout has its own periodic, got periodic=True as well"),
        (dict(grid=(1, 1)), "a Layout has its own grid, got grid=(1, 1) as well"),
    ],
)
def test_a_layout_is_not_contradicted(more, text):
    layout = distview.zeros((4, 5), padding=1).layout
    with pytest.raises(distview.LayoutError) as caught:
        distview.zeros(**{"shape": (4, 5), "layout": layout, **more})
    assert str(caught.value) == "zeros: " + text


def test_a_layout_has_as_many_processes_as_the_communicator():
    with pytest.raises(distview.UsageError) as caught:
        distview.zeros(10, layout_of(10, "b", 2))
    assert str(caught.value) == (
        "zeros: expected a grid of 1 process (comm is None), got 2"
    )
