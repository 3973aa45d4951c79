# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""save() and load() on several ranks, in any layout, against whole arrays in NumPy and against NumPy's own files."""

import math
import os

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS, interior, random_layout, random_whole, scattered
from mpi_cases import lowest, on_rank, raised_on_all, same_on_all
from shared_folder import on_root, shared_folder
from whole_layouts import layout_of

needs_hdf5 = pytest.mark.skipif(not distview.has_hdf5(), reason="a build without HDF5")
KINDS = ["npy", "npz", pytest.param("h5", marks=needs_hdf5)]


@pytest.fixture
def folder(comm):
    with shared_folder(comm) as path:
        yield path


def arrays_of(path, array):
    """The argument of save() and load() for one array called u in a file."""
    return array if path.suffix == ".npy" else {"u": array}


def index_coded(comm, shape, layout="b", dtype="f8", **keywords):
    """An array of values 10 i + j and so on, and its whole array."""
    weights = [10 ** (len(shape) - 1 - d) for d in range(len(shape))]

    def value(*indices):
        return sum(w * i for w, i in zip(weights, indices))

    whole = value(*np.indices(shape)).astype(dtype)
    layout = layout * len(shape) if len(layout) == 1 else layout
    return distview.from_function(value, shape, layout, comm, dtype, **keywords), whole


def assert_interior(view, whole):
    """This section's interior cells equal those of a whole array without padding."""
    places = [view.global_indices(d, "interior") for d in range(view.ndim)]
    if "u" in view.types:
        layout = view.layout
        for d, kind in enumerate(view.types):
            if kind == "u":
                labels = [layout.global_indices(d, p) for p in range(layout.process_count)]
                places[d] = np.searchsorted(np.unique(np.concatenate(labels)), places[d])
    expected = whole[np.ix_(*places)]
    assert view.interior.shape == expected.shape and (view.interior == expected).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(14))
def test_from_any_layout_to_any_layout(comm, folder, kind, seed):
    """Padding is neither written to the file nor filled from it."""
    rng = np.random.default_rng([seed, comm.size])
    dtype = NUMBERS[seed % len(NUMBERS)]
    layout = random_layout(rng, comm.size)
    whole = random_whole(rng, layout, dtype)
    view = scattered(distview.zeros(None, layout, comm, dtype), whole)
    path = folder / f"trip.{kind}"
    distview.save(path, arrays_of(path, view), buffer_bytes=200 if seed % 2 else 1 << 20)
    expected = interior(layout, whole)
    blocks = distview.load(path, comm=comm, names=None if kind == "npy" else "u", padding=0)
    assert blocks.dtype == view.dtype and blocks.shape == view.shape and "u" not in blocks.types
    assert_interior(blocks, expected)
    back = distview.ones(None, layout, comm, dtype)
    assert distview.load(path, out=back, names=None if kind == "npy" else "u") is back
    assert_interior(back, expected)
    back.interior[...] = 1
    assert (back.view == 1).all()


@pytest.mark.parametrize(("dtype", "order"), zip(NUMBERS, "CF" * 7))
def test_numpy_reads_what_we_write(comm, folder, dtype, order):
    view, whole = index_coded(comm, (5, 9), "bc", dtype)
    distview.save(folder / "u.npy", view, fortran_order=order == "F")
    distview.save(folder / "u.npz", {"u": view, "group/v": view, "größe": view}, fortran_order=order == "F")

    def check():
        loaded = np.load(folder / "u.npy")
        assert loaded.dtype == whole.dtype and (loaded == whole).all()
        assert loaded.flags.f_contiguous == (order == "F")
        with np.load(folder / "u.npz") as archive:
            assert archive.files == ["u", "group/v", "größe"]
            assert (archive["group/v"] == whole).all() and (archive["größe"] == whole).all() and archive["u"].dtype == whole.dtype

    on_root(comm, check)
    assert distview.inspect(folder / "u.npy", comm).fields == {"": distview.StoredField(whole.dtype, (5, 9), order == "F")}


