# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack as in a C program: the structs in a capsule, and hand-made capsules."""

import ctypes

import numpy as np

LEGACY, VERSIONED = b"dltensor", b"dltensor_versioned"
USED = {LEGACY: b"used_dltensor", VERSIONED: b"used_dltensor_versioned"}
READ_ONLY, IS_COPIED = 1, 2
CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, MANAGED, ONE_API = 1, 2, 3, 10, 11, 13, 14


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", Tensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]
    name = LEGACY


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]
    name = VERSIONED


# Called without the GIL, as from C.
Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def _function(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_get_name = _function("PyCapsule_GetName", ctypes.c_char_p, ctypes.py_object)
_set_name = _function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_get_pointer = _function(
    "PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p
)
_new = _function(
    "PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)


def name_of(capsule):
    return _get_name(capsule)


def struct_of(capsule):
    """The struct in a capsule, consumed or not; valid while its producer keeps it."""
    name = name_of(capsule)
    kind = ManagedVersioned if b"versioned" in name else Managed
    return kind.from_address(_get_pointer(capsule, name))


def consume(capsule):
    """Consumes a capsule; the caller must call the deleter."""
    _set_name(capsule, USED[name_of(capsule)])
    return struct_of(capsule)


def delete(managed):
    Deleter(managed.deleter)(ctypes.addressof(managed))


def shape_of(tensor):
    return tuple(tensor.shape[d] for d in range(tensor.ndim))


def strides_of(tensor):
    """Strides in elements."""
    return tuple(tensor.strides[d] for d in range(tensor.ndim))


def array_of(tensor):
    """A NumPy array over a tensor of doubles in host memory, made from its struct only."""
    assert (tensor.code, tensor.bits, tensor.lanes) == (2, 64, 1)
    strides = tuple(8 * stride for stride in strides_of(tensor))
    interface = dict(
        version=3, typestr="<f8", data=(tensor.data, False), shape=shape_of(tensor), strides=strides
    )
    return np.asarray(type("Memory", (), {"__array_interface__": interface})())


class MadeUp:
    """A producer of a capsule whose struct is filled in by hand.

    numbers: the tensor's elements, None for data NULL. keywords: members of either struct;
    `shape` and `strides` are tuples, addresses or None for NULL. Counts the calls of its deleter.
    """

    def __init__(self, kind=ManagedVersioned, numbers=None, **members):
        self.numbers = numbers
        self.calls_of_dlpack = []
        self.deleted = 0
        self._deleter = Deleter(self._delete)
        self.managed = kind()
        defaults = dict(device_type=CPU, code=2, bits=64, lanes=1)
        if numbers is not None:
            defaults["data"] = numbers.__array_interface__["data"][0]
            defaults["shape"] = numbers.shape
            defaults["strides"] = tuple(s // numbers.itemsize for s in numbers.strides)
        if kind is ManagedVersioned:
            defaults["major"] = 1
        defaults["deleter"] = ctypes.cast(self._deleter, ctypes.c_void_p).value
        for name, value in {**defaults, **members}.items():
            self._set(name, value)
        shape = {**defaults, **members}.get("shape")
        if isinstance(shape, tuple) and "ndim" not in members:
            self.managed.tensor.ndim = len(shape)
        self.capsule = _new(ctypes.addressof(self.managed), kind.name, None)

    def _set(self, name, value):
        if isinstance(value, tuple):
            value = (ctypes.c_int64 * max(len(value), 1))(*value)
        elif name in ("shape", "strides"):
            value = ctypes.cast(value, ctypes.POINTER(ctypes.c_int64))
        is_outer = any(name == field for field, _ in self.managed._fields_)
        setattr(self.managed if is_outer else self.managed.tensor, name, value)

    def _delete(self, pointer):
        assert pointer == ctypes.addressof(self.managed)
        self.deleted += 1

    def __dlpack__(self, **keywords):
        self.calls_of_dlpack.append(keywords)
        return self.capsule

    def __dlpack_device__(self):
        return self.managed.tensor.device_type, self.managed.tensor.device_id
