# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""distarray, the reference implementation, imports our arrays, and we import its arrays.

Needs a checkout of distarray, named by DISTVIEW_DISTARRAY, and skips without; the examples also
need DISTVIEW_DAP_REFERENCE. See reference/README.md. All tests are collective.
"""

import importlib
import io
import itertools
import unittest
from types import SimpleNamespace

import distview
import numpy as np
import pytest
from reference import places
from reference.known_differences import known_difference
from reference.official_examples import examples
from reference.random_arrays import random_arrays, same_dim_data
from reference.shims import old_names
from reference.verdicts import code_of

SEED = 20140530


@pytest.fixture(scope="module")
def distarray():
    return places.distarray()


def address(array):
    """The address of an array's first element; None without elements."""
    return array.ctypes.data if array.size else None


def what_distarray_keeps(dim_dict):
    lost = ("padding", "periodic", "one_to_one")
    return {key: value for key, value in dim_dict.items() if key not in lost}


# ----------------------------------------------------------------------------------------------
# The shims
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["paralleltest_distributed_array_protocol", "paralleltest_maps", "test_maps"]
)
def test_distarrays_own_tests_pass_with_the_shims(distarray, comm, name):
    with places.foreign_import(distarray.folder):
        module = importlib.import_module(f"distarray.localapi.tests.{name}")
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    report = io.StringIO()
    result = unittest.TextTestRunner(report).run(suite)
    assert result.wasSuccessful(), report.getvalue()
    if result.skipped and comm.size < 4:
        pytest.skip(f"some of {name} want more than {comm.size} processes")
    assert result.testsRun >= 8


# ----------------------------------------------------------------------------------------------
# distarray imports our arrays, and we import them again
# ----------------------------------------------------------------------------------------------


def arrays_for_both(comm, seed, count, max_axes=3):
    """Creates arrays whose elements distarray counts correctly."""
    for array in random_arrays(seed, count, comm.size, max_axes):
        if not any(axis.last_block_is_partial for axis in array.axes):
            yield array, distview.zeros(**array.creation(), comm=comm)


def check_index_maps(theirs, layout, process):
    """Every cell of the section, padding included, has the same protocol index on both sides."""
    shape = layout.local_shape(process)
    indices = [
        (layout.global_indices(axis, process) + layout.boundary(axis)[0]).tolist()
        for axis in range(layout.rank)
    ]
    for local in itertools.product(*map(range, shape)):
        expected = tuple(along[position] for along, position in zip(indices, local, strict=True))
        assert theirs.global_from_local(local) == expected
    for axis, along in enumerate(indices):
        its_map = theirs.distribution[axis]
        assert [its_map.local_from_global_index(g) for g in along] == list(range(len(along)))


def test_distarray_takes_every_array_without_copy(distarray, comm):
    empty = axes = 0
    for array, view in arrays_for_both(comm, SEED, 80):
        view.view[...] = comm.rank + 1
        theirs = distarray.LocalArray.from_distarray(comm, view)
        assert address(theirs.ndarray) == address(view.view)
        assert theirs.ndarray.shape == theirs.local_shape == view.local_shape
        assert theirs.dtype == view.dtype
        assert (theirs.global_shape, theirs.grid_shape) == (view.protocol_shape, view.grid)
        assert theirs.cart_coords == view.coordinates
        check_index_maps(theirs, view.layout, comm.rank)
        # Writes on one side are seen on the other.
        theirs.ndarray += 1
        assert (view.view == comm.rank + 2).all()
        axes += len(array.axes)
        empty += 0 in view.local_shape
        theirs.comm.Free()
    assert axes > 50
    assert comm.allreduce(empty) >= 5


@known_difference(
    "distarray_loses_padding", "distarray_loses_periodic", "distarray_loses_one_to_one"
)
def test_what_distarray_exports_of_our_arrays_comes_back(distarray, comm):
    refused = taken = lost = 0
    for array, view in arrays_for_both(comm, SEED + 1, 120):
        theirs = distarray.LocalArray.from_distarray(comm, view)
        export = theirs.__distarray__()
        expected = tuple(map(what_distarray_keeps, view.dim_data))
        assert same_dim_data(export["dim_data"], expected)
        lost += not same_dim_data(expected, view.dim_data)

        alone = distview.from_distarray(theirs, validate="local")
        assert address(alone.view) == address(view.view)
        if any(axis.padding for axis in array.axes):
            code = code_of(distview.from_distarray, theirs, comm)
            assert code == "block_not_contiguous", array
            refused += 1
        else:
            back = distview.from_distarray(theirs, comm)
            assert address(back.view) == address(view.view)
            assert (back.shape, back.grid, back.local_shape) == (
                view.shape, view.grid, view.local_shape,
            )  # fmt: skip
            assert same_dim_data(back.dim_data, expected)
            for axis in range(view.ndim):
                assert (back.global_indices(axis) == view.global_indices(axis)).all()
            taken += 1
        theirs.comm.Free()
    assert taken > 20 and lost > 20
    assert refused > 10 or comm.size == 1


