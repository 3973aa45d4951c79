# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mypy --strict reports nothing for correct programs, and an error for every wrong line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import distview
import pytest

pytest.importorskip("mypy")
pytest.importorskip("mpi4py")

RIGHT = '''
from __future__ import annotations

import math
import pickle

import distview
import numpy as np
import numpy.typing as npt
from mpi4py import MPI

comm = MPI.COMM_WORLD
u = distview.zeros((8, 9), "bb", comm, padding=1, periodic=(False, True), grid=(None, 2), device="cpu")
u.view[...] = 1.0
u.interior[...] += 1
u.interior += 1
u.owned[...] = u.process
total: float = u.sum() / u.size
root = math.sqrt(u.sum()) + u.norm() + u.norm(math.inf) + u.dot(u)
largest: float = u.max("owned")
rows: int = u.shape[0] + len(u) + u.layout.rank if u.layout else 0
whole = u.gather()
if whole is not None:
    print(whole.sum(), whole[0, 0])
cells: npt.NDArray[np.float64] = u.interior
indices: npt.NDArray[np.int64] = u.global_indices(0)
single = distview.ones(5, "c", comm, np.float32)
part_of_single: npt.NDArray[np.float32] = single.view
sum_of_single: float = single.sum()
counts = distview.full(5, 3, dtype=int)
count: int = counts.sum() + counts.min()
for _ in range(counts.max()):
    pass
short: int = distview.empty(4, dtype="int32").sum()
flags: npt.NDArray[np.bool_] = distview.zeros(5, dtype=bool).view
named_flags: npt.NDArray[np.bool_] = distview.full(5, True, dtype="bool").view
of_flags: int = distview.ones(5, "c", comm, np.bool_).sum() + distview.zeros_like(u, bool).sum()
mixed: float = counts.dot(distview.ones(5))
waves = distview.ones((4, 4), comm=comm, dtype=complex)
wave: complex = waves.sum() * 1j
size: float = abs(waves.dot(waves))
made = distview.from_function(lambda i, j: i + j, (4, 5), "bc", comm)
of_made: float = made.sum()
named = distview.zeros(4, dtype="float32")
unknown = distview.zeros(4, dtype=np.dtype("f4"))
print(unknown.sum() + 1, named.sum() + 1)
like: float = distview.zeros_like(u).sum()
like_waves: complex = distview.zeros_like(u, complex).sum()
wrapped: int = distview.wrap(np.zeros(4, np.int32), 4, padding=0).sum()
turned: float = u.transpose().sum() + u.transpose((1, 0)).sum()
dealt = distview.redistribute(u, ("c", ("b", "regular")), padding=0)
of_dealt: float = dealt.sum()
converted: npt.NDArray[np.float32] = distview.redistribute(u, u, dtype=np.float32).view
distview.redistribute(u, out=dealt, alpha=2.0, beta=1.0, from_slice=slice(None, None, -1))
layout = distview.make_layout((180, 360), "bb", 6, padding=((1, 1), (2, 2)), periodic=True, grid=(2, None))
same: distview.Layout = pickle.loads(pickle.dumps(layout))
listed = distview.make_layout(None, ("u", [[0, 2], [1]]))
bounded = distview.make_layout(12, [0, 5, 12])
plan = distview.RedistributionPlan(layout, layout.permuted((1, 0)), permutation=(1, 0))
other_plan = distview.RedistributionPlan(u, u.transpose(), permutation=(1, 0))
other_plan.execute(u, u.transpose(), alpha=2.0)
with other_plan.start(u, u.transpose(), beta=1) as moving:
    moving.finish()
with u.start_exchange(single, stencil="faces"):
    pass
u.exchange_padding(stencil="faces")
u.combine_padding(u, operation="sum")
u.scatter(whole if whole is not None else np.zeros((8, 9)))
of_slice: float = u[2:5, ::2].sum()
distview.save("u.npy", u, fortran_order=True, progress=lambda done, total: print(done / total))
distview.save("state.h5", {"h": u, "n": counts}, {"time": 1.5, "title": "t", "n": [1, 2]}, spacing=(0.5, 0.25))
u.to_hdf5("u.h5", "u", {"step": 3}, axis_names=["y", "x"], sync=True)
loaded = distview.load("state.h5", "bc", comm, names="h", padding=1, step=None)
print(loaded.sum() + 1)
some: distview.DistView = distview.load("state.h5", comm=comm, names=["h"])["h"]
into: npt.NDArray[np.float64] = distview.load("u.npy", out=u).view
several: npt.NDArray[np.float64] = distview.load("state.h5", out={"h": u})["h"].view
contents = distview.inspect("state.h5", comm)
stored_shape: tuple[int, ...] = contents.fields["h"].shape
last_time: float = contents.times[-1]
checkpoint = distview.Checkpoint("run.h5", comm, keep=3, sync=False, checksums=True)
checkpoint.save({"u": u}, {"step": 3})
restored = checkpoint.load({"u": u}, falls_back=True)
step = restored.scalars["step"]
damage: str = restored.damage + restored.path + checkpoint.path_of(1)
film = distview.Hdf5Series("film.vtkhdf", {"u": u}, {"title": "t"}, spacing=0.5, sync=True)
film.append(0.5, {"u": u})
frames: int = film.steps
try:
    distview.load("u.npz")
except distview.FileError as missing:
    print(missing.errno)
if u.require_padding(1, single, stencil="faces") and u.has_valid_corners:
    u.mark_written()
    u.set_label("u")
    u.mark_padding_valid(((1, 1), 0), corners=False)
low: int = u.valid_padding[0][0]
anything = distview.from_distarray(u, comm)
print(anything.sum() + 1, distview.describe(layout))
figure = distview.plot_layout(layout)


def norm(array: distview.DistView) -> float:
    return array.norm()


def scaled(array: distview.DistView[np.float64], factor: float) -> float:
    array.interior[...] *= factor
    return array.sum()


print(norm(u) + norm(waves) + scaled(u, 2.0))
'''

