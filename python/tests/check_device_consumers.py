#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports to and imports from CuPy, Numba, PyTorch and JAX on a CUDA device, with a report.

check_device_consumers.py [--json FILE]

Runs test_device_consumers.py. Python must find the module (PYTHONPATH). Prints a line for each library and
one for tests without a library, then each failure; the last line and the status are as in run_tests.py. The JSON
file has the libraries' versions and every check with its result and, if it was skipped, the reason.
"""

import argparse
import collections
import importlib.metadata
import json
import os
import sys

import pytest

LIBRARIES = {
    "CuPy": ("cupy", "cupy-cuda13x", "cupy-cuda12x"), "PyTorch": ("torch",),
    "Numba": ("numba-cuda", "numba"), "JAX": ("jax",),
}  # fmt: skip


class Results:
    """Results that pytest reports, by test."""

    def __init__(self):
        self.checks = []

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        name = report.nodeid.rsplit("::", 1)[-1]
        library = next((one for one in LIBRARIES if one in name), "distview")
        reason = ""
        if report.skipped:
            reason = report.longrepr[2].removeprefix("Skipped: ")
        elif report.failed:
            reason = str(report.longrepr).strip().splitlines()[-1]
        result = "error" if report.failed and report.when != "call" else report.outcome
        self.checks.append({"check": name, "library": library, "result": result, "reason": reason})


def versions():
    """Versions of the installed libraries."""
    found = {}
    for library, packages in LIBRARIES.items():
        for package in packages:
            try:
                found[library] = importlib.metadata.version(package)
                break
            except importlib.metadata.PackageNotFoundError:
                continue
    return found


def summary(checks, installed):
    for library in [*LIBRARIES, "distview"]:
        mine = [check for check in checks if check["library"] == library]
        counts = collections.Counter(check["result"] for check in mine)
        reasons = {check["reason"] for check in mine if check["result"] == "skipped"}
        line = ", ".join(f"{number} {result}" for result, number in sorted(counts.items()))
        if len(reasons) == 1 and len(counts) == 1:
            line += f": {reasons.pop()}"
        print(f"{library:10} {installed.get(library, ''):12} {line or 'nothing ran'}")
    for check in checks:
        if check["result"] in ("failed", "error"):
            print(f"{check['check']}: {check['reason']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="where to write all results")
    arguments = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    results = Results()
    status = int(
        pytest.main(
            ["-p", "no:cacheprovider", "-q", "--no-header", "--tb=short", "--color=no",
             os.path.join(here, "test_device_consumers.py")],
            plugins=[results],
        )
    )  # fmt: skip
    installed = versions()
    summary(results.checks, installed)
    passed = sum(check["result"] == "passed" for check in results.checks)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"status": status, "libraries": installed, "checks": results.checks}, file, indent=1)
    verdict = "FAILED" if status else "PASSED" if passed else "SKIPPED"
    print(f"DISTVIEW-TEST-{verdict}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
