# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers for tests on several ranks: all ranks must get the same value or exception."""


def verdict(error):
    """The parts of an exception that must be the same on all ranks."""
    fields = [getattr(error, name, None) for name in ("code", "axis", "key", "process")]
    return (type(error).__name__, str(error), *fields)


def raised_on_all(comm, action):
    """The exception that action() raises, the same on every rank; it must raise one.

    If it waits for ever instead, the test's time limit ends it.
    """
    caught = None
    try:
        action()
    except Exception as error:  # noqa: BLE001  compared below
        caught = error
    verdicts = comm.allgather(None if caught is None else verdict(caught))
    assert None not in verdicts, f"not raised on all ranks: {verdicts}"
    assert len(set(verdicts)) == 1, f"ranks differ: {verdicts}"
    return caught


def same_on_all(comm, value):
    """A value; asserts that it is the same on all ranks."""
    values = comm.allgather(repr(value))
    assert len(set(values)) == 1, f"ranks differ: {values}"
    return value


def on_rank(comm, rank, bad, good):
    """`bad` on one rank, `good` on the others."""
    return bad if comm.rank == rank else good


def lowest(comm, rank):
    """The end of an error's text that one rank has caused."""
    return f" [rank {rank} of {comm.size}]" if comm.size > 1 else ""
