# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device memory: the CUDA Array Interface (version 3) and DLPack, both ways.

What a device must be asked goes through ``runtime``, an object with three methods, so that the
rules can be tested without one. Numbers of devices are DLPack's.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from . import _distview
from ._errors import UsageError

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
#: Memory that a host program may read and write.
HOST_TYPES = (CPU, CUDA_HOST, ROCM_HOST, CUDA_MANAGED)
_CUDA_TYPES = (CUDA, CUDA_HOST, CUDA_MANAGED)


class DeviceRuntime(Protocol):
    """What must be known of devices. Streams are integers as the CUDA Array Interface has them."""

    def query_pointer(self, pointer: int) -> tuple[int, int]:
        """(type, id) of the memory that an address belongs to; (1, 0) for plain host memory."""

    def synchronize(self, stream: int) -> None:
        """Returns when all work on a stream has finished."""

    def wait(self, waiting: int, stream: int) -> None:
        """Lets later work on stream ``waiting`` begin after what is on ``stream`` now."""


#: None until a build with device support, or a test, provides one.
runtime: DeviceRuntime | None = None


def _device_runtime(caller: str) -> DeviceRuntime:
    if runtime is None:
        raise UsageError(f"{caller}: this build of distview has no support for device memory")
    return runtime


def cuda_array_interface(view: Any) -> dict[str, Any]:
    """The dictionary of a view in memory that CUDA devices read; AttributeError for others."""
    if view.device[0] not in _CUDA_TYPES:
        raise AttributeError("__cuda_array_interface__: this view is in host memory")
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
            "view: this array is in device memory, and CuPy is not installed: use "
            "__cuda_array_interface__ or __dlpack__ with another library"
        ) from None
    return cupy.asarray(view)


def dlpack(
    view: Any,
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> Any:
    """The capsule that __dlpack__ returns."""
    own = view.device
    versioned = max_version is not None and max_version[0] >= 1
    target = own if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"__dlpack__: expected copy to be a bool or None, got {copy!r}")
    to_host = target == (CPU, 0) and own[0] not in (CPU,)
    if target != own and not to_host:
        raise BufferError(f"__dlpack__: a view on device {own} cannot be exported to {target}")
    if to_host and own[0] not in HOST_TYPES:
        raise BufferError(
            "__dlpack__: copying device memory to the host is not supported; "
            "copy it with the library that reads this"
        )
    _check_stream(CPU if to_host else own[0], stream)
    if to_host and copy is False and own[0] == CUDA:
        raise BufferError("__dlpack__: the host cannot read this memory without a copy")
    if copy:
        return _copied_capsule(view, own, versioned)
    if to_host:
        if view.stream:
            _device_runtime("__dlpack__").synchronize(view.stream)
        return _distview.dlpack_capsule(_as_host(view), versioned, False)
    _make_safe(view, stream)
    return _distview.dlpack_capsule(view, versioned, False)


def _check_stream(device_type: int, stream: Any) -> None:
    """What a consumer may say of its stream, by device."""
    if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int)):
        raise TypeError(f"__dlpack__: expected stream to be an int or None, got {stream!r}")
    if device_type in (CUDA, CUDA_HOST, CUDA_MANAGED):
        if stream == 0:
            raise ValueError("__dlpack__: stream 0 is ambiguous on CUDA: pass 1 (legacy default) or "
                             "2 (per-thread default)")  # fmt: skip
    elif device_type in (ROCM, ROCM_HOST):
        if stream in (1, 2):
            raise ValueError(f"__dlpack__: stream {stream} does not exist on ROCm")
    elif stream not in (None, -1):
        raise BufferError(f"__dlpack__: expected stream to be None for host memory, got {stream!r}")
    if stream is not None and stream < -1:
        raise ValueError(f"__dlpack__: expected a stream >= -1, got {stream}")


def _make_safe(view: Any, stream: Any) -> None:
    """Lets the consumer's stream wait for pending work on ours."""
    if not view.stream or stream == -1 or view.device[0] == CPU:
        return
    waiting = 1 if stream is None else (stream or 1)
    if waiting != view.stream:
        _device_runtime("__dlpack__").wait(waiting, view.stream)


