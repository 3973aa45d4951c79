# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""call_scalars.py LIBRARY: calls the scalar functions of all languages, by ctypes only."""

import ctypes
import enum
import sys

sys.dont_write_bytecode = True
from scalars import COLOURS, IMPLEMENTERS, SCALARS  # noqa: E402

Colour = enum.IntEnum("Colour", COLOURS)


class FComplex(ctypes.Structure):
    """A complex number of single precision; ctypes has none before Python 3.14."""

    _fields_ = (("real", ctypes.c_float), ("imag", ctypes.c_float))


class DComplex(ctypes.Structure):
    _fields_ = (("real", ctypes.c_double), ("imag", ctypes.c_double))


TYPES = {
    "bool": ctypes.c_bool, "char": ctypes.c_char, "int32": ctypes.c_int32, "int64": ctypes.c_int64,
    "float": ctypes.c_float, "double": ctypes.c_double, "fcomplex": FComplex, "dcomplex": DComplex,
    "opaque": ctypes.c_void_p, "string": ctypes.c_char_p, "enum": ctypes.c_int32,
}  # fmt: skip


def to_c(scalar, value):
    """A Python value as a ctypes object."""
    if scalar.name == "char":
        value = bytes([value])
    elif scalar.name == "string":
        value = value.encode()
    elif scalar.name == "enum":
        value = Colour[value]
    elif isinstance(value, complex):
        return TYPES[scalar.name](value.real, value.imag)
    return TYPES[scalar.name](value)


def from_c(scalar, value):
    """The Python value of a ctypes result or object."""
    if scalar.name in ("fcomplex", "dcomplex"):
        return complex(value.real, value.imag)
    if isinstance(value, ctypes._SimpleCData):
        value = value.value
    if scalar.name == "char":
        return value[0]
    if scalar.name == "string":
        return value.decode()
    return Colour(value).name if scalar.name == "enum" else value


class Text:
    """A buffer for text and its length, as three arguments."""

    def __init__(self, text=""):
        self.buffer = ctypes.create_string_buffer(text.encode(), 40)
        self.length = ctypes.c_int64(len(text.encode()))

    def arguments(self):
        return self.buffer, ctypes.c_int64(40), ctypes.byref(self.length)

    def value(self):
        return self.buffer.raw[: self.length.value].decode()


class Place:
    """An argument through which a function writes a scalar."""

    def __init__(self, scalar, value):
        self.scalar, self.object = scalar, to_c(scalar, value)

    def arguments(self):
        return (ctypes.byref(self.object),)

    def value(self):
        return from_c(self.scalar, self.object)


def results(library, of, scalar):
    """Pairs (mode, whether the result is right) for the five functions of a type."""

    def function(mode, result):
        found = getattr(library, f"{of}_{mode}_{scalar.name}")
        found.restype = result
        return found

    def taken():
        value = to_c(scalar, scalar.taken)
        return (value, ctypes.c_int64(len(scalar.taken.encode()))) if scalar.name == "string" else (value,)

    def place(value):
        return Text(value) if scalar.name == "string" else Place(scalar, value)

    result = TYPES[scalar.name]
    yield "return", from_c(scalar, function("return", result)()) == scalar.returned
    yield "in", function("in", ctypes.c_bool)(*taken())
    b, c = place(scalar.before), place(scalar.before)
    function("out", None)(*b.arguments())
    yield "out", b.value() == scalar.given
    right = function("inout", ctypes.c_bool)(*c.arguments())
    yield "inout", right and c.value() == scalar.after
    b, c = place(scalar.before), place(scalar.before)
    returned = from_c(scalar, function("all", result)(*taken(), *b.arguments(), *c.arguments()))
    yield "all", (returned, b.value(), c.value()) == (scalar.returned, scalar.given, scalar.after)


def main():
    library = ctypes.CDLL(sys.argv[1])
    failures = 0
    for scalar in SCALARS:
        for of in IMPLEMENTERS:
            for mode, right in results(library, of, scalar):
                print(f"languages {scalar.name} {mode} python {of} {'ok' if right else 'failed'}")
                failures += not right
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
