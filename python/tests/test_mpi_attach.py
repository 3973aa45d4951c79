# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sections imported with validate="local": calls that work alone, and calls after attach()."""

import copy

import dap_oracle
import distview
import numpy as np
import pytest
from dap_cases import changed, difference
from global_arrays import (
    NUMBERS,
    Producer,
    assert_exchanged,
    interior,
    mirrored,
    part,
    random_layout,
    random_whole,
    scattered,
)
from mpi_cases import lowest, on_rank, raised_on_all

LOCAL_ONLY = 'validate="local" and knows nothing of the other processes; call attach'


def section_of(comm, layout, version="0.10.0"):
    return Producer(layout, comm.rank, np.zeros(layout.local_shape(comm.rank)), version)


def ring(comm):
    return distview.zeros((4 * comm.size, 3), "bn", comm, padding=(1, 0), periodic=(True, False)).layout


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("version", ["0.9.0", "0.10.0"])
def test_attached_sections_are_whole_arrays(comm, seed, version):
    """The result is as if they had been imported together: same layout, same memory, same exchanges."""
    rng = np.random.default_rng([seed, comm.size, 13])
    layout = random_layout(rng, comm.size)
    dtype = NUMBERS[seed % len(NUMBERS)]
    whole = random_whole(rng, layout, dtype)
    memory = np.zeros(layout.local_shape(comm.rank), dtype)
    try:
        producer = Producer(layout, comm.rank, memory, version)
    except distview.ProtocolError:  # 0.10 cannot describe it
        producer = Producer(layout, comm.rank, memory, "0.9.0")
    together = distview.from_distarray(producer, comm)
    view = distview.from_distarray(producer, validate="local")
    assert view.attached == (comm.size == 1)
    if comm.size > 1:
        assert view.layout is None and view.comm is None
        assert (view.process, view.process_count) == (comm.rank, comm.size)
    view.attach(comm)
    assert view.attached and view.comm is comm
    assert view.layout == together.layout
    assert view.data_pointer == together.data_pointer
    for name in ("shape", "protocol_shape", "local_shape", "grid", "coordinates", "padding", "periodic", "types"):
        assert getattr(view, name) == getattr(together, name), name
    scattered(view, whole)
    view.exchange_padding(together)
    assert_exchanged(view, whole)
    gathered = view.gather(0, "owned")
    if comm.rank == 0:
        np.testing.assert_array_equal(gathered, mirrored(layout, whole))
        np.testing.assert_array_equal(view.shape, interior(layout, whole).shape)


def test_what_a_section_knows_alone(comm):
    """A section knows its own indices, parts and dictionaries, in the numbers of its version."""
    layout = ring(comm)
    sizes = layout.protocol_shape
    whole = np.arange(np.prod(sizes), dtype=float).reshape(sizes)
    memory = np.array(part(layout, whole, comm.rank))
    full = distview.from_distarray(Producer(layout, comm.rank, memory), comm)
    view = distview.from_distarray(Producer(layout, comm.rank, memory), validate="local")
    for cells in ("all", "owned", "interior"):
        for axis in range(2):
            own = view.protocol_indices(axis, cells)
            assert (own == full.protocol_indices(axis, cells)).all()
            low = layout.boundary(axis)[0]
            assert (own == full.global_indices(axis, cells) + low).all()
    for name in ("view", "owned", "interior"):
        assert (getattr(view, name) == getattr(full, name)).all()
    for name in ("protocol_shape", "local_shape", "padding"):
        assert getattr(view, name) == getattr(full, name), name
    assert view.dim_data == full.dim_data == layout.dim_data(comm.rank)
    assert np.asarray(view).base is not None and memoryview(view).shape == view.local_shape
    again = distview.from_distarray(view, validate="local")
    assert again.data_pointer == view.data_pointer and again.dim_data == view.dim_data


def test_what_a_section_cannot_do_alone(comm):
    if comm.size == 1:
        pytest.skip("the section of one process is the whole array")
    view = distview.from_distarray(section_of(comm, ring(comm)), validate="local")
    whole = distview.from_distarray(section_of(comm, ring(comm)), comm)
    for use in (view.exchange_padding, view.gather, view.sum, view.min, view.max, view.norm,
                lambda: view.dot(whole), lambda: whole.dot(view), lambda: whole.exchange_padding(view),
                lambda: view.exchange_padding(whole), lambda: distview.zeros_like(view),
                lambda: view.shape, lambda: view.size, lambda: len(view),
                lambda: view.global_indices(0)):  # fmt: skip
        with pytest.raises(distview.UsageError) as caught:
            use()
        assert LOCAL_ONLY in str(caught.value)
    view.attach(comm)
    view.exchange_padding(whole)
    assert view.sum() == whole.dot(view) == 0


