# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of valid padding: calls that make padding valid or outdated, and require_padding()."""

import copy

import distview
import numpy as np
import pytest
from mpi_cases import on_rank, raised_on_all, same_on_all
from shared_folder import shared_folder


def strip(comm, width=2, periodic=True, dtype="f8"):
    """Rows in blocks of at least 4, by default periodic along the first axis."""
    u = distview.zeros(
        (4 * comm.size, 5), "bn", comm, dtype, padding=(width, 0), periodic=(periodic, False)
    )
    u.interior[...] = u.global_indices(0, "interior")[:, None]
    return u


def is_filled(u):
    """Whether all padding has its rows' numbers."""
    rows = u.global_indices(0, "all") % len(u)
    return bool((u.view == rows[:, None]).all())


@pytest.fixture(params=["ranks", "no communicator"])
def u(request, comm, monkeypatch):
    if request.param == "ranks":
        return strip(comm)
    from distview import _comm

    monkeypatch.setattr(_comm, "_has_warned", True)
    u = distview.zeros((4, 5), "bn", padding=(2, 0), periodic=(True, False))
    u.interior[...] = u.global_indices(0, "interior")[:, None]
    return u


NONE, ALL = ((0, 0), (0, 0)), ((2, 2), (0, 0))


def test_exchange_makes_it_valid(u):
    assert u.valid_padding == NONE and not u.has_valid_corners
    u.exchange_padding()
    assert u.valid_padding == ALL and u.has_valid_corners
    assert type(u.valid_padding[0][0]) is int
    u.mark_written()
    assert u.valid_padding == NONE and not u.has_valid_corners


def test_require_exchanges_what_is_old(u):
    assert u.require_padding(1) is True
    assert is_filled(u) and u.valid_padding == ALL
    u.view[0] = -1  # the library does not see this write
    assert u.require_padding(1) is False and (u.view[0] == -1).all()
    u.mark_written()
    assert u.require_padding((1, 2)) is True and is_filled(u)
    assert u.require_padding(2) is False and u.require_padding((0, 0)) is False


def writers(u):
    """All calls that write through the library."""
    other = distview.zeros_like(u)
    yield "copy_from_host", lambda: u.copy_from_host(1, "interior")
    yield "scatter", lambda: u.scatter(np.zeros(u.shape))
    yield "fill_random", lambda: distview.fill_random(u, 3)
    yield "combine_padding", lambda: u.combine_padding()
    yield "redistribute", lambda: distview.redistribute(other, out=u)
    yield "mark_written", lambda: u.mark_written()
    yield "mark_written of another name", lambda: copy.copy(u).mark_written()
    part = u[1:3]
    zeros = distview.zeros_like(part)
    yield "copy_from_host to a slice", lambda: part.copy_from_host(1)
    yield "scatter to a slice", lambda: part.scatter(np.zeros(part.shape))
    yield "redistribute to a slice", lambda: distview.redistribute(zeros, out=part)
    yield "mark_written of a slice of a slice", lambda: part[:1].mark_written()

    def add():
        u.interior += 1

    yield "+=", add


def test_writers_make_it_old(u):
    for name, write in writers(u):
        u.exchange_padding()
        assert u.valid_padding == ALL, name
        write()
        assert u.valid_padding == NONE, name


def readers(u):
    yield lambda: u.sum()
    yield lambda: u.gather()
    yield lambda: u.dot(u)
    yield lambda: u.copy_to_host()
    yield lambda: distview.redistribute(u, "cc")
    yield lambda: u.view.max()
    yield lambda: u[1:3]
    yield lambda: distview.zeros_like(u)


def test_readers_leave_it(u):
    u.exchange_padding()
    for read in readers(u):
        read()
        assert u.valid_padding == ALL
        assert u.require_padding(2) is False


def test_load_makes_it_old(comm):
    u = strip(comm)
    with shared_folder(comm) as folder:
        distview.save(folder / "u.npy", u)
        u.exchange_padding()
        distview.load(folder / "u.npy", out=u)
    assert u.valid_padding == NONE and u.require_padding(1) and is_filled(u)


def test_names_share_what_they_know_and_other_arrays_do_not(comm):
    u = strip(comm)
    name, wrapped = copy.copy(u), distview.wrap(u, None, u.layout, comm)
    u.exchange_padding()
    assert name.valid_padding == ALL and wrapped.valid_padding == NONE
    wrapped.mark_written()
    assert name.valid_padding == ALL
    name.mark_written()
    assert u.valid_padding == NONE


