# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements by global index: GatherPlan and the calls that use one once. Oracle: NumPy on the whole array."""

import distview
import numpy as np
import pytest
from mpi_cases import lowest, on_rank, raised_on_all

#: (shape, description, keywords) of arrays whose axes are of all kinds.
CASES = [
    ((23,), "b", {"padding": 1}),
    ((24,), "c", {}),
    ((6, 13), "bb", {"padding": (1, 0), "boundary": (0, 2)}),
    ((7, 9), [("c", 2), "b"], {}),
    ((3, 8, 5), "nbn", {}),
]


def whole_of(shape, dtype):
    """Elements with different values."""
    numbers = np.arange(np.prod(shape)).reshape(shape)
    if np.dtype(dtype).names:
        whole = np.zeros(shape, dtype)
        whole["a"], whole["b"] = numbers, -0.5 * numbers
        return whole
    return (numbers * (1 - 2j if np.dtype(dtype).kind == "c" else 1)).astype(dtype)


def distributed(comm, shape, description, keywords, whole):
    """An array with the elements of `whole`; padding has other values."""
    if whole.dtype.kind == "V":  # wrap() accepts more types than zeros()
        layout = distview.make_layout(shape, description, comm.size, **keywords)
        u = distview.wrap(np.zeros(layout.local_shape(comm.rank), whole.dtype), None, layout, comm)
    else:
        u = distview.zeros(shape, description, comm, dtype=whole.dtype, **keywords)
    u.view[...] = np.ones(1, whole.dtype)[0]
    indices = [u.global_indices(d, "interior") for d in range(len(shape))]
    u.interior[...] = whole[np.ix_(*indices)]
    return u


def interior_as_in(u, whole):
    return (u.interior == whole[np.ix_(*[u.global_indices(d, "interior") for d in range(u.ndim)])]).all()


def list_of(rank, shape, count=30):
    """A rank's indices, with repetitions, in no order; the second rank has none."""
    random = np.random.default_rng(rank)
    count = 0 if rank == 1 else count + rank
    return np.stack([random.integers(0, n, count) for n in shape], axis=1)


@pytest.mark.parametrize("dtype", ["f8", "i2", "c16", [("a", "i4"), ("b", "f8")], "V5"])
@pytest.mark.parametrize(("shape", "description", "keywords"), CASES)
def test_gather_and_put(comm, shape, description, keywords, dtype):
    if dtype == "V5":
        whole = np.frombuffer(np.random.default_rng(5).bytes(5 * int(np.prod(shape))), "V5").reshape(shape)
    else:
        whole = whole_of(shape, dtype)
    u = distributed(comm, shape, description, keywords, whole)
    rows = list_of(comm.rank, shape)
    expected = whole[tuple(rows.T)]
    wanted = rows[:, 0] if len(shape) == 1 else rows
    plan = distview.GatherPlan(u, wanted)
    assert (plan.size, plan.shape) == (len(rows), (len(rows),)) and plan.layout == u.layout
    assert "GatherPlan" in plan.describe() and "GatherPlan of" in repr(plan)
    for _ in range(2):
        values = plan.gathered(u)
        assert values.dtype == whole.dtype and values.tobytes() == expected.tobytes()
    into = np.zeros(len(rows), whole.dtype)
    plan.execute(u, into)
    assert into.tobytes() == expected.tobytes()
    into = np.zeros(len(rows), whole.dtype)
    with plan.start(u, into):
        pass
    assert into.tobytes() == expected.tobytes()
    assert distview.get_elements(u, wanted.tolist() or []).tobytes() == expected.tobytes()
    # Values of the highest rank stay, the last one in its list.
    after = whole.copy()
    for rank in range(comm.size):
        listed = list_of(rank, shape)
        for at, value in zip(listed[::-1], whole[tuple(listed.T)]):
            after[tuple(at)] = value
    plan_back = distview.GatherPlan(u.layout, wanted[::-1], comm)
    plan_back.put(expected, u)
    assert interior_as_in(u, after)
    assert (distview.GatherPlan(u, wanted).gathered(u) == after[tuple(rows.T)]).all()
    put = [value for rank in range(comm.size) for value in zip(list_of(rank, shape), whole[tuple(list_of(rank, shape).T)])]
    distview.put_elements(u, wanted, -expected if dtype in ("f8", "i2", "c16") else expected)
    for at, value in put:
        after[tuple(at)] = -value if dtype in ("f8", "i2", "c16") else value
    assert interior_as_in(u, after)
    assert distview.get_elements(u, np.empty((0, len(shape)), int)).shape == (0,)


