# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device memory: the CUDA Array Interface (version 3) and DLPack, both ways.

What a device must be asked goes through ``runtime``, an object with three methods, so that the
rules can be tested without one. Numbers of devices are DLPack's.
"""

from __future__ import annotations

import os
import warnings
from typing import Any, Protocol

import numpy as np

from . import _distview
from ._errors import UsageError

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13
#: Memory that a host program may read and write.
HOST_TYPES = (CPU, CUDA_HOST, ROCM_HOST, CUDA_MANAGED)
_CUDA_TYPES = (CUDA, CUDA_HOST, CUDA_MANAGED)
_HERE = os.path.dirname(__file__)


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
    versioned = max_version is not None and _pair("max_version", max_version)[0] >= 1
    target = own if dl_device is None else _pair("dl_device", dl_device)
    if copy is not None and not isinstance(copy, bool):
        raise TypeError(f"__dlpack__: expected copy to be a bool or None, got {copy!r}")
    to_host = target == (CPU, 0) and own[0] != CPU
    if to_host and stream is not None:
        raise ValueError(f"__dlpack__: expected stream to be None for the host, got {stream!r}")
    _check_stream(own[0], stream)
    if target != own and not to_host:
        raise BufferError(f"__dlpack__: a view on device {own} cannot be exported to {target}")
    if to_host and own[0] not in HOST_TYPES:
        raise BufferError(
            "__dlpack__: copying device memory to the host is not supported; "
            "copy it with the library that reads this"
        )
    if copy and target != (CPU, 0):
        raise BufferError("__dlpack__: copies are made in host memory only: pass dl_device=(1, 0)")
    if to_host and view.stream:
        _runtime_for_export().synchronize(view.stream)
    if copy:
        return _distview.dlpack_capsule(_copied(view), versioned, True)
    if to_host:
        return _distview.dlpack_capsule(_as_host(view), versioned, False)
    _make_safe(view, stream)
    return _distview.dlpack_capsule(view, versioned, False)


def _pair(name: str, value: Any) -> tuple[int, int]:
    if not (isinstance(value, tuple) and len(value) == 2 and all(map(_is_int, value))):
        raise TypeError(f"__dlpack__: expected {name} to be a pair of integers, got {value!r}")
    return int(value[0]), int(value[1])


def _check_stream(device_type: int, stream: Any) -> None:
    """What a consumer may say of its stream, by device."""
    if stream is None:
        return
    if not _is_int(stream):
        raise TypeError(f"__dlpack__: expected stream to be an int or None, got {stream!r}")
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


def _runtime_for_export() -> DeviceRuntime:
    if runtime is None:
        raise BufferError(
            "__dlpack__: work on this view is pending on a stream, and this build of distview has "
            "no support for device memory"
        )
    return runtime


def _make_safe(view: Any, stream: int | None) -> None:
    """Lets the consumer's stream wait for pending work on ours."""
    if not view.stream or stream == -1 or view.device[0] == CPU:
        return
    # None is the default stream, and so is ROCm's 0.
    waiting = int(stream or 1)
    if waiting != view.stream:
        _runtime_for_export().wait(waiting, view.stream)


def _copied(view: Any) -> _distview.Array:
    memory = np.array(view.view, order="C", copy=True)
    # Not memory_of_buffer(): to NumPy, bfloat16 elements are two bytes of anything.
    return _distview.memory_at(
        memory.ctypes.data, list(memory.shape), [], view.typestr, False, (CPU, 0), 0, memory
    )


def _as_host(view: Any) -> _distview.Array:
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
    except (TypeError, BufferError, ValueError) as failure:
        if not hasattr(section, "__dlpack__"):
            raise UsageError(
                f"wrap: an object of type {type(section).__name__} offers neither the buffer "
                f"protocol ({failure}) nor __cuda_array_interface__ nor __dlpack__"
            ) from None
    return _memory_of_dlpack(section)


def _memory_of_dlpack(section: Any) -> _distview.Array:
    """Rules D of the specification, as a consumer."""
    try:
        capsule = section.__dlpack__(max_version=(1, 0), copy=False)
    except TypeError:  # a producer of before DLPack 1.0
        capsule = section.__dlpack__()
    memory = _distview.import_dlpack(capsule)
    if memory.device[0] != CPU:
        # Without a stream, the producer made the data safe on the default stream only.
        _device_runtime("wrap").synchronize(1)
    return memory


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
    pointer, read_only = _pointer_of(interface["data"])
    version = interface["version"]
    if not _is_int(version) or version < 0:
        raise TypeError(f"wrap: expected 'version' to be an integer >= 0, got {version!r}")
    if version > 3:
        warnings.warn(
            f"wrap: __cuda_array_interface__ has version {version}, read as version 3",
            skip_file_prefixes=(_HERE,),
        )
    typestr = interface["typestr"]
    if not isinstance(typestr, str) or typestr[1:2] == "V":
        # Structured types, whose 'descr' nobody here reads.
        raise TypeError(f"wrap: expected 'typestr' to name a type of numbers, got {typestr!r}")
    if typestr[:1] == ">":
        raise ValueError(f"wrap: big-endian elements ({typestr!r}) are not supported")
    if interface.get("mask") is not None:
        raise NotImplementedError("wrap: masked arrays are not supported")
    strides = interface.get("strides")
    if strides is not None:
        _check_strides(strides, shape, typestr)
    stream = interface.get("stream")
    if stream is not None and not _is_int(stream):
        raise TypeError(f"wrap: expected 'stream' to be an integer or None, got {stream!r}")
    if stream == 0:
        raise ValueError("wrap: stream 0 is ambiguous and not allowed")

    device = (CUDA, 0)
    if 0 not in shape:
        if pointer == 0:
            raise ValueError("wrap: a null pointer for an array that has elements")
        device = _device_runtime("wrap").query_pointer(pointer)
        if device[0] == CPU:
            raise ValueError("wrap: the pointer of __cuda_array_interface__ is plain host memory")
    if stream is not None:
        _device_runtime("wrap").synchronize(int(stream))
    return _distview.memory_at(
        pointer, list(map(int, shape)), list(map(int, strides or ())), typestr, read_only, device,
        0, section,
    )  # fmt: skip


def _pointer_of(data: Any) -> tuple[int, bool]:
    if not (isinstance(data, tuple) and len(data) == 2 and _is_int(data[0])):
        raise TypeError(f"wrap: expected 'data' to be a pair (pointer, read_only), got {data!r}")
    if not isinstance(data[1], (bool, np.bool_)):
        raise TypeError(f"wrap: expected read_only in 'data' to be a bool, got {data[1]!r}")
    if not 0 <= data[0] < 2**64:
        raise ValueError(f"wrap: {data[0]} is no address")
    return int(data[0]), bool(data[1])


def _check_strides(strides: Any, shape: tuple[int, ...], typestr: str) -> None:
    if not isinstance(strides, tuple) or not all(map(_is_int, strides)):
        raise TypeError(f"wrap: expected 'strides' to be a tuple of integers, got {strides!r}")
    if len(strides) != len(shape):
        raise ValueError(f"wrap: {len(strides)} strides for {len(shape)} axes")
    itemsize = int(typestr[2:]) if typestr[2:].isdecimal() else 0
    if itemsize and any(n % itemsize for n in strides):
        raise ValueError(f"wrap: strides {strides!r} are no multiples of {itemsize} bytes")


def _is_int(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