def test_other_versions_of_a_section(comm):
    """A section alone is exported in the other version only if its data suffice; an attached one always."""
    layout = ring(comm)
    for given, other in (("0.9.0", "0.10.0"), ("0.10.0", "0.9.0")):
        view = distview.from_distarray(section_of(comm, layout, given), validate="local")
        assert view.dap(given)["dim_data"] == layout.dim_data(comm.rank, given)
        if comm.size > 1:  # only the process at the other end knows the width of its padding
            with pytest.raises(distview.UsageError):
                view.dap(other)
        view.attach(comm)
        for version in (given, other):
            assert view.dap(version)["dim_data"] == layout.dim_data(comm.rank, version)
    plain = distview.zeros(5 * comm.size, comm=comm, padding=2).layout
    for given, other in (("0.9.0", "0.10.0"), ("0.10.0", "0.9.0")):
        view = distview.from_distarray(section_of(comm, plain, given), validate="local")
        for version in (given, other):
            assert view.dap(version)["dim_data"] == plain.dim_data(comm.rank, version)
        moved = distview.from_distarray(view.dap(other), validate="local")
        moved.attach(comm)
        assert moved.layout.dim_data(comm.rank, given) == plain.dim_data(comm.rank, given)


def test_sections_that_do_not_fit_each_other(comm):
    """attach() raises the error of a check of all sections, the same on all ranks."""
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    layout = distview.zeros(4 * comm.size, "c", comm).layout
    for rank in range(comm.size):
        for spoil in (dict(size=4 * comm.size + 4 * comm.size), dict(proc_grid_rank=0, start=0)):
            exports = [
                {
                    "__version__": "0.10.0",
                    "buffer": np.zeros(layout.local_shape(p)),
                    "dim_data": layout.dim_data(p),
                }
                for p in range(comm.size)
            ]
            if rank == 0 and "start" in spoil:
                continue
            exports[rank] = changed(exports[rank], **spoil)
            if "size" in spoil:
                exports[rank]["buffer"] = np.zeros(8)
            view = distview.from_distarray(exports[comm.rank], validate="local")
            caught = raised_on_all(comm, lambda v=view: v.attach(comm))
            expected = dap_oracle.check_import(exports)
            assert not difference(expected, caught), difference(expected, caught)
            # The section is unchanged.
            assert not view.attached and view.comm is None
            with pytest.raises(distview.UsageError, match="call attach"):
                view.sum()
            good = distview.from_distarray(section_of(comm, layout), validate="local")
            good.attach(comm)
            assert good.sum() == 0


def test_attached_twice(comm):
    layout = ring(comm)
    views = [distview.from_distarray(section_of(comm, layout), validate="local") for _ in range(2)]
    views[0].attach(comm)
    assert str(raised_on_all(comm, lambda: views[0].attach(comm))) == (
        "attach: the array is attached already"
        + (lowest(comm, 0)[:-1] + f"; {comm.size} ranks failed]" if comm.size > 1 else "")
    )
    made = distview.zeros(3 * comm.size, comm=comm)
    assert "attached already" in str(raised_on_all(comm, lambda: made.attach(comm)))
    for rank in range(comm.size):  # the other ranks must not wait
        view = distview.from_distarray(section_of(comm, layout), validate="local")
        bad = on_rank(comm, rank, views[0], view)
        caught = raised_on_all(comm, lambda b=bad: b.attach(comm))
        assert str(caught) == "attach: the array is attached already" + lowest(comm, rank)
    views[1].attach(comm)
    views[1].exchange_padding(views[0])


def test_other_names_of_a_section_are_attached_with_it(comm):
    view = distview.from_distarray(section_of(comm, ring(comm)), validate="local")
    before, other = copy.copy(view), distview.DistView(view)
    view.attach(comm)
    for name in (before, other, copy.copy(view)):
        assert name.attached and name.comm is comm
        name.interior[...] = 1
        assert name.sum() == 12 * comm.size
        name.exchange_padding()
        gathered = name.gather()
        assert (gathered is None) == (comm.rank != 0)


def test_versions_and_types_must_be_the_same(comm):
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    layout = distview.zeros(4 * comm.size, comm=comm).layout
    for rank in range(comm.size):
        mine = section_of(comm, layout, on_rank(comm, rank, "0.9.0", "0.10.0"))
        view = distview.from_distarray(mine, validate="local")
        caught = raised_on_all(comm, lambda v=view: v.attach(comm))
        assert (caught.code, caught.key) == ("axis_inconsistent", "__version__")
        memory = np.zeros(layout.local_shape(comm.rank), on_rank(comm, rank, "f4", "f8"))
        view = distview.from_distarray(Producer(layout, comm.rank, memory), validate="local")
        assert type(raised_on_all(comm, lambda v=view: v.attach(comm))) is distview.ShapeError
