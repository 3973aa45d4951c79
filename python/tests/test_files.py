# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of one process: arrays without a communicator, builds without HDF5, h5py in the same process."""

import subprocess
import sys

import distview
import numpy as np
import pytest

pytest.importorskip("mpi4py")
needs_hdf5 = pytest.mark.skipif(not distview.has_hdf5(), reason="a build without HDF5")
SUFFIXES = [".npy", ".npz", pytest.param(".h5", marks=needs_hdf5)]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_arrays_without_a_communicator(tmp_path, suffix):
    path = tmp_path / ("u" + suffix)
    u = distview.from_function(lambda i, j: 10 * i + j, (4, 5), "bc", padding=(1, 0))
    distview.save(str(path), u if suffix == ".npy" else {"u": u})
    name = None if suffix == ".npy" else "u"
    loaded = distview.load(path, "bb", names=name, padding=1)
    assert (loaded.interior == u.interior).all() and loaded.comm is None and not loaded.view[0].any()
    assert distview.load(path, out=u, names=name) is u
    assert list(distview.inspect(path).fields) == ["" if suffix == ".npy" else "u"]


@pytest.mark.parametrize("dtype", ["f8", "c8", "?", "i2"])
@pytest.mark.parametrize("suffix", [".npy", pytest.param(".h5", marks=needs_hdf5)])
def test_arrays_without_axes(tmp_path, suffix, dtype):
    path = tmp_path / ("u" + suffix)
    u = distview.ones((), dtype=dtype)
    distview.save(path, u if suffix == ".npy" else {"u": u})
    loaded = distview.load(path, names=None if suffix == ".npy" else "u")
    assert loaded.shape == () and loaded.view[()] == 1 and loaded.dtype == u.dtype
    if suffix == ".npy":
        assert np.load(path).shape == () and np.load(path) == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_arrays_without_elements(tmp_path, suffix):
    path = tmp_path / ("u" + suffix)
    u = distview.zeros((0, 5))
    distview.save(path, u if suffix == ".npy" else {"u": u})
    assert distview.load(path, names=None if suffix == ".npy" else "u").shape == (0, 5)


def test_memory_of_any_strides(tmp_path):
    table = np.arange(7 * 9, dtype="f4").reshape(7, 9)
    view = distview.wrap(table[::-2, 1::3], (4, 3))
    distview.save(tmp_path / "u.npy", view)
    assert (np.load(tmp_path / "u.npy") == table[::-2, 1::3]).all()
    distview.save(tmp_path / "u.npy", distview.zeros((4, 3), dtype="f4"))
    distview.load(tmp_path / "u.npy", out=view)
    assert not table[::-2, 1::3].any() and np.count_nonzero(table) == 63 - 12 - 1
    read_only = distview.wrap(bytes(12), 12)
    distview.save(tmp_path / "bytes.npy", read_only)
    with pytest.raises(distview.ShapeError, match="^load: expected a writable array for the array, got a read"):
        distview.load(tmp_path / "bytes.npy", out=read_only)


def write_strange_names(path, names):
    """Arrays of ones under names in Latin-1, as old programs write them."""
    if path.suffix == ".h5":
        pytest.importorskip("h5py")
        program = "import h5py, numpy, sys\nwith h5py.File(sys.argv[1], 'w') as file:\n"
        program += f"    for name in {[name.encode('latin-1') for name in names]}: file[name] = numpy.ones(3)\n"
        subprocess.run([sys.executable, "-c", program, str(path)], check=True)
        return
    distview.save(path, {name.replace("\xf6", "@"): distview.ones(3) for name in names})
    path.write_bytes(path.read_bytes().replace(b"@", b"\xf6"))


@pytest.mark.parametrize("suffix", [".npz", pytest.param(".h5", marks=needs_hdf5)])
def test_names_that_are_no_utf_8(tmp_path, suffix):
    """The compiled part accepts no str for such names."""
    path = tmp_path / ("u" + suffix)
    write_strange_names(path, ["h\xf6he", "u"])
    assert list(distview.inspect(path).fields) == ["h\udcf6he", "u"]
    assert list(distview.load(path)) == ["u"]
    with pytest.raises(distview.UsageError, match="^load: expected names of arrays, got 'h.udcf6he'$"):
        distview.load(path, names="h\udcf6he")
    with pytest.raises(distview.UsageError, match="^load: expected a name of an array, got 'h.udcf6he'$"):
        distview.load(path, out={"h\udcf6he": distview.ones(3)})
    write_strange_names(path, ["h\xf6he"])
    with pytest.raises(distview.UsageError, match="^load: expected arrays whose names are UTF-8 in .*, got 'h.udcf6he'$"):
        distview.load(path)


def test_builds_without_hdf5(tmp_path, monkeypatch):
    """Checks their error; .npy and .npz still work."""
    monkeypatch.setattr(distview._distview, "has_hdf5", lambda: False)
    u = distview.ones(4)
    path = str(tmp_path / "u.h5")
    calls = {
        "save": lambda: distview.save(path, {"u": u}),
        "load": lambda: distview.load(path),
        "inspect": lambda: distview.inspect(path),
        "to_hdf5": lambda: u.to_hdf5(path, "u"),
        "Checkpoint": lambda: distview.Checkpoint(path),
        "Hdf5Series": lambda: distview.Hdf5Series(path, {"u": u}),
    }
    for name, call in calls.items():
        with pytest.raises(distview.UsageError, match=f"^{name}: expected a build with HDF5"):
            call()
    distview.save(tmp_path / "u.npz", {"u": u})
    assert distview.load(tmp_path / "u.npz")["u"].sum() == 4


def test_without_mpi4py(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(distview.UsageError, match="^save: expected mpi4py, which a single process also needs"):
        distview.save(tmp_path / "u.npy", distview.ones(4))


@needs_hdf5
@pytest.mark.parametrize("order", ["import h5py, distview", "import distview, h5py"])
def test_h5py_in_the_same_process(tmp_path, order):
    """h5py's HDF5 may be another build than the module's."""
    pytest.importorskip("h5py")
    program = f"""
{order}
import numpy as np
with h5py.File("theirs.h5", "w") as file:
    file.create_dataset("u", data=np.arange(12.0).reshape(3, 4), chunks=(2, 2), compression="gzip")
    u = distview.wrap(np.zeros((3, 4)), (3, 4))
distview.load("theirs.h5", out={{"u": u}})
assert (u.view == np.arange(12.0).reshape(3, 4)).all()
u.to_hdf5("ours.h5", "u")
with h5py.File("ours.h5") as file:
    assert (file["u"][...] == u.view).all()
    distview.save("third.h5", {{"u": u}})
print("right")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path
    )
    assert done.stdout.strip() == "right", done.stderr


def test_errors_can_be_caught_as_pythons_own(tmp_path):
    with pytest.raises(OSError):
        distview.load(tmp_path / "nothing.npy")
    with pytest.raises(ValueError):
        distview.save(tmp_path / "u.mat", distview.ones(4))
