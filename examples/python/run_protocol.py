# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Connects a producer and a consumer that use only the protocol and do not know each other.

scripts/python -n 4 examples/python/run_protocol.py
"""

import consumer
import numpy as np
import producer
from mpi4py import MPI

comm = MPI.COMM_WORLD
section = producer.Section(comm.rank, comm.size)
before = section.buffer[1:-1].copy()

quotient = consumer.second_difference_quotient(section, comm)

# A sine wave is an eigenvector of the periodic second difference.
expected = 2 - 2 * np.cos(2 * np.pi / producer.ROWS)
assert abs(quotient - expected) < 1e-13, (quotient, expected)

# The consumer worked on the producer's memory: it filled the padding there and changed nothing else.
rows = section.rows
above, below = producer.wave(rows["start"] - 1), producer.wave(rows["stop"] - 2)
assert np.allclose(section.buffer[0], above, atol=1e-14)
assert np.allclose(section.buffer[-1], below, atol=1e-14)
assert (section.buffer[1:-1] == before).all()

comm.Barrier()
if comm.rank == 0:
    print(f"run_protocol: quotient {quotient:.12f} on {comm.size} processes ... ok")
