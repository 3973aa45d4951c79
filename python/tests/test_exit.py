# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs end quietly, whatever objects are alive when they end: status 0, and no output on stderr.

Each case is a program of its own, without mpi4py, with it, and on two ranks.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

# Imports for each case are above it, the end of the program below.
BEFORE = """
import atexit, ctypes, sys, threading
sys.path.insert(0, {tests!r})
{mpi}
import numpy as np
import distview
from distview import _distview
"""

CASES = {
    "views": """
u = distview.zeros((6, 8), "bb", comm, padding=1, periodic=True)
u.view[...] = u.process
u.exchange_padding()
v = distview.from_distarray(u, comm)
w = distview.from_distarray(u.dap("0.9.0"), validate="local")
kept = {"u": u, "cycle": []}
kept["cycle"].append(kept)
""",
    "redistributions": """
u = distview.zeros((6, 8), "bb", comm)
part, turned = u[1:4, ::2], u.transpose()
plan = distview.RedistributionPlan(u, turned, permutation=(1, 0))
plan.execute(u, turned)
unused = distview.RedistributionPlan(u, turned, permutation=(1, 0))
kept = {"plan": plan, "cycle": [part]}
kept["cycle"].append(kept)
""",
    "arrays": """
u = distview.zeros((6, 8), "bb", comm, padding=1)
taken = [u.view, u.interior, np.asarray(u), memoryview(u), np.from_dlpack(u), u.__distarray__()]
del u
""",
    "foreign_memory": """
memory = bytearray(8 * 24)
u = distview.wrap(np.frombuffer(memory).reshape(4, 6), (4 * size, 6), ("b", "n"), comm)
v = distview.wrap(memory, 8 * 24)
class Mine(np.ndarray): pass
cycle = np.zeros(4).view(Mine)
cycle.view_of_it = distview.wrap(cycle, 4)
class Exporter:
    def __buffer__(self, flags): return memoryview(memory)
w = distview.wrap(Exporter(), 8 * 24)
""",
    "capsules": """
u = distview.zeros((6, 8), "bb", comm)
mine = bytearray(80)
v = distview.wrap(mine, 80)
kept = [u.__dlpack__(), u.__dlpack__(max_version=(1, 0)), u.__dap_capsule__()]
kept += [v.__dlpack__(), v.__dlpack__(max_version=(1, 0)), v.__dap_capsule__(), [u.__dlpack__()]]
""",
    "consumed_capsules": """
from dlpack_structs import consume, MadeUp, Managed
v = distview.wrap(bytearray(80), 80)
never_deleted = [consume(v.__dlpack__()), consume(v.__dlpack__(max_version=(1, 0)))]
made_up = MadeUp(numbers=np.arange(3.0)), MadeUp(Managed, np.arange(3.0))
taken = [distview.wrap(m, 3) for m in made_up]
""",
    # Rule D7: the interpreter has ended by then.
    "deleters_after_the_end": """
from dlpack_structs import consume
v = distview.wrap(bytearray(80), 80)
at_exit = ctypes.CDLL(None).__cxa_atexit
for managed in consume(v.__dlpack__()), consume(v.__dlpack__(max_version=(1, 0))):
    at_exit(ctypes.c_void_p(managed.deleter), ctypes.c_void_p(ctypes.addressof(managed)), None)
del v
""",
    "plans": """
u = distview.zeros((6, 8), "bb", comm, padding=1, dtype="f4")
v = distview.zeros((6, 8), "bb", comm, padding=1)
for k in range(3):
    u.exchange_padding(v)
    v.exchange_padding()
assert distview.is_initialized() == (comm is not None)
layout, sum_ = u.layout, v.sum()
""",
    "callbacks": """
u = distview.zeros((6, 8), "bb", comm, padding=1)
class AtExit:
    def __del__(self):
        assert self.view.view[0, 0] == 0 and self.view.__dlpack__() is not None
last = AtExit()
last.view = u
atexit.register(lambda: distview.from_distarray(u, comm).exchange_padding())
atexit.register(u.__distarray__)
""",
    "threads": """
u = distview.zeros((600, 8), "bb", comm, padding=1)
shares = [[distview.wrap(np.zeros(9), 9), u.view, u.__dlpack__()] for k in range(50)]
def work():
    while True:
        for share in shares:
            share[1] = np.asarray(share[0]) + 1
            share[2] = share[0].__dlpack__()
threading.Thread(target=work, daemon=True).start()
""",
    "finalize": """
u = distview.zeros((6, 8), "bb", comm, padding=1)
u.exchange_padding()
distview.finalize()
assert u.view.sum() == 0
""",
    "exit": """
u = distview.zeros((6, 8), "bb", comm, padding=1)
u.exchange_padding()
taken = u.view, u.__dlpack__()
sys.exit(0)
""",
    "uncaught": """
u = distview.zeros((6, 8), "bb", comm, padding=1)
held = None
def fail():
    inner = distview.wrap(np.zeros(5), 5)
    raise ValueError(inner.view)
try:
    fail()
except ValueError as failure:
    held = failure  # and with it the frame
""",
}
NO_MPI = "comm, size = None, 1"
WITH_MPI = "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nsize = comm.size"


