# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuPy, Numba, PyTorch and JAX on a CUDA device import our sections, and we import their arrays, without copies.

Skipped without a build for CUDA, without a device, and for libraries that are not installed.
check_device_consumers.py runs this file and writes a report.
"""

import gc

import distview
import numpy as np
import pytest
from device_libraries import CUDA, CUDA_HOST, CUDA_MANAGED, communicator_of_self, library
from distview import _device

LIBRARIES = ("CuPy", "PyTorch", "Numba", "JAX")
DEVICES = {"cuda": CUDA, "cuda_managed": CUDA_MANAGED, "cuda_host": CUDA_HOST}
#: Elements of an array that is filled slowly, so that a missing wait is detected.
MANY = 1 << 25


@pytest.fixture(scope="module", autouse=True)
def device():
    """Skips all tests without a device."""
    if _device.runtime is None:
        pytest.skip("this build of distview is for the host")
    import ctypes

    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        pytest.skip("no CUDA driver is installed")
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or not count.value:
        pytest.skip("no CUDA device is there")


@pytest.fixture(params=LIBRARIES)
def lib(request, device):
    return library(request.param, pytest)


@pytest.fixture(params=DEVICES)
def view(request, device):
    """A padded array, whose values encode their places, in each kind of memory."""
    result = distview.zeros((4, 6), padding=1, device=request.param)
    result.copy_from_host(np.arange(result.local_shape[0] * result.local_shape[1]).reshape(result.local_shape))
    assert result.device[0] == DEVICES[request.param]
    return result


def take(lib, array):
    """Imports by the first of the library's ways."""
    return next(iter(lib.ways.values()))(array)


# Exports to other libraries


def test_others_share_our_memory(lib, view):
    """Every way of import gives the same address and values, and we see the library's writes."""
    if view.device[0] not in lib.kinds:
        pytest.skip("the library does not take this kind of memory")
    values = view.copy_to_host()
    for way, taking in lib.ways.items():
        taken = taking(view)
        assert lib.pointer(taken) == view.data_pointer, way
        assert tuple(taken.shape) == view.local_shape, way
        assert lib.to_numpy(taken).tolist() == values.tolist(), way
        if lib.mutable:
            lib.fill(taken, 7.0)
            assert (view.copy_to_host() == 7.0).all(), way
            view.copy_from_host(values)


def test_others_take_sections_with_gaps(lib, view):
    """The interior of a padded array is strided; JAX has no such arrays and raises."""
    if view.device[0] not in lib.kinds:
        pytest.skip("the library does not take this kind of memory")
    inner = view[:, :]
    expected = view.copy_to_host("interior")
    if not lib.mutable:
        with pytest.raises(Exception, match="[Ss]trid"):
            take(lib, inner)
        return
    for way, taking in lib.ways.items():
        taken = taking(inner)
        assert lib.to_numpy(taken).tolist() == expected.tolist(), way
        lib.fill(taken, -1.0)
        assert (view.copy_to_host("interior") == -1.0).all(), way
        assert view.copy_to_host()[0, 0] == 0.0, way  # padding is not the interior's
        view.copy_from_host(expected, "interior")


def test_managed_memory_as_the_devices(view):
    """A library that accepts plain device memory only may request managed memory as such."""
    if view.device[0] != CUDA_MANAGED:
        pytest.skip("not managed memory")
    cupy = library("CuPy", pytest)

    class AsCuda:
        def __dlpack__(self, **keywords):
            return view.__dlpack__(**{**keywords, "dl_device": (CUDA, 0)})

        def __dlpack_device__(self):
            return CUDA, 0

    taken = cupy.m.from_dlpack(AsCuda())
    assert cupy.pointer(taken) == view.data_pointer


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint8", "int64", "float16", "float32", "complex64"])
def test_element_types(lib, dtype):
    """Elements have the same values on both sides."""
    if dtype in ("float16", "complex64") and type(lib).__name__ == "Numba":
        pytest.skip("not of every Numba")
    view = distview.zeros(5, dtype=dtype, device="cuda")
    view.copy_from_host(np.array([0, 1, 1, 0, 1]))
    for way, taking in lib.ways.items():
        got = lib.to_numpy(taking(view))
        assert got.dtype == np.dtype(dtype) and got.tolist() == view.copy_to_host().tolist(), way


def test_memory_outlives_the_view(lib):
    """An imported array stays usable when our name for it is gone: its memory is not reused."""
    view = distview.full((64, 64), 5.0, device="cuda")
    taken = take(lib, view)
    del view
    gc.collect()
    others = [distview.full((64, 64), 1.0, device="cuda") for _ in range(50)]
    assert (lib.to_numpy(taken) == 5.0).all() and len(others) == 50


