# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the protocol's texts, in numbers: accepted unchanged, refused when damaged.

Where the texts of the two versions contradict each other, their own examples or the exports of
other libraries, an example here shows it, with the verdict of this library.
"""

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
    refuses_together,
    unstructured,
    unstructured_row,
)

INDICES = [[19, 1, 0, 12, 2, 15, 4], [6, 13, 3]]
INDICES += [[10, 25, 5, 21, 7, 18, 11, 26, 29, 24, 23, 28, 14, 20, 9, 16, 27, 8, 17, 22]]


def blocks(*bounds):
    """Blocks as in the protocol's generated examples, with a list as padding."""
    return [({**data, "padding": [0, 0]}, n) for data, n in block_row("0.10.0", list(bounds))]


def test_nine_generated_examples():
    """5 x 9 (x 3) elements on three, four and eight processes; they conform unchanged."""
    arrays = [
        (blocks(0, 2, 4, 5), blocks(0, 9)),
        (blocks(0, 5), blocks(0, 3, 6, 9)),
        (blocks(0, 3, 5), blocks(0, 5, 9)),
        (blocks(0, 3, 5), cyclic_row(9, 2)),
        (cyclic_row(5, 2), cyclic_row(9, 2)),
        (blocks(0, 1, 5), blocks(0, 2, 9)),
        (cyclic_row(5, 2, 2), cyclic_row(9, 2, 2)),
        (
            unstructured_row([[3, 0], [4, 2, 1]]),
            unstructured_row([[2, 3, 7, 1], [6, 5, 8, 0, 4]]),
        ),
        (cyclic_row(5, 2), blocks(0, 5, 9), cyclic_row(3, 2)),
    ]
    for rows in arrays:
        accepts_all(group("0.10.0", *rows))
    extents = [s["buffer"].shape for s in group("0.10.0", *arrays[6])]
    assert extents == [(3, 5), (3, 4), (2, 5), (2, 4)]


def test_first_example_of_both_texts_has_a_flat_buffer():
    """Two dictionaries with ten elements in one row are refused (A11); as a plane they conform."""
    for rank in range(2):
        old = (block(2, 2, rank, rank, rank + 1), {"size": 10, "dist_type": "n"})
        new = (block(2, 2, rank, rank, rank + 1), block(10, 1, 0, 0, 10))
        for version, dim_data in (("0.9.0", old), ("0.10.0", new)):
            refuses(export(version, dim_data, (10,)), "ndim_mismatch")
            accepts(export(version, dim_data, (1, 10)))
    plane = [({"size": 10, "dist_type": "n"}, 10)]
    accepts_all(group("0.9.0", block_row("0.9.0", [0, 1, 2]), plane))
    accepts_all(group("0.10.0", block_row("0.10.0", [0, 1, 2]), blocks(0, 10)))


@both_versions
def test_padded_example(version):
    """18 elements on two processes, one of padding on each side."""
    bounds = {"0.9.0": [(0, 9), (9, 18)], "0.10.0": [(0, 10), (8, 18)]}[version]
    data = [block(18, 2, r, *b, padding=(1, 1)) for r, b in enumerate(bounds)]
    accepts_all([one(version, d, 10) for d in data])
    other = {"0.9.0": [(0, 10), (8, 18)], "0.10.0": [(0, 9), (9, 18)]}[version]
    for rank, wrong in enumerate(other):
        refuses(one(version, block(18, 2, rank, *wrong, padding=(1, 1)), 10), "shape_mismatch", 0)


@both_versions
def test_unstructured_example(version):
    """30 labels on three processes; 0.9 writes lists, 0.10 arrays (A5)."""
    accepts_all(group(version, unstructured_row(INDICES)))
    accepts_all(group(version, unstructured_row(INDICES, one_to_one=True)))
    lists = [one(version, unstructured(30, 3, r, list(i)), len(i)) for r, i in enumerate(INDICES)]
    if version == "0.9.0":
        accepts_all(lists)
    else:
        for section in lists:
            refuses(section, "indices_not_buffer", 0, "indices")


@both_versions
def test_four_padded_ranks(version):
    """The padding tuples (4, 1), (1, 2), (2, 3), (3, 0) on blocks of 10, 6, 7 and 7 elements."""
    row = block_row(version, [0, 10, 16, 23, 30], [(4, 1), (1, 2), (2, 3), (3, 0)])
    accepts_all(group(version, row))
    bounds = {"0.9.0": [(0, 10), (10, 16), (16, 23), (23, 30)]}
    bounds["0.10.0"] = [(0, 11), (9, 18), (14, 26), (20, 30)]
    assert [(data["start"], data["stop"]) for data, _ in row] == bounds[version]
    assert [extent for _, extent in row] == [11, 9, 12, 10]