def environment(session_folder=None):
    quiet = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_pml": "ob1",
        "OMP_PROC_BIND": "false",
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    own = {}
    if session_folder and "PRTE_MCA_prte_tmpdir_base" not in os.environ:
        # Remains of a killed mpirun in the common folder would keep this one from starting (Open MPI 5).
        own["PRTE_MCA_prte_local_tmpdir_base"] = str(session_folder)
    return {**quiet, **os.environ, **own}


def program(case, mpi):
    return BEFORE.format(tests=str(HERE), mpi=mpi) + CASES[case]


def run(*command, session_folder=None):
    done = subprocess.run(
        command,
        env=environment(session_folder),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.time_limit(120)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("mpi", [NO_MPI, WITH_MPI], ids=["no MPI", "MPI"])
def test_one_process_ends_quietly(case, mpi):
    """Status 0, nothing on stderr, nothing on stdout."""
    if mpi != NO_MPI and importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed")
    assert run(sys.executable, "-c", program(case, mpi)) == (0, "", "")


def launcher_or_skip():
    """The program that starts others on several ranks."""
    launcher = os.environ.get("DISTVIEW_MPIEXEC") or shutil.which("mpirun") or shutil.which("mpiexec")
    if launcher is None or importlib.util.find_spec("mpi4py") is None:
        pytest.skip("needs mpi4py and mpirun")
    if "PMIX_RANK" in os.environ or "PMI_RANK" in os.environ:
        pytest.skip("below another mpirun")
    return launcher


@pytest.mark.time_limit(120)
@pytest.mark.parametrize("case", CASES)
def test_two_ranks_end_quietly(case, tmp_path):
    """The same on two ranks. stderr goes to files, since launchers print messages of their own."""
    launcher = launcher_or_skip()
    to_file = f"""
import os
from mpi4py import MPI
os.dup2(os.open({str(tmp_path)!r} + f"/rank{{MPI.COMM_WORLD.rank}}", os.O_CREAT | os.O_WRONLY), 2)
assert MPI.COMM_WORLD.size == 2
"""
    file = tmp_path / "program.py"
    file.write_text(to_file + program(case, WITH_MPI))
    # Each rank makes arrays of its own, which causes a warning of the library.
    status, out, launcher_s = run(
        launcher, "-n", "2", sys.executable, "-W", "ignore:distview", str(file),
        session_folder=tmp_path,
    )  # fmt: skip
    words = [(tmp_path / f"rank{rank}").read_text() for rank in range(2)]
    assert (status, words) == (0, ["", ""]), launcher_s
    assert out == ""


def test_failures_are_seen():
    """These tests would detect output on stderr and a status."""
    loud = program("exit", NO_MPI).replace("sys.exit(0)", "sys.exit('planted')")
    status, _, words = run(sys.executable, "-c", loud)
    assert status == 1 and "planted" in words


@pytest.mark.time_limit(60)
@pytest.mark.parametrize("started", ("u.start_exchange()", "distview.RedistributionPlan(u, v).start(u, v)"))
def test_an_exchange_in_flight_at_the_end(tmp_path, started):
    """Kokkos is stopped before the handle is destroyed."""
    for last in ("", "distview.finalize()\ntry:\n    e.finish()\nexcept distview.UsageError:\n    print('told')"):
        file = tmp_path / "program.py"
        file.write_text(
            "from mpi4py import MPI\nimport distview\n"
            "u, v = (distview.zeros(8, comm=MPI.COMM_SELF, padding=1, periodic=True) for _ in range(2))\n"
            f"e = {started}\n{last}"
        )
        status, out, err = run(sys.executable, str(file), session_folder=tmp_path)
        assert status == 0, err
        assert out.strip() == ("told" if last else "")


MIGRATION = r"""
from mpi4py import MPI
import distview
import numpy as np
comm, x = MPI.COMM_WORLD, np.zeros(2)
plan = distview.MigrationPlan(comm, [0, comm.size - 1])
plan.moved(x)
if comm.rank == comm.size - 1:
    distview.finalize()
told = []
for call in (
    lambda: distview.MigrationPlan(comm, [0]), lambda: plan.moved(x), lambda: plan.execute([x], [np.zeros(plan.size)])
):
    try:
        call()
    except distview.UsageError as error:
        told.append(str(error))
open(f"{folder}/rank{comm.rank}", "w").write("\n".join(told))
"""


@pytest.mark.time_limit(120)
@pytest.mark.parametrize("ranks", [1, 2])
def test_migration_once_kokkos_was_stopped(ranks, tmp_path):
    """One rank's error is an error of all ranks: no rank waits, and Kokkos does not end the program."""
    if ranks == 1:
        pytest.importorskip("mpi4py")
    file = tmp_path / "program.py"
    file.write_text(f"folder = {str(tmp_path)!r}\n{MIGRATION}")
    start = [launcher_or_skip(), "-n", str(ranks)] if ranks > 1 else []
    status, _, err = run(*start, sys.executable, str(file), session_folder=tmp_path)
    assert status == 0, err
    where = f" [rank {ranks - 1} of {ranks}]" if ranks > 1 else ""
    names = ("MigrationPlan", "MigrationPlan.moved", "MigrationPlan.execute")
    expected = [f"{name}: Kokkos was finalised; it cannot be started a second time{where}" for name in names]
    for rank in range(ranks):
        assert (tmp_path / f"rank{rank}").read_text().splitlines() == expected