def _copied_capsule(view: Any, own: tuple[int, int], versioned: bool) -> Any:
    if own[0] not in HOST_TYPES:
        raise BufferError("__dlpack__: copies of device memory are not supported")
    memory = np.array(view.view, order="C", copy=True)
    return _distview.dlpack_capsule(_distview.memory_of_buffer(memory), versioned, True)


def _as_host(view: Any) -> Any:
    return _distview.memory_at(
        view.data_pointer, list(view.local_shape), list(view.strides), view.typestr, view.readonly,
        (CPU, 0), 0, view,
    )  # fmt: skip


def memory_of(section: Any) -> _distview.Array:
    """The memory of what wrap() is given, without a copy: a buffer, a CAI or DLPack object."""
    if isinstance(section, _distview.Array):
        return section
    interface = getattr(section, "__cuda_array_interface__", None)
    if interface is not None:
        return _memory_of_interface(section, interface)
    try:
        return _distview.memory_of_buffer(section)
    except (TypeError, BufferError, ValueError):
        if not hasattr(section, "__dlpack__"):
            raise UsageError(
                f"wrap: an object of type {type(section).__name__} offers neither the buffer "
                "protocol nor __cuda_array_interface__ nor __dlpack__"
            ) from None
    try:
        capsule = section.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = section.__dlpack__()
    return _distview.import_dlpack(capsule)


def _memory_of_interface(section: Any, interface: Any) -> _distview.Array:
    """Rules G of the specification, as a consumer."""
    if not isinstance(interface, dict):
        raise TypeError("wrap: expected __cuda_array_interface__ to be a dict, got "
                        f"{type(interface).__name__}")  # fmt: skip
    for key in ("shape", "typestr", "data", "version"):
        if key not in interface:
            raise ValueError(f"wrap: the __cuda_array_interface__ lacks {key!r}")
    shape = interface["shape"]
    if not isinstance(shape, tuple) or not all(_is_int(n) and n >= 0 for n in shape):
        raise TypeError(f"wrap: expected 'shape' to be a tuple of integers >= 0, got {shape!r}")
    data = interface["data"]
    if not (isinstance(data, tuple) and len(data) == 2 and _is_int(data[0])):
        raise TypeError(f"wrap: expected 'data' to be a pair (pointer, read_only), got {data!r}")
    version = interface["version"]
    if not _is_int(version) or version < 0:
        raise TypeError(f"wrap: expected 'version' to be an integer, got {version!r}")
    typestr = interface["typestr"]
    if not isinstance(typestr, str):
        raise TypeError(f"wrap: expected 'typestr' to be a string, got {typestr!r}")
    if typestr[:1] == ">" or typestr[1:2] == "V":
        raise ValueError(f"wrap: elements of type {typestr!r} are not supported")
    if interface.get("mask") is not None:
        raise NotImplementedError("wrap: masked arrays are not supported")
    strides = interface.get("strides")
    itemsize = int(typestr[2:]) if typestr[2:].isdecimal() else 0
    if strides is not None:
        if not isinstance(strides, tuple) or not all(_is_int(n) for n in strides):
            raise TypeError(f"wrap: expected 'strides' to be a tuple of integers, got {strides!r}")
        if len(strides) != len(shape):
            raise ValueError(f"wrap: {len(strides)} strides for {len(shape)} axes")
        if itemsize and any(n % itemsize for n in strides):
            raise ValueError(f"wrap: strides {strides!r} are no multiples of {itemsize} bytes")
    stream = interface.get("stream")
    if stream is not None and not _is_int(stream):
        raise TypeError(f"wrap: expected 'stream' to be an integer or None, got {stream!r}")
    if stream == 0:
        raise ValueError("wrap: stream 0 is ambiguous and not allowed")
    empty = 0 in shape
    if data[0] == 0 and not empty:
        raise ValueError("wrap: a null pointer for an array that has elements")
    device = (CUDA, 0)
    if data[0]:
        device = _device_runtime("wrap").query_pointer(data[0])
        if device[0] == CPU:
            raise ValueError("wrap: the pointer of __cuda_array_interface__ is plain host memory")
    if stream is not None:
        _device_runtime("wrap").synchronize(stream)
    return _distview.memory_at(
        data[0], list(shape), list(strides) if strides else [], typestr, bool(data[1]), device, 0,
        section,
    )  # fmt: skip


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
