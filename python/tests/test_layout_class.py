# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""distview.Layout: its values are consistent, for every kind of layout and every process."""

import copy
import itertools
from fractions import Fraction

import distview
import numpy as np
import pytest
from whole_layouts import LAYOUTS, layout_of

every_layout = pytest.mark.parametrize("name", LAYOUTS)


@every_layout
def test_coordinates_are_in_C_order(name):
    layout = LAYOUTS[name]
    places = [layout.coordinates(p) for p in range(layout.process_count)]
    assert places == list(itertools.product(*(range(n) for n in layout.grid)))
    assert layout.process_count == np.prod(layout.grid, dtype=int)
    assert layout.rank == len(layout.grid) == len(layout.shape) == len(layout.types)


@every_layout
def test_sections_along_an_axis(name):
    """Extents, ranges and indices of a section depend on one grid coordinate and are consistent."""
    layout = LAYOUTS[name]
    for axis, p in itertools.product(range(layout.rank), range(layout.process_count)):
        indices = layout.global_indices(axis, p)
        assert indices.dtype == np.int64 and indices.shape == (layout.local_shape(p)[axis],)
        begin, end = layout.owned_range(axis, p)
        first, last = layout.interior_range(axis, p)
        assert 0 <= begin <= first <= last <= end <= len(indices)
        assert len(set(indices.tolist())) == len(indices)
        if layout.types[axis] != "u":
            low, high = layout.boundary(axis)
            assert ((indices >= -low) & (indices < layout.shape[axis] + high)).all()
            assert indices[first:last].min(initial=0) >= 0
            assert indices[first:last].max(initial=-1) < layout.shape[axis]
        if layout.types[axis] == "b" and len(indices):
            assert (np.diff(indices) == 1).all()
        if layout.types[axis] != "b":
            assert (begin, first, last, end) == (0, 0, len(indices), len(indices))
        place = layout.coordinates(p)[axis]
        for q in range(p):
            if layout.coordinates(q)[axis] == place:
                assert (layout.global_indices(axis, q) == indices).all()


@every_layout
def test_every_element_has_one_owner(name):
    layout = LAYOUTS[name]
    shared = name == "shared indices"
    owners = {}
    for p in reversed(range(layout.process_count)):
        parts = []
        for axis in range(layout.rank):
            begin, end = layout.owned_range(axis, p)
            parts.append(layout.global_indices(axis, p)[begin:end].tolist())
        for index in itertools.islice(itertools.product(*parts), 0, None, 7 if p else 1):
            assert shared or owners.setdefault(index, p) == p
            owners[index] = p
    for index, p in owners.items():
        assert layout.owner(index) == layout.owner(list(index)) == p
    if layout.process_count == 1:
        assert len(owners) == np.prod(layout.protocol_shape, dtype=int)


@every_layout
def test_sizes(name):
    layout = LAYOUTS[name]
    for axis in range(layout.rank):
        low, high = layout.boundary(axis)
        assert layout.shape[axis] + low + high == layout.protocol_shape[axis]
        row = {layout.coordinates(p)[axis]: p for p in range(layout.process_count)}
        owned = [layout.owned_range(axis, p) for p in row.values()]
        inner = [layout.interior_range(axis, p) for p in row.values()]
        if name != "shared indices":
            assert sum(end - begin for begin, end in owned) == layout.protocol_shape[axis]
            assert sum(end - begin for begin, end in inner) == layout.shape[axis]


@every_layout
def test_dimension_data_are_what_sections_export(name):
    """A check of all processes' dimension data accepts the layout's data, in both versions."""
    layout = LAYOUTS[name]

    def exports(version):
        return [
            {
                "__version__": version,
                "buffer": np.empty(layout.local_shape(p), "i1"),
                "dim_data": layout.dim_data(p, version),
            }
            for p in range(layout.process_count)
        ]

    distview.check_all(exports("0.9.0"))
    if name in ("widths", "long axis"):  # 0.10 requires padding of the same width on both sides of a seam
        with pytest.raises(distview.ProtocolError, match="version 0.10 cannot describe axis") as caught:
            exports("0.10.0")
        assert caught.value.code == "padding_mismatch"
    else:
        distview.check_all(exports("0.10.0"))
        assert repr(layout.dim_data(0)) == repr(layout.dim_data(0, "0.10.0"))
    with pytest.raises(distview.ProtocolError) as caught:
        layout.dim_data(0, "0.11.0")
    assert caught.value.code == "version_unsupported"


def test_equal_layouts_are_equal():
    for name, layout in LAYOUTS.items():
        for other_name, other in LAYOUTS.items():
            same = name.removesuffix(", at") == other_name.removesuffix(", at")
            assert (layout == other) is same
            assert (layout != other) is not same
            assert (hash(layout) == hash(other)) is same
            assert (layout.fingerprint == other.fingerprint) is same
        assert layout not in (None, 5, "b", layout.shape)
    assert len(set(LAYOUTS.values())) == len(LAYOUTS) - 1


