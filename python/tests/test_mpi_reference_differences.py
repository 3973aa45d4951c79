# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Differences that still exist between distarray, the reference implementation, and distview.

Needs a checkout of distarray, named by DISTVIEW_DISTARRAY, and skips without. See
reference/README.md. All tests are collective, and none has a defect on some processes only: then
distarray would hang, since the other processes wait in MPI_Cart_create.
"""

import distview
import numpy as np
import pytest
from reference import places
from reference.known_differences import known_difference
from reference.sections import envelope
from reference.verdicts import code_of


@pytest.fixture(scope="module")
def distarray():
    return places.distarray()


def block(size, ranks, rank, start, stop, **more):
    grid = dict(proc_grid_size=ranks, proc_grid_rank=rank)
    return dict(dist_type="b", size=size, **grid, start=start, stop=stop, **more)


def even_blocks(comm, each=3, rank=None):
    """An export of a row of blocks; `rank` is the place of this process in it."""
    rank = comm.rank if rank is None else rank
    dim_dict = block(each * comm.size, comm.size, rank, each * rank, each * (rank + 1))
    return envelope((dim_dict,), np.zeros(each))


several = "needs two processes"


@known_difference("distarray_partial_block_on_rank_0")
def test_distarray_gives_a_partial_block_to_rank_0(distarray, comm):
    if comm.size == 1:
        pytest.skip(several)
    # P + 1 whole blocks of 2 and half a block more: the last 2 elements are on rank 0, the half block on rank 1.
    size = 2 * (comm.size + 1) + 1
    view = distview.zeros(size, ("c", 2), comm)
    assert view.local_shape == ({0: 4, 1: 3}.get(comm.rank, 2),)
    refused = False
    try:
        distarray.LocalArray.from_distarray(comm, view)
    except RuntimeError as error:
        assert "distribution shape must equal buf shape" in str(error)
        refused = True
    assert comm.allgather(refused) == [rank < 2 for rank in range(comm.size)]


@known_difference("distarray_refuses_empty_alias")
def test_distarray_refuses_the_empty_alias(distarray, mpi):
    export = envelope(({},), np.zeros(5))
    distview.check(export)
    with pytest.raises(KeyError, match="dist_type"):
        distarray.LocalArray.from_distarray(mpi.COMM_SELF, export)
    # The form that distview exports instead.
    back = distview.from_distarray(export).__distarray__()
    assert back["dim_data"] == (block(5, 1, 0, 0, 5),)
    distarray.LocalArray.from_distarray(mpi.COMM_SELF, back).comm.Free()


@known_difference("distarray_ignores_version", "distarray_takes_list_as_dim_data")
@pytest.mark.parametrize(
    "change, code",
    [
        (dict(__version__="7.7.7"), "version_unsupported"),
        (dict(__version__=None), "version_format"),
        (dict(dim_data=list), "dim_data_type"),
    ],
)
def test_distarray_does_not_look_at_the_envelope(distarray, comm, change, code):
    export = even_blocks(comm)
    for key, value in change.items():
        export[key] = value(export[key]) if callable(value) else value
    theirs = distarray.LocalArray.from_distarray(comm, export)
    assert theirs.local_shape == (3,)
    theirs.comm.Free()
    assert code_of(distview.from_distarray, export, comm) == code


@known_difference("distarray_takes_index_lists", "distarray_takes_float_indices")
@pytest.mark.parametrize(
    "indices, code",
    [([], "indices_not_buffer"), ([3, 1], "indices_not_buffer"), (np.array([]), "indices_not_int")],
)
def test_distarray_takes_other_indices(distarray, comm, indices, code):
    if len(indices):  # labels on this process only
        indices = [label + 10 * comm.rank for label in indices]
    dim_dict = dict(dist_type="u", size=len(indices) * comm.size, proc_grid_size=comm.size)
    dim_dict |= dict(proc_grid_rank=comm.rank, indices=indices)
    export = envelope((dim_dict,), np.zeros(len(indices)))
    theirs = distarray.LocalArray.from_distarray(comm, export)
    assert theirs.local_shape == (len(indices),)
    if not len(indices):  # and exports them again
        assert theirs.__distarray__()["dim_data"][0]["indices"].dtype == np.float64
    theirs.comm.Free()
    assert code_of(distview.from_distarray, export, comm) == code


@known_difference("distarray_takes_smaller_grid")
@pytest.mark.parametrize("dim_data", [(), (block(4, 1, 0, 0, 4),)])
def test_distarray_takes_a_grid_of_fewer_processes(distarray, comm, dim_data):
    if comm.size == 1:
        pytest.skip(several)
    export = envelope(dim_data, np.zeros((4,) * len(dim_data)))
    theirs = distarray.LocalArray.from_distarray(comm, export)
    assert theirs.ndarray.shape == export["buffer"].shape
    assert code_of(distview.from_distarray, export, comm) == "grid_product"


@known_difference("distarray_takes_any_rank_order")
def test_distarray_takes_processes_in_another_order(distarray, comm):
    if comm.size == 1:
        pytest.skip(several)
    export = even_blocks(comm, rank=comm.size - 1 - comm.rank)
    theirs = distarray.LocalArray.from_distarray(comm, export)
    assert theirs.global_from_local((0,)) == (3 * (comm.size - 1 - comm.rank),)
    theirs.comm.Free()
    assert code_of(distview.from_distarray, export, comm) == "grid_order"


@known_difference("distarray_refuses_clamped_start")
def test_distarray_refuses_a_clamped_start(distarray, mpi):
    dim_dict = dict(dist_type="c", size=1, proc_grid_size=3, proc_grid_rank=2, start=1)
    export = envelope((dim_dict,), np.zeros(0))
    distview.check(export)
    # On one process only: otherwise the others would wait for it in Create_cart.
    with pytest.raises(ValueError, match="does not equal grid_rank"):
        distarray.LocalArray.from_distarray(mpi.COMM_SELF, export)


@known_difference("distarray_finds_no_index_past_size")
def test_distarray_does_not_find_every_index(distarray, mpi):
    view = distview.zeros(None, ("u", [[7, -3, 1]]), mpi.COMM_SELF)
    theirs = distarray.LocalArray.from_distarray(mpi.COMM_SELF, view)
    assert [theirs.global_from_local((position,)) for position in range(3)] == [(7,), (-3,), (1,)]
    assert [theirs.local_from_global((index,)) for index in (-3, 1)] == [(1,), (2,)]
    with pytest.raises(IndexError):
        theirs.local_from_global((7,))
    theirs.comm.Free()
