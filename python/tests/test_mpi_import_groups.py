# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collective imports of sections that conform alone but not together: rules X1 to X7, B8, B10
to B12, U5, U6. The verdict is that of a check of all sections in one process."""

import dap_oracle
import distview
import numpy as np
import pytest
from dap_cases import (
    block_row,
    both_versions,
    changed,
    cyclic_row,
    difference,
    export,
    group,
    unstructured_row,
)
from dap_random import generator, random_axis, sections_of
from dap_spoil import SPOIL_GROUP, fitting, nudge
from mpi_cases import raised_on_all, same_on_all, verdict
from test_mpi_import import assert_imports


def import_all(comm, sections):
    """The result of the collective import of a group: an error, or None; the same on all ranks."""
    section, caught = sections[comm.rank], None
    try:
        view = distview.from_distarray(section, comm)
        assert view.attached and view.process == comm.rank
        assert view.local_shape == np.asarray(section["buffer"]).shape
    except distview.ProtocolError as error:
        caught = error
    same_on_all(comm, None if caught is None else verdict(caught))
    return caught


def compare(comm, name, sections):
    """Whether a group of the right size is refused; the verdict must be the oracle's."""
    sections = [{**s, "buffer": np.zeros(np.shape(s["buffer"]), "i1")} for s in sections]
    expected = dap_oracle.check_import(sections)
    wrong = difference(expected, import_all(comm, sections))
    assert not wrong, f"{name}: {wrong}"
    return expected is not None


def grid_of(size):
    rows = 2 if size % 2 == 0 else 1
    return rows, size // rows


def bases(version, size):
    """Arrays on all ranks: one axis of each kind, and two axes over a grid."""
    bounds = [0, *(3 * p + 1 for p in range(1, size + 1))]
    padding = [(1, 1)] * size
    rows, columns = grid_of(size)
    yield group(version, block_row(version, bounds, padding, periodic=True))
    yield group(version, cyclic_row(4 * size + 3, size, 2))
    yield group(version, unstructured_row([[5 * p, -p - 1] for p in range(size)]))
    yield group(
        version,
        block_row(version, list(range(0, 2 * rows + 1, 2)), [(2, 1), (1, 0)] if rows == 2 else None),
        unstructured_row([[p, 7 + p] for p in range(columns)], one_to_one=True),
    )


