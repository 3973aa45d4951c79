# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gather() and redistribute(out=) cost in Python, beside a plan made once.

    scripts/python -n 2 perf/python/bench_gather.py [--rounds N]

The three are timed in turn, round after round, between barriers; of the ranks' times the longest counts. Medians
over the rounds are reported. Every result is checked before it is timed.
"""

import argparse
import statistics
import time

import distview
import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD
REPETITIONS = 10  # of a case in a round


def time_of(function) -> float:
    COMM.Barrier()
    begin = time.perf_counter()
    for _ in range(REPETITIONS):
        function()
    return COMM.allreduce(time.perf_counter() - begin, MPI.MAX) / REPETITIONS


def cases(shape: tuple[int, ...], types: str, padding: int) -> dict:
    array = distview.zeros(shape, types, COMM, padding=padding)
    values = np.arange(np.prod(shape), dtype=float).reshape(shape)
    array.scatter(values)
    # Rank 0 has all rows.
    bounds = [0] + [shape[0]] * COMM.size
    whole = distview.make_layout(shape, [bounds] + ["n"] * (len(shape) - 1), COMM.size)
    target = distview.redistribute(array, whole)
    plan = distview.RedistributionPlan(array, target)
    plan.execute(array, target)
    gathered = array.gather()
    if COMM.rank == 0:
        assert (gathered == values).all() and (target.interior == values).all()
    return {
        "plan": lambda: plan.execute(array, target),
        "gather()": array.gather,
        "redistribute(out=)": lambda: distview.redistribute(array, out=target),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=51)
    rounds = parser.parse_args().rounds
    if COMM.rank == 0:
        print(f"{'array':28} {'plan us':>9} {'gather() us':>12} {'ratio':>6} {'redistribute us':>16} {'ratio':>6}")
    for shape, types, padding in (((512, 512), "bn", 0), ((512, 512), "bb", 1), ((64, 64), "bn", 0), ((2048, 2048), "nb", 0)):
        functions = cases(shape, types, padding)
        times = [[time_of(function) for function in functions.values()] for _ in range(rounds)]
        plan, gather, redistribute = (1e6 * statistics.median(column) for column in zip(*times))
        if COMM.rank == 0:
            name = f"{shape} {types!r}, padding {padding}"
            print(f"{name:28} {plan:9.1f} {gather:12.1f} {gather / plan:6.2f} {redistribute:16.1f} {redistribute / plan:6.2f}")


if __name__ == "__main__":
    main()
