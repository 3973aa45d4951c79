#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs test files with pytest, for CTest.

run_tests.py [--mpi] FILE... [ARGUMENTS OF PYTEST]

The last line is DISTVIEW-TEST-PASSED if at least one test ran and all passed, with --mpi on all
ranks; DISTVIEW-TEST-SKIPPED if all were skipped; else DISTVIEW-TEST-FAILED and a status that is not
zero. A test that takes longer than DISTVIEW_TEST_TIMEOUT seconds (60; 0: any time) ends the run.
"""

import os
import sys
import tempfile

import pytest
from watchdog import Watchdog


# Do not capture output of C++, above all a sanitizer's findings: it would be lost if the program ends.
_FIXED = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys"]
# mpirun gives its ranks a terminal, which the reader may not have.
_FIXED += ["--color=no", "-rs", "--strict-markers"]


class Counter:
    """Counts the tests that passed: a run without a passed test has shown nothing."""

    def __init__(self):
        self.passed = 0
        self.skipped_files = 0

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed += 1

    def pytest_collectreport(self, report):
        if report.skipped:
            self.skipped_files += 1


def silence():
    """Sends pytest's output to a file, from which rank 0 may quote."""
    file = tempfile.TemporaryFile(mode="w+", errors="replace")
    sys.stdout.flush()
    os.dup2(file.fileno(), 1)
    return file


def run(arguments, ranks, watchdog):
    """(status of pytest, number of tests that passed) on this rank."""
    counter = Counter()
    plugins = [counter, watchdog] + ([ranks] if ranks else [])
    status = int(pytest.main(_FIXED + arguments, plugins=plugins))
    if status == pytest.ExitCode.NO_TESTS_COLLECTED and counter.skipped_files:
        status = 0
    return status, counter.passed


def verdict(status, passed):
    if status != 0:
        return "DISTVIEW-TEST-FAILED"
    return "DISTVIEW-TEST-PASSED" if passed else "DISTVIEW-TEST-SKIPPED"


def main(arguments):
    watchdog = Watchdog()
    if "--mpi" not in arguments:
        status, passed = run(arguments, None, watchdog)
        print(verdict(status, passed), flush=True)
        return status

    arguments = [a for a in arguments if a != "--mpi"]
    from rank_agreement import RankAgreement

    ranks = RankAgreement(watchdog)
    quoted = silence() if ranks.rank != 0 else None
    status, passed = run(arguments, ranks, watchdog)
    # Errors without a report: pytest itself failed on a rank.
    text = ""
    if quoted and status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.stdout.flush()
        quoted.seek(0)
        text = quoted.read()
    outcomes = ranks.agree("the end", (status, passed, text))
    # Arm it again: MPI_Finalize may wait for ever, too.
    watchdog.arm()
    if ranks.rank == 0:
        for rank, (rank_status, _, text) in enumerate(outcomes):
            if rank_status != status or text:
                print(f"rank {rank} of {ranks.size} ended with status {rank_status}\n{text}")
        print(verdict(max(o[0] for o in outcomes), min(o[1] for o in outcomes)), flush=True)
    return max(o[0] for o in outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
