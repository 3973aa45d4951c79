# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests that misbehave, for the tests of the harness: CMakeLists.txt chooses one at a time."""

import os
import re
import signal
import time
import warnings

import pytest

try:
    from mpi4py import MPI

    RANK, SIZE = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
except ImportError:
    RANK, SIZE = 0, 1
LAST = RANK == SIZE - 1

if LAST and "DISTVIEW_PLANT_IMPORT_ERROR" in os.environ:
    raise ImportError("planted import error")
if LAST and "DISTVIEW_PLANT_OTHER_TESTS" in os.environ:

    def test_only_on_last_rank():
        pass


if "DISTVIEW_PLANT_SKIPPED_FILE" in os.environ:
    pytest.skip("planted skip of the file", allow_module_level=True)


def barrier():
    if SIZE > 1:
        MPI.COMM_WORLD.Barrier()


def test_passes():
    barrier()


def test_passes_as_well():
    print("nobody reads this")


def test_fails():
    raise AssertionError("planted failure")


def test_fails_on_last_rank():
    print("printed before")
    assert not LAST, "planted failure"
    warnings.warn("reached on the others", stacklevel=1)


def test_fails_while_others_wait():
    assert not LAST, "planted failure"
    barrier()


def test_skips():
    pytest.skip("planted skip")


def test_skips_on_last_rank():
    if LAST:
        pytest.skip("planted skip")


@pytest.mark.time_limit(1)
def test_hangs_beyond_its_own_limit():
    time.sleep(1000)


def test_hangs_holding_the_interpreter():
    # Blocks in C practically for ever: no other thread runs Python meanwhile.
    re.match("(a*)*b", "a" * 60)


def test_is_killed_on_last_rank():
    if LAST:
        os.kill(os.getpid(), signal.SIGKILL)
    barrier()


def test_crashes_on_last_rank():
    if LAST:
        os.kill(os.getpid(), signal.SIGSEGV)
    barrier()


def test_ends_with_zero_on_last_rank():
    if LAST:
        os._exit(0)
    barrier()


def test_asks_for_the_end_on_last_rank():
    if LAST:
        pytest.exit("planted end", returncode=0)


@pytest.fixture
def fails_in_set_up_on_last_rank():
    assert not LAST, "planted failure of set-up"


def test_with_fixture(fails_in_set_up_on_last_rank):
    barrier()


@pytest.fixture
def fails_in_tear_down_on_last_rank():
    yield
    assert not LAST, "planted failure of tear-down"


def test_with_other_fixture(fails_in_tear_down_on_last_rank):
    barrier()


@pytest.mark.xfail(reason="planted", strict=True)
def test_fails_as_expected():
    raise AssertionError("planted failure")


def test_ends_badly_on_last_rank():
    import atexit

    if LAST:
        atexit.register(os._exit, 7)
