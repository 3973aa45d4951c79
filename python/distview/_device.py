# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device memory: its names, and exports through the CUDA Array Interface (version 3) and DLPack.

All calls to a device go through ``runtime``, an object with a few methods, so that tests of the rules need no
device. Numbers of devices are DLPack's.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from . import _distview
from ._errors import ShapeError, UsageError, short

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
#: Memory that a host program may read and write.
HOST_TYPES = (CPU, CUDA_HOST, ROCM_HOST, CUDA_MANAGED)
_CUDA_TYPES = (CUDA, CUDA_HOST, CUDA_MANAGED)


class DeviceRuntime(Protocol):
    """Calls that a device must support. Streams are integers, as in the CUDA Array Interface."""

    def query_pointer(self, pointer: int) -> tuple[int, int]:
        """(type, id) of the memory that an address belongs to; (1, 0) for plain host memory."""

    def synchronize(self, stream: int, device: tuple[int, int]) -> None:
        """Returns when all work on a stream has finished. device: selects the device for default streams."""

    def wait(self, waiting: int, stream: int, device: tuple[int, int]) -> None:
        """Lets later work on stream ``waiting`` begin after the work that is on ``stream`` now."""

    def allocate(self, kind: int, nbytes: int) -> tuple[int, Any]:
        """(address, owner) of zeroed memory on the process's device; the owner keeps the memory alive."""

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Copies between addresses in any memory; finished on return. Waits for no stream."""


#: None in a build without support for devices; tests provide their own.
runtime: DeviceRuntime | None = _distview.device_runtime()


def device_runtime(caller: str) -> DeviceRuntime:
    if runtime is None:
        raise UsageError(f"{caller}: this build of distview has no support for device memory")
    return runtime


def cuda_array_interface(view: Any) -> dict[str, Any]:
    """The dictionary of a view in memory that CUDA devices read; AttributeError for others."""
    if view.device[0] not in _CUDA_TYPES:
        raise AttributeError("__cuda_array_interface__: this view is in memory that CUDA cannot read")
    empty = 0 in view.local_shape
    result: dict[str, Any] = {
        "shape": tuple(view.local_shape),
        "typestr": view.typestr,
        "data": (0 if empty else view.data_pointer, view.readonly),
        "version": 3,
        "strides": None if view.is_contiguous else tuple(view.strides),
    }
    if view.stream:  # never 0, which could mean three different streams
        result["stream"] = view.stream
    return result


def as_cupy(view: Any) -> Any:
    """A CuPy array that shares a device view's memory."""
    try:
        import cupy
    except ImportError:
        raise UsageError(
            "view: expected memory that the host can access, this array is in memory of device "
            f"{view.device}, and CuPy is not installed: copy_to_host() makes a NumPy array; other "
            "libraries take the array itself (__cuda_array_interface__, __dlpack__)"
        ) from None
    return cupy.asarray(view)


def address_of(array: Any) -> int:
    """Where the first element of a NumPy or CuPy array is."""
    on_device = getattr(array, "__cuda_array_interface__", None)
    return (on_device or array.__array_interface__)["data"][0]


def dlpack(
    view: Any,
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> Any:
    """The capsule that __dlpack__ returns."""
    own = view.device
    versioned = max_version is not None and _pair("max_version", max_version)[0] >= 1
    target = own if dl_device is None else _pair("dl_device", dl_device)
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"__dlpack__: expected copy to be a bool or None, got {short(copy)}")
    to_host = target == (CPU, 0) and own[0] != CPU
    if to_host and stream is not None:
        raise ValueError(f"__dlpack__: expected stream to be None for the host, got {short(stream)}")
    _check_stream(own[0], stream)
    managed_as_cuda = own[0] == CUDA_MANAGED and target[0] == CUDA
    if target != own and not to_host and not managed_as_cuda:
        raise BufferError(f"__dlpack__: a view on device {own} cannot be exported to {target}")
    if copy is None and to_host and own[0] not in HOST_TYPES:
        copy = True
    if copy is False and to_host and own[0] not in HOST_TYPES:
        raise BufferError(
            f"__dlpack__: memory of device {own} must be copied to be read by the host, and "
            "copy=False was given"
        )
    if copy:
        return _distview.dlpack_capsule(_copied(view, target), versioned, True)
    if to_host:
        settle(view, "__dlpack__", BufferError)
        return _distview.dlpack_capsule(_named(view, (CPU, 0)), versioned, False)
    _make_safe(view, stream)
    return _distview.dlpack_capsule(view if target == own else _named(view, target), versioned, False)


