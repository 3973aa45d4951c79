# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on all ranks. An uncaught error is printed once and ends the job.

    mpirun -n 4 python -m distview program.py [ARGUMENT...]     also -m MODULE, or -c COMMAND
"""

from __future__ import annotations

import os
import runpy
import sys
import time
import traceback
import types
from typing import Any

USAGE = "usage: python -m distview [-h] (program.py | -m module | -c command) [argument ...]"

HELP = f"""{USAGE}

Runs a Python program, module or command on all ranks, as python itself does:

    mpirun -n 4 python -m distview program.py

An uncaught error is printed once, with the ranks that raised it, and ends the job even if other ranks
are waiting.

options:
  -h, --help  show this text and end
"""

#: Seconds that a failed rank waits for other ranks that may fail as well.
PATIENCE = 2.0

#: Variables with the process's rank: Open MPI, other PMIx launchers, MPICH and Intel MPI, MVAPICH, Slurm.
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in ("-h", "--help"):
        sys.stdout.write(HELP)
        return 0
    unknown = arguments and arguments[0].startswith("-") and arguments[0] not in ("-m", "-c")
    if not arguments or unknown or arguments[0] in ("-m", "-c") and len(arguments) < 2:
        sys.stderr.write(USAGE + "\n")
        return 2
    try:
        _run(arguments)
    except SystemExit as error:
        code = error.code
        if code is None or code == 0:
            return 0
        text = "" if isinstance(code, int) else str(code)
        return _end(("SystemExit", str(code)), text, False, code if isinstance(code, int) else 1)
    except BaseException as error:
        trace = _of_program(error.__traceback__)
        if isinstance(error, SyntaxError) and trace is error.__traceback__:
            trace = None  # the program itself has the syntax error, which shows its line
        text = "".join(traceback.format_exception(type(error), error, trace))
        key = (type(error).__name__, str(error))
        return _end(key, text.rstrip("\n"), error.__cause__ is not None, 1)
    return 0


def _run(arguments: list[str]) -> None:
    kind, what = arguments[0], arguments[1] if len(arguments) > 1 else ""
    if kind == "-m":
        sys.argv = [what, *arguments[2:]]
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c", *arguments[2:]]
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        exec(compile(what, "<string>", "exec", dont_inherit=True), module.__dict__)
    else:
        sys.argv = arguments
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.realpath(kind))
        runpy.run_path(kind, run_name="__main__")


def _of_program(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without this file's and runpy's frames. If it has no other frames, for example if the program does
    not exist, the whole traceback."""
    at = trace
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if file != __file__ and "runpy" not in file:
            return at
        at = at.tb_next
    return trace


def _world() -> Any:
    """mpi4py's communicator of all ranks if it has several ranks and is usable; else None."""
    module = sys.modules.get("mpi4py.MPI")
    if module is None or not module.Is_initialized() or module.Is_finalized():
        return None
    return module.COMM_WORLD if module.COMM_WORLD.size > 1 else None


def _end(key: tuple[str, str], text: str, caused: bool, code: int) -> int:
    """Ends a rank whose program failed. The failed ranks print each error once, together.

    Returns the status if all ranks left by SystemExit, or if MPI runs no other ranks. Otherwise it ends the job: other
    ranks may wait for this rank for ever.
    """
    _flush()
    world = _world()
    if world is None:
        _print_alone(text)
        return code
    try:
        reports = _meet(world, (key, text, caused))
        is_lowest = world.rank == min(reports)
        if is_lowest:
            _print(_summary(reports, world.size))
        if len(reports) == world.size and all(r[0][0] == "SystemExit" for r in reports.values()):
            return code
        # Launchers drop unread output when a job ends: the lowest rank waits briefly and ends the job first.
        time.sleep(0.2 if is_lowest else 2 * PATIENCE)
    except BaseException:
        traceback.print_exc()
    # Also if all ranks failed: unfinished communication could keep MPI_Finalize waiting.
    world.Abort(code)
    return code


def _print_alone(text: str) -> None:
    """Prints an error that occurred before MPI ran, for example a syntax error: the rank cannot learn the others' errors.
    Rank 0 of the launcher prints at once, since its end ends the job. Other ranks print a little later: they may be
    the only ones that failed."""
    rank = next((os.environ[name] for name in _RANKS if name in os.environ), "0")
    if text and rank != "0":
        time.sleep(PATIENCE)
    _print(text)


def _meet(world: Any, mine: Any) -> dict[int, Any]:
    """The reports of the ranks that fail within PATIENCE, this rank's included, by rank.

    Sends messages on the program's own communicator: the program has failed, and the job is about to end.
    """
    mpi = sys.modules["mpi4py.MPI"]
    tag = world.Get_attr(mpi.TAG_UB) - 1
    others = [rank for rank in range(world.size) if rank != world.rank]
    reports = {world.rank: mine}
    requests = [world.isend(mine, rank, tag) for rank in others]
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and len(reports) < world.size:
        status = mpi.Status()
        if world.iprobe(mpi.ANY_SOURCE, tag, status):
            reports[status.source] = world.recv(source=status.source, tag=tag)
        else:
            time.sleep(0.001)
    # Failed ranks may still receive this rank's messages; a rank that does not fail never does.
    while len(reports) == world.size and requests and time.monotonic() < deadline:
        requests = [request for request in requests if not request.Test()]
    return reports


def _summary(reports: dict[int, Any], size: int) -> str:
    """One text for each group of ranks with the same error: that of a rank that knows the cause, else of the lowest."""
    groups: dict[tuple[str, str], list[int]] = {}
    for rank in sorted(reports):
        groups.setdefault(reports[rank][0], []).append(rank)
    lines = []
    for ranks in groups.values():
        teller = next((rank for rank in ranks if reports[rank][2]), ranks[0])
        if len(ranks) == size:
            where = f"on all {size} ranks"
        else:
            where = f"on rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))} of {size}"
        if reports[teller][1]:
            lines.append(f"distview: {where}:\n{reports[teller][1]}")
    return "\n".join(lines)


def _flush() -> None:
    """Flushes the program's output: ranks are killed in the end, and would lose the rest."""
    try:
        sys.stdout.flush()
    except Exception:
        pass  # the program closed it, or nobody reads it any more: the error must be printed all the same


def _print(text: str) -> None:
    _flush()
    if not text:
        return
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
