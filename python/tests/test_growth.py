# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hundred thousand exports and imports of every kind leave no object and no memory behind."""

import ctypes
import gc
import os
import sys

import distview
import numpy as np
import pytest
from distview import _device
from made_up_devices import FakeRuntime, Interface

CYCLES = 100_000
# AddressSanitizer's allocator keeps freed memory for a while, to detect its use.
UNDER_ASAN = "asan" in os.environ.get("LD_PRELOAD", "")


class Mallinfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]


def heap_bytes():
    """Bytes allocated by malloc and not freed; 0 if unknown."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if UNDER_ASAN or mallinfo is None:
        return 0
    mallinfo.restype = Mallinfo
    found = mallinfo()
    return found.uordblks + found.hblkhd


def resident_bytes():
    if UNDER_ASAN or not os.path.exists("/proc/self/statm"):
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory_in_use():
    gc.collect()
    return resident_bytes(), heap_bytes(), sys.getallocatedblocks()


def does_not_grow(cycle, cycles=CYCLES):
    """Runs a cycle many times; no cycle may leave an object or memory behind."""
    gc.disable()  # objects that only the collector frees count as left behind
    try:
        for _ in range(cycles // 10):
            cycle()
        before = memory_in_use()
        objects = len(gc.get_objects())
        for _ in range(cycles):
            cycle()
        objects = len(gc.get_objects()) - objects
        after = memory_in_use()
    finally:
        gc.enable()
    resident, heap, blocks = (a - b for a, b in zip(after, before))
    # One object or one byte for each cycle would exceed this.
    assert objects < cycles / 10 and blocks < cycles / 10 and heap < cycles, (objects, blocks, heap)
    assert resident < 4e6


@pytest.mark.time_limit(300)
def test_cycles_of_export_and_import():
    """__distarray__ -> from_distarray, in both versions, with all checks and with local ones."""
    view = distview.zeros((4, 5), padding=1)
    unstructured = distview.zeros(None, ("u", [[3, 1, 2]]))

    def cycle():
        distview.from_distarray(view, validate="local")
        distview.from_distarray(unstructured.dap("0.9.0"))

    does_not_grow(cycle)


@pytest.mark.time_limit(300)
def test_cycles_of_buffers_and_arrays():
    """memoryview -> wrap -> NumPy array."""
    view = distview.zeros((4, 5))

    def cycle():
        _ = memoryview(view)
        _ = np.asarray(view).__array_interface__
        distview.wrap(view.view, (4, 5))

    does_not_grow(cycle)


@pytest.mark.time_limit(300)
def test_cycles_of_capsules():
    """Capsules of both kinds and of the C struct: consumed, not consumed, and refused."""
    view = distview.zeros((4, 5))
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    read_only = distview.wrap(frozen, 3)

    class OnlyDlpack:
        def __dlpack__(self, **keywords):
            return view.__dlpack__(**keywords)

    source = OnlyDlpack()

    def cycle():
        distview.wrap(source, (4, 5))
        view.__dlpack__()
        view.__dlpack__(max_version=(1, 0))
        view.__dap_capsule__()
        try:
            read_only.__dlpack__()
        except BufferError:
            pass

    does_not_grow(cycle)


@pytest.mark.time_limit(300)
def test_cycles_of_device_views(monkeypatch):
    """Imports by CUDA Array Interface, exports by CUDA Array Interface and DLPack."""
    monkeypatch.setattr(_device, "runtime", FakeRuntime())
    interface = Interface()

    def cycle():
        view = distview.wrap(interface, (3, 4))
        _ = view.__cuda_array_interface__, view.__dlpack__()
        _device.runtime.calls.clear()

    does_not_grow(cycle)


@pytest.mark.time_limit(300)
def test_cycles_of_errors():
    """Imports that fail leave nothing behind, for every broken rule."""
    data = dict(dist_type="b", size=5, proc_grid_size=1, proc_grid_rank=0, start=0, stop=5)
    wrong = [
        {"__version__": "0.10.0", "buffer": np.zeros(4), "dim_data": (data,)},
        {"__version__": "0.10.0", "buffer": [1], "dim_data": (data,)},
        {"__version__": "0.10.0", "buffer": np.zeros(5), "dim_data": ({**data, "size": "5"},)},
    ]

    def cycle():
        for export in wrong:
            try:
                distview.from_distarray(export)
            except distview.ProtocolError:
                pass

    does_not_grow(cycle, CYCLES // 5)


def test_growth_is_seen():
    """These tests would detect 16 bytes, an object, or garbage left behind by each cycle."""
    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    addresses, kept = [], []

    def garbage():
        cycle = []
        cycle.append(cycle)

    leaks = [lambda: kept.append([]), garbage]
    if heap_bytes():
        leaks.append(lambda: addresses.append(malloc(ctypes.c_size_t(16))))
    for leak in leaks:
        with pytest.raises(AssertionError):
            does_not_grow(leak)
    for address in addresses:
        ctypes.CDLL(None).free(ctypes.c_void_p(address))