@pytest.mark.parametrize(("dtype", "order", "byte_order"), zip(NUMBERS, "CCFF" * 4, "<>" * 7))
def test_we_read_what_numpy_writes(comm, folder, dtype, order, byte_order):
    whole = np.asarray(np.arange(63).reshape(7, 9), np.dtype(dtype).newbyteorder(byte_order), order=order)
    on_root(comm, lambda: (np.save(folder / "u.npy", whole), np.savez(folder / "all.npz", u=whole, n=np.arange(4))))
    loaded = distview.load(folder / "u.npy", "cb", comm, padding=(0, 1))
    assert loaded.dtype == np.dtype(dtype) and loaded.dtype.isnative
    assert_interior(loaded, whole)
    every = distview.load(folder / "all.npz", comm=comm)
    assert list(every) == ["u", "n"] and every["n"].dtype == np.arange(4).dtype
    assert_interior(every["u"], whole)
    assert_interior(every["n"], np.arange(4))


def test_versions_of_npy(comm, folder):
    whole = np.arange(6.0)

    def write():
        for version in (1, 2, 3):
            with open(folder / f"{version}.npy", "wb") as file:
                np.lib.format.write_array(file, whole, (version, 0))

    on_root(comm, write)
    for version in (1, 2, 3):
        assert_interior(distview.load(folder / f"{version}.npy", comm=comm), whole)


def test_what_numpy_writes_and_we_refuse(comm, folder):
    def write():
        np.savez_compressed(folder / "small.npz", u=np.arange(4))
        np.save(folder / "records.npy", np.zeros(3, [("x", "f4"), ("n", "i4")]))
        np.save(folder / "texts.npy", np.array(["one", "two"]))
        np.save(folder / "objects.npy", np.array([None, 1]))

    on_root(comm, write)
    for name in ("small.npz", "records.npy", "texts.npy", "objects.npy"):
        for call in (distview.inspect, lambda path, comm: distview.load(path, comm=comm)):
            error = raised_on_all(comm, lambda n=name, c=call: c(folder / n, comm))
            assert type(error) is distview.FileError and isinstance(error, OSError), error
            assert str(error).startswith(("inspect: expected", "load: expected")), error


def test_long_doubles_are_refused_by_name(comm, folder):
    on_root(comm, lambda: np.savez(folder / "two.npz", u=np.arange(4.0), wide=np.arange(4).astype("g")))
    error = raised_on_all(comm, lambda: distview.load(folder / "two.npz", comm=comm))
    expected = f"load: expected an array of numbers that zeros() supports, got 'wide' of {np.dtype('g')}: long doubles"
    assert type(error) is distview.UsageError and str(error).startswith(expected), error
    assert_interior(distview.load(folder / "two.npz", comm=comm, names="u"), np.arange(4.0))


def test_bytes_without_a_meaning(comm, folder):
    """Elements that are not numbers can be loaded into existing arrays."""
    layout = layout_of(7, "b", comm.size)
    memory = np.arange(7 * 5, dtype=np.uint8).view("V5")
    begin, end = layout.global_indices(0, comm.rank)[[0, -1]] if layout.local_shape(comm.rank)[0] else (0, -1)
    view = distview.wrap(memory[begin : end + 1].copy(), None, layout, comm)
    distview.save(folder / "bytes.npy", view)
    back = distview.wrap(np.zeros(layout.local_shape(comm.rank), "V5"), None, layout, comm)
    distview.load(folder / "bytes.npy", out=back)
    assert back.view.tobytes() == memory[begin : end + 1].tobytes()
    error = raised_on_all(comm, lambda: distview.load(folder / "bytes.npy", comm=comm))
    assert str(error).startswith("load: expected an array of numbers, got '' of |V5: ")


