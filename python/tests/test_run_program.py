# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python -m distview: an error is printed once, and the job ends even if other ranks wait."""

import importlib.util
import os
import re
import shutil
import sys

import pytest
from test_exit import run

PROGRAM = """
import sys
from mpi4py import MPI
import distview
comm = MPI.COMM_WORLD
"""


@pytest.fixture
def ranks(tmp_path):
    """Runs a program on 4 ranks: its status, and all lines of stdout and stderr."""
    launcher = os.environ.get("DISTVIEW_MPIEXEC") or shutil.which("mpirun") or shutil.which("mpiexec")
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("needs mpi4py and mpirun")
    if "PMIX_RANK" in os.environ or "PMI_RANK" in os.environ:
        pytest.skip("below another mpirun")

    def run_program(text, *arguments):
        file = tmp_path / "program.py"
        file.write_text(PROGRAM + text)
        command = [launcher, "-n", "4", sys.executable, "-m", "distview", str(file), *arguments]
        status, out, err = run(*command, session_folder=tmp_path)
        return status, out.splitlines(), err.splitlines()

    return run_program


def count(lines, pattern):
    return sum(bool(re.search(pattern, line)) for line in lines)


@pytest.mark.time_limit(120)
def test_an_error_of_all_ranks_is_printed_once(ranks):
    status, _, err = ranks('distview.zeros(10, "x", comm)')
    assert status != 0
    assert count(err, "^distview: on all 4 ranks:$") == 1
    assert count(err, "^Traceback") <= 2  # the cause, and the error that it became
    assert count(err, r"LayoutError: .* 4 ranks failed\]$") == 1
    assert count(err, "runpy|__main__.py") == 0
    assert len(err) < 60


@pytest.mark.time_limit(120)
def test_an_error_of_one_rank_ends_those_that_wait(ranks):
    status, out, err = ranks("""
u = distview.ones(10, comm=comm)
if comm.rank == 2:
    raise RuntimeError("planted")
u.sum()
print("went on")
""")
    assert status != 0 and out == []
    assert count(err, "^distview: on rank 2 of 4:$") == 1 and count(err, "RuntimeError: planted$") == 1
    assert count(err, "^Traceback") == 1


@pytest.mark.time_limit(120)
def test_what_ranks_printed_before_they_failed_is_not_lost(ranks):
    """Even though ranks are killed. Open MPI's mpirun gives them a terminal; other launchers do not."""
    not_yet = "sys.stdout.reconfigure(line_buffering=False, write_through=False)\n"
    status, out, _ = ranks(not_yet + "print('before', comm.rank)\ncomm.Barrier()\nraise RuntimeError('planted')")
    # mpirun may put two ranks' lines into one.
    assert status != 0 and "\n".join(out).count("before ") == 4
    status, out, err = ranks(not_yet + "if comm.rank == 1:\n    print('before'); sys.exit(3)\ncomm.Barrier()")
    assert (status, out) == (3, ["before"])
    status, _, err = ranks("sys.stdout.close()\nraise RuntimeError('planted')")
    assert status != 0 and count(err, "RuntimeError: planted$") == 1


@pytest.mark.time_limit(120)
def test_different_errors_are_each_printed_once(ranks):
    status, _, err = ranks('comm.Barrier()\nraise (KeyError if comm.rank == 1 else OSError)("planted")')
    assert status != 0
    assert count(err, "^distview: on ranks 0, 2, 3 of 4:$") == count(err, "OSError: planted$") == 1
    assert count(err, "^distview: on rank 1 of 4:$") == count(err, "KeyError: 'planted'$") == 1


@pytest.mark.time_limit(120)
def test_programs_that_end_by_themselves(ranks):
    # In one write: pieces of several ranks would be interleaved.
    line = "sys.stdout.write(f'{sys.argv[1:]} {__name__}\\n'); sys.exit(0)"
    status, out, err = ranks(line, "-n", "x")
    assert (status, out, err) == (0, ["['-n', 'x'] __main__"] * 4, [])
    status, _, err = ranks("sys.exit('no such file')")
    assert status == 1 and count(err, "no such file") == 1
    status, _, err = ranks("sys.exit(3) if comm.rank == 1 else comm.Barrier()")
    assert status == 3


def alone(*arguments):
    return run(sys.executable, "-m", "distview", *arguments)