def test_sections_that_the_validator_of_the_protocol_takes():
    """Its tests have buffers too long (A10), a clamped start (A8), padding on one process."""
    accepts(one("0.10.0", block(50, 2, 0, 0, 10), 10))
    refuses(one("0.10.0", cyclic(50, 2, 0, 0), 50), "shape_mismatch", 0)
    refuses(one("0.10.0", cyclic(50, 2, 1, 5, block_size=5), 50), "shape_mismatch", 0)
    accepts(
        one("0.10.0", cyclic(50, 2, 0, 0), 25), one("0.10.0", cyclic(50, 2, 1, 5, block_size=5), 25)
    )
    indices = np.array([1, 22, 44, 49, 9, 33, 21], np.uint32)
    accepts(one("0.10.0", unstructured(50, 2, 1, indices), 7))
    accepts(export("0.10.0", (cyclic(3, 4, 0, 0),), b"a"))
    accepts(export("0.10.0", (cyclic(3, 4, 3, 3),), b""))
    accepts(export("0.10.0", ({},), b""))
    accepts(one("0.10.0", block(10, 1, 0, 0, 10, padding=(2, 2), periodic=True), 10))


def test_sections_that_the_validator_of_the_protocol_refuses():
    """distview refuses them as well, each for its own reason."""
    version = "0.10.0"
    refuses(one("v1.0.0alpha", cyclic(3, 4, 3, 3), 0), "version_format", key="__version__")
    refuses(export(version, (cyclic(3, 4, 3, 3),), [1, 2, 3, 4]), "buffer_protocol", key="buffer")
    wrong = {**block(50, 2, 0, 0, 51), "dist_type": "q"}
    refuses(one(version, wrong, 51), "bad_dist_type", 0, "dist_type")
    refuses(one(version, block(50, 2, 0, 0, 51), 51), "stop_gt_size", 0, "stop")
    refuses(one(version, block(50, 2, 0, 10, 9), 0), "stop_lt_start", 0, "stop")
    refuses(one(version, block(50, 2, 0, -1, 10), 11), "start_negative", 0, "start")
    padded = block(50, 2, 0, 0, 10, padding=("a", "b"))
    refuses(one(version, padded, 10), "padding_form", 0, "padding")
    dealt = cyclic(100, 3, 0, 0, block_size=-10)
    refuses(one(version, dealt, 10), "block_size_lt1", 0, "block_size")
    refuses(one(version, unstructured(100, 2, 0, [1, 2, 3, 4]), 4), "indices_not_buffer", 0)


@both_versions
def test_block_vectors(version):
    """Regular blocks of 11 on 3, and irregular ones with an empty rank."""
    row = block_row(version, [0, 4, 8, 11])
    assert [extent for _, extent in row] == [4, 4, 3]
    accepts_all(group(version, row))
    row = block_row(version, [0, 5, 5, 12, 20])
    assert [extent for _, extent in row] == [5, 0, 7, 8]
    accepts_all(group(version, row))


def test_periodic_vector():
    """10 inner elements on two processes, padding 2 at the ends and 1 between, in both versions."""
    new = [block(14, 2, 0, 0, 8, padding=(2, 1), periodic=True)]
    new += [block(14, 2, 1, 6, 14, padding=(1, 2), periodic=True)]
    old = [block(10, 2, 0, 0, 5, padding=(2, 1), periodic=True)]
    old += [block(10, 2, 1, 5, 10, padding=(1, 2), periodic=True)]
    accepts_all([one("0.10.0", data, 8) for data in new])
    accepts_all([one("0.9.0", data, 8) for data in old])
    for data in new:
        refuses(one("0.9.0", data, 8), "shape_mismatch", 0)
    for data in old:
        refuses(one("0.10.0", data, 8), "shape_mismatch", 0)


@both_versions
@pytest.mark.parametrize(
    "size, n_ranks, block_size, extents",
    [
        (10, 4, 1, [3, 3, 2, 2]),
        (2, 4, 1, [1, 1, 0, 0]),
        (13, 4, 2, [4, 4, 3, 2]),
        (9, 4, 5, [5, 4, 0, 0]),
        (9, 4, 100, [9, 0, 0, 0]),
        (24, 3, 4, [8, 8, 8]),
    ],
)
def test_cyclic_vectors(version, size, n_ranks, block_size, extents):
    """Elements dealt out in turn; starts are rank * block_size, past the end too (A8)."""
    row = cyclic_row(size, n_ranks, block_size)
    assert [extent for _, extent in row] == extents
    assert [data["start"] for data, _ in row] == [r * block_size for r in range(n_ranks)]
    accepts_all(group(version, row))
    for rank, extent in enumerate(extents):
        for wrong in {0, extent - 1, extent + 1} - {extent, -1}:
            refuses(one(version, row[rank][0], wrong), "shape_mismatch", 0)


@both_versions
def test_unstructured_vector(version):
    """[7, -3, 100], no labels, [9, 8, 5], size 6."""
    accepts_all(group(version, unstructured_row([[7, -3, 100], [], [9, 8, 5]], 6)))
    refuses_together(
        group(version, unstructured_row([[0, 1], [2, 3, 4]], 9)), "size_sum", 0, "size"
    )