@needs_hdf5
@pytest.mark.parametrize("suffix", [".h5", ".hdf5", ".vtkhdf", ".nc", ".H5"])
def test_many_arrays_and_attributes(comm, folder, suffix):
    u, u_whole = index_coded(comm, (6, 7), padding=1)
    n, n_whole = index_coded(comm, (11,), "c", "i4")
    path = folder / ("state" + suffix)
    attributes = {
        "step": 150, "time": 3600.5, "title": "Wärme", "flag": True, "numbers": [1, 2, 3], "places": (0.5, 1),
        "array": np.arange(3.0), "single": np.float32(0.5), "long": -(2**63), "none": [], "list of one": [7],
    }  # fmt: skip
    distview.save(path, {"flow/u": u, "n": n}, attributes)
    contents = distview.inspect(path, comm)
    assert contents.fields == {
        "flow/u": distview.StoredField(np.dtype("f8"), (6, 7)), "n": distview.StoredField(np.dtype("i4"), (11,)),
    }  # fmt: skip
    found = contents.attributes
    assert set(found) == set(attributes) and contents.times.size == 0
    for name in ("step", "time", "title", "flag", "single", "long"):
        assert found[name] == attributes[name] and type(found[name]) in (int, float, str), name
    for name in ("numbers", "places", "array", "none", "list of one"):
        assert isinstance(found[name], np.ndarray) and found[name].tolist() == list(attributes[name]), name
    every = distview.load(path, comm=comm)
    assert list(every) == ["flow/u", "n"]
    assert_interior(every["flow/u"], u_whole)
    assert_interior(every["n"], n_whole)
    some = distview.load(path, "c", comm, names=["n"])
    assert list(some) == ["n"] and some["n"].types == "c"
    out = {"n": distview.zeros(11, comm=comm, dtype="i4")}
    assert distview.load(path, out=out) == out
    assert_interior(out["n"], n_whole)


@needs_hdf5
def test_to_hdf5(comm, folder):
    u, whole = index_coded(comm, (6, 7))
    u.to_hdf5(folder / "u.h5", "u", {"time": 1.5}, spacing=(0.5, 0.25), axis_names=["y", "x"])
    assert distview.inspect(folder / "u.h5", comm).attributes == {"time": 1.5}
    assert_interior(distview.load(folder / "u.h5", comm=comm, names="u"), whole)
    for number, names in enumerate((iter(["y", "x"]), np.array(["y", "x"]))):
        path = folder / f"{number}.h5"
        u.to_hdf5(path, "u", {"time": 1.5}, spacing=(0.5, 0.25), axis_names=names)
        assert on_root(comm, lambda p=path: p.read_bytes() == (folder / "u.h5").read_bytes()) is not False
    error = raised_on_all(comm, lambda: u.to_hdf5(folder / "u.npy", "u"))
    assert str(error).startswith("to_hdf5: expected a path with an ending of HDF5 files, got ")
    error = raised_on_all(comm, lambda: u.to_hdf5(folder / "u.h5", "time"))
    assert str(error).startswith("to_hdf5: expected names of fields ")
    error = raised_on_all(comm, lambda: u.to_hdf5(folder / "u.h5", "u", depth=3))
    assert str(error).startswith("to_hdf5: got an unexpected keyword argument 'depth'")


@pytest.mark.parametrize("kind", KINDS)
def test_load_makes_the_layout_that_is_asked_for(comm, folder, kind):
    u, whole = index_coded(comm, (12, 14))
    path = folder / f"u.{kind}"
    distview.save(path, arrays_of(path, u))
    names = None if kind == "npy" else "u"
    layout = distview.make_layout((12, 14), "bb", comm.size, padding=1, periodic=True)
    cases = [
        dict(layout=("c", "n")), dict(layout="bb", padding=2, periodic=(True, False)), dict(layout=layout),
        dict(layout=None, grid=(1, comm.size)),
    ]  # fmt: skip
    for case in cases:
        loaded = distview.load(path, comm=comm, names=names, **case)
        assert_interior(loaded, whole)
        loaded.exchange_padding()
    assert loaded.grid == (1, comm.size)
    assert distview.load(path, layout, comm, names=names).layout == layout
    error = raised_on_all(comm, lambda: distview.load(path, "b", comm, names=names))
    assert type(error) is distview.LayoutError and str(error).startswith("load: ")