@pytest.mark.parametrize(
    "first, second",
    [
        (dict(padding=1), dict(padding=(1, 2))),
        (dict(padding=1), dict(padding=1, periodic=True)),
        (dict(padding=1), dict(padding=1, boundary=0)),
        (dict(layout="b"), dict(layout=("b", "regular"))),
        (dict(layout="c"), dict(layout=("c", 2))),
        (dict(layout=[0, 1, 2, 9]), dict(layout=[0, 2, 2, 9])),
        (dict(layout=[[0], [1], [2]]), dict(layout=[[0], [2], [1]])),
        (dict(layout=[[0], [1, 3], [2]]), dict(layout=[[0], [3, 1], [2]])),
        (dict(layout=("u", [[0], [1], [2]])), dict(layout=("u", [[0], [1], [2]], True))),
    ],
)
def test_what_tells_layouts_apart(first, second):
    def make(layout="b", **more):
        return layout_of(None if isinstance(layout, list) or layout[0] == "u" else 10, layout, 3, **more)

    assert make(**first) == make(**first) and make(**second) == make(**second)
    assert make(**first) != make(**second)
    assert make(**first).fingerprint != make(**second).fingerprint


def test_a_layout_does_not_change():
    layout = LAYOUTS["padded"]
    for name in ("rank", "grid", "shape", "protocol_shape", "types", "periodic", "fingerprint"):
        before = getattr(layout, name)
        with pytest.raises(AttributeError):
            setattr(layout, name, before)
        with pytest.raises(AttributeError):
            delattr(layout, name)
    with pytest.raises(AttributeError):
        layout.note = 1
    layout.global_indices(0, 0)[...] = 99
    assert layout.global_indices(0, 0)[0] == -1
    assert copy.copy(layout) is layout and copy.deepcopy([layout])[0] is layout


def test_layouts_outlive_their_arrays():
    layout = distview.zeros((4, 5), "bc", padding=(1, 0)).layout
    assert layout.shape == (4, 5) and layout.owner((4, 4)) == layout.owner((-1, 0)) == 0
    assert {layout: "x"}[distview.zeros((4, 5), "bc", padding=(1, 0)).layout] == "x"


def test_what_is_not_there():
    layout = LAYOUTS["padded"]  # 2 axes, 4 processes
    for axis in (-1, 2, 2**31 - 1):
        for use in (layout.boundary, lambda d: layout.global_indices(d, 0),
                    lambda d: layout.owned_range(d, 0), lambda d: layout.interior_range(d, 0)):  # fmt: skip
            with pytest.raises(distview.UsageError, match=rf"an axis in \[0, 2\), got {axis}"):
                use(axis)
    for process in (-1, 4):
        for use in (layout.coordinates, layout.local_shape, layout.dim_data,
                    lambda p: layout.global_indices(0, p), lambda p: layout.owned_range(0, p),
                    lambda p: layout.interior_range(0, p)):  # fmt: skip
            with pytest.raises(distview.UsageError, match=rf"a process in \[0, 4\), got {process}"):
                use(process)


def test_axes_and_processes_are_integers():
    """Fractions are not truncated, and strings are not converted."""
    layout = LAYOUTS["padded"]
    array = distview.zeros((4, 5), padding=1)
    uses = (
        layout.boundary, layout.coordinates, layout.local_shape, layout.dim_data,
        lambda n: layout.owned_range(n, 0), lambda n: layout.owned_range(0, n),
        lambda n: layout.interior_range(n, 0), lambda n: layout.interior_range(0, n),
        lambda n: layout.global_indices(n, 0), lambda n: layout.global_indices(0, n),
        lambda n: layout.permuted((0, n)), array.owned_range, array.interior_range, array.global_indices,
        array.protocol_indices, lambda n: distview.check(array, n),
    )  # fmt: skip
    for use in uses:
        for wrong in (np.float32(1.5), np.array(1.5), Fraction(3, 2), "1", 1.0, 2**70):
            with pytest.raises(TypeError):
                use(wrong)
        for right in (np.int64(1), np.uint8(1), np.array(1)):
            assert repr(use(right)) == repr(use(1))


@pytest.mark.parametrize(
    "index, error",
    [
        ((0,), distview.UsageError),
        ((0, 0, 0), distview.UsageError),
        ((11, 0), distview.UsageError),
        ((-2, 0), distview.UsageError),
        ((0, -2), distview.UsageError),
        ((0.0, 0), TypeError),
        ((np.float64(1.5), 0), TypeError),
        (("0", 0), TypeError),
        ("00", TypeError),
        (0, TypeError),
        (None, TypeError),
        ((2**70, 0), OverflowError),
    ],
)
def test_owner_takes_one_integer_for_each_axis(index, error):
    with pytest.raises(error):
        LAYOUTS["padded"].owner(index)


def test_owner_takes_any_sequence_of_integers():
    line = distview.make_layout(5, "b", 2)
    assert line.owner(3) == line.owner(np.int64(3)) == line.owner(np.array([3])) == line.owner((3,)) == 1
    layout = LAYOUTS["padded"]
    for index in ((-1, 9), [-1, 9], np.array([-1, 9]), (np.int8(-1), np.uint64(9)), iter([-1, 9])):
        assert layout.owner(index) == 1
    assert LAYOUTS["unstructured"].owner([77, 0]) == -1
    assert LAYOUTS["no axes"].owner(()) == 0
