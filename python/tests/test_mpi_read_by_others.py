# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other software reads our files, and we read its files.

A separate script, tests/io/read_by_others.py, runs in this interpreter or in the one that DISTVIEW_READERS names:
`python3 -m venv readers; readers/bin/pip install vtk h5py xarray netCDF4`, then DISTVIEW_READERS=readers/bin/python.
Software that is not installed there is skipped.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import distview
import numpy as np
import pytest
from mpi_cases import raised_on_all
from shared_folder import on_root, shared_folder

SCRIPT = Path(__file__).resolve().parents[2] / "tests" / "io" / "read_by_others.py"
pytestmark = [
    pytest.mark.skipif(not SCRIPT.exists(), reason="of a source tree"),
    pytest.mark.skipif(not distview.has_hdf5(), reason="a build without HDF5"),
]


def script():
    spec = importlib.util.spec_from_file_location("read_by_others", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(comm, *arguments):
    """Runs the script; skips the test where a program is not installed."""

    def call():
        interpreter = os.environ.get("DISTVIEW_READERS") or sys.executable
        # The script is not a rank of this job.
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMIX_", "PMI_", "PYTHONPATH"))}
        command = [interpreter, "-B", str(SCRIPT), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, env=environment)
        return done.returncode, done.stdout + done.stderr

    status, said = comm.bcast(on_root(comm, call))
    lines = said.strip().splitlines() or [""]
    if status == 77 and lines[-1].endswith(": not installed"):
        pytest.skip(lines[-1])
    assert status == 0 and lines[-1].endswith(": right"), said
    if comm.rank == 0:
        print(lines[-1])


def array(comm, shape, layout, dtype="f8", offset=0, **keywords):
    def value(*indices):
        return offset + sum(10 ** (len(shape) - 1 - d) * i for d, i in enumerate(indices))

    return distview.from_function(value, shape, layout, comm, dtype, **keywords)


@pytest.fixture(scope="module")
def folder(comm):
    """A folder with the files that the script expects."""
    others = script()
    with shared_folder(comm) as path:
        h, n = array(comm, (6, 7), "bc"), array(comm, (4, 5, 6), "bbb", "i4", padding=1)
        row = np.arange(9)
        fields = {"h": h, "flow/n": n}
        for name in ("f2", "f4", "c8", "c16", "u1", "i8"):
            fields[name] = distview.from_function(lambda i: i, 9, "b", comm, name)
        fields["bool"] = distview.from_function(lambda i: i % 2 == 1, len(row), "c", comm, bool)
        attributes = {"step": 150, "time": 3600.5, "title": "Wärme", "numbers": [1, 2, 3]}
        distview.save(path / "state.h5", fields, attributes, axis_names=["y", "x"])
        distview.save(path / "small.h5", fields, attributes, axis_names=["y", "x"], compression=9)
        names, shape, spacing, origin = others.CELLS
        cells = array(comm, shape, "bcb")
        distview.save(path / "cells.vtkhdf", {"h": cells}, spacing=spacing, origin=origin, axis_names=names)
        names, shape, spacing, origin = others.POINTS
        distview.save(
            path / "points.vtkhdf", {"h": array(comm, shape, "cb")}, spacing=spacing, origin=origin, on_points=True,
            axis_names=names,
        )  # fmt: skip
        names, shape, spacing, origin = others.FILM
        frame = array(comm, shape, "bb", padding=1)
        film = distview.Hdf5Series(
            path / "film.vtkhdf", {"h": frame}, spacing=spacing, origin=origin, axis_names=names, compression=4
        )
        for time in others.TIMES:
            film.append(time, {"h": frame})
            frame.interior += 1000
        distview.save(path / "u.npy", h)
        distview.save(path / "fortran.npy", h, fortran_order=True)
        distview.save(path / "all.npz", {"u": h, "n": n, "Wärme": h})
        on_root(comm, lambda: (path / "made").mkdir())
        yield path


@pytest.mark.time_limit(120)
@pytest.mark.parametrize("reader", ["numpy", "h5py", "netcdf4", "xarray", "vtk"])
def test_they_read_ours(comm, folder, reader):
    run(comm, reader, folder)


def whole_of(view):
    whole = view.gather()
    return view.comm.bcast(whole)


def test_we_read_those_of_h5py(comm, folder):
    run(comm, "h5py", folder / "made", "write")
    path = folder / "made" / "others.h5"
    indexed = script().indexed
    u, n = indexed((9, 11)), indexed((4, 5, 6), "i4")
    expected = {
        "plain": u, "chunked": u, "gzip": u, "big": u, "big gzip": n, "group/deep/n": n, "grows": u, "unwritten": 0 * u,
        "bool": np.arange(9) % 2 == 1, "complex": np.arange(9) * (1 + 2j),
    }  # fmt: skip
    contents = distview.inspect(path, comm)
    assert set(contents.fields) == set(expected)
    found = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in contents.attributes.items()}
    assert found == {"time": 1.5, "step": 7, "title": "Wärme", "bytes": "plain", "numbers": [0, 1, 2]}
    for name, whole in expected.items():
        for layout in ("b", "c"):
            loaded = distview.load(path, layout * whole.ndim, comm, names=name)
            assert loaded.dtype == whole.dtype and (whole_of(loaded) == whole).all(), name
    assert (whole_of(distview.load(path, comm=comm, names="chunked", step=3)) == u[3]).all()
    every = distview.load(path, comm=comm)
    assert set(every) == set(expected) and (whole_of(every["gzip"]) == u).all()
    nothing = "texts or a table"
    for name, got in {"texts": nothing, "table": nothing, "int24": "numbers of 3 bytes, which NumPy does not support"}.items():
        one = distview.zeros(3, comm=comm)
        error = raised_on_all(comm, lambda n=name, o=one: distview.load(path, out={n: o}))
        assert type(error) is distview.ShapeError and f"got {got}" in str(error), error


def test_we_read_those_of_netcdf4(comm, folder):
    run(comm, "netcdf4", folder / "made", "write")
    path = folder / "made" / "others.nc"
    u = script().indexed((9, 11), "f4")
    contents = distview.inspect(path, comm)
    assert contents.fields == {"u": distview.StoredField(np.dtype("f4"), (2, 9, 11))}
    assert contents.times.tolist() == [0, 0.5] and contents.attributes["title"] == "of netCDF4"
    for step in range(2):
        assert (whole_of(distview.load(path, "bc", comm, names="u", step=step)) == u + 1000 * step).all()