@pytest.mark.parametrize("kind", KINDS)
def test_slices_of_arrays(comm, folder, kind):
    u, whole = index_coded(comm, (12, 14))
    path = folder / f"part.{kind}"
    distview.save(path, arrays_of(path, u[2:9, ::3]))
    assert_interior(distview.load(path, comm=comm, names=None if kind == "npy" else "u"), whole[2:9, ::3])
    v = distview.zeros((12, 14), comm=comm)
    part = v[2:9, ::3]
    distview.load(path, out=part, names=None if kind == "npy" else "u")
    gathered = v.gather()
    if comm.rank == 0:
        assert (gathered[2:9, ::3] == whole[2:9, ::3]).all() and np.count_nonzero(gathered) <= part.size


@pytest.mark.parametrize("kind", KINDS)
def test_padding_is_not_valid_after_load(comm, folder, kind):
    u, whole = index_coded(comm, (4 * comm.size, 6), layout="bn", padding=((1, 1), (0, 0)), periodic=(True, False))
    path = folder / f"u.{kind}"
    distview.save(path, arrays_of(path, u))
    u.exchange_padding()
    assert u.valid_padding == ((1, 1), (0, 0))
    distview.load(path, out=u, names=None if kind == "npy" else "u")
    assert u.valid_padding == ((0, 0), (0, 0))
    assert u.require_padding(1)
    rows = u.global_indices(0, "all") % len(u)
    assert (u.view == whole[rows]).all()


@needs_hdf5
def test_series(comm, folder):
    path = folder / "film.vtkhdf"
    u, whole = index_coded(comm, (6, 7))
    n, numbers = index_coded(comm, (9,), dtype="i8")
    film = distview.Hdf5Series(path, {"u": u, "n": n}, {"title": "a film"}, spacing=(0.5, 0.25), origin=(1, 2), sync=True)
    assert film.steps == 0 and film.path == str(path)
    for step in range(4):
        film.append(0.5 * step, {"u": u, "n": n})
        u.interior += 100
        n.interior[...] *= 2
    assert film.steps == 4
    contents = distview.inspect(path, comm)
    assert contents.times.tolist() == [0, 0.5, 1, 1.5] and contents.attributes == {"title": "a film"}
    assert contents.fields["u"].shape == (4, 6, 7) and contents.fields["n"].shape == (4, 9)
    for step in range(4):
        at = distview.load(path, "cb", comm, names="u", step=step, padding=(0, 1))
        assert_interior(at, whole + 100 * step)
        assert_interior(distview.load(path, out={"n": n}, step=step)["n"], numbers * 2**step)
    all_steps = distview.load(path, comm=comm, names="u")
    assert_interior(all_steps, np.stack([whole + 100 * step for step in range(4)]))
    for step in (4, -1):
        error = raised_on_all(comm, lambda s=step: distview.load(path, comm=comm, names="u", step=s))
        assert str(error).startswith(f"load: expected a step in [0, 4) of 'u', got {step}")
    error = raised_on_all(comm, lambda: distview.load(path, out={"n": n}, step=2**63))
    assert type(error) is distview.UsageError and str(error).startswith("load: expected step to fit 64 bits, got "), error
    error = raised_on_all(comm, lambda: film.append(9, {"u": u}))
    assert str(error).startswith("Hdf5Series.append: expected 2 arrays, as at construction, got 1")
    error = raised_on_all(comm, lambda: film.append(9, {"u": u, "n": u}))
    assert type(error) is distview.ShapeError
    for time in ("now", "9", np.complex128(9)):
        error = raised_on_all(comm, lambda t=time: film.append(t, {"u": u, "n": n}))
        assert str(error).startswith(f"Hdf5Series.append: expected time to be a number, got {time!r}")
    assert film.steps == 4


