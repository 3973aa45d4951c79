# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports memory of other libraries: buffers, the CUDA Array Interface (version 3) and DLPack."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from . import _distview
from ._device import CPU, CUDA, CUDA_MANAGED, device_runtime, is_int
from ._errors import UsageError, short

_HERE = os.path.dirname(__file__)


def memory_of(section: Any) -> _distview.Array:
    """The memory of an object passed to wrap(), without a copy: a buffer, a CAI or DLPack object."""
    if isinstance(section, _distview.Array):
        return section
    interface = getattr(section, "__cuda_array_interface__", None)
    if interface is not None:
        # DLPack is preferred: it lets producers synchronise their data, and some name no stream in the CAI.
        if _device_type(section) in (CUDA, CUDA_MANAGED):
            return _memory_of_dlpack(section)
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


def _device_type(section: Any) -> int:
    """The device type of an object with __dlpack__; the host's for other objects."""
    if not hasattr(section, "__dlpack__") or not hasattr(section, "__dlpack_device__"):
        return CPU
    return int(section.__dlpack_device__()[0])


def _memory_of_dlpack(section: Any) -> _distview.Array:
    """Imports by rules D of the specification, as a consumer."""
    # Without a stream some producers do not synchronise at all, instead of with the default stream.
    stream = {"stream": 1} if _device_type(section) in (CUDA, CUDA_MANAGED) else {}
    try:
        capsule = section.__dlpack__(max_version=(1, 0), copy=False, **stream)
    except TypeError:  # a producer older than DLPack 1.0
        capsule = section.__dlpack__(**stream)
    memory = _distview.import_dlpack(capsule)
    if memory.device[0] != CPU:
        # The data are safe on that stream only, and this library's streams do not wait for it.
        device_runtime("wrap").synchronize(1, memory.device)
    return memory


def _memory_of_interface(section: Any, interface: Any) -> _distview.Array:
    """Imports by rules G of the specification, as a consumer."""
    if not isinstance(interface, dict):
        raise TypeError("wrap: expected __cuda_array_interface__ to be a dict, got "
                        f"{type(interface).__name__}")  # fmt: skip
    for key in ("shape", "typestr", "data", "version"):
        if key not in interface:
            raise ValueError(f"wrap: the __cuda_array_interface__ lacks {short(key)}")
    shape = interface["shape"]
    if not isinstance(shape, tuple) or not all(is_int(n) and n >= 0 for n in shape):
        raise TypeError(f"wrap: expected 'shape' to be a tuple of integers >= 0, got {short(shape)}")
    pointer, read_only = _pointer_of(interface["data"])
    version = interface["version"]
    if not is_int(version) or version < 0:
        raise TypeError(f"wrap: expected 'version' to be an integer >= 0, got {short(version)}")
    if version > 3:
        warnings.warn(
            f"wrap: __cuda_array_interface__ has version {version}, read as version 3",
            skip_file_prefixes=(_HERE,),
        )
    typestr = interface["typestr"]
    if not isinstance(typestr, str) or typestr[1:2] == "V":
        # Structured types are refused: this module does not read their 'descr'.
        raise TypeError(f"wrap: expected 'typestr' to name a type of numbers, got {short(typestr)}")
    if typestr[:1] == ">":
        raise ValueError(f"wrap: big-endian elements ({short(typestr)}) are not supported")
    if interface.get("mask") is not None:
        raise NotImplementedError("wrap: masked arrays are not supported")
    strides = interface.get("strides")
    if strides is not None:
        _check_strides(strides, shape, typestr)
    stream = interface.get("stream")
    if stream is not None and not is_int(stream):
        raise TypeError(f"wrap: expected 'stream' to be an integer or None, got {short(stream)}")
    if stream == 0:
        raise ValueError("wrap: stream 0 is ambiguous and not allowed")

    device = (CUDA, 0)
    if 0 not in shape:
        if pointer == 0:
            raise ValueError("wrap: a null pointer for an array that has elements")
        device = device_runtime("wrap").query_pointer(pointer)
        if device[0] == CPU:
            raise ValueError("wrap: the pointer of __cuda_array_interface__ is plain host memory")
    if stream is not None:
        device_runtime("wrap").synchronize(int(stream), device)
    return _distview.memory_at(
        pointer, list(map(int, shape)), list(map(int, strides or ())), typestr, read_only, device,
        0, section,
    )  # fmt: skip


def _pointer_of(data: Any) -> tuple[int, bool]:
    if not (isinstance(data, tuple) and len(data) == 2 and is_int(data[0])):
        raise TypeError(f"wrap: expected 'data' to be a pair (pointer, read_only), got {short(data)}")
    if not isinstance(data[1], (bool, np.bool_)):
        raise TypeError(f"wrap: expected read_only in 'data' to be a bool, got {short(data[1])}")
    if not 0 <= data[0] < 2**64:
        raise ValueError(f"wrap: {data[0]} is not an address")
    return int(data[0]), bool(data[1])


def _check_strides(strides: Any, shape: tuple[int, ...], typestr: str) -> None:
    if not isinstance(strides, tuple) or not all(map(is_int, strides)):
        raise TypeError(f"wrap: expected 'strides' to be a tuple of integers, got {short(strides)}")
    if len(strides) != len(shape):
        raise ValueError(f"wrap: {len(strides)} strides for {len(shape)} axes")
    itemsize = int(typestr[2:]) if typestr[2:].isdecimal() else 0
    # A stride along fewer than two elements has no meaning.
    used = [n for n, extent in zip(strides, shape) if extent > 1] if 0 not in shape else []
    if itemsize and any(n % itemsize for n in used):
        raise ValueError(f"wrap: strides {short(strides)} are not multiples of {itemsize} bytes")
