# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules X1 to X10: agreement between the processes of an array."""

import itertools

import distview
import numpy as np
import pytest
from dap_cases import (
    ANY,
    accepts,
    accepts_all,
    ask,
    block,
    block_row,
    both_versions,
    changed,
    cyclic,
    cyclic_row,
    export,
    group,
    one,
    refuses,
    refuses_all,
    refuses_together,
    unstructured,
    unstructured_row,
)


def grid_2x3(version):
    """Processes 0 1 2 above 3 4 5."""
    return group(version, cyclic_row(7, 2, 2), block_row(version, [0, 1, 6, 8]))


@both_versions
def test_X1_same_number_of_axes(version):
    """All processes have buffers with the same number of axes."""
    line, plane = block(5, 1, 0, 0, 5), (block(4, 2, 1, 2, 4), block(5, 1, 0, 0, 5))
    first = export(version, (block(4, 2, 0, 0, 2), line), (2, 5))
    accepts_all([first, export(version, plane, (2, 5))])
    short = one(version, plane[0], 2)
    refuses_together([first, short], "axis_inconsistent", axis=ANY, process=1)
    refuses_together([short, first], "axis_inconsistent", axis=ANY, process=1)


def test_X1_same_version():
    """All processes use one version; the patch number may differ."""
    old, new = (group(version, block_row(version, [0, 2, 4])) for version in ("0.9.0", "0.10.0"))
    refuses_together([old[0], new[1]], "axis_inconsistent", axis=ANY, process=1)
    refuses_together([new[0], old[1]], "axis_inconsistent", axis=ANY, process=1)
    accepts_all([old[0], {**old[1], "__version__": "0.9.7"}])
    accepts_all([new[0], {**new[1], "__version__": "0.10.7"}])


@both_versions
def test_X1_same_size_and_grid(version):
    """An axis has the same size and grid size on all processes."""
    pair = [one(version, block(5, 2, 0, 0, 2), 2), one(version, block(4, 2, 1, 2, 4), 2)]
    refuses_together(pair, "axis_inconsistent", 0, "size", process=1)
    pair = [one(version, block(4, 2, 0, 0, 2), 2), one(version, block(4, 3, 1, 2, 4), 2)]
    refuses_together(pair, "axis_inconsistent", 0, "proc_grid_size", process=1)
    larger = group(version, cyclic_row(47, 2, 2), block_row(version, [0, 1, 6, 8]))
    for odd in range(6):
        sections = grid_2x3(version)
        accepts_all(sections)
        sections[odd] = larger[odd]
        refuses_together(sections, "axis_inconsistent", 0, "size", process=odd or 1)


@both_versions
def test_X1_same_dist_type(version):
    """An axis has the same dist_type on all processes."""
    parts = [one(version, block(4, 2, 0, 0, 2), 2), one(version, cyclic(4, 2, 1, 1), 2)]
    refuses_together(parts, "axis_inconsistent", 0, "dist_type", process=1)
    parts[1] = one(version, unstructured(4, 2, 1, np.array([2, 3])), 2)
    refuses_together(parts, "axis_inconsistent", 0, "dist_type", process=1)


@both_versions
def test_X1_same_options(version):
    """periodic, block_size and one_to_one are the same on all processes; the default is a value, too."""
    sections = group(version, block_row(version, [0, 2, 4, 6], periodic=True))
    accepts_all(sections)
    sections[2] = changed(sections[2], periodic=...)
    refuses_together(sections, "axis_inconsistent", 0, "periodic", process=2)
    sections = group(version, unstructured_row([[1], [2], [3]]))
    accepts_all([changed(sections[0], one_to_one=False), *sections[1:]])
    sections[1] = changed(sections[1], one_to_one=True)
    refuses_together(sections, "axis_inconsistent", 0, "one_to_one", process=1)
    sections = group(version, cyclic_row(8, 2, 2))
    sections[1] = changed(sections[1], block_size=..., start=1)
    refuses_together(sections, "axis_inconsistent", 0, "block_size", process=1)


def test_X1_periodic_of_any_axis_in_0_9():
    """If another kind of axis is periodic, as 0.9 allows, all processes agree on it."""
    for row in (cyclic_row(6, 3), unstructured_row([[1], [2], [3]])):
        sections = group("0.9.0", [({**data, "periodic": True}, n) for data, n in row])
        accepts_all(sections)
        sections[2] = changed(sections[2], periodic=...)
        refuses_together(sections, "axis_inconsistent", 0, "periodic", process=2)


@both_versions
def test_X2_grid_has_as_many_places_as_processes(version):
    """The product of the grid sizes is the number of processes (A16: not fewer either)."""
    three = group(version, block_row(version, [0, 2, 4, 6]))
    accepts_all(three)
    refuses_together(three[:2], "grid_product", axis=ANY)
    refuses_together([*three, three[2]], "grid_product", axis=ANY)
    alone = one(version, block(4, 1, 0, 0, 4), 4)
    refuses_together([alone, alone], "grid_product", axis=ANY)
    refuses_together(grid_2x3(version)[:5], "grid_product", axis=ANY)