@needs_hdf5
def test_checkpoint(comm, folder):
    path = folder / "run.h5"
    u, whole = index_coded(comm, (6, 7), padding=1)
    checkpoint = distview.Checkpoint(path, comm, sync=False)
    for step in range(3):
        u.interior[...] += 100
        checkpoint.save({"u": u}, {"step": step, "time": 0.5 * step})
    assert sorted(os.listdir(folder)) == ["run.h5", "run.h5.1"]
    assert checkpoint.path == str(path) and checkpoint.path_of(1) == checkpoint.path_of(np.int64(1)) == f"{path}.1"
    for wrong in (True, -1, 1.0, None):
        with pytest.raises(distview.UsageError, match="^Checkpoint.path_of: expected a number of at least 0, got "):
            checkpoint.path_of(wrong)
    back = distview.zeros((6, 7), "cc", comm)
    loaded = checkpoint.load({"u": back})
    assert loaded == distview.LoadedCheckpoint({"step": 2, "time": 1.0}, str(path), "")
    assert_interior(back, whole + 300)

    def damage():
        with open(path, "r+b") as file:
            at = file.read().index((whole + 300).tobytes())
            file.seek(at + 8 * 20)
            file.write(b"\1")

    on_root(comm, damage)
    error = raised_on_all(comm, lambda: checkpoint.load({"u": back}))
    assert type(error) is distview.FileError
    assert str(error).startswith("Checkpoint.load: expected the bytes that were written, got damaged bytes among [0, 336) of field 'u'")
    assert f"load(fields, falls_back=True) falls back to the checkpoint before it, '{path}.1'" in str(error)
    error = raised_on_all(comm, lambda: checkpoint.load({"u": back}, falls_back=1))
    assert str(error).startswith("Checkpoint.load: expected falls_back to be True or False, got 1")
    loaded = checkpoint.load({"u": back}, falls_back=on_rank(comm, 0, np.True_, True))
    assert loaded.scalars["step"] == 1 and loaded.path == f"{path}.1"
    assert loaded.damage.startswith("Checkpoint.load: expected the bytes that were written, got damaged bytes")
    assert_interior(back, whole + 200)
    # load() reads it as well: a checkpoint is an ordinary file.
    error = raised_on_all(comm, lambda: distview.load(path, comm=comm, names="u"))
    assert type(error) is distview.FileError and str(error).startswith("load: expected the bytes that were written, got damaged")
    error = raised_on_all(comm, lambda: checkpoint.load({"v": back}))
    assert type(error) is distview.UsageError and str(error).startswith("Checkpoint.load: expected a field 'v' in ")
    error = raised_on_all(comm, lambda: checkpoint.load({"u": distview.zeros((6, 8), comm=comm)}))
    assert type(error) is distview.ShapeError
    error = raised_on_all(comm, lambda: distview.Checkpoint(folder / "none.h5", comm).load({"u": back}))
    assert type(error) is distview.FileError and "No such file" in str(error)


def test_progress(comm, folder):
    """Called on rank 0 only, up to all bytes; its exception is raised after the file is written."""
    u = distview.ones((50, 40), "cc", comm)
    told = []
    distview.save(folder / "u.npy", u, progress=lambda done, total: told.append((done, total)), buffer_bytes=3000)
    if comm.rank == 0:
        assert told and all(0 <= done <= total == 16000 for done, total in told)
        assert [done for done, _ in told] == sorted(done for done, _ in told)
    else:
        assert not told

    def fail(done, total):
        raise ZeroDivisionError("planted")

    error = raised_on_all(comm, lambda: distview.save(folder / "v.npy", u, progress=fail))
    assert type(error) is distview.Error and str(error).startswith("save: ZeroDivisionError: planted")
    if comm.rank == 0:
        assert isinstance(error.__cause__, ZeroDivisionError)
    assert distview.load(folder / "v.npy", comm=comm).sum() == 2000


