# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-made sections of distributed arrays, and the checks that tests make on them.

A *row* is one axis on all its grid ranks: a list of (dimension dictionary, extent). A
*group* is the list of exports of all processes of an array, in their order.
"""

import itertools

import dap_oracle
import distview
import numpy as np
import pytest
from dap_oracle import ANY

VERSIONS = ("0.9.0", "0.10.0")
both_versions = pytest.mark.parametrize("version", VERSIONS)


class Producer:
    """An array of another library, which supports only the protocol."""

    def __init__(self, export):
        self.export = export

    def __distarray__(self):
        return self.export


class Index:
    """An integer that is not an int: it has only __index__."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


def block(size, n_ranks, rank, start, stop, **more):
    grid = dict(proc_grid_size=n_ranks, proc_grid_rank=rank)
    return dict(dist_type="b", size=size, **grid, start=start, stop=stop, **more)


def cyclic(size, n_ranks, rank, start, **more):
    grid = dict(proc_grid_size=n_ranks, proc_grid_rank=rank)
    return dict(dist_type="c", size=size, **grid, start=start, **more)


def unstructured(size, n_ranks, rank, indices, **more):
    grid = dict(proc_grid_size=n_ranks, proc_grid_rank=rank)
    return dict(dist_type="u", size=size, **grid, indices=indices, **more)


def export(version, dim_data, buffer):
    """The result of __distarray__; a tuple stands for a buffer of these extents."""
    if isinstance(buffer, tuple):
        buffer = np.zeros(buffer)
    return {"__version__": version, "buffer": buffer, "dim_data": dim_data}


def one(version, data, extent):
    """A section with one axis."""
    return export(version, (data,), (extent,))


def changed(section, axis=0, **changes):
    """A copy with changed values in one dimension dictionary; ... removes the key."""
    dim_data = list(section["dim_data"])
    merged = {**dim_data[axis], **changes}
    dim_data[axis] = {k: v for k, v in merged.items() if v is not ...}
    return {**section, "dim_data": tuple(dim_data)}


def block_row(version, bounds, padding=None, periodic=False):
    """Blocks: rank r owns [bounds[r], bounds[r+1]), counting padding at the edges.

    0.10 writes the range of the whole buffer. 0.9 leaves out communication padding, and on
    periodic axes also padding at the edges, which does not count towards the size then.
    """
    n_ranks, size = len(bounds) - 1, bounds[-1]
    widths = padding or [(0, 0)] * n_ranks
    low_edge, high_edge = widths[0][0], widths[-1][1]
    row = []
    for rank, (low, high) in enumerate(widths):
        begin, end = bounds[rank], bounds[rank + 1]
        copied_low, copied_high = low * (rank > 0), high * (rank < n_ranks - 1)
        extent = end - begin + copied_low + copied_high
        if version.startswith("0.10."):
            data = block(size, n_ranks, rank, begin - copied_low, end + copied_high)
        elif periodic:
            inner = size - low_edge - high_edge
            start, stop = max(begin - low_edge, 0), min(end - low_edge, inner)
            data = block(inner, n_ranks, rank, start, stop)
        else:
            data = block(size, n_ranks, rank, begin, end)
        if padding:
            data["padding"] = (low, high)
        if periodic:
            data["periodic"] = True
        row.append((data, extent))
    return row


def cyclic_row(size, n_ranks, block_size=1):
    more = dict(block_size=block_size) if block_size > 1 else {}
    return [
        (
            cyclic(size, n_ranks, rank, rank * block_size, **more),
            dap_oracle.cyclic_count(size, n_ranks, rank, block_size),
        )
        for rank in range(n_ranks)
    ]


def unstructured_row(lists, size=None, one_to_one=False):
    size = len({i for labels in lists for i in labels}) if size is None else size
    more = dict(one_to_one=True) if one_to_one else {}
    return [
        (unstructured(size, len(lists), rank, np.array(labels, np.int64), **more), len(labels))
        for rank, labels in enumerate(lists)
    ]