@both_versions
def test_X2_product_beyond_64_bits(version):
    """Grid sizes whose product wraps around to 1 are not a grid of one process."""
    n = 2**32
    data = tuple(block(0, n, 0, 0, 0) for _ in range(4))
    section = export(version, data, (0,) * 4)
    accepts(section)
    assert ask(distview.check_all, [section]).code == "grid_product"
    data = (block(0, 3, 0, 0, 0), block(0, 12297829382473034411, 0, 0, 0))
    assert ask(distview.check, export(version, data, (0, 0))).code == "overflow"


def test_X2_axes_that_are_not_distributed_in_0_9():
    """In 0.9 the product is over the distributed axes."""
    row = block_row("0.9.0", [0, 1, 2])
    accepts_all(group("0.9.0", row, [({"dist_type": "n", "size": 10}, 10)]))
    alone = export("0.9.0", ({"dist_type": "n", "size": 3}, {"dist_type": "n", "size": 2}), (3, 2))
    accepts_all([alone])
    refuses_together([alone, alone], "grid_product", axis=ANY)


@both_versions
def test_X3_coordinates_are_in_C_order(version):
    """The last axis of the grid varies fastest as the process number grows."""
    right = grid_2x3(version)
    accepts_all(right)
    column_major = [right[p] for p in (0, 3, 1, 4, 2, 5)]
    error = refuses_together(column_major, "grid_order", axis=ANY)
    assert error.process in (1, None)
    square = group(version, block_row(version, [0, 1, 2]), block_row(version, [0, 1, 2]))
    accepts_all(square)
    turned = [square[p] for p in (0, 2, 1, 3)]
    refuses_together(turned, "grid_order", axis=ANY)


@both_versions
def test_X3_every_other_order_is_wrong(version):
    """Of all orders of four processes only one conforms."""
    right = group(version, block_row(version, [0, 1, 3]), cyclic_row(5, 2))
    accepts_all(right)
    for order in itertools.permutations(range(4)):
        if order != (0, 1, 2, 3):
            sections = [right[p] for p in order]
            refuses_all(sections, "grid_order", axis=ANY)


@both_versions
def test_X4_every_place_of_the_grid_is_taken_once(version):
    """Two processes in one place leave another place empty."""
    for double, lost in itertools.permutations(range(6), 2):
        sections = grid_2x3(version)
        sections[lost] = sections[double]
        refuses_all(sections, "grid_order", axis=ANY)


@both_versions
def test_X5_same_rank_same_bounds(version):
    """Processes of one grid rank on an axis have the same dictionary for it."""
    rows = [[0, 1, 2], [0, 4, 8]]
    sections = group(version, *(block_row(version, bounds) for bounds in rows))
    accepts_all(sections)
    other = group(version, block_row(version, rows[0]), block_row(version, [0, 5, 8]))
    refuses_together([*sections[:2], *other[2:]], "axis_inconsistent", 1)
    refuses_together([*sections[:3], other[3]], "axis_inconsistent", 1, process=3)


@both_versions
def test_X5_same_rank_same_labels(version):
    """The labels of processes of one grid rank are the same, and in the same order."""
    sections = group(version, block_row(version, [0, 1, 2]), unstructured_row([[3, 1], [2]]))
    accepts_all(sections)
    for labels in ([1, 3], [3, 0]):
        wrong = [*sections[:2], changed(sections[2], 1, indices=np.array(labels)), sections[3]]
        refuses_together(wrong, "axis_inconsistent", 1, process=2)
    same = changed(sections[2], 1, indices=np.array([3, 1], np.int8))
    accepts_all([*sections[:2], same, sections[3]])


def test_X5_boundary_padding_may_differ():
    """Only padding at the ends of the axis may differ among processes of one grid rank."""
    sections = group("0.10.0", cyclic_row(2, 2), block_row("0.10.0", [0, 5, 10], [(1, 1), (1, 1)]))
    accepts_all(sections)
    accepts_all([changed(sections[0], 1, padding=(2, 1)), *sections[1:]])
    accepts_all([*sections[:3], changed(sections[3], 1, padding=(1, 0))])
    wrong = [changed(sections[0], 1, padding=(1, 2)), *sections[1:]]
    refuses_together(wrong, "axis_inconsistent", 1, process=2)
    plain = group("0.9.0", cyclic_row(2, 2), block_row("0.9.0", [0, 5, 10], [(1, 1), (1, 1)]))
    accepts_all([changed(plain[0], 1, padding=(2, 1)), *plain[1:]])
    data = {**plain[1]["dim_data"][1], "padding": (2, 1)}
    wider = export("0.9.0", (plain[1]["dim_data"][0], data), (1, 7))
    refuses_together([plain[0], wider, *plain[2:]], "axis_inconsistent", 1, process=3)