def test_checking_finds_what_was_computed_from_old_padding(comm):
    distview.check_padding()
    try:
        u, v = strip(comm), strip(comm)
        u.exchange_padding()
        u.interior[...] += 1
        u.mark_written()
        v.view[2:-2] = u.view[1:-3]
        v.mark_written()
        v.set_label("height")
        with pytest.raises(distview.UsageError, match=r"not computed from invalid padding, got .* of 'height'"):
            v.exchange_padding()
        u.exchange_padding()
        v.view[2:-2] = u.view[1:-3]
        v.mark_written()
        v.exchange_padding()
    finally:
        distview.check_padding(False)
    u.mark_written()
    assert not np.isnan(u.view).any()


EXCHANGES = {
    "exchange_padding": lambda u, *others: u.exchange_padding(*others),
    "start_exchange": lambda u, *others: u.start_exchange(*others).finish(),
    "require_padding": lambda u, *others: u.require_padding(1, *others),
    "combine_padding": lambda u, *others: u.combine_padding(*others),
}


@pytest.mark.parametrize("name", EXCHANGES)
@pytest.mark.parametrize("own", [True, False], ids=["COMM_SELF", "no communicator"])
def test_checking_of_one_process(mpi, own, name):
    """With or without a communicator, the first call that moves elements raises, and moves nothing."""

    def ring(first):
        made = distview.zeros(6, "b", mpi.COMM_SELF if own else None, "i8", padding=1, periodic=True)
        made.interior[...] = np.arange(first, first + 6)
        made.exchange_padding()
        made.interior += 1
        made.mark_written()
        return made

    distview.check_padding()
    try:
        u, v = ring(10), ring(20)
        v.interior[...] = v.view[:-2]
        v.mark_written()
        before = u.view.tolist()
        with pytest.raises(
            distview.UsageError, match=r"elements that were not computed from invalid padding, got .*was filled 1 time"
        ):
            EXCHANGES[name](u, v)
        assert name == "combine_padding" or u.view.tolist() == before
        u.exchange_padding()
        assert u.view.tolist() == [16, 11, 12, 13, 14, 15, 16, 11]
    finally:
        distview.check_padding(False)


@pytest.mark.parametrize("own", [True, False], ids=["COMM_SELF", "no communicator"])
def test_checking_of_contributions_within_one_process(mpi, own):
    distview.check_padding()
    try:
        u = distview.ones(6, "b", mpi.COMM_SELF if own else None, padding=1, periodic=True)
        u.exchange_padding()
        u.mark_written()
        u.view[:2] += 1
        with pytest.raises(distview.UsageError, match="expected no contributions from invalid padding, got some"):
            u.combine_padding()
        u.view[0] = u.view[-1] = 5
        u.combine_padding()
        assert u.interior.tolist() == [7, 1, 1, 1, 1, 6]
    finally:
        distview.check_padding(False)


@pytest.mark.parametrize("own", [True, False], ids=["COMM_SELF", "no communicator"])
def test_padding_is_combined_once(mpi, own):
    comm = mpi.COMM_SELF if own else None
    u, v = (distview.ones(6, "b", comm, padding=1, periodic=True) for _ in range(2))
    u.view[...] = 1
    for others in ((u,), (copy.copy(u),), (v, distview.wrap(u, None, u.layout, comm))):
        with pytest.raises(
            distview.UsageError,
            match=f"fields 0 and {len(others)} share memory: their padding would be combined twice",
        ):
            u.combine_padding(*others)
    assert u.interior.tolist() == [1] * 6
    u.combine_padding(v)
    assert u.interior.tolist() == [2, 1, 1, 1, 1, 2]


def test_mark_padding_valid(u):
    u.mark_padding_valid(1)
    assert u.valid_padding == ((1, 1), (1, 1)) and u.has_valid_corners
    u.mark_padding_valid(((2, 1), 0), corners=False)
    assert u.valid_padding == ((2, 1), (0, 0)) and not u.has_valid_corners
    assert u.require_padding(1, stencil="faces") is True
    u.mark_padding_valid(((2, 1), 0))
    assert u.require_padding(1, stencil="faces") is False
    assert u.require_padding(2, stencil="faces") is True
    with pytest.raises(distview.UsageError, match=r"^mark_padding_valid: expected depths of at most"):
        u.mark_padding_valid(50)
    for depth in (-1, (1, -1), "x", (1, 2, 3), None, 1.5):
        with pytest.raises(distview.UsageError, match=r"^mark_padding_valid: expected depth to be a width"):
            u.mark_padding_valid(depth)


def test_stencils(comm):
    """Padding filled without corners is not valid with corners."""
    u = distview.zeros((4 * comm.size, 6), "bn", comm, padding=1, periodic=True)
    assert u.require_padding(1, stencil="faces") is True
    assert u.valid_padding == ((1, 1), (1, 1)) and not u.has_valid_corners
    assert u.require_padding(1, stencil="faces") is False
    assert u.require_padding(1) is True and u.has_valid_corners
    assert u.require_padding(1, stencil="faces") is False


