# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A producer of distributed arrays that does not use DistView.

Its arrays are sections of NumPy memory, one per process, that describe themselves in the terms of
the Distributed Array Protocol. This takes one method and one dictionary per axis.
"""

import numpy as np

ROWS, COLUMNS = 24, 10


def wave(row):
    """One sine wave over the rows: the interior values of the array, equal in each column."""
    return np.sin(2 * np.pi * row / ROWS)


class Section:
    """One process's part of a periodic array: rows in padded blocks, columns dealt out in turns.

    All processes compute the rows, block after block. Every section has one additional row on
    each side: a copy of the neighbour's row or, at the array's two ends, boundary padding.
    """

    def __init__(self, rank, size):
        # A process grid of `down` x `across` processes, numbered row by row.
        across = 2 if size % 2 == 0 else 1
        down = size // across
        row, column = divmod(rank, across)
        if down > ROWS:
            raise ValueError(f"{ROWS} rows cannot be cut into {down} blocks")

        # Interior rows first to last - 1. The whole array has boundary padding above, so row
        # 0 of the interior is row 1 of the whole array.
        first, last = (ROWS * r // down for r in (row, row + 1))
        columns = range(column, COLUMNS, across)
        self.buffer = np.zeros((last - first + 2, len(columns)))
        self.buffer[1:-1] = wave(np.arange(first, last))[:, None]

        # Version 0.10: start and stop include the padding, so stop - start is the extent of the section.
        self.rows = {
            "dist_type": "b",
            "size": ROWS + 2,
            "proc_grid_size": down,
            "proc_grid_rank": row,
            "start": first,
            "stop": last + 2,
            "padding": (1, 1),
            "periodic": True,
        }
        self.columns = {
            "dist_type": "c",
            "size": COLUMNS,
            "proc_grid_size": across,
            "proc_grid_rank": column,
            "start": column,
        }

    def __distarray__(self):
        return {
            "__version__": "0.10.0",
            "buffer": self.buffer,
            "dim_data": (self.rows, self.columns),
        }
