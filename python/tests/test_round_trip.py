# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random arrays are imported and exported again: same dictionaries, same memory.

DISTVIEW_ROUND_TRIPS is the number of arrays (3000), DISTVIEW_SEED the first seed (1). A failure
names its case; `DISTVIEW_ROUND_TRIPS=1 DISTVIEW_SEED=<case>` tests only that array.
"""

import os

import dap_oracle
import distview
import numpy as np
import pytest
from dap_cases import VERSIONS, Producer, ask, both_versions, cyclic, one
from dap_random import generator, other_spelling, random_axes, random_buffer, sections_of

N_CASES = int(os.environ.get("DISTVIEW_ROUND_TRIPS", "3000"))
FIRST = int(os.environ.get("DISTVIEW_SEED", "1"))
CHUNKS = [range(FIRST + c, FIRST + N_CASES, 10) for c in range(min(10, N_CASES))]


def same_value(got, expected):
    """Whether values are equal, and of the plain type that exports have."""
    if isinstance(expected, np.ndarray):
        is_plain = isinstance(got, np.ndarray) and got.dtype == np.int64 and got.ndim == 1
        return is_plain and got.tolist() == expected.tolist()
    if isinstance(expected, tuple):
        return type(got) is tuple and all(type(w) is int for w in got) and got == expected
    return type(got) is type(expected) and got == expected


def same_dim_data(got, expected, where):
    assert type(got) is tuple and len(got) == len(expected), where
    for axis, (ours, wanted) in enumerate(zip(got, expected)):
        assert type(ours) is dict and ours.keys() == wanted.keys(), (where, axis, ours, wanted)
        wrong = [key for key in wanted if not same_value(ours[key], wanted[key])]
        assert not wrong, (where, axis, wrong, ours, wanted)


def same_export(got, version, dim_data, buffer, where):
    """Checks that the exported dictionary has the normal form, and shares the producer's memory."""
    assert type(got) is dict and set(got) == {"__version__", "buffer", "dim_data"}, where
    assert got["__version__"] == version and type(got["__version__"]) is str, where
    same_dim_data(got["dim_data"], dim_data, where)
    same_memory(np.asarray(got["buffer"]), buffer, where)


def same_memory(array, buffer, where):
    assert (array.shape, array.dtype) == (buffer.shape, buffer.dtype), where
    if buffer.size:
        assert array.__array_interface__["data"][0] == buffer.__array_interface__["data"][0], where
        moving = [i for i, extent in enumerate(buffer.shape) if extent > 1]
        assert [array.strides[i] for i in moving] == [buffer.strides[i] for i in moving], where


@pytest.mark.parametrize("cases", CHUNKS, ids=lambda cases: f"{cases.start}")
def test_every_section_comes_back(cases):
    """Each section is imported alone, without the others, and exported unchanged."""
    for case in cases:
        rng = generator("section", case)
        axes = random_axes(rng)
        emitted = {version: sections_of(axes, version) for version in VERSIONS}
        for version in VERSIONS:
            assert dap_oracle.check_all(emitted[version]) is None, case
            error = ask(distview.check_all, emitted[version])
            assert error is None, (case, version, str(error))
            n_processes = len(emitted[version])
            for process in rng.sample(range(n_processes), min(2, n_processes)):
                where = (case, version, process)
                section = emitted[version][process]
                buffer = random_buffer(rng, section["buffer"].shape)
                given = {**section, "buffer": buffer}
                view = distview.from_distarray(Producer(given), validate="local")
                same_memory(view.view, buffer, where)
                same_export(view.dap(version), version, section["dim_data"], buffer, where)
                other = VERSIONS[version == "0.9.0"]
                if any(axis.needs_the_ends(version) for axis in axes):
                    with pytest.raises(distview.UsageError):
                        view.dap(other)
                    continue
                dim_data = [dict(data) for data in emitted[other][process]["dim_data"]]
                of_one_rank(dim_data, other)
                same_export(view.dap(other), other, tuple(dim_data), buffer, where)
                if other == "0.10.0":
                    same_dim_data(view.dim_data, tuple(dim_data), where)
                    same_export(view.__distarray__(), other, tuple(dim_data), buffer, where)


