# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C, or an error of a signal handler, ends a call that waits for other ranks. These ranks get an error, and the
communicator stays usable."""

import os
import signal
import sys
import threading
import time

import distview
import numpy as np
import pytest

#: Calls on an array of ones in which rank 0 waits for other ranks.
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
    check_left(comm, name, signal.SIGINT, pytest.raises(KeyboardInterrupt))


@pytest.mark.parametrize("name", ACTIONS)
def test_handlers_make_no_collective_calls(comm, name):
    """A handler runs during this rank's waiting call, while other ranks run none."""
    v = distview.ones(24, comm=comm, padding=2, periodic=True)
    v.exchange_padding()
    text = "called by a signal handler while this rank waits in"

    def call(number, frame):
        with pytest.raises(distview.UsageError, match=text):
            v.sum()
        v.exchange_padding()

    before = signal.signal(signal.SIGUSR1, call)
    try:
        check_left(comm, name, signal.SIGUSR1, pytest.raises(distview.UsageError, match=text))
    finally:
        signal.signal(signal.SIGUSR1, before)
    v.exchange_padding()
    assert (np.asarray(v) == 1).all()
    assert v.sum() == 24


def send_to_a_wait(sent):
    """Sends the signal once the main thread, which calls this, has stayed at one instruction for a while."""
    waiting = threading.get_ident()

    def send():
        last, looks = None, 0
        while looks < 6:
            time.sleep(0.05)
            frame = sys._current_frames()[waiting]
            at = id(frame), frame.f_lasti
            starts = frame.f_code.co_filename == threading.__file__  # still starting this thread
            del frame  # a frame keeps its variables alive
            looks = looks + 1 if last == at and not starts else 0
            last = at
        os.kill(os.getpid(), sent)

    threading.Thread(target=send, daemon=True).start()


def check_left(comm, name, sent, raises):
    """Checks that rank 0 leaves a call because of the signal."""
    if comm.size == 1:
        return
    watch = comm.Dup()
    u = distview.ones(24, comm=comm, padding=1, periodic=True)
    if name == "later exchange":
        u.exchange_padding()
    action = ACTIONS[name]
    error = None
    if comm.rank == 0:
        # The others arrive after this: only the interruption ends the call.
        send_to_a_wait(sent)
        with raises:
            action(u)
    watch.Barrier()
    if comm.rank != 0:
        try:
            action(u)
        except distview.UsageError as raised:
            error = str(raised)
    errors = watch.allgather(error)
    # A rank that needs nothing from rank 0 in an exchange may have finished it.
    assert any(errors), errors
    if "exchange" not in name:
        assert all("rank 0 has left" in text for text in errors[1:]), errors
    again = distview.ones(24, comm=comm, padding=1, periodic=True)
    assert again.sum() == 24
    again.exchange_padding()
    assert (np.asarray(again) == 1).all()
    watch.Free()
