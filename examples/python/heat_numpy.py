# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy in, a C++ stencil, NumPy out: heat on a plate, on any number of processes.

    scripts/python -n 4 examples/python/heat_numpy.py

The stencil is the extension module in the folder stencil/; it works on the sections in place.
"""

import distview
import heat_stencil
import numpy as np
from mpi4py import MPI

ROWS, COLUMNS, STEPS, SPEED = 60, 80, 100, 0.2


def start(i, j):
    """A hot disc on a cold plate, at interior row i and column j."""
    return np.where((i - 20) ** 2 + (j - 30) ** 2 < 100, 100.0, 0.0)


def numpy_alone():
    """The whole computation in one process, with NumPy only."""
    now = np.zeros((ROWS + 2, COLUMNS + 2))
    now[1:-1, 1:-1] = start(*np.mgrid[:ROWS, :COLUMNS])
    for _ in range(STEPS):
        neighbours = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
        now[1:-1, 1:-1] += SPEED * (neighbours - 4 * now[1:-1, 1:-1])
    return now[1:-1, 1:-1]


comm = MPI.COMM_WORLD

# Blocks of the plate, each with one additional cell on every side; around the plate these are walls of 0.
now = distview.zeros((ROWS, COLUMNS), "bb", comm, padding=1)
i, j = (now.global_indices(axis, "interior") for axis in (0, 1))
now.interior[...] = start(i[:, None], j[None, :])

# Memory from NumPy works as well.
memory = np.zeros(now.local_shape)
later = distview.wrap(memory, (ROWS, COLUMNS), "bb", comm, padding=1)

for _ in range(STEPS):
    now.exchange_padding()
    heat_stencil.step(now, later, SPEED)  # C++, without a copy
    now, later = later, now

plate = now.gather()  # a NumPy array on process 0, None elsewhere
if comm.rank == 0:
    difference = np.abs(plate - numpy_alone()).max()
    assert plate.max() > 1 and difference < 1e-11, difference
    print(f"heat_numpy: {STEPS} steps on {comm.size} processes, {difference:.0e} from NumPy ... ok")