def test_numpy_gets_a_copy():
    """Consumers on the host request host memory, and get a copy of memory that they cannot read."""
    view = distview.full((4, 6), 5.0, device="cuda")
    try:
        copied = np.from_dlpack(view, device="cpu")
    except TypeError:
        pytest.skip("NumPy before 2.1 does not ask for a device")
    assert copied.tolist() == [[5.0] * 6] * 4


# Imports from other libraries


def test_we_share_their_memory(lib):
    """wrap() of a library's array is on its memory, and keeps it."""
    numbers = np.arange(24.0).reshape(4, 6)
    array = lib.make(numbers)
    view = distview.wrap(array, (4, 6))
    assert view.data_pointer == lib.pointer(array) and view.device[0] == CUDA
    assert view.copy_to_host().tolist() == numbers.tolist() and view.sum() == numbers.sum()
    del array
    gc.collect()
    assert view.copy_to_host().tolist() == numbers.tolist()
    if lib.mutable:
        view.copy_from_host(3.0)
        assert (lib.to_numpy(take(lib, view)) == 3.0).all()


def test_host_memory_with_the_interface_is_refused():
    """The driver detects a pointer that does not belong to a device."""
    numbers = np.arange(3.0)
    interface = dict(shape=(3,), typestr="<f8", data=(numbers.ctypes.data, False), version=3)
    with pytest.raises(ValueError, match="plain host memory"):
        distview.wrap(type("Liar", (), {"__cuda_array_interface__": interface})(), 3)


# Streams


def slow_fill(lib, array, value):
    """Enqueues much work, then writes the values."""
    for step in range(60):
        lib.fill(array, float(step))
    lib.fill(array, value)


def test_our_copies_wait_for_their_stream(lib):
    """Our calls wait for the stream that is set."""
    if not lib.mutable or type(lib).__name__ == "Numba":
        pytest.skip("no streams for arrays that change")
    view = distview.zeros((MANY // 1024, 1024), device="cuda")
    stream = lib.new_stream()
    taken = take(lib, view)
    view.stream = lib.number(stream)
    with lib.on(stream):
        slow_fill(lib, taken, 7.0)
    assert view.min() == 7.0
    view.stream = None


def test_their_stream_waits_for_ours(lib):
    """A consumer on one stream sees work that was enqueued on another stream before the export."""
    if not lib.mutable or type(lib).__name__ == "Numba":
        pytest.skip("no streams for arrays that change")
    view = distview.zeros((MANY // 1024, 1024), device="cuda")
    writer, reader = lib.new_stream(), lib.new_stream()
    written = take(lib, view)
    with lib.on(writer):
        slow_fill(lib, written, 7.0)
    view.stream = lib.number(writer)
    with lib.on(reader):
        got = take(lib, view)
        total = got.sum()
    assert float(total) == 7.0 * MANY


# Together with plans


@pytest.mark.parametrize("kind", DEVICES)
def test_exchange_and_redistribution_on_the_device(kind):
    """The results have the same bits as on the host."""
    comm = communicator_of_self(pytest)

    def run(device):
        u = distview.zeros((12, 10), comm=comm, padding=2, periodic=True, device=device)
        u.copy_from_host(np.arange(120.0).reshape(12, 10), "interior")
        u.exchange_padding()
        t = u.transpose()
        r = distview.redistribute(u, ("b", ("c", 3)), alpha=2.0, dtype="float64")
        half = distview.redistribute(u, u, dtype="float32")
        assert t.device == r.device == half.device == u.device
        results = [u.copy_to_host(), t.gather(), r.gather(), half.gather()]
        return [*results, u.sum(), u.min(), u.norm(), u.dot(u)]

    for ours, expected in zip(run(kind), run("cpu"), strict=True):
        assert np.array_equal(ours, expected)


def test_exchange_of_others_work(lib):
    """An exchange includes the work that a library has enqueued on its stream."""
    if not lib.mutable or type(lib).__name__ == "Numba":
        pytest.skip("no streams for arrays that change")
    comm = communicator_of_self(pytest)
    view = distview.zeros((MANY // 1024, 1024), comm=comm, padding=1, periodic=True, device="cuda")
    stream = lib.new_stream()
    taken = take(lib, view)
    view.stream = lib.number(stream)
    with lib.on(stream):
        slow_fill(lib, taken, 7.0)
        lib.fill(taken[0], -1.0)  # padding, which is filled again
    view.exchange_padding()
    assert (view.copy_to_host() == 7.0).all()


def test_errors_leave_the_device_usable():
    """Devices other than the process's are refused; afterwards the device still works."""
    with pytest.raises(distview.UsageError, match="expected device 0"):
        distview.zeros(3, device="cuda:99")
    assert distview.zeros(3, device="cuda").sum() == 0.0
