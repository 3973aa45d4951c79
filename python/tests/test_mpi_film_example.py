# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/python/film.py: a film is computed, and made into an animation without a display."""

import importlib.util
from pathlib import Path

import distview
import numpy as np
import pytest
from shared_folder import on_root, shared_folder

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "python" / "film.py"
pytestmark = [
    pytest.mark.skipif(not SCRIPT.exists(), reason="of a source tree"),
    pytest.mark.skipif(not distview.has_hdf5(), reason="a build without HDF5"),
]
pytest.importorskip("matplotlib")


@pytest.fixture
def film(monkeypatch):
    spec = importlib.util.spec_from_file_location("film", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "STEPS", 24)
    return module


def whole_pond(film):
    """The same computation in one process with NumPy."""
    i, j = np.mgrid[-1 : film.ROWS + 1, -1 : film.COLUMNS + 1]
    now = film.drop(i, j)
    before, later = now.copy(), np.zeros_like(now)
    frames = []
    for step in range(film.STEPS + 1):
        if step % film.STEPS_A_FRAME == 0:
            frames.append(now[1:-1, 1:-1].copy())
        h = now
        neighbours = h[:-2, 1:-1] + h[2:, 1:-1] + h[1:-1, :-2] + h[1:-1, 2:]
        later[1:-1, 1:-1] = 2 * h[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.2 * (neighbours - 4 * h[1:-1, 1:-1])
        before, now, later = now, later, before
    return np.stack(frames)


def test_film_and_animation(comm, film, monkeypatch):
    with shared_folder(comm) as folder:
        monkeypatch.chdir(folder)
        film.main([])
        stored = distview.load("waves.vtkhdf", "nbb", comm, names="height").gather()
        if comm.rank == 0:
            assert np.abs(stored - whole_pond(film)).max() < 1e-12

        def look():
            image = pytest.importorskip("PIL.Image").open("waves.gif")
            assert image.n_frames == 3
            frames = []
            for frame in range(3):
                image.seek(frame)
                frames.append(np.asarray(image.convert("RGB")))
            assert (frames[0] != frames[1]).any() and len(np.unique(frames[2])) > 20

        on_root(comm, look)
        film.main(["waves.vtkhdf"])
        film.main(["waves.vtkhdf", "height", "other.gif"])
        on_root(comm, lambda: (folder / "other.gif").stat().st_size)
        monkeypatch.undo()


def test_colours_are_those_of_the_whole_film(comm, film):
    heights = distview.from_function(lambda i, j: -1 + 2 * j / 19 + 0 * i, (10, 20), "bb", comm)
    with shared_folder(comm) as folder:
        path = str(folder / "ramp.vtkhdf")
        written = distview.Hdf5Series(path, {"height": heights})
        written.append(0.0, {"height": distview.zeros_like(heights)})
        written.append(1.0, {"height": heights})
        film.main([path])

        def look():
            image = pytest.importorskip("PIL.Image").open(folder / "ramp.gif")
            colours = []
            for frame in range(2):
                image.seek(frame)
                pixels = np.asarray(image.convert("RGB")).astype(int).reshape(-1, 3)
                pixels = pixels[np.ptp(pixels, axis=1) > 30]  # without the text's grey pixels
                found, counts = np.unique(pixels, axis=0, return_counts=True)
                colours.append(found[counts > 50])
            zero = colours[0][0]
            assert len(colours[0]) == 1 and len(colours[1]) >= 15
            # Between the colours of -1 and 1: viridis at 0.5, not at an end.
            assert np.abs(zero - [33, 145, 140]).max() < 12

        on_root(comm, look)


def test_a_film_of_one_value(comm, film):
    with shared_folder(comm) as folder:
        path = str(folder / "flat.vtkhdf")
        flat = distview.ones((6, 4), "bb", comm)
        distview.Hdf5Series(path, {"height": flat}).append(0.0, {"height": flat})
        assert film.value_range(path, "height", 1, flat) == (0.5, 1.5)
        film.main([path])
