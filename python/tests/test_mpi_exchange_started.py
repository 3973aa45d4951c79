# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges with start and finish, combined padding, and scattered whole arrays."""

import gc

import distview
import numpy as np
import pytest
from global_arrays import NUMBERS, assert_exchanged, random_layout, random_whole, scattered
from mpi_cases import raised_on_all


def ring(comm, dtype=float, n=None, width=1):
    n = 4 * comm.size if n is None else n
    return distview.zeros((n, 3), ("b", "n"), comm, dtype, padding=((width, width), 0), periodic=(True, False))


def test_start_and_finish(comm):
    rng = np.random.default_rng(7)
    for seed in range(10):
        layout = random_layout(np.random.default_rng([seed, comm.size]), comm.size)
        whole = random_whole(rng, layout, "f8")
        view = distview.zeros(None, layout, comm)
        other = distview.zeros(None, layout, comm, "i4")
        whole_of_other = random_whole(rng, layout, "i4")
        for _ in range(2):
            scattered(view, whole)
            scattered(other, whole_of_other)
            view.start_exchange(other).finish()
            assert_exchanged(view, whole)
            assert_exchanged(other, whole_of_other)
            scattered(view, whole)
            with view.start_exchange():
                view.sum()  # other collective calls are allowed in between
            assert_exchanged(view, whole)


def test_finish_once(comm):
    exchange = ring(comm).start_exchange()
    exchange.finish()
    with pytest.raises(distview.UsageError, match="called twice"):
        exchange.finish()


def test_what_cannot_be_exchanged_raises_everywhere(comm):
    if comm.size == 1:
        return
    view = ring(comm)
    others = [3] if comm.rank == 1 else []
    error = raised_on_all(comm, lambda: view.start_exchange(*others))
    assert "start_exchange: expected" in str(error)
    view.exchange_padding()


def test_one_that_all_drop_spoils_nothing(comm):
    view = ring(comm)
    for _ in range(3):
        exchange = view.start_exchange()
        with pytest.raises(RuntimeError, match="planted"), exchange:
            raise RuntimeError("planted")
        with pytest.raises(distview.UsageError, match="abandoned"):
            exchange.finish()
        comm.Barrier()
        view.interior[...] = comm.rank
        view.exchange_padding()
        assert (view.view[0] == (comm.rank - 1) % comm.size).all()


def test_one_that_a_rank_drops_is_told_once(comm):
    if comm.size == 1:
        return
    part = comm.Dup()
    view = ring(part)
    exchange = view.start_exchange()
    if comm.rank == 0:
        del exchange
        gc.collect()
    else:
        try:
            exchange.finish()
        except distview.UsageError as error:  # only if it waits for rank 0
            assert "abandoned" in str(error)
    comm.Barrier()
    # All ranks get the error here at the latest; then a new plan is made.
    tries = 0
    while tries < 3:
        tries += 1
        try:
            view.interior[...] = comm.rank
            view.exchange_padding()
            break
        except distview.UsageError as error:
            assert "abandoned" in str(error)
    assert comm.allreduce(tries) == tries * comm.size and tries <= 2
    assert (view.view[0] == (comm.rank - 1) % comm.size).all()
    del view
    part.Free()


def combined(wholes, view, operation):
    """The result of combine_padding() in a section's interior: each cell combined with its copies, in order."""
    function = {"sum": np.add, "min": np.minimum, "max": np.maximum}[operation]
    n = view.shape[0]
    result = view.interior.copy()
    rows = view.global_indices(0, "interior")
    for process, section in enumerate(wholes):
        indices = view.layout.global_indices(0, process)
        begin, end = view.layout.interior_range(0, process)
        for position, index in enumerate(indices):
            if begin <= position < end:
                continue
            for k, row in enumerate(rows):
                if index % n == row:
                    result[k] = function(result[k], section[position])
    return result