def group(version, *rows, dtype=float):
    """The exports of all processes of the grid that the rows span, last axis fastest."""
    return [
        export(
            version,
            tuple(dict(data) for data, _ in sections),
            np.zeros(tuple(extent for _, extent in sections), dtype),
        )
        for sections in itertools.product(*rows)
    ]


def ask(function, *args, **kwargs):
    """None if distview accepts, else its ProtocolError; another exception is a failure."""
    try:
        assert function(*args, **kwargs) is None
    except distview.ProtocolError as error:
        return error
    return None


def difference(expected, error):
    """The difference between a ProtocolError and the expected verdict; empty if there is none."""
    if expected is None or error is None:
        return "" if expected is error is None else f"expected {expected}, got {error!r}"
    got = (error.code, error.axis, error.key, error.process)
    if not any(_admits(refusal, got) for refusal in (expected, *expected.others)):
        return f"expected {expected}, got {got}: {error}"
    named = "" if error.process is None else f", process {error.process}"
    return "" if str(error).startswith(f"DAP import{named}: ") else f"prefix of {error}"


def _admits(refusal, got):
    wanted = (refusal.axis, refusal.key, refusal.process)
    return got[0] in refusal.codes and all(w in (ANY, g) for w, g in zip(wanted, got[1:]))


def compare(expected, function, *args, **kwargs):
    """The difference between the outcome of a call and the expected verdict; empty if there is none."""
    try:
        return difference(expected, ask(function, *args, **kwargs))
    except Exception as other:  # any exception except a ProtocolError is a finding, too
        return f"expected {expected}, raised {type(other).__name__}: {other}"


def accepts(*sections):
    """Each section conforms by itself, as a dictionary and as an object."""
    for section in sections:
        assert dap_oracle.check(section) is None
        for obj in (section, Producer(section)):
            error = ask(distview.check, obj)
            assert error is None, f"{error.code}: {error}"


def accepts_all(sections):
    """The sections together form a conforming array."""
    accepts(*sections)
    assert dap_oracle.check_all(sections) is None
    error = ask(distview.check_all, sections)
    assert error is None, f"{error.code}: {error}"
    assert ask(distview.check_all, [Producer(s) for s in sections]) is None


def refuses(section, code, axis=None, key=ANY):
    """The section alone is refused for this reason; returns the ProtocolError."""
    expected = dap_oracle.Refusal(code, axis, key)
    found = dap_oracle.check(section)
    assert found is not None and (found.code, found.axis) in [(code, axis), (code, ANY)], found
    assert ANY in (found.key, key) or found.key == key, found
    error = ask(distview.check, section)
    assert not difference(expected, error), difference(expected, error)
    same = ask(distview.check, Producer(section), process=3)
    assert (same.code, same.axis, same.key, same.process) == (code, error.axis, error.key, 3)
    return error


def refuses_all(sections, code, axis=None, key=ANY, process=ANY):
    """The sections together are refused for this reason; returns the ProtocolError."""
    expected = dap_oracle.Refusal(code, axis, key, process)
    found = dap_oracle.check_all(sections)
    assert found is not None and found.code == code, found
    for name in ("axis", "key", "process"):
        wanted, value = getattr(expected, name), getattr(found, name)
        assert ANY in (wanted, value) or wanted == value, found
    error = ask(distview.check_all, sections)
    assert not difference(expected, error), difference(expected, error)
    return error


def refuses_together(sections, code, axis=None, key=ANY, process=ANY):
    """Each section alone conforms, but all of them together do not."""
    accepts(*sections)
    return refuses_all(sections, code, axis, key, process)


def disagreements(groups):
    """Texts of the cases (name, group) for which check_all and the reference disagree."""
    texts = []
    for name, sections in groups:
        expected = dap_oracle.check_all(sections)
        text = compare(expected, distview.check_all, sections)
        if text:
            texts.append(f"{name}: {text}")
    return texts
