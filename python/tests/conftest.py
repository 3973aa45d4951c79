# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of all Python tests. README.md of the folder above says how to run the tests."""

import pytest


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "time_limit(seconds): how long the test may take under run_tests.py; 60 s unless given",
    )


@pytest.fixture(scope="session")
def mpi():
    """The module mpi4py.MPI; skips tests that need it if it is not installed."""
    return pytest.importorskip("mpi4py.MPI")


@pytest.fixture(scope="session")
def comm(mpi):
    """The communicator of all ranks of the test: one, unless run_tests.py --mpi runs it under mpirun."""
    return mpi.COMM_WORLD


@pytest.fixture
def fake(monkeypatch):
    """A machine with made-up devices: its runtime records all calls."""
    from distview import _device
    from made_up_devices import FakeRuntime

    monkeypatch.setattr(_device, "runtime", FakeRuntime())
    return _device.runtime


@pytest.fixture
def no_runtime(monkeypatch):
    """A build without support for device memory."""
    from distview import _device

    monkeypatch.setattr(_device, "runtime", None)