@pytest.mark.parametrize("operation", ["sum", "min", "max"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u4"])
def test_combine_padding(comm, operation, dtype):
    rng = np.random.default_rng([comm.rank, 5])
    views = [ring(comm, dtype, width=width) for width in (1, 2)]
    for view in views:
        view.view[...] = rng.integers(0, 50, view.view.shape)
    expected = [combined(comm.allgather(np.asarray(view).copy()), view, operation) for view in views]
    padding = [view.view[:1].copy() for view in views]
    views[0].combine_padding(views[1], operation=operation)
    for view, what, low in zip(views, expected, padding):
        assert (view.interior == what).all()
        assert (view.view[:1] == low).all()


@pytest.mark.parametrize("operation", ["min", "max"])
def test_combined_with_nan_is_nan_on_either_side(comm, operation):
    for in_padding in (False, True):
        u = ring(comm)
        if comm.rank == 0:
            u.view[0 if in_padding else 1] = np.nan
        u.combine_padding(operation=operation)
        u.view[...] = np.isnan(u.view)  # one row of cells over all processes
        assert u.sum() == 3


def test_combine_padding_is_the_adjoint_of_exchange_padding(comm):
    u, v = ring(comm), ring(comm)
    rng = np.random.default_rng(comm.rank)
    u.view[...] = rng.integers(-9, 9, u.view.shape)
    v.view[...] = rng.integers(-9, 9, v.view.shape)
    filled = distview.zeros_like(u)
    filled.view[...] = u.view
    filled.exchange_padding()
    left = comm.allreduce(float((filled.view * v.view).sum()))
    v.combine_padding()
    right = comm.allreduce(float((u.interior * v.interior).sum()))
    assert left == right


def test_combine_padding_errors(comm):
    u = ring(comm)
    cases = [
        (lambda: u.combine_padding(operation="product"), "expected operation to be 'sum', 'min' or 'max', got 'product'"),
        (lambda: u.combine_padding(operation=None), "got None"),
        (lambda: u.combine_padding(ring(comm, "i4")), "expected arrays of one element type, got float64 and int32"),
        (lambda: ring(comm, "c16").combine_padding(operation="min"), "complex numbers have no order"),
        (lambda: ring(comm, "i2").combine_padding(), "combine_padding: expected elements of int32"),
    ]
    if comm.size > 1:
        cases.append((lambda: u.combine_padding(u), "fields 0 and 1 share memory"))
    for call, text in cases:
        assert text in str(raised_on_all(comm, call))
    if comm.size > 1:
        operation = "min" if comm.rank == 1 else "max"
        error = raised_on_all(comm, lambda: u.combine_padding(operation=operation))
        assert "operation is min on rank 1, max on rank 0" in str(error)
    u.combine_padding()


@pytest.mark.parametrize("seed", range(30))
def test_scatter(comm, seed):
    """The reverse of gather(), for any layout; values are converted."""
    rng = np.random.default_rng([seed, comm.size])
    layout = random_layout(rng, comm.size)
    dtype = NUMBERS[seed % len(NUMBERS)]
    root = seed % comm.size
    for cells in ("interior", "owned"):
        view = distview.full(None, 7, layout, comm, dtype)
        before = np.asarray(view).copy()
        probe = view.gather(root, cells)
        whole = None
        if comm.rank == root:
            whole = rng.integers(0, 2 if dtype == "?" else 100, probe.shape).astype(dtype)
        view.scatter(whole, root, cells)
        got = view.gather(root, cells)
        if comm.rank == root:
            assert got.dtype == whole.dtype and (got == whole).all()
        inside = np.zeros(before.shape, bool)
        inside[view._slices("test", cells)] = True
        assert (np.asarray(view)[~inside] == before[~inside]).all()


def test_scatter_errors(comm):
    view = distview.zeros((6, 4), comm=comm)
    last = comm.size - 1
    cases = [
        (lambda: view.scatter(np.zeros((4, 6)), last), "scatter: expected values of shape (6, 4), got (4, 6)"),
        (lambda: view.scatter(np.zeros((6, 4), complex), last), "scatter: values of complex128 cannot become elements"),
        (lambda: view.scatter(np.zeros((6, 4)), comm.size), "scatter: expected a root in"),
        (lambda: view.scatter(None, last), "scatter: expected values of shape (6, 4), got ()"),
    ]
    for call, text in cases:
        assert text in str(raised_on_all(comm, call))
    view.scatter(np.arange(24).reshape(6, 4), last)
    assert view.sum() == 276
