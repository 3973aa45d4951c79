# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C ends a call that waits for other ranks; they learn of it, and the communicator stays usable."""

import os
import signal
import threading

import distview
import numpy as np
import pytest

#: Calls in which rank 0 waits for others, on an array of ones.
ACTIONS = {
    "sum": lambda u: u.sum(),
    "gather": lambda u: u.gather(),
    "redistribute": lambda u: distview.redistribute(u, "c"),
    "zeros": lambda u: distview.zeros(12, comm=u.comm),
    "from_distarray": lambda u: distview.from_distarray(u, u.comm),
    "first exchange": lambda u: u.exchange_padding(),
    "later exchange": lambda u: u.exchange_padding(),
}


@pytest.fixture
def interrupts():
    """SIGINT raises KeyboardInterrupt, as in a program that a user starts in a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", ACTIONS)
def test_interrupted(comm, interrupts, name):
    if comm.size == 1:
        return
    watch = comm.Dup()
    u = distview.ones(24, comm=comm, padding=1, periodic=True)
    if name == "later exchange":
        u.exchange_padding()
    action = ACTIONS[name]
    error = None
    if comm.rank == 0:
        # The others come when this is over: only the interruption ends it.
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            action(u)
    watch.Barrier()
    if comm.rank != 0:
        try:
            action(u)
        except distview.UsageError as raised:
            error = str(raised)
    errors = watch.allgather(error)
    # Who needs nothing of rank 0 in an exchange may have got what it needs.
    assert any(errors), errors
    if "exchange" not in name:
        assert all("rank 0 has left" in text for text in errors[1:]), errors
    again = distview.ones(24, comm=comm, padding=1, periodic=True)
    assert again.sum() == 24
    again.exchange_padding()
    assert (np.asarray(again) == 1).all()
    watch.Free()
