# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program on all ranks: an error that nobody catches is printed once, and the job ends.

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

#: Seconds that ranks which failed wait for others that may fail as well.
PATIENCE = 2.0

#: Where launchers tell a process its rank: Open MPI, other PMIx launchers, MPICH's and Intel's, MVAPICH, Slurm.
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
            trace = None  # in the program itself, whose line the error shows
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
    """A traceback without this file's and runpy's frames; all of it if there is nothing else, as where there is no
    such program."""
    at = trace
    while at is not None:
        file = at.tb_frame.f_code.co_filename
        if file != __file__ and "runpy" not in file:
            return at
        at = at.tb_next
    return trace


def _world() -> Any:
    """mpi4py's communicator of all ranks if it has several and can be used; else None."""
    module = sys.modules.get("mpi4py.MPI")
    if module is None or not module.Is_initialized() or module.Is_finalized():
        return None
    return module.COMM_WORLD if module.COMM_WORLD.size > 1 else None


def _end(key: tuple[str, str], text: str, caused: bool, code: int) -> int:
    """What a rank does whose program failed: with others that failed prints what they say, once.

    The status if all ranks ended so; else ends the job, as others may wait for this rank for ever.
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
        # What is unread when a job ends, launchers drop; and the lowest rank ends it.
        time.sleep(0.2 if is_lowest else 2 * PATIENCE)
    except BaseException:
        traceback.print_exc()
    # Also if all ranks failed: what they left unfinished could keep MPI_Finalize waiting.
    world.Abort(code)
    return code


def _print_alone(text: str) -> None:
    """Prints what happened before MPI was there to tell what happened to others, as in a program with an error of
    syntax: of ranks that a launcher has started, the lowest at once, as its end is that of the job; others, in case
    they are the only ones, a little later."""
    rank = next((os.environ[name] for name in _RANKS if name in os.environ), "0")
    if text and rank != "0":
        time.sleep(PATIENCE)
    _print(text)


def _meet(world: Any, mine: Any) -> dict[int, Any]:
    """The reports of the ranks that fail within PATIENCE, this one's among them, by rank.

    Messages on the communicator that the program may use: it has failed, and the job is about to end.
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
    # Others may still want what this rank sends; whoever does not fail never takes it.
    while len(reports) == world.size and requests and time.monotonic() < deadline:
        requests = [request for request in requests if not request.Test()]
    return reports


def _summary(reports: dict[int, Any], size: int) -> str:
    """What each group of ranks with one error says, by its lowest rank or, rather, one that knows the cause."""
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
    """Hands on what the program has printed: a rank that is killed, as all are in the end, loses the rest."""
    try:
        sys.stdout.flush()
    except Exception:
        pass  # closed by the program, or nobody reads it any more: what happened must be told all the same


def _print(text: str) -> None:
    _flush()
    if not text:
        return
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