def test_one_process(tmp_path):
    """A file, a module, a command: as Python runs them, with tracebacks that begin in the program."""
    (tmp_path / "other.py").write_text("VALUE = 7")
    file = tmp_path / "program.py"
    file.write_text("import sys, other\nprint(other.VALUE, sys.argv, __name__)\n1 // 0\n")
    status, out, err = alone(str(file), "-c", "a")
    assert status == 1 and out == f"7 {[str(file), '-c', 'a']} __main__\n"
    assert err.startswith(f'Traceback (most recent call last):\n  File "{file}", line 3')
    assert "ZeroDivisionError" in err.splitlines()[-1]
    assert alone("-c", "import sys; print(sys.argv, __name__)", "b") == (0, "['-c', 'b'] __main__\n", "")
    status, out, _ = alone("-m", "calendar", "2024", "2")
    assert status == 0 and "February 2024" in out
    assert alone("-c", "raise SystemExit(5)")[0] == 5
    for wrong in ((), ("-m",), ("-c",)):
        status, _, err = alone(*wrong)
        assert status == 2 and err.startswith("usage: python -m distview")


def test_modules_are_found_as_python_finds_them(tmp_path):
    """Modules are found beside the file that a link names, but not in safe-path mode; a command gets nothing that the
    package imports from __future__."""
    for name in ("real", "links"):
        (tmp_path / name).mkdir()
    (tmp_path / "real" / "beside.py").write_text("print('found')")
    (tmp_path / "real" / "program.py").write_text("import beside")
    link = tmp_path / "links" / "program.py"
    link.symlink_to("../real/program.py")
    assert run(sys.executable, str(link)) == alone(str(link)) == (0, "found\n", "")
    status, out, err = run(sys.executable, "-P", "-m", "distview", str(link))
    assert (status, out) == (1, "") and err.endswith("ModuleNotFoundError: No module named 'beside'\n")
    assert alone("-c", "def f(x: int): pass\nprint(f.__annotations__['x'])") == (0, "<class 'int'>\n", "")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(option):
    status, out, err = alone(option)
    assert (status, err) == (0, "") and out.startswith("usage: python -m distview ")
    assert "mpirun -n 4 python -m distview program.py" in out
    status, out, err = alone("--helf")
    assert (status, out) == (2, "") and err.startswith("usage: python -m distview ")


def test_an_error_of_syntax_in_one_process(tmp_path):
    """The error is shown as by python: with the line, without frames of the code that runs the program."""
    file = tmp_path / "program.py"
    file.write_text("def f(:\n")
    status, out, err = alone(str(file))
    assert status == 1 and out == "" and err.startswith(f'  File "{file}", line 1\n    def f(:\n')
    assert err.splitlines()[-1].startswith("SyntaxError: ")
    (tmp_path / "other.py").write_text("def f(:\n")
    file.write_text("import other\n")
    status, _, err = alone(str(file))
    assert status == 1 and err.startswith(f'Traceback (most recent call last):\n  File "{file}", line 1')
    assert "SyntaxError: " in err and "runpy" not in err


@pytest.mark.time_limit(120)
@pytest.mark.parametrize("text, error", [("def f(:", "SyntaxError"), ("import no_such_module", "ModuleNotFoundError")])
def test_an_error_before_mpi_is_printed_once(ranks, monkeypatch, text, error):
    """Ranks cannot exchange errors then."""
    monkeypatch.setitem(globals(), "PROGRAM", "")
    for _ in range(3):  # other ranks print first if rank 0 starts 2 s later
        status, out, err = ranks(text)
        if count(err, f"^{error}: ") == 1:
            break
    assert status != 0 and out == []
    assert count(err, f"^{error}: ") == 1 and count(err, "runpy") == 0


@pytest.mark.time_limit(120)
def test_an_error_before_mpi_of_another_rank_is_told(ranks, monkeypatch):
    monkeypatch.setitem(globals(), "PROGRAM", "")
    status, out, err = ranks("""
import os, sys, time
if any(os.environ.get(name) == "2" for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")):
    raise RuntimeError("planted")
""")
    assert status != 0 and out == [] and count(err, "^RuntimeError: planted$") == 1


def test_importing_installs_no_hook():
    check = "import sys; a = sys.excepthook; import distview; assert sys.excepthook is a"
    assert run(sys.executable, "-c", check) == (0, "", "")


@pytest.mark.time_limit(120)
def test_a_rank_that_ends_early_is_an_error_of_those_that_wait(ranks):
    status, out, _ = ranks("""
import time
u = distview.ones(10, comm=comm)
if comm.rank == 2:
    time.sleep(3)  # the others are in sum() by then
else:
    try:
        u.sum()
    except distview.UsageError as error:
        print(f"rank {comm.rank}: {error}", flush=True)
""")
    assert status == 0
    # mpirun may put two ranks' lines into one.
    assert "\n".join(out).count(" got sum on ranks 0, 1, 3; MPI_Finalize or MPI_Comm_free on rank 2") == 3
