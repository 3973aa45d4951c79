# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values put in the place of others: each is right for some keys and wrong for others."""

import array
import collections
import ctypes
import decimal
import fractions
import types

import numpy as np
from dap_cases import Index, Producer, block


class Stubborn:
    """An object that refuses every operation."""

    def _refuse(self, *_):
        raise RuntimeError("no")

    __index__ = __len__ = __iter__ = __getitem__ = __bool__ = __eq__ = __repr__ = __str__ = _refuse
    __hash__ = None


class Text(str):
    """A str of another class."""


class Pair(tuple):
    """A tuple of another class."""


def _released():
    view = memoryview(bytearray(3))
    view.release()
    return view


def _mapped(length, value):
    return np.lib.stride_tricks.as_strided(np.array([value]), (length,), (0,))


BAD_VALUES = {
    "missing": ...,
    "None": None,
    "True": True,
    "False": False,
    "-1": -1,
    "0": 0,
    "1": 1,
    "2": 2,
    "3": 3,
    "5": 5,
    "a million": 10**6,
    "2**31": 2**31,
    "2**32 + 1": 2**32 + 1,
    "2**63 - 1": 2**63 - 1,
    "2**63": 2**63,
    "-2**63": -(2**63),
    "-2**63 - 1": -(2**63) - 1,
    "2**64 + 2": 2**64 + 2,
    "2**200": 2**200,
    "-2**200": -(2**200),
    "1.0": 1.0,
    "nan": float("nan"),
    "inf": float("inf"),
    "1j": 1j,
    "Decimal": decimal.Decimal(1),
    "Fraction": fractions.Fraction(1),
    "''": "",
    "'b'": "b",
    "'c'": "c",
    "'u'": "u",
    "'n'": "n",
    "'B'": "B",
    "'q'": "q",
    "'1'": "1",
    "arabic 1": "\u0661",
    "surrogate": "\ud800",
    "nul": "b\0",
    "long text": "b" * 100_000,
    "Text b": Text("b"),
    "np.str_": np.str_("c"),
    "b'b'": b"b",
    "bytes": b"\1\2\3",
    "bytearray": bytearray(b"\3\1\2"),
    "memoryview": memoryview(b"\1\2\3"),
    "negative stride": memoryview(bytearray(b"\1\2\3"))[::-1],
    "cast": memoryview(bytes(range(24))).cast("q"),
    "cast c": memoryview(b"abc").cast("c"),
    "cast plane": memoryview(bytes(range(4))).cast("b", (2, 2)),
    "released": _released(),
    "np.int64": np.int64(1),
    "np.uint64 2**63": np.uint64(2**63),
    "np.float64": np.float64(1),
    "np.True_": np.True_,
    "0-d array": np.array(1),
    "0-d float": np.array(1.0),
    "0-d bool": np.array(True),
    "one element": np.array([1]),
    "int32": np.array([4, -2, 0], np.int32),
    "every other": np.arange(6)[::2],
    "backwards": np.arange(3)[::-1],
    "repeated": _mapped(3, 7),
    "broad": np.arange(4).reshape(2, 2),
    "big-endian": np.array([1, 2, 3], ">i8"),
    "little-endian": np.array([1, 2, 3], "<i8"),
    "float64": np.array([1.0, 2.0, 3.0]),
    "empty float64": np.array([]),
    "empty int64": np.array([], int),
    "uint64": np.array([1, 2, 2**64 - 1], np.uint64),
    "bool array": np.array([True, False]),
    "datetime": np.array(["2020-01-01"], "M8[D]"),
    "object array": np.array([1, 2, 3], object),
    "record array": np.zeros(3, "i4,i4"),
    "text array": np.array(["b", "c"]),
    "array.array q": array.array("q", [3, 1, 2]),
    "array.array d": array.array("d", [3, 1, 2]),
    "ctypes long": (ctypes.c_long * 3)(1, 2, 3),
    "ctypes double": (ctypes.c_double * 3)(1, 2, 3),
    "ctypes swapped": (ctypes.c_int32.__ctype_be__ * 3)(1, 2, 3),
    "ctypes scalar": ctypes.c_long(1),
    "[]": [],
    "()": (),
    "{}": {},
    "set": {1, 2},
    "range": range(3),
    "iterator": iter(()),
    "[1, 2]": [1, 2],
    "[2, 1]": [2, 1],
    "(1, 1)": (1, 1),
    "(0, 0)": (0, 0),
    "[0, 0]": [0, 0],
    "Pair": Pair((1, 0)),
    "three": (1, 1, 1),
    "(-1, 0)": (-1, 0),
    "(0, 1.0)": (0, 1.0),
    "(True, 0)": (True, 0),
    "(None, None)": (None, None),
    "(0, 2**62)": (0, 2**62),
    "(2**63 - 1,) * 2": (2**63 - 1, 2**63 - 1),
    "(2**63, 0)": (2**63, 0),
    "(-2**200, 0)": (-(2**200), 0),
    "(Index, 0)": (Index(1), np.int8(0)),
    "(Index that raises, 0)": (Index(RuntimeError("no")), 0),
    "[1.0, 2.0]": [1.0, 2.0],
    "[1, 1]": [1, 1],
    "[-5, 5, 2**63]": [-5, 5, 2**63],
    "['1']": ["1"],
    "[None]": [None],
    "[Stubborn]": [Stubborn(), Stubborn()],
    "[[1, 2]]": [[1, 2]],
    "[dict]": [block(5, 1, 0, 0, 5)],
    "dict": block(5, 1, 0, 0, 5),
    "OrderedDict": collections.OrderedDict(block(5, 1, 0, 0, 5)),
    "defaultdict": collections.defaultdict(int, dist_type="b"),
    "mapping": types.MappingProxyType(block(5, 1, 0, 0, 5)),
    "({},)": ({},),
    "(None,)": (None,),
    "Index(1)": Index(1),
    "Index(2**63)": Index(2**63),
    "Index(1.5)": Index(1.5),
    "Index that raises TypeError": Index(TypeError("no")),
    "Index that raises OverflowError": Index(OverflowError("no")),
    "Index that raises RuntimeError": Index(RuntimeError("no")),
    "type": int,
    "module": types,
    "function": len,
    "object": object(),
    "Stubborn": Stubborn(),
    "Producer": Producer({}),
}

BAD_VERSIONS = dict(BAD_VALUES)
for _text in ["0.9.0", "0.9.9", "0.10.0", "0.10.77", "0.10", "0.10.0.0", "0.010.0", "0.10.0a1"]:
    BAD_VERSIONS[_text] = _text
for _text in ["0.10.0\n", " 0.10.0", "0.10.0\0", "0.1\uff10.0", "\u0660.10.0", "v0.10.0", "0.11.0"]:
    BAD_VERSIONS[ascii(_text)] = _text
for _text in ["1.0.0", "0.8.0", "0.100.0", "0.1.0", "10.10.0", "0." + "9" * 99 + ".0", "-0.9.0"]:
    BAD_VERSIONS[_text] = _text

BAD_BUFFERS = {
    f"of {code}": np.zeros(5, code) for code in ("?", "f2", "i4", "c16", "S3", "U2", "O")
}
BAD_BUFFERS |= {
    "read-only": bytes(5),
    "Fortran order": np.zeros((4, 2, 3), order="F"),
    "a plane of bytes": memoryview(bytes(6)).cast("b", (2, 3)),
    "beyond all memory": np.lib.stride_tricks.as_strided(np.zeros(1, "i1"), (2**40, 2**20), (0, 0)),
}