@pytest.mark.parametrize("order", "CF")
def test_distarray_takes_both_orders_of_memory(distarray, comm, order):
    memory = np.full((2, 5), comm.rank, dtype="i4", order=order)
    view = distview.wrap(memory, (2 * comm.size, 5), layout="bn", comm=comm)
    theirs = distarray.LocalArray.from_distarray(comm, view)
    assert theirs.ndarray.ctypes.data == memory.ctypes.data
    assert theirs.ndarray.strides == memory.strides
    theirs.comm.Free()


# ----------------------------------------------------------------------------------------------
# We import distarray's arrays
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dist", ["b", "c", "n", "bn", "cb", "bc", "nc", "bcn", "bbb", "ccc"])
def test_we_take_what_distarray_makes(distarray, comm, dist):
    shape = (12, 13, 14)[: len(dist)]
    if comm.size > 1 and dist == "n":
        pytest.skip("distarray has no undistributed array on several processes")
    distribution = distarray.Distribution.from_shape(comm, shape, dist=dist)
    if np.prod(distribution.grid_shape) != comm.size:
        pytest.skip(f"distarray finds no grid of {comm.size} processes for {dist}")
    theirs = distarray.LocalArray(distribution, dtype="f4")
    for local in np.ndindex(*theirs.local_shape):
        index = theirs.global_from_local(local)
        theirs.ndarray[local] = np.ravel_multi_index(index, shape)

    view = distview.from_distarray(theirs, comm)
    assert view.view.ctypes.data == theirs.ndarray.ctypes.data
    assert (view.protocol_shape, view.grid, view.dtype) == (shape, theirs.grid_shape, np.float32)
    whole = view.gather()
    if comm.rank == 0:
        assert (whole == np.arange(np.prod(shape)).reshape(shape)).all()
    theirs.comm.Free()


def test_distarray_and_we_read_the_generated_examples_alike(distarray, comm):
    text = (places.folder(places.PROTOCOL) / "examples.rst").read_text(encoding="utf-8")
    found = [example for example in examples(text) if len(example.exports) == comm.size]
    if not found:
        pytest.skip(f"no example has {comm.size} processes")
    for example in found:
        export = example.exports[comm.rank]
        view = distview.from_distarray(export, comm)
        theirs = distarray.LocalArray.from_distarray(comm, export)
        assert view.view.ctypes.data == theirs.ndarray.ctypes.data
        check_index_maps(theirs, view.layout, comm.rank)
        theirs.comm.Free()
    assert len(found) == {3: 2, 4: 6}[comm.size]


@pytest.mark.parametrize("reshaped", [False, True])
def test_distarray_redistributes_our_memory(distarray, comm, reshaped):
    """distarray's plan and messages work between two of our arrays; we check the result."""
    bounds = [0, *(3 * rank + 1 for rank in range(comm.size - 1)), 3 * comm.size]
    source = distview.from_function(
        lambda i, j: 10.0 * i + j, (3 * comm.size, 10), layout=[("b", bounds), "n"], comm=comm
    )
    shape, layout = ((30 * comm.size,), "b") if reshaped else ((3 * comm.size, 10), "bn")
    target = distview.zeros(shape, layout, comm)
    sides = [distarray.LocalArray.from_distarray(comm, view) for view in (source, target)]

    context = SimpleNamespace(targets=list(range(comm.size)))
    plan_of = distarray.GlobalDistribution.from_dim_data_per_rank
    here, there = (plan_of(context, comm.allgather(view.dim_data)) for view in (source, target))
    redistribute = distarray.redistribute_general if reshaped else distarray.redistribute
    with old_names():  # distarray needs the old names at run time, too
        redistribute(comm, here.get_redist_plan(there), *sides)

    whole = target.gather()
    if comm.rank == 0:
        assert (whole.ravel() == np.arange(30.0 * comm.size)).all()
    for side in sides:
        side.comm.Free()
