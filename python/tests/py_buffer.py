# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Py_buffer, as in a C consumer."""

import contextlib
import ctypes
import inspect

FLAGS = inspect.BufferFlags


class PyBuffer(ctypes.Structure):
    """Py_buffer of the stable ABI."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


_get_buffer = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p, ctypes.c_int)(
    ("PyObject_GetBuffer", ctypes.pythonapi)
)
_release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyBuffer_Release", ctypes.pythonapi))


@contextlib.contextmanager
def buffer_of(view, flags):
    """The Py_buffer that a consumer in C gets with these flags."""
    buffer = PyBuffer()
    _get_buffer(view, ctypes.addressof(buffer), int(flags))
    try:
        yield buffer
    finally:
        _release(ctypes.addressof(buffer))
        assert not buffer.obj


def numbers(pointer, count):
    return tuple(pointer[d] for d in range(count))
