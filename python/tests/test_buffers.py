# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections exported as buffers (PEP 3118) and NumPy arrays, on the section's own memory."""

import ctypes
import itertools

import distview
import numpy as np
import pytest
from distview import _distview
from made_up_devices import address_of, device_view, host_view_as
from py_buffer import FLAGS, buffer_of, numbers

def section(array):
    return distview.wrap(array, array.shape)


def c_order():
    return np.arange(24.0).reshape(4, 6)


MEMORY = {
    "C order": c_order(),
    "Fortran order": c_order().copy(order="F"),
    "gaps": c_order()[::2, 1:4],
    "backwards": c_order()[::-1],
    "one element": np.zeros((1, 1)),
    "a row": np.zeros((1, 5))[:, ::1],
    "nothing": np.zeros((3, 0)),
    "no axes": np.array(2.5),
}


@pytest.mark.parametrize("name", MEMORY)
def test_flags_decide_what_is_given(name):
    """Every kind of request gets a buffer with exactly the requested members, or a BufferError."""
    array = MEMORY[name]
    view = section(array)
    is_c, is_f = array.flags.c_contiguous, array.flags.f_contiguous
    orders = {
        FLAGS.SIMPLE: is_c,
        FLAGS.ND: is_c,
        FLAGS.STRIDES: True,
        FLAGS.INDIRECT: True,
        FLAGS.C_CONTIGUOUS: is_c,
        FLAGS.F_CONTIGUOUS: is_f,
        FLAGS.ANY_CONTIGUOUS: is_c or is_f,
    }
    for (order, possible), extra in itertools.product(
        orders.items(), (0, FLAGS.WRITABLE, FLAGS.FORMAT, FLAGS.WRITABLE | FLAGS.FORMAT)
    ):
        flags = order | extra
        if not possible:
            with pytest.raises(BufferError, match="contiguous"), buffer_of(view, flags):
                pass
            continue
        with buffer_of(view, flags) as got:
            assert got.len == array.nbytes and got.itemsize == 8 and not got.readonly
            assert got.format == (b"d" if flags & FLAGS.FORMAT else None)
            assert not got.suboffsets and got.buf
            if array.size:
                assert got.buf == address_of(array)
            if not flags & FLAGS.ND:
                assert got.ndim == 1 and not got.shape and not got.strides
                continue
            assert got.ndim == array.ndim
            assert bool(got.shape) == (array.ndim > 0)
            assert numbers(got.shape, array.ndim) == array.shape
            has_strides = flags & FLAGS.STRIDES == FLAGS.STRIDES and array.ndim > 0
            assert bool(got.strides) == has_strides
            if has_strides and array.size > 1:
                assert numbers(got.strides, array.ndim) == array.strides


def test_read_only_sections_are_not_given_for_writing():
    """A writable request for a read-only section is refused; other buffers are marked read-only."""
    frozen = c_order()
    frozen.flags.writeable = False
    view = section(frozen)
    for flags in (FLAGS.WRITABLE, FLAGS.CONTIG, FLAGS.STRIDED, FLAGS.RECORDS, FLAGS.FULL):
        with pytest.raises(BufferError, match="read-only"), buffer_of(view, flags):
            pass
    for flags in (FLAGS.SIMPLE, FLAGS.CONTIG_RO, FLAGS.STRIDED_RO, FLAGS.RECORDS_RO, FLAGS.FULL_RO):
        with buffer_of(view, flags) as got:
            assert got.readonly == 1 and got.buf == address_of(frozen)
    assert view.readonly and memoryview(view).readonly
    for array in (view.view, view.owned, view.interior, np.asarray(view)):
        assert not array.flags.writeable
    with pytest.raises(distview.ShapeError, match="read-only"):
        distview.wrap(frozen, (2, 6), padding=((1, 1), 0)).exchange_padding()


def test_device_sections_have_no_buffer():
    """Memory that the host cannot read has no buffer and no array interface; pinned memory has both."""
    view = device_view((2, 0))
    with pytest.raises(BufferError, match="__cuda_array_interface__ or __dlpack__"):
        memoryview(view)
    assert not hasattr(view, "__array_interface__")
    numbers = c_order()
    for device in ((3, 0), (11, 0), (13, 0)):
        pinned = host_view_as(device, numbers)
        assert address_of(pinned) == address_of(numbers) == address_of(pinned.view)
        assert memoryview(pinned).tolist() == numbers.tolist()


@pytest.mark.parametrize("name", MEMORY)
def test_arrays_are_on_the_section_s_memory(name):
    """view, np.asarray(), memoryview() and __array_interface__ refer to the same memory."""
    array = MEMORY[name]
    view = section(array)
    interface = view.__array_interface__
    through_interface = np.asarray(type("T", (), {"__array_interface__": interface})())
    for got in (view.view, np.asarray(view), np.asarray(memoryview(view)), through_interface):
        assert got.shape == array.shape and got.dtype == array.dtype
        assert got.flags.writeable and got.tolist() == array.tolist()
        if array.size:
            assert address_of(got) == address_of(array)
        if array.size > 1:
            assert got.strides == array.strides
    assert interface["version"] == 3 and interface["shape"] == array.shape
    assert interface["data"][1] is False
    assert (interface["strides"] is None) == array.flags.c_contiguous


