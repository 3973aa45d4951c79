# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules U1 to U8: axes whose sections are lists of labels."""

import array
import ctypes
import resource

import distview
import numpy as np
import pytest
from dap_cases import (
    Index,
    accepts,
    accepts_all,
    block_row,
    both_versions,
    cyclic_row,
    group,
    one,
    refuses,
    refuses_all,
    refuses_together,
    unstructured,
    unstructured_row,
)

LABELS = [7, -3, 100]


def labels(version, indices, extent=None, size=100, n_ranks=3, rank=1):
    extent = len(indices) if extent is None else extent
    return one(version, unstructured(size, n_ranks, rank, indices), extent)


@both_versions
def test_U1_indices_are_a_buffer(version):
    """indices is an object with the buffer protocol."""
    buffers = [np.array(LABELS), array.array("q", LABELS), array.array("b", LABELS)]
    buffers += [memoryview(array.array("i", LABELS)), (ctypes.c_long * 3)(*LABELS)]
    buffers += [b"\x07\x03\x64", bytearray(b"\x07\x03\x64"), memoryview(b"\x07\x03\x64")]
    for indices in buffers:
        accepts(labels(version, indices))
    for bad in (None, 7, "abc", range(3), {7, -3, 100}, {7: 0}, iter(LABELS), object(), len):
        refuses(labels(version, bad, 3), "indices_not_buffer", 0, "indices")
    frozen = np.array(LABELS)
    frozen.flags.writeable = False
    accepts(labels(version, frozen))


def test_U1_lists_are_of_version_0_9():
    """The examples of 0.9 have lists, so 0.9 accepts lists and tuples of integers; 0.10 refuses them."""
    for indices in (LABELS, tuple(LABELS), [np.int8(7), Index(-3), 100], []):
        accepts(labels("0.9.0", indices))
        refuses(labels("0.10.0", indices), "indices_not_buffer", 0, "indices")
    bad = [[7, 1.0, 3], [7, "1", 3], [None] * 3, [True, False, 2], [7, Index(OSError("no")), 3]]
    for indices in [*bad, [np.bool_(True), 2, 3], ["7", "8", "9"]]:
        refuses(labels("0.9.0", indices), "indices_not_int", 0, "indices")
        refuses(labels("0.10.0", indices), "indices_not_buffer", 0, "indices")
    refuses(labels("0.9.0", [7, 2**63, 3]), "overflow", 0, "indices")
    refuses(labels("0.9.0", (7, -(2**63) - 1)), "overflow", 0, "indices")
    accepts(labels("0.9.0", [2**63 - 1, -(2**63)]))
    refuses(labels("0.9.0", [7, 8, 7]), "indices_not_unique", 0, "indices")
    refuses(labels("0.9.0", [7, 8, 9], 2), "shape_mismatch", 0)


@both_versions
@pytest.mark.parametrize("code", "bBhHiIlLqQnN")
def test_U2_integers_of_any_width(version, code):
    """The labels are integers of any width, signed or not."""
    values = [5, 0, 100] if code.isupper() else LABELS
    accepts(labels(version, np.array(values, "q" if code in "nN" else code)))
    width = {"n": ctypes.sizeof(ctypes.c_ssize_t), "N": ctypes.sizeof(ctypes.c_size_t)}
    accepts(labels(version, memoryview(bytes(width.get(code, 8))).cast(code)[:1]))
    twice = np.array([*values, values[0]], "q" if code in "nN" else code)
    refuses(labels(version, twice), "indices_not_unique", 0, "indices")


@both_versions
def test_U2_only_integers(version):
    """Other element types are refused, even convertible ones."""
    for dtype in "?efdgFDS":
        refuses(labels(version, np.array([0, 1], dtype)), "indices_not_int", 0, "indices")
    others = [np.array([1, 2, 3], object), np.array(["a", "b"]), np.zeros(2, "i8,i8")]
    others += [memoryview(b"abc").cast("c"), memoryview(b"\0\1").cast("?"), np.zeros(2, "V8")]
    others += [(ctypes.c_double * 2)(1, 2), (ctypes.c_bool * 2)(True, False), np.array([1.0, 2.0])]
    for indices in others:
        refuses(labels(version, indices), "indices_not_int", 0, "indices")
    error = refuses(labels(version, np.array([])), "indices_not_int", 0, "indices")  # A22
    assert "dtype float64" in str(error) and "length 0" in str(error)