@pytest.mark.parametrize(("operation", "numpy_operation"), [("sum", np.add), ("min", np.minimum), ("max", np.maximum)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u8"])
@pytest.mark.parametrize(("shape", "description", "keywords"), CASES[:3])
def test_combination(comm, shape, description, keywords, dtype, operation, numpy_operation):
    whole = whole_of(shape, dtype)
    u = distributed(comm, shape, description, keywords, whole)
    expected = whole.copy()
    for rank in range(comm.size):
        rows = list_of(rank, shape)
        numpy_operation.at(expected, tuple(rows.T), (np.arange(len(rows)) * (rank + 1)).astype(dtype))
    rows = list_of(comm.rank, shape)
    wanted = rows[:, 0] if len(shape) == 1 else rows
    values = np.arange(len(rows)) * (comm.rank + 1)
    distview.accumulate_elements(u, wanted, values, operation)
    assert interior_as_in(u, expected)
    # The same values once more, by a plan.
    plan = distview.GatherPlan(u, wanted)
    plan.combine(values.astype(dtype), u, operation=operation)
    if operation == "sum":
        expected = expected + (expected - whole)
    assert interior_as_in(u, expected)
    # Padding and other elements stay.
    assert u.sum() == pytest.approx(expected.sum(dtype="f8" if dtype[0] == "f" else None), rel=1e-6)


def test_a_histogram(comm):
    """Every entry counts, and one number serves for all."""
    counts = distview.zeros(10, "b", comm, dtype="i8")
    distview.accumulate_elements(counts, np.arange(25) % 10, 1)
    assert (counts.owned == comm.size * np.array([3] * 5 + [2] * 5)[counts.global_indices(0)]).all()


def test_boxes(comm):
    whole = whole_of((12, 20), "f8")
    u = distributed(comm, (12, 20), "bb", {"padding": 2}, whole)
    boxes = [np.s_[2:5, ::3], np.s_[...], np.s_[::-1], np.s_[-3:, 19:4:-5], np.s_[4:4, :]]
    for shift in range(len(boxes)):
        box = boxes[(comm.rank + shift) % len(boxes)]
        plan = distview.GatherPlan(u, box)
        assert plan.shape == whole[box].shape
        assert (plan.gathered(u) == whole[box]).all()
        assert (distview.get_elements(u, box) == whole[box]).all()
    distview.put_elements(u, np.s_[comm.rank : comm.rank + 1, :], -1)
    whole[: comm.size] = -1
    assert interior_as_in(u, whole)


def test_indices_of_unstructured_axes(comm):
    """Indices are the listed ones; of several owners the lowest provides the element."""
    lists = [[100 * r + k for k in range(3)] + [7777] for r in range(comm.size)]
    u = distview.zeros(None, [np.array(lists[comm.rank])], comm)
    u.view[...] = np.array(lists[comm.rank]) + 0.125 * comm.rank
    last = comm.size - 1
    assert distview.get_elements(u, [7777, 100 * last, 1]).tolist() == [7777, 100 * last + 0.125 * last, 1]
    error = raised_on_all(comm, lambda: distview.get_elements(u, np.s_[0:2]))
    assert type(error) is distview.UsageError and "expected indices, not slices" in str(error)


def test_boundary_padding_and_written_arrays(comm):
    """Boundary padding has indices outside the interior; put() makes padding invalid."""
    u = distview.zeros(4 * comm.size, "b", comm, padding=1, boundary=1)
    u.view[...] = comm.rank
    u.owned[...] = u.global_indices(0)
    assert distview.get_elements(u, [-1, 4 * comm.size]).tolist() == [-1, 4 * comm.size]
    u.exchange_padding()
    assert u.valid_padding != ((0, 0),) or comm.size == 1
    distview.put_elements(u, [0], comm.rank)
    assert u.valid_padding == ((0, 0),)


def test_values_are_converted(comm):
    u = distview.zeros(8, "b", comm, dtype="f4")
    plan = distview.GatherPlan(u, [0, 3, 5])
    plan.put([1, 2, 3], u)
    assert plan.gathered(u).tolist() == [1, 2, 3]
    plan.put(4.5, u)
    assert plan.gathered(u).tolist() == [4.5] * 3
    plan.put(np.float64(2), u)
    assert plan.gathered(u).tolist() == [2] * 3
    small = distview.zeros(8, "b", comm, dtype="u1")
    distview.put_elements(small, [0, 1], [255, 3])
    assert distview.get_elements(small, [1, 0]).tolist() == [3, 255]


def test_errors_are_the_same_on_all_ranks(comm):
    u = distview.zeros(10, "b", comm)
    v = distview.zeros((4, 5), "nb", comm)
    plan = distview.GatherPlan(u, [1, 2])
    last = comm.size - 1
    values = np.zeros(2)

    def raised(action, kind, text):
        error = raised_on_all(comm, action)
        assert type(error) is kind and text in str(error), error

    def wrong_list(bad):
        return lambda: distview.GatherPlan(u, on_rank(comm, last, bad, [0]))

    for bad in (7, [0.5], [[1, 2]], "text", None, [[1], [2, 3]], [2**63], [True]):
        raised(wrong_list(bad), distview.UsageError, "GatherPlan: expected indices to be integers of shape (n,)")
    raised(lambda: distview.GatherPlan(v, [1, 2]), distview.UsageError, "of shape (n, 2), got [1, 2]")
    raised(wrong_list([10]), distview.UsageError, "expected indices in [0, 10) along axis 0, got 10")
    raised(wrong_list(np.s_[0:2, 0:2]), distview.UsageError, "expected slices of at most 1 axes, got 2")
    raised(lambda: distview.GatherPlan(7, [1], comm), distview.UsageError, "expected a DistView or a Layout, got int")
    raised(lambda: distview.GatherPlan(distview.make_layout(3, "b", 7), [1], comm), distview.UsageError,
           f"over {comm.size} processes")  # fmt: skip
    raised(lambda: distview.get_elements(u, on_rank(comm, 0, [-1], [0])), distview.UsageError, "get_elements: expected indices in")
    raised(lambda: plan.gathered(v), distview.ShapeError, "GatherPlan.gathered: expected an array of the plan's layout")
    raised(lambda: plan.gathered(on_rank(comm, 0, None, u)), distview.UsageError, "expected a DistView, got NoneType")
    raised(lambda: plan.execute(u, on_rank(comm, last, np.zeros(3), values)), distview.ShapeError,
           "expected values to be a NumPy array of float64 of shape (2,), got one of float64 of shape (3,)")  # fmt: skip
    raised(lambda: plan.execute(u, [0.0, 0.0]), distview.ShapeError, "got list")
    raised(lambda: plan.execute(u, np.zeros(4)[::2]), distview.ShapeError, "contiguous and writable")
    raised(lambda: plan.combine([1, 2, 3], u), distview.ShapeError, "expected values of shape (2,), got (3,)")
    raised(lambda: plan.combine(1, u, "product"), distview.UsageError, "'sum', 'min' or 'max', got 'product'")
    raised(lambda: plan.combine(1, u, None), distview.UsageError, "got None")
    raised(lambda: plan.put(1j, u), distview.ShapeError, "expected values of float64, got complex128")
    raised(lambda: plan.put("text", u), distview.ShapeError, "expected values of float64")
    for kind, value in (("u1", 256), ("i1", 300), ("i4", 2**40), ("i8", np.uint64(2**63)), ("u8", -1)):
        small = distview.zeros(10, "b", comm, dtype=kind)
        raised(lambda u=small, v=value: distview.put_elements(u, [0], v), distview.ShapeError, "out of its range")
    if comm.size > 1:
        raised(lambda: plan.combine(1, u, on_rank(comm, 0, "min", "sum")), distview.UsageError, "operation")
        w = distview.zeros(10, "b", comm)
        raised(lambda: plan.gathered(on_rank(comm, 0, u, w)), distview.UsageError, "creation number")
    of_bool = distview.zeros(10, "b", comm, dtype="bool")
    raised(lambda: plan.combine(True, of_bool), distview.ShapeError, "to calculate with, got bool")
    with pytest.raises(distview.UsageError, match="expected an array with a communicator"):
        distview.GatherPlan(distview.make_layout(3, "b", 1), [0])
    raised(lambda: plan.execute(u), distview.UsageError, "GatherPlan.execute: missing 1 required positional argument")
    assert lowest(comm, 0) in str(raised_on_all(comm, lambda: plan.gathered(on_rank(comm, 0, None, u))))
    assert plan.gathered(u).tolist() == [0, 0]


def test_values_share_no_memory_with_the_array(comm):
    u = distview.zeros(2 * comm.size, "b", comm)
    u.owned[...] = u.global_indices(0)
    plan = distview.GatherPlan(u, u.global_indices(0)[::-1])
    error = raised_on_all(comm, lambda: plan.execute(u, u.view))
    assert type(error) is distview.UsageError and "values in memory of their own" in str(error)
    plan.put(u.view, u)  # from a copy
    assert u.owned.tolist() == u.global_indices(0)[::-1].tolist()


def test_slices_that_only_one_rank_uses_again(comm):
    u = distview.zeros((8, 8), "bb", comm)
    first = u[2:7]
    plan = distview.GatherPlan(first, [[0, 0]])
    plan.gathered(first)
    second = u[2:7]
    if comm.size > 1:
        error = raised_on_all(comm, lambda: plan.gathered(on_rank(comm, 0, first, second)))
        assert type(error) is distview.UsageError and "creation number" in str(error)
    assert plan.gathered(second).tolist() == [0]


def test_values_of_any_alignment(comm):
    """Complex numbers at odd multiples of 8 bytes, float64 at odd addresses."""
    records = np.zeros(4, [("x", "f8"), ("z", "c16")])
    u = distview.wrap(records["z"], None, distview.make_layout(4 * comm.size, "b", comm.size), comm)
    plan = distview.GatherPlan(u, np.arange(4 * comm.size))
    ones = np.ones(8 * comm.size + 1)[1:].view("c16")
    plan.combine(ones, u)
    assert (records["z"] == comm.size * (1 + 1j)).all()
    v = distview.zeros(4 * comm.size, "b", comm)
    odd = np.frombuffer(b"x" + np.arange(4.0 * comm.size).tobytes(), "f8", offset=1)
    distview.accumulate_elements(v, np.arange(4 * comm.size), odd)
    assert v.owned.tolist() == (comm.size * v.global_indices(0)).tolist()


@pytest.mark.parametrize("of_ghosts", [False, True])
def test_plans_in_flight_and_abandoned(comm, of_ghosts):
    """Errors of all ranks, those without elements to exchange included."""
    owned = [comm.rank]
    needed = [0] if comm.rank == 1 else owned
    ghosted = distview.make_ghosted_layout(comm, owned, needed)
    u = distview.zeros(None, ghosted.layout, comm)
    u.view[...] = 5
    values = np.zeros(len(needed))
    if of_ghosts:
        make = lambda: distview.GhostExchangePlan(comm, ghosted)  # noqa: E731
        start, execute = (lambda plan: plan.start(u)), (lambda plan: plan.execute(u))
    else:
        make = lambda: distview.GatherPlan(u, needed)  # noqa: E731
        start, execute = (lambda plan: plan.start(u, values)), (lambda plan: plan.gathered(u))
    plan = make()
    execute(plan)
    started = start(plan)
    error = raised_on_all(comm, lambda: execute(plan))
    assert type(error) is distview.UsageError and "in flight; first call finish()" in str(error)
    started.finish()
    error = raised_on_all(comm, started.finish)
    assert "called twice" in str(error)
    started = start(plan)
    if comm.rank == 0:
        del started
    else:
        try:
            started.finish()
        except distview.UsageError as error:
            assert "abandoned" in str(error) or "left" in str(error)
    error = raised_on_all(comm, lambda: execute(plan))
    assert type(error) is distview.UsageError and "build a new one" in str(error)
    execute(make())


def test_wrapped_and_sliced_arrays(comm):
    memory = np.zeros((6, 3))
    u = distview.wrap(memory[:, 1], None, [np.arange(6) * comm.size + comm.rank], comm)
    u.view[...] = np.arange(6) * comm.size + comm.rank
    wanted = np.arange(6 * comm.size)[::-1]
    assert (distview.get_elements(u, wanted) == wanted).all()
    whole = whole_of((8, 8), "i4")
    v = distributed(comm, (8, 8), "bb", {"padding": 1}, whole)[2:7, 1:]
    rows = list_of(comm.rank, (5, 7))
    assert (distview.get_elements(v, rows) == whole[2:7, 1:][tuple(rows.T)]).all()


def ring(comm):
    """Each rank owns three cells of a ring and needs their neighbours."""
    n = 3 * comm.size
    owned = [(3 * comm.rank + k) % n for k in (2, 0, 1)]
    return n, owned, [(i + s) % n for i in owned for s in (-1, 1)]


def test_ghosts(comm):
    n, owned, needed = ring(comm)
    ghosted = distview.make_ghosted_layout(comm, owned, needed)
    expected = sorted(set(needed) - set(owned))
    assert (ghosted.owned, ghosted.ghosts, len(ghosted.positions)) == (3, len(expected), 6)
    assert ghosted.layout.shape == (n,)
    u = distview.zeros(None, ghosted.layout, comm, dtype="i8")
    assert u.view.shape == (3 + len(expected),) and u.owned.shape == u.interior.shape == (3,)
    assert u.global_indices(0).tolist() == owned and u.global_indices(0, "all").tolist() == owned + expected
    u.view[...] = -1
    u.owned[...] = 10 * np.array(owned)
    plan = distview.GhostExchangePlan(comm, ghosted)
    plan.execute(u)
    assert u.view[ghosted.positions].tolist() == [10 * i for i in needed]
    u.view[3:] = -1
    with plan.start(u):
        pass
    assert u.view[ghosted.positions].tolist() == [10 * i for i in needed]
    assert u.sum() == 10 * n * (n - 1) // 2  # ghosts do not count
    # Each element gets 1 from every rank that has it as a ghost.
    u.view[3:] = 1
    plan.combine(u)
    others = comm.allgather(expected)
    assert u.owned.tolist() == [10 * i + sum(i in ghosts for ghosts in others) for i in owned]
    assert (u.view[3:] == 1).all() and "GhostExchangePlan" in plan.describe()
    plan.combine(u, operation="max")
    plan.combine(u, "min")
    held = [min(10 * i + sum(i in g for g in others), 1) if any(i in g for g in others) else 10 * i for i in owned]
    assert u.owned.tolist() == held
    assert distview.get_elements(u, [0]).shape == (1,)


def test_ghosts_with_components(comm):
    _, owned, needed = ring(comm)
    ghosted = distview.make_ghosted_layout(comm, owned, needed, more_axes=2)
    u = distview.zeros(None, ghosted.layout, comm, dtype="f4")
    u.owned[...] = np.array(owned)[:, np.newaxis] + [0, 0.5]
    distview.GhostExchangePlan(comm, ghosted).execute(u)
    assert (u.view[ghosted.positions] == np.array(needed)[:, np.newaxis] + [0, 0.5]).all()


def test_layouts_with_the_indices_of_one_process(comm):
    """Questions about other processes have no answer."""
    _, owned, needed = ring(comm)
    ghosted = distview.make_ghosted_layout(comm, owned, needed)
    layout = ghosted.layout
    assert layout.local_shape(comm.rank) == (3 + ghosted.ghosts,)
    assert str(layout) and repr(layout) and layout.describe()
    assert layout == distview.make_ghosted_layout(comm, owned, needed).layout
    if comm.size == 1:
        return
    other = (comm.rank + 1) % comm.size
    for question in (
        lambda: layout.local_shape(other),
        lambda: layout.owned_range(0, other),
        lambda: layout.interior_range(0, other),
        lambda: layout.global_indices(0, other),
    ):
        with pytest.raises(distview.UsageError, match=f"has the indices of process {comm.rank} of the axis only"):
            question()
    with pytest.raises(distview.UsageError, match="the indices of one"):
        layout.owner((0,))
    with pytest.raises(distview.UsageError):
        layout.dim_data(other)
    u = distview.zeros(None, layout, comm)
    error = raised_on_all(comm, lambda: u.gather())
    assert type(error) is distview.UsageError


def test_wrong_ghosts(comm):
    _, owned, needed = ring(comm)
    ghosted = distview.make_ghosted_layout(comm, owned, needed)
    plan = distview.GhostExchangePlan(comm, ghosted)
    u = distview.zeros(3 * comm.size, "b", comm)
    last = comm.size - 1

    def raised(action, kind, text):
        error = raised_on_all(comm, action)
        assert type(error) is kind and text in str(error), error

    raised(lambda: distview.make_ghosted_layout(comm, on_rank(comm, last, [5, 5], owned), needed), distview.LayoutError,
           "make_ghosted_layout: expected each owned index once")  # fmt: skip
    raised(lambda: distview.make_ghosted_layout(comm, on_rank(comm, last, [0.5], owned), needed), distview.UsageError,
           "expected owned to be a list of indices")  # fmt: skip
    raised(lambda: distview.make_ghosted_layout(comm, owned, needed, more_axes="x"), distview.LayoutError, "at most 7 sizes")
    raised(lambda: distview.GhostExchangePlan(comm, on_rank(comm, 0, ghosted.layout, ghosted)), distview.UsageError,
           "expected a GhostedLayout, got Layout")  # fmt: skip
    raised(lambda: plan.execute(u), distview.ShapeError, "GhostExchangePlan.execute: expected an array of the plan's layout")
    raised(lambda: plan.combine(distview.zeros(None, ghosted.layout, comm), "mean"), distview.UsageError, "got 'mean'")
    with pytest.raises(distview.UsageError, match="expected comm to be an mpi4py communicator, got None"):
        distview.make_ghosted_layout(None, owned, needed)
    if comm.size > 1:
        missing = distview.make_ghosted_layout(comm, owned, on_rank(comm, 0, [10**6], needed))
        raised(lambda: distview.GhostExchangePlan(comm, missing), distview.UsageError, "that a process owns along axis 0")