def test_walls_count_as_the_same_side_of_other_ranks(comm):
    """Exchanges fill nothing at a wall, but all ranks must exchange in the same step."""
    u = strip(comm, periodic=False)
    has_padding = comm.size > 1
    for _ in range(2):
        u.mark_written()
        assert u.require_padding(2) is has_padding
        assert u.valid_padding == (ALL if has_padding else NONE)
        assert u.require_padding(2) is False
        u.mark_padding_valid(((1, 2), 0))  # as after a step that reads only lower neighbours
        assert u.require_padding(1) is False
        assert u.require_padding((2, 1)) is has_padding


def test_others_are_looked_at_as_well(comm):
    u, v, w = strip(comm), strip(comm), strip(comm)
    assert u.require_padding(1, v, w)
    assert u.require_padding(1, v, w) is False
    v.mark_written()
    u.view[0] = -1
    assert u.require_padding(1, v, w) is True
    assert is_filled(v) and is_filled(w) and v.valid_padding == ALL
    assert (u.view[0] == -1).all()  # it was valid, so no exchange filled it
    assert w.require_padding(1, u) is False


def test_arrays_of_several_layouts(comm):
    u, v = strip(comm), strip(comm, 1, dtype="f4")
    assert u.require_padding(1, v) is True and u.require_padding(1, v) is False
    v.mark_written()
    assert u.require_padding(1, v) is True and is_filled(u) and is_filled(v)


def test_many_arrays_in_turns(comm):
    """As in time steps: two arrays swap roles."""
    now, later = strip(comm), strip(comm)
    for step in range(12):
        same_on_all(comm, now.require_padding(1))
        assert now.valid_padding == ALL
        later.interior[...] = now.view[1:-3] + now.view[3:-1]
        later.mark_written()
        now, later = later, now
        assert now.require_padding(2) is True and now.require_padding(2) is False


def test_errors_on_all_ranks(comm):
    u = strip(comm)
    for known in (False, True):
        half = np.float32(1.5)
        for depth in (-1, "x", "11", None, 1.5, half, (1,), (1, 2, 3), (1, -1), (1, half), ("1", 1), (1.5, 1), True):
            error = raised_on_all(comm, lambda d=depth: u.require_padding(d))
            assert type(error) is distview.UsageError
            assert str(error).startswith("require_padding: expected depth to be a width or (low, high)"), error
        error = raised_on_all(comm, lambda: u.require_padding(3))
        assert str(error).startswith(
            "require_padding: expected depths in [0, 2] and [0, 2], as deep as padding is filled on low and on high "
            "sides, got (3, 3)"
        )
        error = raised_on_all(comm, lambda: u.require_padding(1, 3))
        assert str(error).startswith("require_padding: expected DistViews, got int")
        error = raised_on_all(comm, lambda: u.require_padding(1, stencil="cross"))
        assert str(error).startswith("require_padding: expected stencil to be 'box' or 'faces', got 'cross'")
        error = raised_on_all(comm, lambda: u.require_padding(1, depth=3))
        assert type(error) is distview.UsageError
        assert u.require_padding((np.int32(1), np.uint8(1)) if known else np.int64(1)) is not known
    assert u.require_padding(1) is False


def until_it_succeeds(call):
    for _ in range(50):
        try:
            return call()
        except distview.UsageError as error:
            last = error
    raise last


def test_marked_on_one_rank_only(comm):
    """Ranks that wait for others get an error, never old values; afterwards everything works."""
    if comm.size == 1:
        return
    u = strip(comm)
    u.require_padding(1)
    for rank in range(comm.size):
        on_rank(comm, rank, u.mark_written, lambda: None)()
        errors = []
        for call in (lambda: u.require_padding(1), u.exchange_padding):
            try:
                call()
            except distview.UsageError as error:
                errors.append(str(error))
        told = comm.allgather(errors)
        assert told[rank], told
        assert any("nothing to fill" in text for texts in told for text in texts), told
        assert not any("PaddingExchangePlan" in text for texts in told for text in texts), told
        until_it_succeeds(u.sum)  # succeeds on all ranks or on none
        u.mark_written()
        until_it_succeeds(u.exchange_padding)
        assert is_filled(u) and u.valid_padding == ALL
        assert u.require_padding(2) is False


def test_sections_that_are_not_attached():
    part = distview.from_distarray(
        {
            "__version__": "0.10.0",
            "buffer": np.zeros(3),
            "dim_data": ({"dist_type": "b", "size": 9, "proc_grid_size": 3, "proc_grid_rank": 0, "start": 0, "stop": 3},),
        },
        validate="local",
    )
    part.interior += 1
    part.copy_from_host(2)
    assert (part.view == 2).all()
    for name in ("valid_padding", "has_valid_corners"):
        with pytest.raises(distview.UsageError, match=f"^{name}: this array was imported"):
            getattr(part, name)
    with pytest.raises(distview.UsageError, match="^mark_written: this array was imported"):
        part.mark_written()