@both_versions
def test_U2_native_byte_order(version):
    """Labels are in the machine's byte order, in any spelling of the format."""
    for dtype in ("i2", "i4", "i8", "u4", "u8"):
        for values in ([1, 2, 3], []):
            other = np.array(values, np.dtype(dtype).newbyteorder("S"))
            refuses(labels(version, other), "indices_not_int", 0, "indices")
        accepts(labels(version, np.array([1, 2, 3], np.dtype(dtype).newbyteorder("="))))
    for kind in (
        ctypes.c_int8,
        ctypes.c_int16,
        ctypes.c_uint32,
        ctypes.c_longlong,
        ctypes.c_size_t,
    ):
        accepts(labels(version, (kind * 3)(5, 0, 100)))
    big = (ctypes.c_int32.__ctype_be__ * 3)(1, 2, 3)
    little = (ctypes.c_int32.__ctype_le__ * 3)(1, 2, 3)
    wrong, right = (big, little) if np.little_endian else (little, big)
    refuses(labels(version, wrong), "indices_not_int", 0, "indices")
    accepts(labels(version, right))


@both_versions
def test_U2_one_axis_of_any_stride(version):
    """indices has one axis; its elements need not be contiguous."""
    table = np.arange(24).reshape(4, 6)
    for indices in (
        table[1],
        table[:, 2],
        table[::-1, 0],
        table[2, ::-2],
        memoryview(table[1])[::-1],
    ):
        accepts(labels(version, indices))
    for indices in (np.broadcast_to(np.array([4]), 3), np.array([1, 2, 1, 2])[::2]):
        refuses(labels(version, indices), "indices_not_unique", 0, "indices")
    accepts(
        labels(version, np.array([1, 2, 1, 2])[:2]), labels(version, np.array([1, 2, 1, 3])[1:])
    )
    for indices in (table, np.array(5), np.zeros((0, 3), int), np.zeros((1, 1, 1), int)):
        refuses(labels(version, indices, indices.size), "indices_ndim", 0, "indices")
    refuses(labels(version, ctypes.c_long(5), 1), "indices_ndim", 0, "indices")


