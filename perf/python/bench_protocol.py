# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What exporting and importing costs in Python, beside what NumPy costs for the local part alone.

    scripts/python perf/python/bench_protocol.py [--json FILE]

Each case and its baseline are timed in turn, round after round, in one process; medians over the
rounds are reported. Every result is checked before it is timed.
"""

import argparse
import json
import statistics
import time
from dataclasses import dataclass
from typing import Any, Callable

import distview
import numpy as np

ROUNDS = 41
MINIMUM = 2e-3  # seconds that one timing of a case takes at least


@dataclass
class Case:
    name: str
    run: Callable[[], Any]
    baseline_name: str
    baseline: Callable[[], Any]


class Producer:
    """Another library's array: a dictionary made once."""

    def __init__(self, export):
        self._export = export

    def __distarray__(self):
        return self._export


class NumpyProducer:
    """The cost of the local part alone, as NumPy exchanges it."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self._array = array


def section(processes: int) -> dict:
    """Process 0's part of an 18 x 8 array, axis 0 over `processes` processes."""
    split = {"dist_type": "b", "size": 18 if processes > 1 else 10, "proc_grid_size": processes,
             "proc_grid_rank": 0, "start": 0, "stop": 10, "padding": (1, 1)}  # fmt: skip
    whole = {"dist_type": "b", "size": 8, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": 8}
    return {"__version__": "0.10.0", "buffer": np.zeros((10, 8)), "dim_data": (split, whole)}


def cases() -> list[Case]:
    view = distview.zeros((8, 8), "bn", padding=(1, 0))
    shared, alone = Producer(section(2)), Producer(section(1))
    array = shared._export["buffer"]
    plain = NumpyProducer(array)
    indices = np.arange(100_000)[::-1].copy()
    listed = Producer({
        "__version__": "0.10.0", "buffer": np.zeros(indices.size),
        "dim_data": ({"dist_type": "u", "size": indices.size, "proc_grid_size": 1,
                      "proc_grid_rank": 0, "indices": indices},),
    })  # fmt: skip

    assert view.__distarray__()["dim_data"][0]["stop"] == 10
    imported = distview.from_distarray(shared, validate="local")
    assert imported.data_pointer == array.__array_interface__["data"][0]
    assert not imported.attached and imported.process_count == 2
    assert distview.from_distarray(alone).attached
    assert np.asarray(plain).__array_interface__["data"] == array.__array_interface__["data"]
    assert distview.check(listed) is None

    def asarray():
        return np.asarray(plain)

    return [
        Case("__distarray__()", view.__distarray__, "ndarray.__array_interface__",
             lambda: array.__array_interface__),
        Case('from_distarray(validate="local")',
             lambda: distview.from_distarray(shared, validate="local"),
             "np.asarray(__array_interface__)", asarray),
        Case("from_distarray, one process", lambda: distview.from_distarray(alone),
             "np.asarray(__array_interface__)", asarray),
        Case("check", lambda: distview.check(shared), "np.asarray(__array_interface__)", asarray),
        Case("check, 100 000 indices", lambda: distview.check(listed), "np.unique of them",
             lambda: np.unique(indices)),
    ]  # fmt: skip


def repetitions(function: Callable[[], Any]) -> int:
    count = 1
    while time_of(function, count) * count < MINIMUM:
        count *= 2
    return count


def time_of(function: Callable[[], Any], count: int) -> float:
    """Seconds for one call, averaged over `count` calls."""
    begin = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - begin) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE", help="also write the medians to this file")
    arguments = parser.parse_args()
    results = []
    print(f"{'case':36} {'median us':>10} {'ratio':>7}  baseline (median us)")
    for case in cases():
        counts = repetitions(case.run), repetitions(case.baseline)
        times = [(time_of(case.run, counts[0]), time_of(case.baseline, counts[1])) for _ in range(ROUNDS)]
        own, base = (1e6 * statistics.median(column) for column in zip(*times))
        print(f"{case.name:36} {own:10.2f} {own / base:7.2f}  {case.baseline_name} ({base:.2f})")
        results.append({"case": case.name, "median_us": own, "baseline": case.baseline_name,
                        "baseline_median_us": base})  # fmt: skip
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"build": distview.build_info(), "rounds": ROUNDS, "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
