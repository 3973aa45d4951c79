# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules D1 to D13 and D18 to D22 of DLPack for exported capsules. Imported capsules are in
test_dlpack_import.py, streams, devices and copies in test_dlpack_devices.py."""

import ctypes
import gc
import threading
import weakref

import distview
import numpy as np
import pytest
from dlpack_structs import (
    CPU,
    CUDA,
    CUDA_HOST,
    IS_COPIED,
    LEGACY,
    MANAGED,
    ONE_API,
    READ_ONLY,
    ROCM,
    ROCM_HOST,
    VERSIONED,
    array_of,
    consume,
    delete,
    name_of,
    shape_of,
    strides_of,
    struct_of,
)
from made_up_devices import POINTER, Owner, device_view, host_view_as

NEW = {"max_version": (1, 0)}
both_kinds = pytest.mark.parametrize("request_", [{}, NEW], ids=["legacy", "versioned"])


def section(array):
    return distview.wrap(array, array.shape)


def frozen(*shape):
    array = np.ones(shape)
    array.flags.writeable = False
    return array


def tensor_of(view, **keywords):
    """The tensor in a capsule of the view, and the capsule, which keeps the tensor alive."""
    capsule = view.__dlpack__(**keywords)
    return struct_of(capsule).tensor, capsule


def test_D1_two_methods():
    """__dlpack__ has four keyword arguments; __dlpack_device__ returns two plain integers."""
    view = section(np.ones(3))
    view.__dlpack__(stream=None, max_version=None, dl_device=None, copy=None)
    view.__dlpack__(stream=None, max_version=(1, 0), dl_device=(1, 0), copy=False)
    for bad in ({"other": 1}, {"version": (1, 0)}, {"device": (1, 0)}):
        with pytest.raises(TypeError):
            view.__dlpack__(**bad)
    with pytest.raises(TypeError):
        view.__dlpack__(None)
    device = view.__dlpack_device__()
    assert device == (1, 0) and type(device) is tuple and [type(n) for n in device] == [int, int]


@pytest.mark.parametrize("version", [None, (0, 0), (0, 8), (0, 99)])
def test_D2_consumers_of_before_1_0_get_the_legacy_struct(version):
    """No max_version, or a major version below 1: DLManagedTensor, capsule "dltensor"."""
    assert name_of(section(np.ones(3)).__dlpack__(max_version=version)) == LEGACY


@pytest.mark.parametrize("version", [(1, 0), (1, 5), (2, 0), (100, 0)])
def test_D2_others_get_the_versioned_struct_in_our_version(version):
    """A major version of 1 or more: DLManagedTensorVersioned, which says that it is 1.0."""
    capsule = section(np.ones(3)).__dlpack__(max_version=version)
    assert name_of(capsule) == VERSIONED
    assert (struct_of(capsule).major, struct_of(capsule).minor) == (1, 0)


@both_kinds
def test_D3_layout_of_the_structs(request_):
    """Every member is at its place in DLPack's ABI: the struct alone is enough to read the memory."""
    array = np.arange(6.0).reshape(2, 3)
    capsule = section(array).__dlpack__(**request_)
    managed = struct_of(capsule)
    assert managed.manager_ctx and managed.deleter
    got = array_of(managed.tensor)
    assert got.tolist() == array.tolist()
    got[1, 2] = 50
    assert array[1, 2] == 50


def test_D4_flags():
    """Bit 0 means read-only, bit 1 means a copy; no other bit is set."""
    for array, copy, flags in (
        (np.ones(3), None, 0),
        (np.ones(3), False, 0),
        (frozen(3), None, READ_ONLY),
        (frozen(3), False, READ_ONLY),
        (np.ones(3), True, IS_COPIED),
        (frozen(3), True, IS_COPIED),
    ):
        capsule = section(array).__dlpack__(max_version=(1, 0), copy=copy)
        assert struct_of(capsule).flags == flags, (copy, flags)