@both_versions
def test_U2_one_index_shown_many_times(version):
    """A stride of 0 needs no memory for any length; neither does its refusal."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, hard))
    try:
        for dtype in ("i8", "i1", "u4"):
            indices = np.broadcast_to(np.array(4, dtype), 2**40)
            section = labels(version, indices, 3, size=2**40, n_ranks=1, rank=0)
            with pytest.raises(distview.ProtocolError, match="index 4 appears twice"):
                distview.check(section)
            whole = {**section, "buffer": np.broadcast_to(np.array(0, "i1"), 2**40)}
            with pytest.raises(distview.ProtocolError, match="index 4 appears twice"):
                distview.check(whole)
        large = np.broadcast_to(np.array(2**63, np.uint64), 2**40)
        with pytest.raises(distview.ProtocolError, match="9223372036854775808"):
            distview.check(labels(version, large, 3))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@both_versions
def test_U2_values_fit_64_bits(version):
    """Labels fit a signed 64-bit integer."""
    refuses(labels(version, np.array([1, 2**63], np.uint64)), "overflow", 0, "indices")
    refuses(labels(version, np.array([2**64 - 1], np.uint64)), "overflow", 0, "indices")
    accepts(labels(version, np.array([1, 2**63 - 1], np.uint64)))
    accepts(labels(version, np.array([-(2**63), 2**63 - 1])))


@both_versions
def test_U3_labels_are_unique_on_a_process(version):
    """A label occurs once on a process; otherwise it is free: negative, unordered, with gaps, large."""
    error = refuses(labels(version, np.array([4, 3, 4])), "indices_not_unique", 0, "indices")
    assert "index 4 appears twice in dim_data[0]['indices']" in str(error)
    for twice in ([0, 0], [-1, 5, -1], [1, 2, 3, 4, 5, 5], [2**62] * 2, [7] * 50):
        refuses(labels(version, np.array(twice)), "indices_not_unique", 0, "indices")
    for free in ([-1, 0, 1], [9, 8, 7], [100, 10**15], [-(10**18)], [0], [3, 1, 2], []):
        accepts(labels(version, np.array(free, int)))


@both_versions
def test_U4_extent_is_the_number_of_labels(version):
    """The buffer has one element for each label; without labels the section is empty."""
    for extent in (0, 2, 4, 100):
        refuses(labels(version, np.array(LABELS), extent), "shape_mismatch", 0)
    refuses(labels(version, np.array([], int), 1), "shape_mismatch", 0)
    accepts_all(group(version, unstructured_row([[], [2, 1], []])))
    accepts_all(group(version, unstructured_row([[], [], []])))
    accepts_all([one(version, unstructured(0, 1, 0, b""), 0)])


@both_versions
def test_U5_one_to_one_shares_no_label(version):
    """one_to_one promises that no label is on two ranks; without it labels may be shared."""
    sections = group(version, unstructured_row([[5, 2], [2, 9]], 4, one_to_one=True))
    error = refuses_together(sections, "not_one_to_one", 0)
    assert "one_to_one is True, but index 2 is on grid ranks 0 and 1" in str(error)
    for size in (3, 4):
        shared = unstructured_row([[5, 2], [2, 9]], size)
        accepts_all(group(version, shared))
        accepts_all(group(version, [({**d, "one_to_one": False}, n) for d, n in shared]))
    accepts_all(group(version, unstructured_row([[5, 2], [1, 9], [-7]], one_to_one=True)))
    wide = group(
        version, unstructured_row([[5, 2], [9], [2]], 4, one_to_one=True), cyclic_row(4, 2)
    )
    refuses_together(wide, "not_one_to_one", 0)


@both_versions
def test_U5_processes_of_one_rank_share_by_nature(version):
    """Labels repeat along the other axes of the grid; only the ranks of the axis are compared."""
    row = unstructured_row([[5, 2], [9]], one_to_one=True)
    accepts_all(group(version, row, block_row(version, [0, 3, 5])))
    accepts_all(group(version, block_row(version, [0, 3, 5]), row))


@both_versions
def test_U6_size_is_between_distinct_and_all(version):
    """size counts each label at least once, and at most as often as processes hold it."""
    lists = [[0, 1, 2], [2, 3]]
    for size in (4, 5):
        accepts_all(group(version, unstructured_row(lists, size)))
    for size in (3, 6, 9, 100):
        refuses_together(group(version, unstructured_row(lists, size)), "size_sum", 0, "size")
    for size in (4, 6):
        exact = unstructured_row([[0, 1, 2], [4, 3]], size, one_to_one=True)
        refuses_together(group(version, exact), "size_sum", 0, "size")
    accepts_all(group(version, unstructured_row([[0, 1, 2], [4, 3]], one_to_one=True)))
    refuses_together(group(version, unstructured_row([[], []], 1)), "size_sum", 0, "size")
    refuses_together(
        [labels(version, np.arange(5), 5, size=9, n_ranks=1, rank=0)], "size_sum", 0, "size"
    )


@both_versions
def test_U6_one_process_holds_at_most_size_labels(version):
    """The labels of one process are distinct, so more than size of them cannot be right."""
    refuses(labels(version, np.arange(5), size=4), "size_sum", 0, "size")
    refuses(labels(version, np.arange(1), size=0), "size_sum", 0, "size")
    accepts(labels(version, np.arange(5), size=5), labels(version, np.arange(5), size=2**40))


@both_versions
def test_U7_negative_labels_are_labels(version):
    """-1 is the label -1, not the last element."""
    accepts_all(group(version, unstructured_row([[-1, 2], [0, 1]], one_to_one=True)))
    accepts_all(group(version, unstructured_row([[3, -1], [-4, 0]], one_to_one=True)))
    sections = group(version, unstructured_row([[-1, 2], [0, -1]], 4, one_to_one=True))
    refuses_together(sections, "not_one_to_one", 0)


@both_versions
def test_U8_together_with_other_axes(version):
    """Any axis may be unstructured beside any other, unstructured ones too."""
    lists = unstructured_row([[3, 0], [4, 2, 1]])
    for other in (
        unstructured_row([[], [9], [-9]]),
        cyclic_row(7, 2, 2),
        block_row(version, [0, 0, 4]),
    ):
        accepts_all(group(version, lists, other))
        accepts_all(group(version, other, lists))
    wrong = group(version, unstructured_row([[3, 0], [4, 2, 1]], 9), lists)
    refuses_together(wrong, "size_sum", 0, "size")
    wrong = group(version, lists, unstructured_row([[3, 0], [4, 2, 1]], 9))
    refuses_all(wrong, "size_sum", 1, "size")
