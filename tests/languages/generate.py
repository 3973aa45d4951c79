#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py FOLDER: writes the programs of the matrix of languages that differ only by a type or by the number of
axes."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
import elements_fortran  # noqa: E402
import scalars_c  # noqa: E402
import scalars_fortran  # noqa: E402


def files():
    """The text of each generated file, by its name."""
    made = {"scalars_fortran.f90": scalars_fortran.functions(), "call_scalars_fortran.f90": scalars_fortran.caller()}
    made |= {"raw_fortran.f90": elements_fortran.raw()}
    made |= {"elements_fortran.f90": elements_fortran.procedures(), "elements_fortran_calls.c": elements_fortran.calls()}
    for language in (scalars_c.C(), scalars_c.Cpp()):
        made[f"scalars_{language.name}.{language.suffix}"] = scalars_c.functions(language)
        made[f"call_scalars_{language.name}.{language.suffix}"] = scalars_c.caller(language)
    return made


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
