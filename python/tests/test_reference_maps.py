# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""distarray's maps between ranks read the dimension data of all processes of our arrays.

Needs a checkout of distarray, named by DISTVIEW_DISTARRAY, and skips without. One process; no
engine of distarray is started. See reference/README.md.
"""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from distview import _distview as native
from reference import places
from reference.known_differences import known_difference
from reference.random_arrays import distview_layout, random_arrays

SEED = 20140530


@pytest.fixture(scope="module")
def distarray():
    return places.distarray()


def their_distribution(distarray, layout):
    """distarray's view of a layout; it needs only the engines' numbers from their context."""
    context = SimpleNamespace(targets=list(range(layout.process_count)))
    dim_data = [layout.dim_data(process) for process in range(layout.process_count)]
    return distarray.GlobalDistribution.from_dim_data_per_rank(context, dim_data)


@pytest.mark.parametrize("processes", range(1, 7))
def test_shapes_and_owners(distarray, processes):
    owners = 0
    for array in random_arrays(SEED, 100, processes):
        if not array.axes or any(axis.last_block_is_partial for axis in array.axes):
            continue
        layout = distview_layout(array)
        theirs = their_distribution(distarray, layout)
        assert (theirs.shape, theirs.grid_shape) == (layout.protocol_shape, layout.grid)
        assert theirs.localshapes() == [layout.local_shape(p) for p in range(processes)]
        # distarray finds several owners of padding, and searches for unstructured indices on all ranks.
        if any(axis.padding or axis.kind == "u" for axis in array.axes):
            continue
        for index in np.ndindex(*layout.shape):
            assert theirs.owning_ranks(index) == [layout.owner(index)]
            owners += 1
    assert owners > 500


def random_blocks(rng, shape, processes):
    """A layout of `shape` in irregular blocks, some of them empty, over a random grid."""
    grid = [processes, 1] if rng.random() < 0.5 else [1, processes]
    if processes % 2 == 0:
        grid = [2, processes // 2]
    axes = []
    for size, extent in zip(shape, grid, strict=True):
        bounds = [0, *sorted(rng.integers(0, size + 1, extent - 1).tolist()), size]
        axes.append(native.block_bounds(bounds, (0, 0), (0, 0), False))
    return native.Layout(grid, axes)


def intersections(source, target):
    """{(source process, target process): ranges of global indices, one per axis}"""
    found = {}
    counts = (source.process_count, target.process_count)
    for here, there in itertools.product(*map(range, counts)):
        ranges = []
        for axis in range(source.rank):
            common = np.intersect1d(
                source.global_indices(axis, here), target.global_indices(axis, there)
            )
            if not common.size:
                break
            ranges.append((common[0], common[-1] + 1))
        else:
            found[here, there] = ranges
    return found


def test_the_plan_of_a_redistribution(distarray):
    rng = np.random.default_rng(SEED)
    messages = 0
    for _ in range(150):
        shape = tuple(rng.integers(1, 12, 2).tolist())
        source, target = (random_blocks(rng, shape, int(rng.integers(1, 7))) for _ in range(2))
        ours = intersections(source, target)
        plan = their_distribution(distarray, source).get_redist_plan(
            their_distribution(distarray, target)
        )
        theirs = {
            (part["source_rank"], part["dest_rank"]): [
                (start, stop) for start, stop, step in part["indices"]
            ]
            for part in plan
        }
        assert len(theirs) == len(plan)
        assert theirs == ours
        messages += len(plan)
    assert messages > 500


@known_difference("distarray_one_padding_an_axis")
def test_their_maps_have_one_padding_an_axis(distarray):
    # Boundary widths 4 and 0, communication widths 1, 2 and 3: the protocol's own four processes.
    rows = [((0, 11), (4, 1)), ((9, 18), (1, 2)), ((14, 26), (2, 3)), ((20, 30), (3, 0))]
    dim_data = [
        (
            dict(
                dist_type="b", size=30, proc_grid_size=4, proc_grid_rank=rank, start=start,
                stop=stop, padding=padding,
            ),
        )
        for rank, ((start, stop), padding) in enumerate(rows)
    ]  # fmt: skip
    context = SimpleNamespace(targets=[0, 1, 2, 3])
    theirs = distarray.GlobalDistribution.from_dim_data_per_rank(context, dim_data)
    given_on = [dim_dict["padding"] for (dim_dict,) in theirs.get_dim_data_per_rank()]
    assert given_on == [[4, 1], [1, 1], [1, 1], [1, 4]]
