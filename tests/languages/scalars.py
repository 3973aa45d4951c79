# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scalar types and modes of BRAID's table, and the values passed between the languages."""

from dataclasses import dataclass

#: Numbers of an enumeration, not in ascending order.
COLOURS = {"colour_red": 7, "colour_green": -3, "colour_blue": 100000}

MODES = ("return", "in", "out", "inout", "all")
IMPLEMENTERS = ("c", "cpp", "fortran")


@dataclass(frozen=True)
class Scalar:
    """One type. A function returns `returned`, expects `taken`, outputs `given`, and changes `before` to `after`."""

    name: str
    returned: object
    taken: object
    given: object
    before: object
    after: object


# Values at the ends of their ranges, or exact in binary; text and characters beyond ASCII; a null opaque pointer.
SCALARS = (
    Scalar("bool", True, False, True, False, True),
    Scalar("char", ord("A"), 0xE9, ord("~"), ord(" "), 0xFF),
    Scalar("int32", 2**31 - 1, -(2**31) + 1, -3, 3, 2**24 + 1),
    Scalar("int64", 2**63 - 1, -(2**63) + 1, -3, 3, 2**53 + 1),
    Scalar("float", 2.0**-126, -(2.0**127), 0.5, 3.0, -1.0 - 2.0**-23),
    Scalar("double", 2.0**-1022, -(2.0**1023), 0.5, 3.0, -1.0 - 2.0**-52),
    Scalar("fcomplex", complex(2.0**5, 2.0**-5), 1 - 2j, complex(0, 2.0**-126), 3 + 4j, complex(-0.5, 2.0**100)),
    Scalar("dcomplex", complex(2.0**9, 2.0**-9), 1 - 2j, complex(0, 2.0**-1022), 3 + 4j, complex(-0.5, 2.0**1000)),
    Scalar("opaque", 0x123456789ABCDEF0, 0x7FFFFFFFFFFFFFF7, 16, None, 0xFFFF),
    Scalar("string", "Straße", "Größe 3 ≤ π", "日本語", "Ελλάδα", ""),
    Scalar("enum", "colour_blue", "colour_green", "colour_red", "colour_green", "colour_blue"),
)
