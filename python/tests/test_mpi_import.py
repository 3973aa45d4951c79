# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A collective import with one wrong part: every rank raises the same error, and the next
import, of a correct array, succeeds. X9, for rules that one process can check."""

import dap_oracle
import distview
import numpy as np
import pytest
from dap_bad_values import BAD_BUFFERS, BAD_VALUES, BAD_VERSIONS
from dap_cases import (
    Producer,
    block_row,
    both_versions,
    changed,
    cyclic_row,
    group,
    unstructured_row,
)
from dap_random import generator
from mpi_cases import lowest, on_rank, raised_on_all


def bases(version, n):
    """Arrays on n processes, one of each kind along axis 1; axis 0 is not distributed."""
    still = block_row(version, [0, 2])
    block = block_row(version, list(range(0, 4 * n + 1, 4)), [(1, 1)] * n, periodic=True)
    labels = unstructured_row([[10 * p, -p - 1, 10 * p + 3] for p in range(n)], one_to_one=True)
    return {
        "block": group(version, still, block),
        "cyclic": group(version, still, cyclic_row(6 * n + 1, n, 2)),
        "unstructured": group(version, still, labels),
    }


def assert_imports(comm, sections):
    """A correct array is imported without a copy on all ranks."""
    comm.Barrier()
    section = sections[comm.rank]
    view = distview.from_distarray(section, comm)
    assert view.data_pointer == section["buffer"].ctypes.data
    assert view.sum() == 0


def refused_on_all(comm, rank, bad, good):
    """The error, which names the rank, of an import with `bad` on one rank."""
    obj = on_rank(comm, rank, bad, good)
    caught = raised_on_all(comm, lambda: distview.from_distarray(obj, comm))
    assert isinstance(caught, distview.Error)
    assert str(caught).endswith(lowest(comm, rank))
    return caught


def envelope(key, value):
    return lambda s: {**s, key: value}


def without(key):
    return lambda s: {k: v for k, v in s.items() if k != key}


def axis_1(**changes):
    return lambda s: changed(s, 1, **changes)


def with_extents(*more):
    return lambda s: {**s, "buffer": np.zeros([n + m for n, m in zip(s["buffer"].shape, more)])}


def first_label_twice(section):
    labels = section["dim_data"][1]["indices"]
    return changed(section, 1, indices=np.array([labels[0], labels[0], labels[2]]))


# (rule, kind of array, change on one rank, reason code)
DEFECTS = [
    ("E1", "block", lambda s: [s], "env_not_dict"),
    ("E1", "block", lambda s: None, "env_not_dict"),
    ("E1", "block", lambda s: Producer([s]), "env_not_dict"),
    ("E1", "block", lambda s: np.zeros(3), "env_not_dict"),
    ("E2", "block", without("__version__"), "env_missing_key"),
    ("E2", "cyclic", without("buffer"), "env_missing_key"),
    ("E2", "block", without("dim_data"), "env_missing_key"),
    ("E2", "block", envelope("device", "cuda"), "env_extra_key"),
    ("E3", "block", envelope("__version__", "0.10"), "version_format"),
    ("E3", "block", envelope("__version__", None), "version_format"),
    ("E4", "block", envelope("__version__", "0.11.0"), "version_unsupported"),
    ("E4", "unstructured", envelope("__version__", "1.0.0"), "version_unsupported"),
    ("E5", "block", envelope("buffer", [1.0]), "buffer_protocol"),
    ("E5", "block", envelope("buffer", None), "buffer_protocol"),
    ("E6", "block", lambda s: {**s, "dim_data": list(s["dim_data"])}, "dim_data_type"),
    ("E6", "block", lambda s: {**s, "dim_data": (None, {})}, "dim_dict_type"),
    ("E7", "block", lambda s: {**s, "dim_data": s["dim_data"][:1]}, "ndim_mismatch"),
    ("E8", "cyclic", lambda s: {**s, "dim_data": ()}, "ndim_mismatch"),
    ("K2", "block", axis_1(start=...), "missing_key"),
    ("K2", "cyclic", axis_1(size=...), "missing_key"),
    ("K2", "unstructured", axis_1(indices=...), "missing_key"),
    ("K2", "block", axis_1(dist_type=...), "missing_key"),
    ("K3", "block", axis_1(dist_type="q"), "bad_dist_type"),
    ("K3", "block", axis_1(dist_type=["b"]), "bad_dist_type"),
    ("K4", "block", axis_1(size=5.0), "bad_type"),
    ("K4", "cyclic", axis_1(start=True), "bad_type"),
    ("K4", "block", axis_1(stop=2**63), "overflow"),
    ("K5", "block", axis_1(periodic=1), "bad_type"),
    ("K5", "unstructured", axis_1(one_to_one=None), "bad_type"),
    ("K6", "cyclic", axis_1(padding=(1, 1)), "key_not_applicable"),
    ("K6", "unstructured", axis_1(padding=(0, 1)), "key_not_applicable"),
    ("K7", "cyclic", axis_1(size=-4), "size_negative"),
    ("K8", "block", axis_1(proc_grid_size=0), "grid_size_lt1"),
    ("K9", "cyclic", axis_1(proc_grid_rank=99), "grid_rank_range"),
    ("K9", "block", axis_1(proc_grid_rank=-1), "grid_rank_range"),
    ("B1", "block", axis_1(start=-1), "start_negative"),
    ("B2", "block", axis_1(start=3, stop=2), "stop_lt_start"),
    ("B3", "block", axis_1(stop=10**6), "stop_gt_size"),
    ("B5", "block", with_extents(0, 1), "shape_mismatch"),
    ("B5", "block", with_extents(1, 0), "shape_mismatch"),
    ("B7", "block", axis_1(padding=1), "padding_form"),
    ("B7", "block", axis_1(padding=(-1, 0)), "padding_form"),
    ("B9", "block", axis_1(padding=(50, 50)), None),  # 0.9: may be B5 on inner ranks
    ("C1", "cyclic", axis_1(block_size=0), "block_size_lt1"),
    ("C2", "cyclic", axis_1(start=1), "cyclic_start"),
    ("C4", "cyclic", with_extents(0, 2), "shape_mismatch"),
    ("U1", "unstructured", axis_1(indices=None), "indices_not_buffer"),
    ("U2", "unstructured", axis_1(indices=np.zeros(3)), "indices_not_int"),
    ("U2", "unstructured", axis_1(indices=np.zeros((3, 1), int)), "indices_ndim"),
    ("U2", "unstructured", axis_1(indices=np.array([2**63, 1, 2], "u8")), "overflow"),
    ("U3", "unstructured", first_label_twice, "indices_not_unique"),
    ("U4", "unstructured", with_extents(0, 1), "shape_mismatch"),
    ("X8", "cyclic", lambda s: changed(s, 0, size=2**62, stop=2**62), None),
]


@both_versions
@pytest.mark.parametrize(
    "rule, kind, spoil, code", DEFECTS, ids=[f"{d[0]}-{i}" for i, d in enumerate(DEFECTS)]
)
def test_defect_on_one_rank(comm, version, rule, kind, spoil, code):
    sections = bases(version, comm.size)[kind]
    for rank in range(comm.size):
        bad = spoil(sections[rank])
        expected = dap_oracle.check(bad)
        assert expected is not None and code in (None, *expected.codes), expected
        obj = Producer(bad) if rank % 2 and isinstance(bad, dict) else bad
        caught = refused_on_all(comm, rank, obj, sections[comm.rank])
        assert type(caught) is distview.ProtocolError
        assert caught.code in expected.codes and caught.process == rank
        assert dap_oracle.ANY in (expected.axis, caught.axis) or caught.axis == expected.axis
        assert str(caught).startswith(f"DAP import, process {rank}: ")
        assert_imports(comm, sections)


@both_versions
@pytest.mark.parametrize("kind", ["block", "cyclic", "unstructured"])
@pytest.mark.time_limit(200)
def test_any_value_in_place_of_another_on_one_rank(comm, version, kind):
    """For every key and every strange value, all ranks get the verdict of a single process. On
    one rank all cases; on several ranks, which may share a core, some hundred."""
    sections = bases(version, comm.size)[kind]
    cases = []
    for key in sections[0]["dim_data"][1]:
        for name, value in BAD_VALUES.items():
            cases.append((f"{key} {name}", lambda s, k=key, v=value: changed(s, 1, **{k: v})))
    for name, value in BAD_VERSIONS.items():
        cases.append((f"version {name}", lambda s, v=value: {**s, "__version__": v}))
    for name, value in BAD_BUFFERS.items():
        cases.append((f"buffer {name}", lambda s, v=value: {**s, "buffer": v}))
    refused = 0
    if comm.size > 1:
        cases = generator("any value", version, kind, comm.size).sample(cases, 120)
    for number, (name, spoil) in enumerate(cases):
        rank = number % comm.size
        bad = spoil(sections[rank])
        expected = dap_oracle.check(bad)
        if expected is None:
            continue
        refused += 1
        caught = refused_on_all(comm, rank, bad, sections[comm.rank])
        assert caught.code in expected.codes and caught.process == rank, (name, caught)
    assert refused > 0.7 * len(cases)
    assert_imports(comm, sections)


@both_versions
def test_defects_on_several_ranks(comm, version):
    """The error names the lowest of them, and their number."""
    sections = bases(version, comm.size)["block"]
    spoil = [axis_1(periodic=1), without("buffer"), axis_1(start=-1)]
    for first in range(comm.size):
        bad = spoil[comm.rank % 3](sections[comm.rank])
        obj = bad if comm.rank >= first else sections[comm.rank]
        caught = raised_on_all(comm, lambda o=obj: distview.from_distarray(o, comm))
        assert caught.code == ["bad_type", "env_missing_key", "start_negative"][first % 3]
        assert caught.process == first
        failed = comm.size - first
        if failed > 1:
            assert str(caught).endswith(f" [rank {first} of {comm.size}; {failed} ranks failed]")
        assert_imports(comm, sections)


def test_validate_on_one_rank(comm):
    """If one rank passes a wrong argument, the other ranks do not wait."""
    sections = bases("0.10.0", comm.size)["block"]
    for rank in range(comm.size):
        validate = on_rank(comm, rank, "lokal", "full")
        section = sections[comm.rank]
        caught = raised_on_all(
            comm, lambda s=section, v=validate: distview.from_distarray(s, comm, validate=v)
        )
        assert type(caught) is distview.UsageError
        assert str(caught) == (
            'from_distarray: expected validate to be "full" or "local", got \'lokal\''
            + lowest(comm, rank)
        )
        assert_imports(comm, sections)


@both_versions
def test_a_read_only_buffer_on_one_rank_is_taken(comm, version):
    sections = bases(version, comm.size)["unstructured"]
    for rank in range(comm.size):
        section = dict(sections[comm.rank])
        section["buffer"] = section["buffer"].copy()
        section["buffer"].flags.writeable = comm.rank != rank
        view = distview.from_distarray(section, comm)
        assert view.readonly == (comm.rank == rank) == (not view.view.flags.writeable)
        assert view.sum() == 0


@both_versions
def test_another_element_type_on_one_rank(comm, version):
    """The protocol has no rule for this, but an array has one element type."""
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    sections = bases(version, comm.size)["cyclic"]
    for rank in range(comm.size):
        for dtype in ("f4", "i8", "c16", ">f8", "S8"):
            section = dict(sections[comm.rank])
            if comm.rank == rank:
                section["buffer"] = np.zeros(section["buffer"].shape, dtype)
            caught = raised_on_all(comm, lambda s=section: distview.from_distarray(s, comm))
            assert type(caught) is distview.ShapeError
            assert "expected the same element type on all ranks" in str(caught)
            assert_imports(comm, sections)


#: Types of equal size: one rank's type, and the others' type.
BYTES = [
    (">f8", ">i8"),
    ([("x", "f4"), ("k", "i4")], [("k", "i4"), ("x", "f4")]),
    ([("x", "f4"), ("k", "i4")], [("y", "f4"), ("k", "i4")]),
    ("S8", "V8"),
]


@pytest.mark.parametrize("types", BYTES, ids=str)
def test_other_elements_than_numbers_on_one_rank(comm, types):
    """Elements that the library moves as bytes must have the same type on all ranks."""
    if comm.size == 1:
        pytest.skip("needs two ranks that differ")
    sections = bases("0.10.0", comm.size)["cyclic"]
    for rank in range(comm.size):
        section = dict(sections[comm.rank])
        section["buffer"] = np.zeros(section["buffer"].shape, on_rank(comm, rank, *types))
        calls = [lambda s=section: distview.from_distarray(s, comm)]
        view = distview.from_distarray(section, validate="local")
        calls.append(lambda v=view: v.attach(comm))
        for call in calls:
            caught = raised_on_all(comm, call)
            assert type(caught) is distview.UsageError and "element type" in str(caught)
        assert not view.attached
        assert_imports(comm, sections)