@both_versions
@pytest.mark.parametrize("way", SPOIL_GROUP)
@pytest.mark.time_limit(200)
def test_spoilt_arrays(comm, version, way):
    refused = 0
    for base, sections in enumerate(bases(version, comm.size)):
        assert not compare(comm, "right", sections)
        groups = [g for g in SPOIL_GROUP[way](sections) if len(g[1]) == comm.size]
        # A sample of each kind, spread over all of them.
        most = 150 if comm.size == 1 else 12
        for name, spoilt in groups[:: len(groups) // most + 1]:
            refused += compare(comm, f"{base} {name}", spoilt)
        assert_imports(comm, sections)
    assert refused or comm.size == 1


@both_versions
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.time_limit(200)
def test_nudged_arrays(comm, version, seed):
    """Random arrays with one number slightly changed, and unchanged random arrays."""
    rng, tried, refused = generator("nudge", comm.size, version, seed), 0, 0
    while tried < 60:
        tried += 1
        grid = rng.choice([[comm.size], [1, comm.size], [*grid_of(comm.size), 1]])
        axes = [random_axis(rng, n, 9) for n in grid]
        sections = sections_of(axes, version)
        assert not compare(comm, "right", sections)
        spoilt = nudge(rng, sections)
        if len(spoilt) == comm.size:
            refused += compare(comm, f"nudged {tried}", spoilt)
    assert refused > 15


# Each rule by name, with the deviating rank in every place.


def refused_with(comm, sections, code):
    caught = raised_on_all(comm, lambda: distview.from_distarray(sections[comm.rank], comm))
    assert type(caught) is distview.ProtocolError and caught.code == code
    expected = dap_oracle.check_import(sections)
    assert not difference(expected, caught), difference(expected, caught)


def put(sections, rank, section):
    return [section if p == rank else s for p, s in enumerate(sections)]


def several(comm):
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    return comm.size


@both_versions
def test_X1_axis_inconsistent(comm, version):
    size = several(comm)
    cyclic = group(version, cyclic_row(4 * size, size, 2))
    block = group(version, block_row(version, list(range(0, 4 * size + 1, 4))))
    for rank in range(size):
        plane = block[rank]["dim_data"] + (dict(dist_type="b", size=1, proc_grid_size=1,
                                                proc_grid_rank=0, start=0, stop=1),)  # fmt: skip
        refused_with(comm, put(block, rank, export(version, plane, (4, 1))), "axis_inconsistent")
        refused_with(comm, put(block, rank, cyclic[rank]), "axis_inconsistent")
        larger = group(version, cyclic_row(4 * size + 8 * size, size, 2))[rank]
        refused_with(comm, put(cyclic, rank, larger), "axis_inconsistent")
        periodic = changed(block[rank], periodic=True)
        refused_with(comm, put(block, rank, periodic), "axis_inconsistent")
    assert_imports(comm, block)


def test_other_versions_on_one_rank(comm):
    size = several(comm)
    bounds = list(range(0, 4 * size + 1, 4))
    for mine, other in (("0.9.0", "0.10.0"), ("0.10.0", "0.9.0"), ("0.9.0", "0.10.3")):
        for rank in range(size):
            row = [block_row(v, bounds) for v in (mine, other)]
            sections = put(group(mine, row[0]), rank, group(other, row[1])[rank])
            caught = raised_on_all(comm, lambda s=sections: distview.from_distarray(s[comm.rank], comm))
            assert (type(caught), caught.code) == (distview.ProtocolError, "axis_inconsistent")
            assert caught.key == "__version__"
            with pytest.raises(distview.ProtocolError) as alone:
                distview.check_all(sections)
            assert verdict(alone.value)[2:] == verdict(caught)[2:]
    patches = [f"0.10.{p}" for p in range(size)]  # another patch number is not another version
    assert_imports(comm, [group(v, block_row(v, bounds))[p] for p, v in enumerate(patches)])


@both_versions
def test_X2_grid_product(comm, version):
    one_more = group(version, cyclic_row(20, comm.size + 1))[: comm.size]
    refused_with(comm, one_more, "grid_product")
    if comm.size > 1:
        refused_with(comm, group(version, cyclic_row(20, 1)) * comm.size, "grid_product")
        nothing = export(version, (), np.zeros(()))
        refused_with(comm, [nothing] * comm.size, "grid_product")


@both_versions
def test_X3_X4_grid_order(comm, version):
    size = several(comm)
    sections = group(version, cyclic_row(4 * size, size))
    for rank in range(1, size):
        swapped = put(put(sections, 0, sections[rank]), rank, sections[0])
        refused_with(comm, swapped, "grid_order")
        refused_with(comm, put(sections, rank, sections[0]), "grid_order")
    assert_imports(comm, sections)


@both_versions
def test_X5_same_rank_same_section(comm, version):
    size = several(comm)
    rows, columns = grid_of(size)
    if rows == 1:
        pytest.skip("needs a grid of two rows")
    bounds = list(range(0, 3 * columns + 1, 3))
    sections = group(version, cyclic_row(2, rows), block_row(version, bounds))
    for rank in range(size):
        data = sections[rank]["dim_data"][1]
        place = data["proc_grid_rank"]
        moved = changed(sections[rank], 1, start=data["start"] - 1 if place else 0,
                        stop=data["stop"] if place else data["stop"] + 1)  # fmt: skip
        if columns > 1:
            refused_with(comm, put(sections, rank, fitting(moved)), "axis_inconsistent")
    assert_imports(comm, sections)


def test_X5_boundary_padding_that_differs(comm):
    """The protocol allows it; but an array has one interior, so it is refused. Each section keeps its own data."""
    size = several(comm)
    rows, columns = grid_of(size)
    if rows == 1:
        pytest.skip("needs a grid of two rows")
    bounds = list(range(0, 3 * columns + 1, 3))
    widths = [(1, 1)] * columns
    sections = group("0.10.0", cyclic_row(2, rows), block_row("0.10.0", bounds, widths))
    for rank in range(size):
        place = sections[rank]["dim_data"][1]["proc_grid_rank"]
        if place not in (0, columns - 1):
            continue
        padding = (2, 1) if place == 0 else (1, 0)
        odd = put(sections, rank, changed(sections[rank], 1, padding=padding))
        assert dap_oracle.check_all(odd) is None
        distview.check_all(odd)
        error = import_all(comm, odd)
        assert isinstance(error, distview.ProtocolError), error
        assert (error.code, error.axis, error.key) == ("axis_inconsistent", 1, "padding")
        assert "one interior for all processes" in str(error)
        mine = distview.from_distarray(odd[comm.rank], validate="local")
        assert mine.dim_data[1]["padding"] == odd[comm.rank]["dim_data"][1]["padding"]
    assert_imports(comm, sections)


@both_versions
def test_B10_to_B12_between_neighbours(comm, version):
    """Seams: equal padding on both sides (0.10), no wider than the neighbour (0.10), no gap (both)."""
    size = several(comm)
    bounds = list(range(0, 4 * size + 1, 4))
    sections = group(version, block_row(version, bounds, [(1, 1)] * size))
    for rank in range(size):
        data = sections[rank]["dim_data"][0]
        if rank:
            gap = changed(sections[rank], start=data["start"] + 1)
            refused_with(comm, put(sections, rank, fitting(gap)), "block_not_contiguous")
            overlap = changed(sections[rank], start=data["start"] - 1)
            refused_with(comm, put(sections, rank, fitting(overlap)), "block_not_contiguous")
        if version == "0.10.0" and rank:
            wider = changed(sections[rank], start=data["start"] - 1, padding=(2, 1))
            refused_with(comm, put(sections, rank, fitting(wider)), "padding_mismatch")
    if version == "0.10.0":
        wide = group(version, block_row(version, bounds, [(5, 5)] * size))
        expected = dap_oracle.check_import(wide)
        assert expected is not None
        assert not difference(expected, import_all(comm, wide))
    assert_imports(comm, sections)


def test_B8_padding_on_some_ranks_only(comm):
    size = several(comm)
    sections = group("0.9.0", block_row("0.9.0", list(range(0, 4 * size + 1, 4)), [(0, 0)] * size))
    assert_imports(comm, sections)
    for rank in range(size):
        refused_with(comm, put(sections, rank, changed(sections[rank], padding=...)), "padding_partial")


@both_versions
def test_U5_U6_labels(comm, version):
    size = several(comm)
    lists = [[3 * p, 3 * p + 1] for p in range(size)]
    once = group(version, unstructured_row(lists, one_to_one=True))
    for rank in range(size):
        other = (rank + 1) % size
        doubled = changed(once[rank], indices=np.array([lists[rank][0], lists[other][1]]))
        refused_with(comm, put(once, rank, doubled), "not_one_to_one")
    for wrong in (2 * size + 1, 2 * size - 1):
        sections = group(version, unstructured_row(lists, size=wrong))
        refused_with(comm, sections, "size_sum")
    assert_imports(comm, once)