@both_versions
def test_two_axes_vector(version):
    """7 rows dealt out by two and 8 columns in blocks, on 2 x 3 processes."""
    sections = group(version, cyclic_row(7, 2, 2), block_row(version, [0, 1, 6, 8]))
    accepts_all(sections)
    assert sections[2]["buffer"].shape == (4, 2)
    assert [d["proc_grid_rank"] for d in sections[4]["dim_data"]] == [1, 1]


def test_undistributed_axis_spelt_in_every_way():
    """{}, the equivalent block, and n of 0.9 (A1: each in its version)."""
    full, n = block(3, 1, 0, 0, 3), {"dist_type": "n", "size": 3}
    accepts_all([one("0.10.0", {}, 3)])
    accepts_all([one("0.10.0", full, 3)])
    accepts_all([one("0.9.0", full, 3)])
    accepts_all([one("0.9.0", n, 3)])
    refuses(one("0.9.0", {}, 3), "missing_key", 0, "dist_type")
    refuses(one("0.10.0", n, 3), "bad_dist_type", 0, "dist_type")


def test_drafts_and_early_exporters():
    """dimdata instead of dim_data, version 1.0.0, a list of dictionaries (A1, A17), local sizes."""
    good = one("0.9.0", block(4, 1, 0, 0, 4), 4)
    draft = {"dimdata" if k == "dim_data" else k: v for k, v in good.items()}
    refuses(draft, "env_missing_key", key="dim_data")
    refuses({**good, "__version__": "1.0.0"}, "version_unsupported", key="__version__")
    image = {**good, "dim_data": list(good["dim_data"]), "buffer": bytes(4)}
    assert "tuple" in str(refuses(image, "dim_data_type", key="dim_data"))
    local = [one("0.10.0", block(n, 2, r, r * 3, r * 3 + n), n) for r, n in enumerate((3, 4))]
    refuses(local[1], "stop_gt_size", 0, "stop")
    local = [one("0.9.0", unstructured(n, 2, r, np.arange(n)), n) for r, n in enumerate((3, 4))]
    refuses_together(local, "axis_inconsistent", 0, "size", process=1)


def test_values_that_the_texts_leave_open():
    """Padding as a list (A4), integers of NumPy and no bools (A18), any order of memory (A21)."""
    section = one("0.10.0", block(10, 1, 0, 0, 10, padding=[1, 1]), 10)
    accepts(section, changed(section, size=np.int64(10)), changed(section, padding=(np.int8(1), 1)))
    refuses(changed(section, proc_grid_size=True), "bad_type", 0, "proc_grid_size")
    dim_data = (block(4, 1, 0, 0, 4), block(6, 1, 0, 0, 6))
    memory = np.arange(4 * 6 * 6.0)
    accepts(export("0.10.0", dim_data, memory[:24].reshape(4, 6, order="F")))
    accepts(export("0.10.0", dim_data, memory[:48].reshape(4, 12)[:, ::2]))
    accepts(export("0.10.0", dim_data, memory[:24].reshape(4, 6)[::-1, ::-1]))
    accepts(export("0.10.0", dim_data, memory[:24].reshape(6, 4).T))


@both_versions
def test_arrays_without_axes(version):
    """A scalar is on one process (A15); an empty grid product is 1."""
    scalar = export(version, (), np.array(2.5))
    accepts_all([scalar])
    for n in (2, 3, 4):
        refuses_together([scalar] * n, "grid_product", axis=ANY)


@both_versions
def test_grid_smaller_than_the_processes(version):
    """A grid of two processes is not a grid of four (A16)."""
    pair = group(version, block_row(version, [0, 2, 4]))
    refuses_together([*pair, *pair], "grid_product", axis=ANY)


def test_padding_wider_than_a_neighbour():
    """0.10 refuses it; 0.9 has no rule, so it is accepted (A20)."""
    widths = [(0, 3), (3, 3), (3, 0)]
    row = block_row("0.10.0", [0, 4, 5, 9], widths)
    refuses_together(group("0.10.0", row), "padding_too_wide", 0, "padding")
    accepts_all(group("0.9.0", block_row("0.9.0", [0, 4, 5, 9], widths)))


def test_empty_float_indices():
    """np.array([]) has type float64, hence it is not a buffer of labels (A22)."""
    error = refuses(one("0.10.0", unstructured(4, 2, 0, np.array([])), 0), "indices_not_int", 0)
    assert "float64" in str(error)
    accepts(one("0.10.0", unstructured(4, 2, 0, np.array([], int)), 0))


def test_column_major_ranks():
    """Grid coordinates counted with the first axis fastest."""
    rows = block_row("0.10.0", [0, 2, 4]), block_row("0.10.0", [0, 3, 6])
    sections = group("0.10.0", *rows)
    assert ask(distview.check_all, sections) is None
    refuses_together([sections[p] for p in (0, 2, 1, 3)], "grid_order", axis=ANY)
