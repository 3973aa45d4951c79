# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a film that ParaView plays, and its animation by Matplotlib: of waves on a pond, or of an existing film.

    scripts/python -n 4 examples/python/film.py                         # computes waves.vtkhdf and makes waves.gif
    scripts/python -n 2 examples/python/film.py film.vtkhdf h film.gif  # film of shallow_water --movie film.vtkhdf

Only process 0 uses Matplotlib; all processes read a step, and process 0 gathers it.
"""

import sys

import distview
import numpy as np
from mpi4py import MPI

ROWS, COLUMNS, STEPS, STEPS_A_FRAME, WIDTH = 90, 120, 240, 12, 0.5


def drop(i, j):
    """The drop where the stone falls in, at row i and column j."""
    return np.exp(-((i - 30) ** 2 + (j - 45) ** 2) / 20.0)


def compute(comm, path):
    """Waves on a pond with walls around it, as a film of their heights."""
    now = distview.from_function(drop, (ROWS, COLUMNS), "bb", comm, padding=1)
    before, later = (distview.zeros_like(now) for _ in range(2))
    before.view[...] = now.view
    film = distview.Hdf5Series(path, {"height": now}, {"title": "waves"}, spacing=(WIDTH, WIDTH), axis_names=["y", "x"])
    for step in range(STEPS + 1):
        if step % STEPS_A_FRAME == 0:
            film.append(0.1 * step, {"height": now})
        now.exchange_padding()
        h = now.view
        neighbours = h[:-2, 1:-1] + h[2:, 1:-1] + h[1:-1, :-2] + h[1:-1, 2:]
        later.interior[...] = 2 * now.interior - before.interior + 0.2 * (neighbours - 4 * now.interior)
        before, now, later = now, later, before
    return film.steps


def value_range(path, name, frames, array):
    """The smallest and the largest value of all steps, widened if they are equal; reads each step into `array`."""
    ranges = []
    for step in range(frames):
        distview.load(path, out=array, names=name, step=step)
        ranges.append((array.min(), array.max()))
    least, most = min(low for low, _ in ranges), max(high for _, high in ranges)
    return (least, most) if least < most else (least - 0.5, most + 0.5)


def animate(comm, path, name, picture):
    """Makes an animation of one array of a film; returns the number of its frames."""
    contents = distview.inspect(path, comm)
    name = name or next(iter(contents.fields))
    frames, rows, columns = contents.fields[name].shape
    step_array = distview.load(path, "bb", comm, names=name, step=0)
    least, most = value_range(path, name, frames, step_array)
    if comm.rank == 0:
        from matplotlib import pyplot
        from matplotlib.animation import PillowWriter

        figure, axes = pyplot.subplots(figsize=(5, 5 * rows / columns + 0.4), layout="constrained")
        image = axes.imshow(np.zeros((rows, columns)), origin="lower", vmin=least, vmax=most, cmap="viridis")
        writer = PillowWriter(fps=10)
        writer.setup(figure, picture, dpi=80)
    for step in range(frames):
        distview.load(path, out=step_array, names=name, step=step)
        values = step_array.gather()
        if comm.rank == 0:
            image.set_data(values)
            axes.set_title(f"{name}, time {contents.times[step]:g}")
            writer.grab_frame()
    if comm.rank == 0:
        writer.finish()
        pyplot.close(figure)
    return frames


def main(arguments):
    comm = MPI.COMM_WORLD
    path, name, picture = (arguments + ["", "", ""])[:3]
    if not path:
        path, picture = "waves.vtkhdf", "waves.gif"
        assert compute(comm, path) == STEPS // STEPS_A_FRAME + 1
    picture = picture or path.rpartition(".")[0] + ".gif"
    frames = animate(comm, path, name, picture)
    if comm.rank == 0:
        print(f"film: {frames} frames of {path} in {picture} ... ok")


if __name__ == "__main__":
    main(sys.argv[1:])
