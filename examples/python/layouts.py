# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every kind of layout, in words and as a picture.

    scripts/python -n 4 examples/python/layouts.py [FOLDER]

Pictures go to FOLDER (layouts, if none is given); they need Matplotlib.
"""

import sys
from pathlib import Path

import distview
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD

# The indices of this process along an unstructured axis: any indices, in any order.
mine = np.arange(comm.rank, 14, comm.size)[::-1]

# name: (interior shape, layout, further arguments)
arrays = {
    "blocks": ((12, 18), "bb", {}),
    "padded": ((12, 18), "bb", {"padding": 1, "periodic": (False, True)}),
    "one axis": (16, "b", {"padding": (2, 1), "boundary": 0}),
    "rows only": ((12, 18), "bn", {}),
    "cyclic": ((12, 18), "cc", {}),
    "block-cyclic": ((12, 18), (("c", 2), ("c", 3)), {}),
    "unstructured": ((14, 10), (mine, "n"), {}),
    "three axes": ((6, 8, 8), "bbc", {"padding": (1, 1, 0)}),
}

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "layouts")
try:
    import matplotlib

    matplotlib.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
except ImportError:
    matplotlib = None

for name, (shape, layout, more) in arrays.items():
    array = distview.ones(shape, layout, comm, **more)
    if comm.rank == 0:
        print(f"--- {name}\n{distview.describe(array)}\n")
        if matplotlib:
            distview.plot_layout(array).savefig(folder / f"{name}.png")
    # In every layout each element exists exactly once.
    assert array.sum() == np.prod(shape), name

if comm.rank == 0:
    pictures = f"pictures in {folder}" if matplotlib else "no pictures without Matplotlib"
    print(f"layouts: {len(arrays)} layouts on {comm.size} processes, {pictures} ... ok")