def system_errors(comm, folder, u):
    def make():
        (folder / "a folder.npy").mkdir()
        (folder / "short.npy").write_bytes(b"\x93NUMPY")
        np.save(folder / "cut.npy", np.arange(100))
        os.truncate(folder / "cut.npy", 500)

    on_root(comm, make)
    yield "save: ", "No such file", lambda: distview.save(folder / "nowhere" / "u.npy", u)
    yield "save: ", "directory", lambda: distview.save(folder / "a folder.npy", u)
    yield "load: ", "No such file", lambda: distview.load(folder / "nothing.npy", comm=comm)
    yield "load: ", "directory", lambda: distview.load(folder / "a folder.npy", comm=comm)
    yield "load: ", "ends within its header", lambda: distview.load(folder / "short.npy", comm=comm)
    yield "load: ", "ends within its array", lambda: distview.load(folder / "cut.npy", comm=comm)
    yield "inspect: ", "No such file", lambda: distview.inspect(folder / "nothing.npz", comm)
    if distview.has_hdf5():
        yield "save: ", "No such file", lambda: distview.save(folder / "nowhere" / "u.h5", {"u": u})
        yield "inspect: ", "No such file", lambda: distview.inspect(folder / "nothing.h5", comm)
        on_root(comm, lambda: (folder / "text.h5").write_text("not a file of HDF5"))
        yield "load: ", "HDF5", lambda: distview.load(folder / "text.h5", comm=comm)
        yield "Hdf5Series: ", "No such file", lambda: distview.Hdf5Series(folder / "nowhere" / "u.h5", {"u": u})
        yield "Checkpoint.save: ", "No such file", lambda: distview.Checkpoint(folder / "no" / "u.h5", comm).save({"u": u})


def test_errors_of_the_system(comm, folder):
    u = distview.ones(12, comm=comm)
    for begin, reason, call in system_errors(comm, folder, u):
        error = raised_on_all(comm, call)
        assert type(error) is distview.FileError and isinstance(error, OSError), repr(error)
        assert str(error).startswith(begin) and reason in str(error), error
    left = sorted(os.listdir(folder))
    assert not any("partial" in name for name in left), left


def wrong_arguments(comm, u, path):
    """(begin of the text, the call of one rank in place of the others' call)"""
    h5 = distview.has_hdf5()
    yield "save: expected one DistView for a .npy file, got {", (path, {"u": u}), {}
    yield "save: expected a path, got 3", (3, u), {}
    yield "save: expected a path that ends in .npy, ", (path.with_suffix(".mat"), u), {}
    yield "save: expected a path that is a text without NUL, got ", (str(path) + "\0.npy", u), {}
    yield "save: expected attributes for HDF5 files only", (path, u, {"time": 1}), {}
    yield "save: expected spacing, origin, on_points and axis_names for HDF5 files only", (path, u), {"spacing": 1}
    yield "save: expected buffer_bytes to be an integer of at least 1, got 0", (path, u), {"buffer_bytes": 0}
    yield "save: expected sync to be True or False, got 'yes'", (path, u), {"sync": "yes"}
    yield "save: expected progress to be a function of two numbers, got 3", (path, u), {"progress": 3}
    yield "save: got an unexpected keyword argument", (path, u), {"depth": 3}
    big_endian = distview.wrap(np.zeros(u.local_shape, ">f8"), None, u.layout, comm)
    yield "save: expected numbers in native byte order as elements of '', or bytes ('V'), got '>d'", (path, big_endian), {}
    if not h5:
        return
    path = path.with_suffix(".h5")
    yield "save: expected arrays by name, as {\"u\": u}, got <DistView", (path, u), {}
    yield "save: expected a name of an array, got 3", (path, {3: u, "u": u}), {}
    yield "save: expected 'u' to be a DistView, got array(", (path, {"v": u, "u": np.zeros(3)}), {}
    yield "save: expected a name of an attribute, got 3", (path, {"u": u}, {3: 1}), {}
    for value in (1j, None, b"x", [[1]], ["a"], {1: 2}, 2**63, "a\0b", "\ud800"):
        yield "save: expected attribute 'a' to be a number, a text or a row of numbers, got ", (path, {"u": u}, {"a": value}), {}
    yield "save: expected fortran_order for .npy and .npz only", (path, {"u": u}), {"fortran_order": True}
    for bad in ("x", "1", ["1"], b"1", np.complex128(1)):
        yield f"save: expected spacing to be a number for each axis, got {bad!r}", (path, {"u": u}), {"spacing": bad}
    yield "save: expected spacing together with origin and on_points, got None", (path, {"u": u}), {"origin": 1}
    for bad in (10, -1, True, 1.5, None):
        yield f"save: expected compression to be an integer from 0 (none) to 9, got {bad}", (path, {"u": u}), {"compression": bad}
    for names in ("yx", 3, [1], b"yx", np.array("yx"), np.array([1.5])):
        yield f"save: expected axis_names to be texts, got {names!r}", (path, {"u": u}), {"axis_names": names}
    yield "save: expected a grid with one to three spacings", (path, {"u": u}), {"spacing": [1, 1, 1, 1]}


