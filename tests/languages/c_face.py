# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C face of DistView for ctypes: structures, constants, errors as exceptions."""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_void_p

ROW_MAJOR, COLUMN_MAJOR, STRIDED = 0, 1, 2
INT32, INT64, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128 = 4, 8, 0x2000004, 0x2000008, 0x5000008, 0x5000010
OPAQUE, BOOL = 0x3000000, 0x6000001
SHAPE_ERROR, OTHER_ERROR = 2, 6


class Memory(ctypes.Structure):
    _fields_ = (("data", c_void_p), ("element", c_int32), ("rank", c_int32), ("extents", c_int64 * 8),
                ("strides", c_int64 * 8), ("order", c_int32), ("read_only", c_int32), ("device_type", c_int32),
                ("device_id", c_int32))  # fmt: skip


class Axis(ctypes.Structure):
    _fields_ = (("kind", c_int32), ("periodic", c_int32), ("extent", c_int64), ("padding_low", c_int64),
                ("padding_high", c_int64), ("boundary_low", c_int64), ("boundary_high", c_int64),
                ("own_boundary", c_int32), ("one_to_one", c_int32), ("block_size", c_int64), ("bounds", c_void_p),
                ("paddings", c_void_p), ("counts", c_void_p), ("labels", c_void_p), ("ghosts", c_void_p),
                ("known_process", c_int32), ("unused", c_int32), ("distribution", c_void_p), ("user", c_void_p))  # fmt: skip


class Slice(ctypes.Structure):
    _fields_ = (("begin", c_int64), ("count", c_int64), ("step", c_int64))


class PlainArray(ctypes.Structure):
    _fields_ = (("data", c_void_p), ("element", c_int32), ("rank", c_int32), ("extents", c_int64 * 8),
                ("leading_dimension", c_int64), ("order", c_int32), ("is_copy", c_int32))  # fmt: skip


class LocalCopyOptions(ctypes.Structure):
    _fields_ = tuple((name, c_int32) for name in ("intent", "order", "cells", "takes_leading_dimension", "writes_all",
                                                  "unused"))  # fmt: skip


class CopiedBytes(ctypes.Structure):
    _fields_ = (("copied_in", c_int64), ("copied_out", c_int64))


class LastError(ctypes.Structure):
    _fields_ = (("status", c_int32), ("mpi_code", c_int32), ("axis", c_int32), ("process", c_int32),
                ("class_name", c_char_p), ("message", c_char_p), ("code", c_char_p), ("key", c_char_p))  # fmt: skip


class Error(Exception):
    """The exception for a status of C; each class of the library, and each code of the program, has its own."""

    code = ""


class LayoutError(Error):
    pass


class ShapeError(Error):
    pass


class UsageError(Error):
    pass


class FibonacciError(Error):
    pass


class NegativeValue(FibonacciError):
    code = "NegativeValue"


class Exceeded(FibonacciError):
    pass


class TooDeep(Exceeded):
    code = "TooDeep"


class TooBig(Exceeded):
    code = "TooBig"


_CLASSES = {c.__name__: c for c in (Error, LayoutError, ShapeError, UsageError, NegativeValue, TooDeep, TooBig)}


class Library:
    """Functions of a shared library; if one returns an error status, check() and call() raise its exception."""

    def __init__(self, path):
        # Libraries that MPI loads later need its symbols.
        self.functions = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.functions.distview_last_error.restype = POINTER(LastError)
        for name in ("distview_array_retain", "c_memory", "cpp_memory", "fortran_memory", "c_hold", "cpp_hold",
                     "fortran_hold"):  # fmt: skip
            if hasattr(self.functions, name):
                getattr(self.functions, name).restype = c_void_p
        for name in ("c", "cpp", "fortran"):
            if hasattr(self.functions, f"{name}_count_wrong"):
                getattr(self.functions, f"{name}_count_wrong").restype = c_int64
            if hasattr(self.functions, f"{name}_particle_mass"):
                getattr(self.functions, f"{name}_particle_mass").restype = c_double

    def check(self, status):
        if status:
            error = self.functions.distview_last_error().contents
            raise _CLASSES.get(error.code.decode(), _CLASSES.get(error.class_name.decode(), Error))(error.message.decode())

    def call(self, name, *arguments):
        self.check(getattr(self.functions, name)(*arguments))

    def make(self, name, *arguments):
        """Calls a function that writes a handle to its last argument, and returns the handle."""
        handle = c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle

    def number(self, name, handle, type_=c_int):
        place = type_()
        self.call(name, handle, ctypes.byref(place))
        return place.value

    def set_error(self, error):
        """The status for a Python exception in a function that the library has called."""
        status = SHAPE_ERROR if isinstance(error, ShapeError) else OTHER_ERROR
        return self.functions.distview_set_error(status, type(error).code.encode(), str(error).encode())


def raises(class_, base, part, function):
    """Whether a call raises exactly class_, caught as base, with a text that contains part."""
    try:
        function()
    except base as error:
        return type(error) is class_ and part in str(error)
    return False
