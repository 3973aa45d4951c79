#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""table.py PRINTED ROOT [--write]: the table of docs/languages.md, made of the lines that the tests have printed.

Fails if a line that a cell stands for is missing, or if the page has another table; --write puts the new one there.
"""

import difflib
import itertools
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from scalars import IMPLEMENTERS, MODES, SCALARS  # noqa: E402

CALLERS = ("c", "cpp", "fortran", "python")
HEADS = ("C", "C++", "Fortran", "Python", "Java")
BEGIN, END = "<!-- made by tests/languages/table.py -->", "<!-- end of what is made -->"
_LAYOUTS = ("row", "column", "general", "slice")

#: The calls that examples/java/Heat.java must contain for the cells of Java's column that name test c.java.
_JAVA = "examples/java/Heat.java"
_JAVA_ROWS = {
    "Static calls": ("distview_layout_create", "distview_sum"),
    "Arrays, borrowed, row-major": ("distview_array_borrow", "distview_padding_plan_execute"),
    "Structures": ("structLayout", "distview_max"),
    "Objects": ("distview_array_release", "distview_layout_release"),
    "Distributed arrays": ("distview_communicator_create_f", "distview_padding_plan_execute"),
}


def scalar_lines(name, caller):
    return [f"{name} {mode} {caller} {of}" for mode in MODES for of in IMPLEMENTERS]


def array_lines(what, caller):
    return [f"{what} {rank} {' '.join(three)}" for rank in range(1, 8)
            for three in itertools.permutations(CALLERS, 3) if caller in three]  # fmt: skip


def call_lines(what, caller, implementers):
    return [f"{what} {caller} {of}" for of in implementers]


def _arrays_test(caller):
    return "languages.arrays.python" if caller == "python" else "languages.arrays"


def rows():
    """Pairs (row, function from a language to its test and the lines expected of it)."""
    own = (*IMPLEMENTERS, "python")
    names = {"bool": "bool", "char": "char", "int32": "int (32 bits)", "int64": "long (64 bits)", "float": "float",
             "double": "double", "fcomplex": "complex of float", "dcomplex": "complex of double",
             "opaque": "opaque pointer", "string": "string (UTF-8)", "enum": "enumeration"}  # fmt: skip
    for scalar in SCALARS:
        yield f"Scalar: {names[scalar.name]}", lambda x, s=scalar: (f"languages.scalars.{x}", scalar_lines(s.name, x))
    for kind, layout in itertools.product(("borrowed", "owned"), _LAYOUTS):
        if (kind, layout) != ("owned", "general"):
            how = {"row": "row-major", "column": "column-major", "general": "general order", "slice": "slices"}[layout]
            yield f"Arrays, {kind}, {how}", lambda x, w=f"{kind}_{layout}": (_arrays_test(x), array_lines(w, x))
    yield "Arrays, null", lambda x: (_arrays_test(x), [f"null 1-7 {x}"])
    with_python = {"c": IMPLEMENTERS, "cpp": IMPLEMENTERS, "fortran": IMPLEMENTERS, "python": own}
    yield "Raw arrays", lambda x: (f"languages.calls.{x}", call_lines("raw", x, with_python[x]))
    yield "Generic arrays", lambda x: (f"languages.calls.{x}", call_lines("generic", x, with_python[x]))
    yield "Objects", lambda x: (f"languages.calls.{x}", call_lines("objects", x, IMPLEMENTERS))
    yield "Inheritance", lambda x: (f"languages.calls.{x}", call_lines("inheritance", x, ("library",)))
    yield "Static calls", lambda x: (f"languages.scalars.{x}", [f"{s.name} all {x} {of}" for s in SCALARS for of in IMPLEMENTERS])
    yield "Virtual method calls", lambda x: (
        f"languages.calls.{x}",
        call_lines("virtual", x, with_python[x]) + [f"virtual {y} {x}" for y in CALLERS if x in with_python[y]],
    )
    yield "Structures", lambda x: (f"languages.calls.{x}", call_lines("struct", x, IMPLEMENTERS))
    yield "Contracts", lambda x: (f"languages.calls.{x}", call_lines("contracts", x, ("library",)))
    yield "Exceptions", lambda x: (
        f"languages.calls.{x}", call_lines("exceptions", x, (*with_python[x], "fortran_by_cpp")))  # fmt: skip
    yield "Enumerations", lambda x: (f"languages.scalars.{x}", scalar_lines("enum", x))


#: Tests of other folders, with names of their own, and the source file of each.
DISTRIBUTED = (("c.padding", "tests/c/test_padding.c"),
               ("comm.padding_exchange_bindings", "tests/unit/comm/test_padding_exchange_bindings.cpp"),
               ("fortran.padding", "tests/fortran/test_padding.f90"),
               ("python.exchange", "python/tests/test_mpi_exchange.py"))  # fmt: skip


def java_cell(row, root):
    if row not in _JAVA_ROWS:
        return ""
    text = (root / _JAVA).read_text(encoding="utf-8")
    for name in _JAVA_ROWS[row]:
        if name not in text:
            raise SystemExit(f"{_JAVA}: expected {name}, for the row {row}")
    return "c.java"


def table(printed, root):
    lines = set()
    for path in sorted(printed.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("languages ") and line.endswith(" ok"):
                lines.add(line.removeprefix("languages ").removesuffix(" ok"))
    made = ["| | " + " | ".join(HEADS) + " |", "|---" * (len(HEADS) + 1) + "|"]
    missing = []
    for row, cell_of in rows():
        cells = []
        for caller in CALLERS:
            test, expected = cell_of(caller)
            expected = sorted(set(expected))
            missing += [f"{row}: {line}" for line in expected if line not in lines]
            cells.append(f"{test} ({len(expected)})")
        made.append(f"| {row} | " + " | ".join([*cells, java_cell(row, root)]) + " |")
    for test, path in DISTRIBUTED:
        if not (root / path).is_file():
            missing.append(f"Distributed arrays: {test}: {path}")
    row = "Distributed arrays"
    made.append(f"| {row} | " + " | ".join([*(test for test, _ in DISTRIBUTED), java_cell(row, root)]) + " |")
    if missing:
        raise SystemExit("\n".join(["lines that no test has printed:", *missing[:20], f"{len(missing)} in all"]))
    return made


def main():
    printed, root = Path(sys.argv[1]), Path(sys.argv[2])
    page = root / "docs" / "languages.md"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    old, after = rest.split(END, 1)
    new = "\n\n" + "\n".join(table(printed, root)) + "\n\n"
    if "--write" in sys.argv:
        page.write_text(before + BEGIN + new + END + after, encoding="utf-8")
    elif old != new:
        print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), str(page), "the tests", lineterm="")))
        print("DISTVIEW-TEST-FAILED")
        return 1
    print("DISTVIEW-TEST-PASSED")
    return 0


if __name__ == "__main__":
    sys.exit(main())
