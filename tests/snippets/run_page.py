#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the Python blocks of a Markdown page on all ranks, one after the other and in one namespace.

run_page.py PAGE: the last line is DISTVIEW-TEST-PASSED if all blocks ran to their ends on all ranks, and
DISTVIEW-TEST-SKIPPED if no block is run or compiled here. An exception ends all ranks; its traceback has the page's lines.
"""

import ast
import importlib.util
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "structure"))
sys.dont_write_bytecode = True

import markdown_text  # noqa: E402
from mpi4py import MPI  # noqa: E402


def compiled(text, path, first_line):
    tree = ast.parse(text, str(path))
    return compile(ast.increment_lineno(tree, first_line - 1), str(path), "exec")


def why_not(block):
    """The reason why a block is not run here, or None."""
    missing = block.marks.get("needs")
    if missing and importlib.util.find_spec(missing) is None:
        return f"there is no {missing}"
    ranks = block.marks.get("ranks", "").split()
    if ranks and str(MPI.COMM_WORLD.size) not in ranks:
        return f"it is for {' or '.join(ranks)} ranks"
    if "compiled only" in block.marks:
        return "it is compiled only"
    return None


def run(page):
    """Returns the number of blocks that ran, or that are meant to be compiled only."""
    count = 0
    names = {"__name__": "__main__"}
    for block in markdown_text.parse(page.read_text(encoding="utf-8")).blocks:
        if not (block.is_tested and block.language == "python"):
            continue
        program = compiled(block.code, page, block.first_line)
        why = why_not(block)
        if MPI.COMM_WORLD.rank == 0:
            print(f"line {block.line}: {f'not run, {why}' if why else 'runs'}", flush=True)
        if why:
            count += "compiled only" in block.marks
            continue
        if "prelude" in block.marks:
            prelude = HERE / "preludes" / f"{block.marks['prelude']}.py"
            exec(compiled(prelude.read_text(encoding="utf-8"), prelude, 1), names)
        exec(program, names)
        count += 1
    return count


def main(page):
    comm = MPI.COMM_WORLD
    try:
        count = run(Path(page).resolve())
    except BaseException:
        # The other ranks may wait for this rank.
        sys.stdout.flush()
        text = f"rank {comm.rank} of {comm.size}:\n{traceback.format_exc()}DISTVIEW-TEST-FAILED"
        print(text, file=sys.stderr, flush=True)
        time.sleep(0.5)  # launchers drop output they have not read
        comm.Abort(1)
    comm.Barrier()
    if comm.rank == 0:
        print("DISTVIEW-TEST-PASSED" if count else "DISTVIEW-TEST-SKIPPED", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