def test_wrong_arguments_on_one_rank(comm, folder):
    """Every rank raises the same error; nothing is written."""
    u = distview.ones(3 * comm.size, comm=comm)
    path = folder / "u.npy"
    for text, arguments, keywords in wrong_arguments(comm, u, path):
        is_h5 = str(arguments[0]).endswith(".h5")
        good = (path.with_suffix(".h5"), {"u": u}) if is_h5 else (path, u)
        # Rank 0's options count; every rank by itself detects an impossible grid.
        for rank in range(comm.size) if "grid with one" not in text else [0]:
            mine = on_rank(comm, rank, arguments, good)
            options = on_rank(comm, rank, keywords, {})
            if "grid with one" in text:
                mine, options = arguments, keywords
            error = raised_on_all(comm, lambda m=mine, o=options: distview.save(*m, **o))
            assert isinstance(error, (distview.UsageError, distview.ShapeError)), repr(error)
            assert str(error).startswith(text), error
            assert str(error).endswith(lowest(comm, rank)) or mine is arguments and "grid with one" in text, error
    assert on_root(comm, lambda: os.listdir(folder)) in ([], None)
    distview.save(path, u)
    assert distview.load(path, comm=comm).sum() == 3 * comm.size


def test_what_is_no_array(comm, folder):
    """Without an array the ranks do not know each other: each rank raises by itself."""
    for given in (np.zeros(3), None, {"u": 3}):
        error = raised_on_all(comm, lambda g=given: distview.save(folder / "u.npy", g))
        assert str(error).startswith("save: expected one DistView for a .npy file, got "), error


def test_other_arguments_on_one_rank(comm, folder):
    if comm.size == 1:
        return
    u, v = (distview.ones(12, comm=comm) for _ in range(2))
    for rank in range(comm.size):
        paths = on_rank(comm, rank, folder / "a.npy", folder / "b.npy")
        error = raised_on_all(comm, lambda p=paths: distview.save(p, u))
        assert "save: expected the same arguments on all ranks" in str(error) and "a.npy" in str(error), error
        arrays = on_rank(comm, rank, v, u)
        error = raised_on_all(comm, lambda a=arrays: distview.save(folder / "u.npy", a))
        assert "save: expected the same arguments on all ranks" in str(error), error
        distview.save(folder / "u.npz", {"u": u, "v": v})
        names = on_rank(comm, rank, "u", "v")
        error = raised_on_all(comm, lambda n=names: distview.load(folder / "u.npz", comm=comm, names=n))
        assert "load: expected the same arguments on all ranks" in str(error), error
    assert on_root(comm, lambda: sorted(os.listdir(folder))) in (["u.npz"], None)