def test_D5_the_legacy_struct_cannot_say_read_only():
    """A legacy request for a read-only section is a BufferError, but not for a copy of it."""
    view = section(frozen(3))
    for version in (None, (0, 8)):
        with pytest.raises(BufferError, match="read-only.*max_version"):
            view.__dlpack__(max_version=version)
        assert name_of(view.__dlpack__(max_version=version, copy=True)) == LEGACY


@both_kinds
def test_D6_capsule_nobody_consumes_frees_itself(request_):
    """The destructor calls the deleter if the capsule still has its first name."""
    array = np.ones(1000)
    watch = weakref.ref(array)
    capsule = section(array).__dlpack__(**request_)
    del array
    gc.collect()
    assert watch() is not None
    del capsule
    gc.collect()
    assert watch() is None


@both_kinds
def test_D6_capsule_that_is_consumed_leaves_the_memory_alone(request_):
    """After renaming the capsule, only the consumer calls the deleter."""
    array = np.ones(1000)
    watch = weakref.ref(array)
    capsule = section(array).__dlpack__(**request_)
    managed = consume(capsule)
    del array, capsule
    gc.collect()
    assert watch() is not None and array_of(managed.tensor).sum() == 1000
    delete(managed)
    gc.collect()
    assert watch() is None


@both_kinds
def test_D7_deleter_from_a_thread_that_does_not_hold_the_interpreter(request_):
    """The deleter may be called from any thread, while other threads run Python code."""
    arrays = [np.ones(10) for _ in range(200)]
    watches = [weakref.ref(a) for a in arrays]
    # ctypes releases the interpreter's lock while it calls the deleter.
    all_managed = [consume(section(a).__dlpack__(**request_)) for a in arrays]
    del arrays
    parts = [all_managed[k::4] for k in range(4)]
    threads = [threading.Thread(target=lambda part=part: [*map(delete, part)]) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert [watch() for watch in watches] == [None] * 200


@both_kinds
def test_D8_strides_are_elements_and_always_there(request_):
    """Strides count elements, may be negative, and are filled in for contiguous arrays too."""
    base = np.arange(60.0).reshape(3, 4, 5)
    for array in (base, base[:, 1:3, ::2], base[::-1], base.T, base[:1, :1], base[0, 0]):
        tensor, capsule = tensor_of(section(array), **request_)
        assert shape_of(tensor) == array.shape and tensor.strides
        assert array_of(tensor).tolist() == array.tolist()
        moving = [d for d in range(array.ndim) if array.shape[d] > 1]
        for d in moving:
            assert strides_of(tensor)[d] == array.strides[d] // 8
    tensor, capsule = tensor_of(section(np.array(2.5)), **request_)
    assert tensor.ndim == 0 and array_of(tensor)[()] == 2.5


def test_D8_strides_that_are_no_multiples_are_refused():
    """A record's field may have a stride that is not a multiple of its size, which DLPack cannot describe."""
    array = np.zeros(4, [("a", "f8"), ("b", "c16")])["b"]
    assert array.strides == (24,)
    with pytest.raises(BufferError, match="multiples"):
        section(array).__dlpack__(**NEW)
    packed = np.zeros(4, [("a", "i4"), ("b", "f8")])["b"]  # kernels cannot read it in place
    with pytest.raises(distview.ShapeError, match="expected elements at multiples of 8 bytes"):
        section(packed)


@both_kinds
def test_D9_empty_sections_have_no_data(request_):
    """data is NULL when there are no elements."""
    for shape in ((0,), (3, 0), (0, 0, 2)):
        for view in (section(np.zeros(shape)), distview.zeros(shape)):
            tensor, capsule = tensor_of(view, **request_)
            assert tensor.data is None and shape_of(tensor) == shape


@both_kinds
def test_D10_data_is_the_first_element(request_):
    """data points at element 0 along every axis; byte_offset is 0."""
    base = np.arange(20.0).reshape(4, 5)
    for array in (base, base[1:, 2:], base[::-1, ::-1]):
        tensor, capsule = tensor_of(section(array), **request_)
        assert tensor.byte_offset == 0
        assert tensor.data == array.__array_interface__["data"][0]


CODES = {
    "?": (6, 8), "b": (0, 8), "h": (0, 16), "i": (0, 32), "l": (0, 64), "q": (0, 64), "B": (1, 8),
    "H": (1, 16), "I": (1, 32), "L": (1, 64), "Q": (1, 64), "e": (2, 16), "f": (2, 32),
    "d": (2, 64), "F": (5, 64), "D": (5, 128),
}  # fmt: skip


@both_kinds
@pytest.mark.parametrize("dtype", CODES)
def test_D11_element_types(dtype, request_):
    """Type code, bits and one lane, by the kind and size of the element."""
    for view in (section(np.ones(3, dtype)), distview.zeros(3, dtype=dtype)):
        tensor, capsule = tensor_of(view, **request_)
        assert (tensor.code, tensor.bits, tensor.lanes) == (*CODES[dtype], 1)


@pytest.mark.parametrize("dtype", ["g", "G", ">f8", ">i4", "S8", "U2", "V8", [("a", "f8")]], ids=str)
def test_D11_other_types_are_refused(dtype):
    """Types without a DLPack code cannot be exported, not even as a copy."""
    view = section(np.zeros(3, dtype))
    for copy in (None, True):
        with pytest.raises(BufferError, match="no type for"):
            view.__dlpack__(max_version=(1, 0), copy=copy)


@pytest.mark.parametrize("kind", [CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, MANAGED, ONE_API, 7])
def test_D12_D13_devices(kind):
    """__dlpack_device__ and the capsule agree; memory that belongs to no single device has number 0."""
    has_number = kind not in (CPU, CUDA_HOST, ROCM_HOST, MANAGED)
    view = device_view((kind, 3)) if has_number else host_view_as((kind, 3), np.ones((2, 2)))
    device = (kind, 3 if has_number else 0)
    assert view.__dlpack_device__() == view.device == device
    for request_ in ({}, NEW):
        tensor, capsule = tensor_of(view, **request_)
        assert (tensor.device_type, tensor.device_id) == device
        assert tensor.data == (POINTER if has_number else view.data_pointer)


def test_D18_kinds_of_errors():
    """An impossible export is a BufferError; wrong arguments are a TypeError or a ValueError."""
    view = section(frozen(3))
    for bad in (
        {"max_version": 1}, {"max_version": "1.0"}, {"max_version": (1,)}, {"max_version": ()},
        {"max_version": (1.0, 0)}, {"dl_device": 1}, {"dl_device": (1,)}, {"dl_device": "cpu"},
        {"copy": 1}, {"copy": "yes"}, {"stream": "1"}, {"stream": 1.0}, {"stream": True},
    ):  # fmt: skip
        with pytest.raises(TypeError, match="__dlpack__: expected"):
            view.__dlpack__(**bad)
    with pytest.raises(ValueError):
        view.__dlpack__(stream=7)
    with pytest.raises(BufferError):
        view.__dlpack__()


def test_D21_no_exchange_table():
    """The optional C exchange table of DLPack 1.2 is absent."""
    assert not hasattr(distview.DistView, "__dlpack_c_exchange_api__")


def test_D22_the_whole_section_is_exported():
    """The capsule includes all padding; `interior` is a strided array without padding."""
    view = distview.zeros((4, 3), padding=(2, 1))
    tensor, capsule = tensor_of(view, **NEW)
    assert shape_of(tensor) == view.local_shape == (8, 5)
    inner = np.from_dlpack(view.interior)
    assert inner.shape == (4, 3) and inner.strides == (40, 8)
    assert inner.__array_interface__["data"][0] == view.data_pointer + 2 * 40 + 8


@both_kinds
def test_exports_need_no_view(request_):
    """A capsule keeps the memory alive, not the DistView."""
    owner = Owner()
    watch_owner = weakref.ref(owner)
    view = device_view(owner=owner)
    watch_view = weakref.ref(view)
    capsule = view.__dlpack__(**request_)
    del view, owner
    gc.collect()
    assert watch_view() is None and watch_owner() is not None
    assert struct_of(capsule).tensor.data == POINTER
    assert ctypes.sizeof(type(struct_of(capsule))) == (64 if not request_ else 80)
    del capsule
    gc.collect()
    assert watch_owner() is None
