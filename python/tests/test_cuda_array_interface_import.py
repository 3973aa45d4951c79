# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules G1 to G20 of the CUDA Array Interface for arguments of wrap(). The memory is made up."""

import gc
import weakref

import distview
import numpy as np
import pytest
from distview import _device
from made_up_devices import POINTER, Interface, wrapped

pytestmark = pytest.mark.usefixtures("fake")


def refused(error, match, **changes):
    with pytest.raises(error, match=match):
        wrapped(**changes)


def test_G1_value_is_a_dictionary():
    """A method instead of an attribute, or a value other than a dict, is a TypeError."""
    view = wrapped()
    assert view.data_pointer == POINTER and view.device == (2, 0) and view.local_shape == (3, 4)
    for bad in (lambda self: {}, [], "interface", 5):
        thing = type("Thing", (), {"__cuda_array_interface__": bad})()
        with pytest.raises(TypeError, match="__cuda_array_interface__ to be a dict"):
            distview.wrap(thing, (3, 4))


def test_G1_absent_means_host_memory(fake):
    """If the attribute raises AttributeError, wrap() uses the object's buffer."""

    class HostArray(bytearray):
        @property
        def __cuda_array_interface__(self):
            raise AttributeError("on the host")

    assert distview.wrap(HostArray(b"abc"), 3).view.tolist() == [97, 98, 99]
    assert fake.calls == []


@pytest.mark.parametrize("key", ["shape", "typestr", "data", "version"])
def test_G2_required_keys(key):
    """All four keys are required."""
    with pytest.raises(ValueError, match=f"lacks '{key}'"):
        distview.wrap(Interface(**{key: ...}), (3, 4))


def test_G3_shape():
    """A tuple of integers >= 0; a list is refused."""
    assert wrapped(shape=()).local_shape == ()
    assert wrapped(shape=(np.int32(3), np.int64(4))).local_shape == (3, 4)
    for bad in ([3, 4], (3.0, 4), (-3, 4), 12, None, "34", (True, 4), np.array([3, 4])):
        interface = Interface(shape=bad)
        with pytest.raises(TypeError, match="'shape' to be a tuple"):
            distview.wrap(interface, (3, 4))
    with pytest.raises(distview.ShapeError):
        distview.wrap(Interface(shape=(3, 5)), (3, 4))


@pytest.mark.parametrize(
    "typestr", "|b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f2 <f4 <f8 <c8 <c16".split()
)
def test_G4_typestr(typestr):
    """NumPy's type strings of numbers in native order."""
    view = wrapped(typestr=typestr)
    assert view.typestr == typestr and view.dtype == np.dtype(typestr)


def test_G4_other_typestrs():
    """Big-endian numbers are refused, since they would be read as garbage; so are elements that are not numbers."""
    for bad in (">f4", ">i2", ">c16"):
        refused(ValueError, "big-endian", typestr=bad)
    for bad in (None, 5, np.dtype("f8"), b"<f8"):
        refused(TypeError, "'typestr'", typestr=bad)
    for bad in ("", "f8", "<f", "<f3", "<f16", "<i3", "<x8", "<M8[s]", "|O8", "<c4", "<f8 ", "<b8"):
        refused(distview.UsageError, "not supported", typestr=bad)


def test_G5_data():
    """A pair (pointer, read_only); with negative strides other elements lie before the first."""
    view = wrapped(data=(POINTER + 88, False), strides=(-32, -8))
    assert view.data_pointer == POINTER + 88 and view.strides == (-32, -8)
    assert wrapped(data=(np.uint64(POINTER), np.bool_(True))).readonly
    for bad in (None, POINTER, (POINTER,), [POINTER, False], (POINTER, False, 0), (None, False)):
        refused(TypeError, "'data' to be a pair", data=bad)
    for bad in ((1.5, False), ("1", False), (True, False)):
        refused(TypeError, "'data' to be a pair", data=bad)
    for bad in (0, 1, None, "False"):
        refused(TypeError, "read_only", data=(POINTER, bad))
    for bad in (-8, 2**64):
        refused(ValueError, "not an address", data=(bad, False))


def test_G5_plain_host_memory_is_refused(fake):
    """A pointer that no device can read is an error, whatever the dictionary says."""
    fake.devices[POINTER] = (1, 0)
    refused(ValueError, "plain host memory")


def test_G6_empty_arrays(fake):
    """Without elements any pointer is allowed, also 0; with elements 0 is an error. The address of an
    empty array is not queried."""
    for pointer in (0, 8, POINTER):
        view = wrapped(shape=(3, 0), data=(pointer, False))
        assert view.local_shape == (3, 0) and view.device[0] == 2
        assert view.__cuda_array_interface__["data"][0] == 0
    assert fake.calls == []
    refused(ValueError, "null pointer", data=(0, False))
    refused(ValueError, "null pointer", data=(0, False), shape=())


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_G7_versions(version, recwarn):
    """Versions 0 to 3 are accepted."""
    assert wrapped(version=version).data_pointer == POINTER
    assert len(recwarn) == 0


def test_G7_newer_versions_are_read_with_a_warning():
    """A version above 3 causes a warning at the call of wrap(); a value that is not a version is a TypeError."""
    for version in (4, 17):
        with pytest.warns(UserWarning, match=f"has version {version}, read as version 3") as caught:
            assert wrapped(version=version).data_pointer == POINTER
        assert caught[0].filename.endswith("made_up_devices.py")
    for bad in (None, "3", 3.0, True, (3,), -1):
        refused(TypeError, "'version'", version=bad)


