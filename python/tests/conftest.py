# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of all Python tests. README.md of the parent folder describes how to run them."""

import pytest


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "time_limit(seconds): how long the test may take under run_tests.py; 60 s unless given",
    )


@pytest.fixture(scope="session")
def mpi():
    """The module mpi4py.MPI; tests that need it are skipped if it is missing."""
    return pytest.importorskip("mpi4py.MPI")


@pytest.fixture(scope="session")
def comm(mpi):
    """All ranks of the test: one, unless run_tests.py --mpi runs it under mpirun."""
    return mpi.COMM_WORLD


@pytest.fixture
def fake(monkeypatch):
    """A machine with devices that do not exist: its runtime records its calls."""
    from distview import _device
    from made_up_devices import FakeRuntime

    monkeypatch.setattr(_device, "runtime", FakeRuntime())
    return _device.runtime


@pytest.fixture
def no_runtime(monkeypatch):
    """A build without support for device memory."""
    from distview import _device

    monkeypatch.setattr(_device, "runtime", None)