def _pair(name: str, value: Any) -> tuple[int, int]:
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(is_int, value))):
        raise TypeError(f"__dlpack__: expected {name} to be a pair of integers, got {short(value)}")
    return int(value[0]), int(value[1])


def _check_stream(device_type: int, stream: Any) -> None:
    """Checks the stream that a consumer passes, by type of device."""
    if stream is None:
        return
    if not is_int(stream):
        raise TypeError(f"__dlpack__: expected stream to be an int or None, got {short(stream)}")
    if stream < -1:
        raise ValueError(f"__dlpack__: expected a stream >= -1, got {stream}")
    if device_type in _CUDA_TYPES:
        if stream == 0:
            raise ValueError("__dlpack__: stream 0 is ambiguous on CUDA: pass 1 (legacy default) or "
                             "2 (per-thread default)")  # fmt: skip
    elif device_type in (ROCM, ROCM_HOST):
        if stream in (1, 2):
            raise ValueError(f"__dlpack__: stream {stream} does not exist on ROCm")
    elif stream != -1:
        raise ValueError(
            f"__dlpack__: expected stream to be None for memory of device type {device_type}, "
            f"got {stream}"
        )


def _make_safe(view: Any, stream: int | None) -> None:
    """Lets the consumer's stream wait for pending work on the view's stream."""
    if not view.stream or stream == -1 or view.device[0] == CPU:
        return
    # None means the default stream, and so does ROCm's 0.
    waiting = int(stream or 1)
    if waiting != view.stream:
        _pending_runtime("__dlpack__", BufferError).wait(waiting, view.stream, view.device)


def _pending_runtime(caller: str, error: type[Exception]) -> DeviceRuntime:
    if runtime is None:
        raise error(
            f"{caller}: work on this array is pending on a stream, and this build of distview has "
            "no support for device memory"
        )
    return runtime


def settle(view: Any, caller: str, error: type[Exception] = UsageError) -> None:
    """Returns when no work is pending on a view's memory."""
    if view.stream:
        _pending_runtime(caller, error).synchronize(view.stream, view.device)


def _copied(view: Any, target: tuple[int, int]) -> _distview.Array:
    """A copy in the memory of the host, or in that of the view's own device."""
    if target == (CPU, 0):
        memory = copy_to_host(view, "__dlpack__", BufferError)
        # Not memory_of_buffer(): NumPy has no bfloat16 and exports such elements as two untyped bytes.
        return _distview.memory_at(
            memory.ctypes.data, list(memory.shape), [], view.typestr, False, target, 0, memory
        )
    if runtime is None or view.device[0] not in _CUDA_TYPES or target != view.device:
        raise BufferError(
            f"__dlpack__: this build of distview cannot copy memory of device {view.device} to "
            f"{target}; copies are made in host memory with dl_device=(1, 0)"
        )
    settle(view, "__dlpack__", BufferError)
    first, nbytes = _span(view)
    address, owner = runtime.allocate(target[0], nbytes) if nbytes else (0, None)
    if nbytes:
        if target[0] == CUDA and runtime.query_pointer(address) != target:
            raise BufferError(f"__dlpack__: copies are made on this process's device, not on {target}")
        runtime.copy(address, view.data_pointer + first, nbytes)
    return _distview.memory_at(
        address - first, list(view.local_shape), list(view.strides), view.typestr, False,
        target, 0, owner,
    )  # fmt: skip