def of_one_rank(dim_data, version):
    """The dictionaries of one rank that does not know whether the others have padding.

    0.9 requires the key on all ranks or on none, so it is written; in 0.10 (0, 0) may be left out.
    """
    for data in dim_data:
        if data["dist_type"] == "b" and data["proc_grid_size"] > 1 and version == "0.9.0":
            data.setdefault("padding", (0, 0))
        if version == "0.10.0" and data.get("padding") == (0, 0):
            del data["padding"]


@pytest.mark.parametrize("cases", CHUNKS, ids=lambda cases: f"{cases.start}")
def test_other_spellings_come_back_in_one(cases):
    """Aliases, lists, other integers and explicit defaults are all exported in the same form."""
    for case in cases:
        rng = generator("spelling", case)
        axes = random_axes(rng)
        for version in VERSIONS:
            sections, clamp = sections_of(axes, version), rng.random() < 0.5
            spelt = []
            for section in sections:
                parts = section["dim_data"]
                dim_data = tuple(other_spelling(rng, data, version, clamp) for data in parts)
                patch = rng.choice(["0", "1", "12"])
                spelt.append({**section, "dim_data": dim_data, "__version__": version[:-1] + patch})
            assert dap_oracle.check_all(spelt) is None, case
            error = ask(distview.check_all, spelt)
            assert error is None, (case, version, str(error))
            process = rng.randrange(len(spelt))
            view = distview.from_distarray(spelt[process], validate="local")
            where, section = (case, version, process), sections[process]
            same_export(view.dap(version), version, section["dim_data"], section["buffer"], where)


@both_versions
def test_a_clamped_start_comes_back_as_the_rule_has_it(version):
    """A rank without elements may have start == size; the export has rank * block_size."""
    for rank in (2, 3):
        clamped = one(version, cyclic(9, 4, rank, 9, block_size=5), 0)
        view = distview.from_distarray(clamped, validate="local")
        for written in VERSIONS:
            assert view.dap(written)["dim_data"][0]["start"] == rank * 5


@pytest.mark.parametrize("cases", CHUNKS, ids=lambda cases: f"{cases.start}")
def test_whole_arrays_have_one_layout_in_both_versions(cases):
    """An array on one process is checked completely, so its layout is known, including periodic ends."""
    for case in cases:
        rng = generator("whole", case)
        axes = []
        while len(axes) < case % 8:
            axes += [axis for axis in random_axes(rng, ndim=3) if axis.n_ranks == 1]
        axes = axes[: case % 8]
        emitted = {version: sections_of(axes, version, rng)[0] for version in VERSIONS}
        views = {version: distview.from_distarray(emitted[version]) for version in VERSIONS}
        assert views["0.9.0"].layout == views["0.10.0"].layout, case
        assert hash(views["0.9.0"].layout) == hash(views["0.10.0"].layout), case
        for came in VERSIONS:
            buffer = emitted[came]["buffer"]
            same_memory(views[came].view, buffer, (case, came))
            for goes in VERSIONS:
                where, dim_data = (case, came, goes), emitted[goes]["dim_data"]
                same_export(views[came].dap(goes), goes, dim_data, buffer, where)
                same_dim_data(views[came].layout.dim_data(0, goes), dim_data, where)


def test_the_arrays_are_of_every_sort():
    """The generator covers every kind, ends, copies and empty sections."""
    seen, rng = set(), generator("sorts")
    for _ in range(500):
        axes = random_axes(rng)
        seen.add(f"{len(axes)} axes")
        for axis in axes:
            seen.add(axis.kind)
            arguments = axis.arguments
            extents = [extent for _, extent in axis.row("0.10.0")]
            seen.update({"empty section"} if 0 in extents and any(extents) else ())
            seen.update({"no elements"} if not any(extents) else ())
            seen.update({"block-cyclic"} if 1 < arguments.get("block_size", 0) < 100 else ())
            seen.update({"shared labels"} if sum(extents) > arguments.get("size", 99) else ())
            seen.update({"padded"} if arguments.get("padding") else ())
            seen.update({"padded periodic"} if axis.needs_the_ends("0.9.0") else ())
    sorts = (
        {f"{n} axes" for n in range(8)} | set("bcu") | {"empty section", "no elements", "padded"}
    )
    assert seen >= sorts | {"block-cyclic", "shared labels", "padded periodic"}
