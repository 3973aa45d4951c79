# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks for tests on several ranks: all ranks must get the same result or the same exception."""


def verdict(error):
    """The parts of an exception that must be equal on all ranks."""
    fields = [getattr(error, name, None) for name in ("code", "axis", "key", "process")]
    return (type(error).__name__, str(error), *fields)


def raised_on_all(comm, action):
    """The exception of action(), which must be raised on every rank and be equal on all.

    Whatever waits for ever instead is ended by the time limit of the test.
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
    """Returns the value, which must be the same on all ranks."""
    values = comm.allgather(repr(value))
    assert len(set(values)) == 1, f"ranks differ: {values}"
    return value


def on_rank(comm, rank, bad, good):
    """One argument on one rank, and another on the others."""
    return bad if comm.rank == rank else good


def lowest(comm, rank):
    """The end of the text of an error that one rank has caused."""
    return f" [rank {rank} of {comm.size}]" if comm.size > 1 else ""