def test_wrong_arguments_of_load(comm, folder):
    u = distview.ones((4, 6), comm=comm)
    path = folder / "u.npz"
    distview.save(folder / "u.npy", u)
    distview.save(path, {"u": u, "v": u})
    usage, shape = distview.UsageError, distview.ShapeError
    cases = [
        (usage, "load: expected an array 'w' in ", lambda: distview.load(path, comm=comm, names="w")),
        (usage, "load: expected names of arrays, got 3", lambda: distview.load(path, comm=comm, names=3)),
        (usage, "load: expected names of arrays, got 3", lambda: distview.load(path, comm=comm, names=["u", 3])),
        (usage, "load: expected a step for HDF5 files only", lambda: distview.load(path, comm=comm, step=0)),
        (usage, "load: expected no names for a .npy", lambda: distview.load(folder / "u.npy", comm=comm, names="u")),
        (usage, "load: expected no names together with out", lambda: distview.load(path, out={"u": u}, names="u")),
        (usage, "load: expected no layout, comm or device", lambda: distview.load(path, "cc", out={"u": u})),
        (usage, "load: expected no layout, comm or device", lambda: distview.load(path, out={"u": u}, comm=comm)),
        (usage, "load: expected out to be arrays by name", lambda: distview.load(path, out=u)),
        (usage, "load: expected one DistView for a .npy", lambda: distview.load(folder / "u.npy", out={"u": u})),
        (usage, "load: expected an array 'w' in ", lambda: distview.load(path, out={"w": u})),
        (shape, "load: expected float32 of shape (4, 6)",
         lambda: distview.load(path, out={"u": distview.zeros((4, 6), comm=comm, dtype="f4")})),
        (shape, "load: expected float64 of shape (4, 5)",
         lambda: distview.load(path, out={"u": distview.zeros((4, 5), comm=comm)})),
        (usage, "load: expected a path that ends in ", lambda: distview.load(folder / "u", comm=comm)),
    ]  # fmt: skip
    for kind, text, call in cases:
        error = raised_on_all(comm, call)
        assert type(error) is kind and str(error).startswith(text), repr(error)
    assert (u.interior == 1).all()


def test_arrays_of_several_communicators(comm, folder, mpi):
    u = distview.ones(12, comm=comm)
    alone = distview.ones(12, comm=mpi.COMM_SELF)
    error = raised_on_all(comm, lambda: distview.save(folder / "u.npz", {"u": u, "alone": alone}))
    assert str(error).startswith("save: expected arrays of one communicator, got 'alone' of another one")


def test_one_process_by_itself(comm, folder, mpi):
    """Each of several processes has files of its own."""
    path = folder / f"{comm.rank}.npz"
    u = distview.full((3, 4), comm.rank, comm=mpi.COMM_SELF)
    distview.save(path, {"u": u})
    assert (distview.load(path, comm=mpi.COMM_SELF, names="u").view == comm.rank).all()
    assert distview.inspect(path, mpi.COMM_SELF).fields["u"].shape == (3, 4)
    with np.load(path) as archive:
        assert (archive["u"] == comm.rank).all()


def test_several_ranks_without_an_array(comm, folder):
    """Without an array there is no communicator: each rank would write the same file."""
    if comm.size > 1:
        error = raised_on_all(comm, lambda: distview.save(folder / "none.npz", {}))
        assert type(error) is distview.UsageError and "expected at least one array" in str(error)


def test_many_files_leave_nothing_open(comm, folder):
    u = distview.ones(12, comm=comm)
    before = len(os.listdir("/proc/self/fd"))
    for i in range(20):
        distview.save(folder / "u.npz", {"u": u})
        distview.load(folder / "u.npz", comm=comm)
        raised_on_all(comm, lambda: distview.load(folder / "nothing.npz", comm=comm))
    assert len(os.listdir("/proc/self/fd")) <= before + 4
    assert math.isclose(same_on_all(comm, u.sum()), 12)


def test_no_arrays_by_name_on_one_rank(comm, folder):
    u = distview.zeros(12, comm=comm)
    path = folder / "named.h5"
    distview.save(path, {"u": u})
    for rank in range(comm.size):
        given = on_rank(comm, rank, [u], {"u": u})
        error = raised_on_all(comm, lambda g=given: distview.save(path, g))
        assert type(error) is distview.UsageError and "expected arrays by name" in str(error)
        given = on_rank(comm, rank, "nonsense", None)
        error = raised_on_all(comm, lambda g=given: distview.load(path, comm=comm, out=g))
        assert type(error) is distview.UsageError
    assert list(distview.load(path, comm=comm)) == ["u"]
