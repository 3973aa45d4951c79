# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules G1 to G20 of the CUDA Array Interface, version 3, for exports of device views.

The memory is made up. test_cuda_array_interface_import.py has the same rules for wrap().
"""

import gc
import weakref

import distview
import numpy as np
import pytest
from made_up_devices import POINTER, Owner, device_view, host_view_as

pytestmark = pytest.mark.usefixtures("fake")


def exported(view):
    return view.__cuda_array_interface__


def test_G1_attribute_that_host_views_lack():
    """The interface is an attribute with a dict; views in host memory have no such attribute."""
    assert type(exported(device_view())) is dict
    for view in (distview.zeros(3), distview.wrap(np.ones((2, 2)), (2, 2)), distview.zeros(0)):
        assert not hasattr(view, "__cuda_array_interface__")
        assert getattr(view, "__cuda_array_interface__", None) is None
        with pytest.raises(AttributeError, match="CUDA cannot read"):
            exported(view)
    for device in ((10, 0), (11, 0), (14, 0)):
        numbers = np.ones(3)
        view = host_view_as(device, numbers) if device[0] == 11 else device_view(device)
        assert not hasattr(view, "__cuda_array_interface__")


def test_G2_G9_G10_keys():
    """The four required keys and strides; no descr, no mask; stream only if work is pending."""
    keys = {"shape", "typestr", "data", "version", "strides"}
    assert set(exported(device_view())) == keys
    assert set(exported(device_view(stream=7))) == keys | {"stream"}


def test_G3_shape_is_a_tuple_of_plain_integers():
    """() without axes; the extents of the section, padding included."""
    for shape in ((), (5,), (3, 4), (2, 0, 7)):
        got = exported(device_view(shape=shape))["shape"]
        assert got == shape and type(got) is tuple and {type(n) for n in got} <= {int}


@pytest.mark.parametrize(
    "typestr",
    "|b1 |i1 |u1 <i2 <u2 <i4 <u4 <i8 <u8 <f2 <f4 <f8 <c8 <c16".split(),
)
def test_G4_typestr_is_numpy_s(typestr):
    """NumPy's type string, native order."""
    assert exported(device_view(typestr=typestr))["typestr"] == typestr == np.dtype(typestr).str


def test_G5_data_is_pointer_and_read_only():
    """A pair of an integer, the address of the first element, and a bool."""
    for strides, pointer in (((), POINTER), ((-32, -8), POINTER + 88), ((8, 24), POINTER)):
        data = exported(device_view(strides=strides, pointer=pointer))["data"]
        assert data == (pointer, False) and type(data) is tuple
        assert type(data[0]) is int and type(data[1]) is bool


def test_G6_empty_sections_have_pointer_0():
    """The pointer is 0 if and only if an extent is 0."""
    for shape in ((0,), (3, 0), (0, 4)):
        assert exported(device_view(shape=shape))["data"][0] == 0
    for shape in ((), (1,), (3, 4)):
        assert exported(device_view(shape=shape))["data"][0] == POINTER


def test_G7_version_is_3():
    """An integer."""
    version = exported(device_view())["version"]
    assert version == 3 and type(version) is int


def test_G8_strides_are_none_when_contiguous():
    """None in C order without gaps, also with one element, none, or no axes; else bytes."""
    for shape, strides in (
        ((3, 4), ()), ((3, 4), (32, 8)), ((), ()), ((1,), (800,)), ((1, 1), (8, 8)),
        ((3, 0), (8, 8)), ((1, 4), (999 * 8, 8)),
    ):  # fmt: skip
        assert exported(device_view(shape=shape, strides=strides))["strides"] is None
    for strides in ((8, 24), (64, 8), (-32, 8), (0, 0)):
        got = exported(device_view(strides=strides))["strides"]
        assert got == strides and type(got) is tuple and {type(n) for n in got} == {int}


@pytest.mark.parametrize("stream", [1, 2, 3, 2**47 + 16])
def test_G11_G12_stream_with_pending_work(fake, stream):
    """With pending work on a stream the interface names that stream; the producer does not wait."""
    got = exported(device_view(stream=stream))["stream"]
    assert got == stream and type(got) is int and fake.calls == []


def test_G11_stream_is_never_0():
    """Without pending work the interface has no stream; 0 would be ambiguous."""
    for view in (device_view(), device_view(stream=0), device_view(shape=(0,), stream=4)):
        assert exported(view).get("stream", "absent") != 0
    assert "stream" not in exported(device_view())


def test_G15_switches_of_others_change_nothing(monkeypatch):
    """The stream is always exported: this library ignores other libraries' switches, and has none."""
    for name in ("NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "CUPY_CUDA_ARRAY_INTERFACE_SYNC"):
        monkeypatch.setenv(name, "0")
    assert exported(device_view(stream=5))["stream"] == 5


def test_G16_the_dictionary_keeps_nothing_alive():
    """The dictionary does not keep the memory alive; the view does."""
    owner = Owner()
    watch = weakref.ref(owner)
    view = device_view(owner=owner)
    del owner
    interface = exported(view)
    gc.collect()
    assert watch() is not None
    del view
    gc.collect()
    assert watch() is None and interface["data"][0] == POINTER


def test_G17_stream_lives_as_long_as_the_view():
    """Every view keeps the owner of memory and stream alive."""
    owner = Owner()
    watch = weakref.ref(owner)
    first = device_view(stream=6, owner=owner)
    second = distview.wrap(first, (3, 4))
    del owner, first
    gc.collect()
    assert watch() is not None and exported(second)["stream"] == 6
    del second
    gc.collect()
    assert watch() is None


def test_G18_read_only():
    """A read-only view is exported as read-only."""
    assert exported(device_view(readonly=True))["data"] == (POINTER, True)
    assert exported(device_view(readonly=False))["data"] == (POINTER, False)


def test_G20_pinned_and_managed_memory_is_exported():
    """Memory that hosts and CUDA devices can read has the interface, and is a buffer as well."""
    numbers = np.arange(12.0).reshape(3, 4)[:, ::2]
    for device in ((3, 0), (13, 0)):
        view = host_view_as(device, numbers)
        interface = exported(view)
        assert interface["data"] == (numbers.__array_interface__["data"][0], False)
        assert interface["strides"] == numbers.strides and interface["shape"] == numbers.shape
        assert np.asarray(view).tolist() == numbers.tolist()


def test_both_exports_agree():
    """Consumers that prefer DLPack see the same array."""
    from dlpack_structs import shape_of, strides_of, struct_of

    for strides in ((), (64, 8), (-32, 8)):
        view = device_view((2, 1), strides=strides, readonly=True)
        capsule = view.__dlpack__(max_version=(1, 0))
        managed = struct_of(capsule)
        interface = exported(view)
        assert managed.tensor.data == interface["data"][0] and managed.flags == 1
        assert shape_of(managed.tensor) == interface["shape"]
        in_bytes = tuple(8 * n for n in strides_of(managed.tensor))
        assert in_bytes == (interface["strides"] or (32, 8))
        assert (managed.tensor.device_type, managed.tensor.device_id) == (2, 1)


def test_cupy_is_named_where_it_is_missing():
    """view of a device section is a CuPy array; without CuPy the error lists the alternatives."""
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(distview.UsageError, match="CuPy is not installed"):
            _ = device_view().view
    else:
        pytest.skip("CuPy is installed")
