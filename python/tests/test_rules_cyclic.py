# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules C1 to C6: blocks dealt out to the ranks in turn."""

import distview
import pytest
from dap_cases import (
    accepts,
    accepts_all,
    ask,
    both_versions,
    changed,
    cyclic,
    cyclic_row,
    group,
    one,
    refuses,
    refuses_together,
)


def owned(size, n_ranks, rank, block_size):
    """The indices of a rank if blocks are dealt out one after the other."""
    return [g for g in range(size) if g // block_size % n_ranks == rank]


@both_versions
def test_C1_blocks_have_an_element(version):
    """block_size is at least 1, and 1 by default."""
    for block_size in (0, -1, -10, -(2**63)):
        data = cyclic(10, 2, 0, 0, block_size=block_size)
        refuses(one(version, data, 5), "block_size_lt1", 0, "block_size")
    accepts(
        one(version, cyclic(10, 2, 1, 1), 5), one(version, cyclic(10, 2, 1, 1, block_size=1), 5)
    )
    sections = group(version, cyclic_row(10, 2))
    accepts_all([sections[0], changed(sections[1], block_size=1)])


@both_versions
def test_C2_start_is_the_first_block_of_the_rank(version):
    """Rank r starts at r * block_size: blocks are dealt out from rank 0 on."""
    data = cyclic(24, 3, 1, 1, block_size=4)
    error = refuses(one(version, data, 8), "cyclic_start", 0, "start")
    assert "start 1, expected proc_grid_rank * block_size = 4" in str(error)
    for start in (0, 3, 5, 8, 23, 24, 2**62):
        refuses(one(version, {**data, "start": start}, 8), "cyclic_start", 0, "start")
    for start in (-1, -4, -(2**63)):  # as on any other axis
        refuses(one(version, {**data, "start": start}, 8), "start_negative", 0, "start")
    accepts(one(version, {**data, "start": 4}, 8))
    rotated = [one(version, cyclic(10, 2, r, 1 - r), 5) for r in range(2)]
    for section in rotated:
        refuses(section, "cyclic_start", 0, "start")


@both_versions
def test_C2_start_of_a_rank_without_elements(version):
    """A rank that owns nothing may start at size as well, as the protocol's own tests do."""
    for size, n_ranks, rank, block_size in ((9, 4, 3, 5), (9, 4, 2, 5), (3, 4, 3, 1), (0, 2, 1, 3)):
        for start in (size, rank * block_size):
            accepts(one(version, cyclic(size, n_ranks, rank, start, block_size=block_size), 0))
        for start in (size + 1, size - 1, 0):
            if start not in (size, rank * block_size):
                data = cyclic(size, n_ranks, rank, start, block_size=block_size)
                code = "start_negative" if start < 0 else "cyclic_start"
                refuses(one(version, data, 0), code, 0, "start")
    sections = group(version, cyclic_row(9, 4, 5))
    accepts_all([*sections[:2], changed(sections[2], start=9), sections[3]])
    refuses(one(version, cyclic(9, 4, 1, 9, block_size=5), 4), "cyclic_start", 0, "start")


@both_versions
def test_C2_start_beyond_64_bits(version):
    """rank * block_size may exceed 64 bits; such a rank owns nothing and starts at size."""
    data = cyclic(9, 2**41, 2**40, 9, block_size=2**40)
    accepts(one(version, data, 0))
    data = cyclic(9, 2**62, 4, 0, block_size=2**62)  # the product is 2**64
    error = ask(distview.check, one(version, data, 0))  # refused; the text leaves the reason open
    assert error.code in ("cyclic_start", "overflow") and error.axis == 0


@both_versions
def test_C3_single_elements_are_a_slice(version):
    """With block_size 1, rank r owns range(start, size, proc_grid_size)."""
    for size in range(9):
        for n_ranks in range(1, 6):
            row = cyclic_row(size, n_ranks)
            accepts_all(group(version, row))
            extents = [len(range(data["start"], size, n_ranks)) for data, _ in row]
            assert [extent for _, extent in row] == extents


@both_versions
def test_C4_partial_last_block(version):
    """The last, partial block belongs to rank (size // block_size) % proc_grid_size."""
    for size in range(0, 14):
        for n_ranks in range(1, 5):
            for block_size in (1, 2, 3, 5):
                row = cyclic_row(size, n_ranks, block_size)
                counts = [len(owned(size, n_ranks, rank, block_size)) for rank in range(n_ranks)]
                assert [extent for _, extent in row] == counts
                accepts_all(group(version, row))


@both_versions
def test_C4_extents_that_others_export(version):
    """Giving the partial block to rank 0 is wrong on every affected rank."""
    row = cyclic_row(13, 4, 2)
    assert [extent for _, extent in row] == [4, 4, 3, 2]
    for (data, extent), other in zip(row, (5, 4, 2, 2)):
        if extent == other:
            accepts(one(version, data, other))
        else:
            refuses(one(version, data, other), "shape_mismatch", 0)
    for wrong in (0, 49, 51):
        refuses(one(version, cyclic(100, 2, 0, 0), wrong), "shape_mismatch", 0)


@both_versions
def test_C5_no_elements(version):
    """A start at size or past it, and size 0, are empty sections."""
    accepts_all(group(version, cyclic_row(2, 4)))
    accepts_all(group(version, cyclic_row(0, 3)))
    accepts_all(group(version, cyclic_row(0, 1, 7)))
    accepts_all(group(version, cyclic_row(0, 2, 4), cyclic_row(5, 3)))
    refuses(one(version, cyclic(2, 4, 2, 2), 1), "shape_mismatch", 0)


@both_versions
def test_C6_blocks_of_any_size(version):
    """block_size has no upper bound; ceil(size / n) is the regular block."""
    for block_size in (3, 9, 10, 100, 2**40, 2**61):
        accepts_all(group(version, cyclic_row(9, 3, block_size)))
    regular = cyclic_row(11, 3, 4)
    assert [extent for _, extent in regular] == [4, 4, 3]
    accepts_all(group(version, regular))
    accepts(one(version, cyclic(2**63 - 1, 2**62, 2**62 - 1, 2**62 - 1), 1))


@both_versions
@pytest.mark.parametrize("odd", [0, 1, 2])
def test_C1_block_size_is_the_same_on_all_ranks(version, odd):
    """Another block size on one rank means another array (X1)."""
    sections = group(version, cyclic_row(12, 3, 2))
    accepts_all(sections)
    sections[odd] = one(version, cyclic(12, 3, odd, odd), 4)
    refuses_together(sections, "axis_inconsistent", 0, "block_size", process=odd or 1)
