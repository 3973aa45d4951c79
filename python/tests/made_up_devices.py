# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made-up devices: addresses that are never read, and a runtime that records its calls."""

import ctypes
import weakref

import distview
import numpy as np
from distview import _distview

POINTER = 0x7F30_0000_1000


class FakeRuntime:
    """distview._device.runtime of a machine on which every address belongs to device (2, 0), or to
    the device that `devices` names."""

    def __init__(self):
        self.devices = {}
        self.calls = []
        self.devices_of_streams = []
        self.allocated = []

    def query_pointer(self, pointer):
        self.calls.append(("query", pointer))
        return self.devices.get(pointer, (2, 0))

    def synchronize(self, stream, device):
        self.calls.append(("synchronize", stream))
        self.devices_of_streams.append(device)

    def wait(self, waiting, stream, device):
        self.calls.append(("wait", waiting, stream))
        self.devices_of_streams.append(device)

    def allocate(self, kind, nbytes):
        memory = np.zeros(nbytes, np.uint8)
        self.allocated.append((kind, nbytes, weakref.ref(memory)))
        return memory.ctypes.data, memory

    def copy(self, to, source, nbytes):
        """Copies host memory, whatever device it is said to be on."""
        self.calls.append(("copy", nbytes))
        ctypes.memmove(to, source, nbytes)


class Owner:
    """An owner whose lifetime a test can observe."""


def device_view(device=(2, 0), shape=(3, 4), *, stream=0, typestr="<f8", strides=(),
                readonly=False, pointer=POINTER, owner=None):  # fmt: skip
    """A DistView over made-up memory."""
    memory = _distview.memory_at(
        pointer, list(shape), list(strides), typestr, readonly, device, stream, owner
    )
    return distview.wrap(memory, shape)


def host_view_as(device, numbers, *, stream=0, readonly=False):
    """A DistView over real host memory that claims to be of another host-readable kind."""
    interface = numbers.__array_interface__
    return device_view(
        device, numbers.shape, stream=stream, typestr=interface["typestr"],
        strides=numbers.strides, readonly=readonly, pointer=interface["data"][0], owner=numbers,
    )  # fmt: skip


class Interface:
    """An object with a __cuda_array_interface__; ... removes a key."""

    def __init__(self, **changes):
        described = dict(shape=(3, 4), typestr="<f8", data=(POINTER, False), version=3)
        described.update(changes)
        self.__cuda_array_interface__ = {k: v for k, v in described.items() if v is not ...}


def wrapped(**changes):
    """The DistView of an Interface with these keys."""
    interface = Interface(**changes)
    shape = tuple(int(n) for n in interface.__cuda_array_interface__.get("shape", (3, 4)))
    return distview.wrap(interface, shape)


def address_of(array):
    return np.asarray(array).__array_interface__["data"][0]