@both_versions
def test_X6_rules_of_blocks_hold_on_every_axis(version):
    """Tiling is checked along each axis of the grid, for any other axes."""
    right = block_row(version, [0, 4, 8])
    hole = [right[0], (block(8, 2, 1, 5, 8), 3)]
    refuses_together(group(version, hole, cyclic_row(3, 3)), "block_not_contiguous", 0)
    refuses_together(group(version, cyclic_row(3, 3), hole), "block_not_contiguous", 1)
    refuses_together(
        group(version, right, unstructured_row([[0]]), hole), "block_not_contiguous", 2
    )


@both_versions
def test_X7_rules_of_labels_hold_on_every_axis(version):
    """Labels are checked along each axis, too."""
    wrong = unstructured_row([[0, 1], [1]], 3, one_to_one=True)
    refuses_together(group(version, wrong, cyclic_row(3, 2)), "not_one_to_one", 0)
    refuses_together(group(version, cyclic_row(3, 2), wrong), "not_one_to_one", 1)
    wrong = unstructured_row([[0, 1], [1]], 4)
    refuses_together(group(version, cyclic_row(3, 2), wrong), "size_sum", 1, "size")


@both_versions
def test_X8_global_count_fits_64_bits(version):
    """The number of elements is the product of the sizes, and fits a signed 64-bit integer."""

    def empty(*sizes):
        return export(version, tuple(block(n, 2, 0, 0, 0) for n in sizes), (0,) * len(sizes))

    assert ask(distview.check, empty(2**40, 2**40)).code == "overflow"
    for sizes in ((2**32, 2**31), (2**21,) * 3, (2**62, 2), (2**63 - 1, 2), (2**40, 2**40, 1)):
        assert ask(distview.check, empty(*sizes)).code == "overflow"
        assert ask(distview.check_all, [empty(*sizes)]).code == "overflow"
    accepts(empty(2**31, 2**31), empty(2**63 - 1), empty(2**62, 1), empty(2**61, 3))
    accepts(empty(0, 2**40, 2**40), empty(2**40, 2**40, 0), empty(2**40, 0, 2**40, 2**40))
    accepts_all([export(version, (), np.zeros(()))])


@both_versions
def test_X9_the_lowest_process_with_a_defect_is_named(version):
    """Errors that one process can see alone come first; among several processes, the first is named."""
    sections = grid_2x3(version)
    for bad in ((4,), (2, 4), (0, 5), (1, 2, 3, 4, 5)):
        spoilt = [changed(s, 0, start=-1) if p in bad else s for p, s in enumerate(sections)]
        refuses_all(spoilt, "start_negative", 0, "start", process=bad[0])
    both = [changed(sections[0], 0, size=8), *sections[1:5], changed(sections[5], 1, periodic=1)]
    both[0] = export(version, both[0]["dim_data"], (4, 1))
    refuses_all(both, "bad_type", 1, "periodic", process=5)
    error = ask(distview.check, sections[0], process=4)
    assert error is None
    error = ask(distview.check, changed(sections[0], 0, start=-1), process=4)
    assert error.process == 4 and str(error).startswith("DAP import, process 4: ")


@both_versions
def test_X10_one_section_is_checked_without_the_others(version):
    """Local rules need one process; the check of all processes finds other errors."""
    gap = [one(version, block(9, 2, 0, 0, 4), 4), one(version, block(9, 2, 1, 5, 9), 4)]
    for section in gap:
        accepts(section)
        view = distview.from_distarray(section, validate="local")
        assert view.local_shape == (4,)
    refuses_together(gap, "block_not_contiguous", 0)
    refuses(one(version, block(9, 2, 0, 0, 4), 5), "shape_mismatch", 0)
    with pytest.raises(distview.ProtocolError) as caught:
        distview.from_distarray(one(version, block(9, 2, 0, 0, 4), 5), validate="local")
    assert (caught.value.code, caught.value.axis) == ("shape_mismatch", 0)


@both_versions
@pytest.mark.parametrize("grid", [2**31, 2**32, 2**32 + 1, 2**40])
def test_sections_of_more_processes_than_an_int_counts(version, grid):
    """The protocol sets no limit: local data are correct, and no call treats the array as one of a single process."""
    section = one(version, cyclic(2 * grid, grid, 3, 3), 2)
    accepts(section)
    view = distview.from_distarray(section, validate="local")
    assert (view.process, view.process_count, view.grid, view.coordinates) == (3, grid, (grid,), (3,))
    assert view.protocol_indices(0).tolist() == [3, 3 + grid]
    assert f"process 3 of {grid}" in repr(view) and not view.attached
    assert view.dap(version)["dim_data"] == section["dim_data"]
    with pytest.raises(distview.ProtocolError, match="one of more than 1000000000 processes") as caught:
        distview.from_distarray(section)
    assert caught.value.code == "grid_product"
    row = cyclic(70000, 70000, 69999, 69999)
    view = distview.from_distarray(export(version, (row, row), (1, 1)), validate="local")
    assert (view.process, view.process_count) == (70000**2 - 1, 70000**2)
