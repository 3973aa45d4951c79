# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests on several ranks ask: that all ranks get the same, an exception above all."""


def verdict(error):
    """What of an exception must be alike on all ranks."""
    fields = [getattr(error, name, None) for name in ("code", "axis", "key", "process")]
    return (type(error).__name__, str(error), *fields)


def raised_on_all(comm, action):
    """The exception that action() raises on every rank, the same; it must raise one.

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
    """A value, which is the same on all ranks."""
    values = comm.allgather(repr(value))
    assert len(set(values)) == 1, f"ranks differ: {values}"
    return value


def on_rank(comm, rank, bad, good):
    """One argument on one rank, another on the others."""
    return bad if comm.rank == rank else good


def lowest(comm, rank):
    """How a text ends that one rank has caused."""
    return f" [rank {rank} of {comm.size}]" if comm.size > 1 else ""