BEFORE = """
import distview
import numpy as np

u = distview.zeros(10)
waves = distview.zeros(10, dtype=complex)
"""

NONSENSE = '''
distview.zeros("ten", layout=3.5, dtype=[])
distview.zeros("ten")
distview.zeros(10, layout=3.5)
distview.zeros(10, dtype=[])
distview.zeros(10, comm="world")
distview.zeros(10, padding="1")
distview.zeros(10, periodic="yes")
distview.zeros(10, device=0)
distview.zeros(10, depth=1)
distview.ones(10, depth=1)
distview.full(10)
distview.from_function(3, 10)
distview.wrap(np.zeros(3))
distview.zeros_like(np.zeros(3))
distview.make_layout(10, 3.5)
distview.make_layout("ten")
distview.make_layout(10, comm=None)
distview.redistribute(np.zeros(3), "c")
distview.RedistributionPlan(u, 3)
distview.Layout(3, 4)
u.sum() + "x"
u.min() + "x"
u.max().imaginary
u.norm() + "x"
u.dot(u) + "x"
u.dot(3)
u.sum(1)
waves.min()
u.view + "x"
u.view.nonsense
u.owned.nonsense
u.interior.nonsense
u.gather().sum()
u.gather("zero")
u.scatter(u, "zero")
u.transpose() + 1
u + 1
u[...] = 1
u[2:3].nonsense
u.shape.nonsense
u.shape[0] + "x"
u.layout.shape
u.global_indices("x")
u.exchange_padding(3)
u.exchange_padding(stencil=1)
u.combine_padding(operation=1)
u.start_exchange().end()
distview.RedistributionPlan(u, u).start(u, u).end()
distview.RedistributionPlan(u, u).start(u, u, combine=1)
distview.save(3, u)
distview.save("u.npy")
distview.save("u.npy", 3)
distview.save("u.npy", u, depth=1)
distview.save("u.h5", {"u": 3})
distview.save("u.h5", {"u": u}, {"a": 1j})
distview.load("u.npy", out=3)
distview.load("u.npy", padding="1")
distview.inspect(3)
distview.Checkpoint("run.h5", keep="2")
distview.Checkpoint("run.h5").save(u)
distview.Hdf5Series("film.h5", u)
u.to_hdf5("u.h5")
u.to_hdf5("u.h5", "u", depth=3)
u.require_padding("1")
u.mark_written(1)
u.valid_padding[0] + "x"
x: str = distview.from_function(lambda i: i, 3).sum()
y: int = distview.redistribute(u, "c").sum()
z: float = waves.sum()
w: distview.DistView[np.bool_] = distview.zeros(3, dtype=int)
v: distview.DistView[np.integer] = distview.zeros_like(u, bool)
'''


def complaints(folder, text):
    """(numbers of the lines with errors of mypy, its whole output)."""
    file = folder / "program.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent"]
    command += ["--cache-dir", str(folder / "cache"), "--python-version", "3.12", str(file)]
    environment = dict(os.environ)
    above = Path(distview.__file__).parents[1]
    if above.name not in ("site-packages", "dist-packages"):  # which mypy searches by itself
        environment["MYPYPATH"] = str(above)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=250, env=environment)
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    lines = re.findall(rf"^{re.escape(str(file))}:(\d+): error", done.stdout, re.MULTILINE)
    return {int(number) for number in lines}, done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.time_limit(250)
def test_right_programs(folder):
    lines, said = complaints(folder, RIGHT)
    assert not lines, said


@pytest.mark.time_limit(250)
def test_every_line_of_nonsense(folder):
    text = BEFORE + NONSENSE
    lines, said = complaints(folder, text)
    first = BEFORE.count("\n") + 1
    expected = {number for number, line in enumerate(text.splitlines(), 1) if number >= first and line}
    unseen = [text.splitlines()[number - 1] for number in sorted(expected - lines)]
    assert not unseen, unseen
    assert lines == expected, said