def test_G8_strides():
    """Absent or None is C order; else a tuple of bytes, one for each axis, multiples of the element size."""
    for strides in (..., None, (32, 8)):
        view = wrapped(strides=strides)
        assert view.strides == (32, 8) and view.is_contiguous
    for strides in ((8, 24), (-32, 8), (0, 0), (np.int64(64), 8)):
        view = wrapped(strides=strides)
        assert view.strides == strides and not view.is_contiguous
    assert wrapped(shape=(), strides=()).strides == ()
    wrapped(shape=(1, 4), strides=(33, 8))  # along an axis with one element, any stride is allowed
    wrapped(shape=(0, 4), strides=(33, 9))
    for bad in ((32,), (32, 8, 8), ()):
        refused(ValueError, "strides for 2 axes", strides=bad)
    for bad in ((33, 8), (32, 4)):
        refused(ValueError, "not multiples of 8", strides=bad)
    for bad in ([32, 8], 8, (32.0, 8), (None, 8), "32"):
        refused(TypeError, "'strides' to be a tuple", strides=bad)


def test_G9_descr():
    """descr is for structured types, which are refused; for other types it is ignored."""
    assert wrapped(descr=[("", "<f8")]).typestr == "<f8"
    fields = [("a", "<i4"), ("b", "<f4")]
    refused(TypeError, "'typestr'", typestr="|V8", descr=fields)
    refused(TypeError, "'typestr'", typestr="|V8")
    refused(TypeError, "'typestr'", typestr="<V2")


def test_G10_mask():
    """Masked arrays are not supported; mask None means no mask."""
    assert wrapped(mask=None).data_pointer == POINTER
    for mask in (Interface(), False, 0):
        refused(NotImplementedError, "masked", mask=mask)


def test_G11_stream():
    """None or an integer; 0 is ambiguous."""
    refused(ValueError, "stream 0", stream=0)
    for bad in ("1", True, False, 1.0, [1]):
        refused(TypeError, "'stream'", stream=bad)


@pytest.mark.parametrize("stream", [1, 2, 3, 2**47 + 16])
def test_G13_consumer_waits_for_the_stream(fake, stream):
    """wrap() returns when the work on the stream has finished: no work is pending any more."""
    view = wrapped(stream=stream)
    assert fake.calls == [("query", POINTER), ("synchronize", stream)]
    assert view.stream == 0 and "stream" not in view.__cuda_array_interface__


def test_G13_also_for_empty_arrays_and_old_versions(fake):
    """wrap() always waits for a stream in the dictionary, whatever its other keys are."""
    wrapped(shape=(0,), data=(0, False), stream=5)
    wrapped(version=2, stream=6)
    assert fake.calls == [("synchronize", 5), ("query", POINTER), ("synchronize", 6)]


def test_G13_nobody_waits_for_what_is_refused(fake):
    """Arguments are checked before any call to a device."""
    for bad in ({"typestr": ">f8"}, {"strides": (1,)}, {"mask": 1}, {"data": None}, {"version": "3"}):
        with pytest.raises((TypeError, ValueError, NotImplementedError)):
            wrapped(stream=5, **bad)
    assert fake.calls == []


def test_G14_without_a_stream_nobody_waits(fake):
    """stream None or absent: no synchronisation is needed."""
    wrapped(stream=None)
    wrapped()
    assert fake.calls == [("query", POINTER)] * 2


def test_G15_streams_are_not_ignored_by_default(fake, monkeypatch):
    """This library ignores other libraries' switches that disable synchronisation."""
    for name in ("NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "CUPY_CUDA_ARRAY_INTERFACE_SYNC"):
        monkeypatch.setenv(name, "0")
    wrapped(stream=5)
    assert ("synchronize", 5) in fake.calls


def test_G16_the_object_is_held_not_its_dictionary():
    """wrap() keeps the object alive as long as the memory is used."""
    interface = Interface()
    watch = weakref.ref(interface)
    view = distview.wrap(interface, (3, 4))
    capsule = view.__dlpack__()
    del interface
    gc.collect()
    assert watch() is not None
    del view
    gc.collect()
    assert watch() is not None
    del capsule
    gc.collect()
    assert watch() is None


def test_G18_read_only():
    """Memory exported as read-only gives a read-only view."""
    view = wrapped(data=(POINTER, True))
    assert view.readonly and view.__cuda_array_interface__["data"][1] is True
    with pytest.raises(BufferError, match="read-only"):
        view.__dlpack__()


def test_G19_G20_the_runtime_says_where_memory_is(fake):
    """Kind and ordinal of the device come from the pointer; pinned memory has no ordinal."""
    for found, device in (
        ((2, 0), (2, 0)), ((2, 3), (2, 3)), ((13, 0), (13, 0)), ((13, 2), (13, 0)),
        ((3, 1), (3, 0)), ((10, 1), (10, 1)),
    ):  # fmt: skip
        fake.devices[POINTER] = found
        assert wrapped().device == device


def test_G20_managed_memory_is_host_memory_too(fake):
    """Memory that hosts can read becomes a NumPy array over the same memory."""
    numbers = np.arange(12.0).reshape(3, 4)
    address = numbers.__array_interface__["data"][0]
    fake.devices[address] = (13, 0)
    view = wrapped(data=(address, False))
    assert view.device == (13, 0) and view.view.tolist() == numbers.tolist()
    assert view.sum() == 66


def test_without_support_for_devices(monkeypatch):
    """A build without device support reports it; empty arrays without a stream need no device."""
    monkeypatch.setattr(_device, "runtime", None)
    for changes in ({}, {"stream": 5, "shape": (0,), "data": (0, False)}):
        refused(distview.UsageError, "no support for device memory", **changes)
    assert wrapped(shape=(0,), data=(0, False)).local_shape == (0,)