def _named(view: Any, device: tuple[int, int]) -> _distview.Array:
    """The same memory, named as memory of another device that reads it."""
    return _distview.memory_at(
        view.data_pointer, list(view.local_shape), list(view.strides), view.typestr, view.readonly,
        device, 0, view,
    )  # fmt: skip


def _span(view: Any) -> tuple[int, int]:
    """Begin of a section's memory in bytes, relative to its first element, and its number of bytes."""
    if 0 in view.local_shape:
        return 0, 0
    ends = [(n - 1) * step for n, step in zip(view.local_shape, view.strides, strict=True)]
    first = sum(end for end in ends if end < 0)
    return first, sum(end for end in ends if end > 0) - first + view.itemsize


def _image(view: Any, caller: str, error: type[Exception]) -> tuple[np.ndarray, np.ndarray]:
    """A host copy of a section in device memory, gaps included: the bytes, and the elements in them."""
    first, nbytes = _span(view)
    raw = np.empty(nbytes, np.uint8)
    elements: np.ndarray = np.ndarray(
        view.local_shape, view.typestr, raw, -first, view.strides if nbytes else None
    )
    if nbytes:
        if runtime is None or view.device[0] not in _CUDA_TYPES:
            raise error(
                f"{caller}: this build of distview cannot copy memory of device {view.device} to "
                "the host; copy it with the library that made it"
            )
        settle(view, caller, error)
        runtime.copy(raw.ctypes.data, view.data_pointer + first, nbytes)
    return raw, elements


def copy_to_host(view: Any, caller: str, error: type[Exception] = UsageError) -> np.ndarray:
    """A copy of a section in C order."""
    if view.device[0] in HOST_TYPES:
        settle(view, caller, error)
        return np.array(view.view, order="C", copy=True)
    return np.ascontiguousarray(_image(view, caller, error)[1]).reshape(view.local_shape)


def copy_from_host(view: Any, values: Any, cells: tuple[slice, ...], caller: str) -> None:
    """Writes values to a part of a section."""
    if view.readonly:
        raise ShapeError(f"{caller}: the array is read-only")
    view._note_written()
    if view.device[0] in HOST_TYPES:
        settle(view, caller)
        view.view[cells] = values
        return
    # The bytes between the elements are written back unchanged.
    raw, elements = _image(view, caller, UsageError)
    elements[cells] = values
    if raw.size:
        device_runtime(caller).copy(view.data_pointer + _span(view)[0], raw.ctypes.data, raw.size)


_NAMES = {"cpu": CPU, "cuda": CUDA, "cuda_host": CUDA_HOST, "cuda_managed": CUDA_MANAGED}


def memory_kind(given: Any) -> tuple[int, int]:
    """Converts a user's ``device`` for a new array to (type, id); id -1 is the process's own device."""
    if given is None:
        return CPU, 0
    if isinstance(given, str):
        name, colon, number = given.partition(":")
        if name in _NAMES and (not colon or (name == "cuda" and number.isdecimal())):
            return _NAMES[name], int(number) if colon else -1 if name == "cuda" else 0
    elif isinstance(given, tuple) and len(given) == 2 and all(map(is_int, given)):
        if given[0] in _NAMES.values():
            return int(given[0]), int(given[1])
    raise UsageError(
        'DistView: expected device to be "cpu", "cuda", "cuda:N", "cuda_host", "cuda_managed" or a '
        f"pair of DLPack's numbers for one of them, got {short(given)}"
    )


def kind_like(view: Any) -> tuple[int, int]:
    """The device for an array like another one; the host if this build supports no other memory."""
    return (CPU, 0) if runtime is None and view.device[0] in HOST_TYPES else view.device


def is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