def test_what_one_writes_the_others_read():
    """No copies: writes through one array of a section with padding are seen through the others."""
    whole = np.zeros((6, 5))
    view = distview.wrap(whole, (4, 3), padding=1)
    assert view.interior.shape == (4, 3) and view.owned.shape == view.view.shape == (6, 5)
    view.interior[...] = 1
    assert whole.sum() == 12 and whole[1:5, 1:4].min() == 1
    memoryview(view)[0, 0] = 2
    assert whole[0, 0] == view.owned[0, 0] == np.asarray(view)[0, 0] == 2
    whole[5, 4] = 3
    assert view.view[5, 4] == memoryview(view)[5, 4] == 3
    assert address_of(view.interior) == address_of(whole) + 5 * 8 + 8


def test_E9_E10_import_and_export_share_memory():
    """A re-imported export uses the same memory, and is read-only if the first array was."""
    for array in (c_order(), c_order()[::-2, ::3], c_order().T):
        for writeable in (True, False):
            array.flags.writeable = writeable
            first = section(array)
            for version in ("0.9.0", "0.10.0"):
                exported = first.dap(version)
                assert address_of(exported["buffer"]) == address_of(array)
                second = distview.from_distarray(exported)
                third = distview.from_distarray(second, validate="local")
                assert third.readonly is (not writeable)
                assert third.view.strides == array.strides
                assert address_of(second) == address_of(third) == address_of(array)


def test_buffers_stay_as_they_were_given():
    """A Py_buffer points to extents of its own, which live until it is released."""
    view = section(c_order()[::2, 1:4])
    with buffer_of(view, FLAGS.FULL_RO) as got:
        del view
        litter = [np.zeros(2, np.int64) for _ in range(1000)]  # reuses freed memory
        assert numbers(got.shape, 2) == (2, 3) and numbers(got.strides, 2) == (96, 8)
        assert got.format == b"d" and ctypes.c_double.from_address(got.buf + 96).value == 13
        assert len(litter) == 1000


RECORD = np.dtype([("a", "i4"), ("b", "f8", 2), ("c", [("re", "f4"), ("im", "f4")])], align=True)
PACKED = np.dtype([("x", "f8"), ("n", "i1")])


@pytest.mark.parametrize(
    "dtype",
    [*"?bBhHiIlLqQefdFDgG", "S4", "U3", "V6", ">f8", ">i2", RECORD, PACKED, [("x", ">i2"), ("y", "S3")]],
    ids=str,
)
@pytest.mark.parametrize("shape", [(3, 2), (1, 1), (0, 2)], ids=str)
def test_elements_of_any_type(dtype, shape):
    """Element types are preserved, also types that the library has no name for: records, strings, >f8.

    Also for sections with one element or none, whose records NumPy describes in a format that it cannot read.
    """
    array = np.zeros(shape, dtype)
    array.view(np.uint8)[...] = 1
    for view in (
        section(array),
        distview.from_distarray({"__version__": "0.10.0", "buffer": array, "dim_data": ({}, {})}),
    ):
        assert view.dtype == view.view.dtype == array.dtype
        assert view.itemsize == array.itemsize and address_of(view.view) == address_of(array)
        assert view.view.tobytes() == array.tobytes()
        assert view.format == memoryview(np.zeros((3, 2), dtype)).format
        assert view.__array_interface__["typestr"] == array.dtype.str
        assert view.__array_interface__["descr"] == array.__array_interface__["descr"]
        assert view.gather().dtype == array.dtype


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(64, PACKED)[::8],
        np.zeros((4, 8), PACKED)[:, :1],
        np.zeros((0, 2), PACKED).view(np.recarray),
        np.zeros((1, 1), PACKED).view(np.recarray),
        np.zeros(1, PACKED),
    ],
    ids=["strided", "column", "no record", "recarray", "one record"],
)
def test_packed_records_that_numpy_describes_as_aligned(array):
    """Views have the array's fields, although NumPy could not read its own description of them."""
    view = section(array)
    assert view.view.dtype.descr == array.dtype.descr and view.view.shape == array.shape
    view.view["n"] = 3
    assert (array["n"] == 3).all()


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQefdFD")
def test_new_arrays_have_numpy_s_types(dtype):
    """Arrays of zeros() are aligned, zero and of the requested type."""
    view = distview.zeros((3, 5), dtype=dtype, padding=1)
    assert view.dtype == np.dtype(dtype) == np.asarray(view).dtype
    assert view.data_pointer % 64 == 0 and not view.view.any() and view.view.flags.c_contiguous
    assert view.typestr == np.dtype(dtype).str


@pytest.mark.parametrize("dtype", ["V6", RECORD, "S4", ">f8", "g", "M8[s]", "V2"], ids=str)
def test_new_arrays_of_other_types_are_refused(dtype):
    """zeros() makes numbers in native byte order only."""
    with pytest.raises(distview.UsageError, match="are not supported"):
        distview.zeros(3, dtype=dtype)


def test_what_is_no_memory():
    """wrap() names the type of its argument, and says why it is not memory."""
    for bad in (5, [1.0], "text", None, object()):
        with pytest.raises(distview.UsageError, match=f"type {type(bad).__name__} offers neither"):
            distview.wrap(bad, 1)
    released = memoryview(bytearray(8))
    released.release()
    with pytest.raises(distview.UsageError, match="released memoryview"):
        distview.wrap(released, 8)
    with pytest.raises(distview.ShapeError, match="expected 5 elements along axis 0"):
        distview.wrap(np.zeros(4), 5)


def test_uninitialised_arrays_are_refused():
    """An Array whose constructor was not called has no memory: an error, no crash."""
    with pytest.warns(RuntimeWarning, match="uninitialized"), pytest.raises(TypeError):
        _ = _distview.Array.__new__(_distview.Array).strides
    with pytest.raises(BufferError, match="not initialised"):
        memoryview(_distview.Array.__new__(_distview.Array))
