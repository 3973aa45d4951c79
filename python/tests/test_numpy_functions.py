# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy's functions, operators and comparisons of a DistView raise an error that says what to
write, never a number of this process's section."""

import operator
import re

import distview
import numpy as np
import pytest

FUNCTIONS = {
    "np.linalg.norm": lambda a, b: np.linalg.norm(a),
    "np.vdot": lambda a, b: np.vdot(a, b),
    "np.vdot of an ndarray": lambda a, b: np.vdot(a.view, b),
    "np.dot": lambda a, b: np.dot(a, b),
    "np.mean": lambda a, b: np.mean(a),
    "np.sum": lambda a, b: np.sum(a),
    "np.max": lambda a, b: np.max(a),
    "np.allclose": lambda a, b: np.allclose(a, b),
    "np.array_equal": lambda a, b: np.array_equal(a, b),
    "np.fft.fft": lambda a, b: np.fft.fft(a),
    "np.linalg.eigvals": lambda a, b: np.linalg.eigvals(a),
    "np.concatenate": lambda a, b: np.concatenate([a, b]),
    "np.copyto": lambda a, b: np.copyto(a.view, b),
    "np.zeros_like": lambda a, b: np.zeros_like(a),
    "np.where": lambda a, b: np.where(a.view > 0, a, b),
    "np.sqrt": lambda a, b: np.sqrt(a),
    "np.add": lambda a, b: np.add(a, 1),
    "np.add.reduce": lambda a, b: np.add.reduce(a),
    "out of a ufunc": lambda a, b: np.add(a.view, 1, out=a),
    "a float64 times an array": lambda a, b: np.float64(2) * a,
    "an ndarray times an array": lambda a, b: a.view * b,
    "an ndarray equals an array": lambda a, b: a.view == b,
    "an ndarray plus-equals an array": lambda a, b: operator.iadd(a.view, b),
}

BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift eq ne lt le gt ge"
IN_PLACE = "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift"


@pytest.fixture
def arrays():
    a, b = (distview.ones((10, 10), padding=1) for _ in range(2))
    return a, b


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_refused(name, arrays):
    before = arrays[0].view.copy()
    with pytest.raises(TypeError, match=r"np\..*DistView.*np\.asarray\(array\).*array\.gather\(\)"):
        FUNCTIONS[name](*arrays)
    assert (arrays[0].view == before).all()


def test_save_is_refused(arrays, tmp_path):
    with pytest.raises(TypeError, match=r"np\.save: .*array\.gather\(\), then np\.save"):
        np.save(tmp_path / "file.npy", arrays[0])
    assert not (tmp_path / "file.npy").exists()


@pytest.mark.parametrize(
    ("function", "instead"),
    [
        (np.linalg.norm, "np.linalg.norm: .* array.norm() for the whole array"),
        (np.sum, "np.sum: .* array.sum() for the whole array"),
        (np.zeros_like, "np.zeros_like: .* distview.zeros_like(array)"),
        (np.fft.fft, "np.fft.fft: a DistView is distributed"),
    ],
)
def test_the_error_names_what_there_is(function, instead, arrays):
    with pytest.raises(TypeError, match=re.escape(instead).replace(r"\.\*", ".*").replace(r"\ ", " ")):
        function(arrays[0])


@pytest.mark.parametrize("name", BINARY.split() + IN_PLACE.split())
def test_operators_are_refused(name, arrays):
    a, b = arrays
    for other in (b, 2, 2.0, np.float64(2), np.ones((12, 12)), None):
        with pytest.raises(TypeError, match="DistView"):
            getattr(operator, name)(a, other)
        if not name.startswith("i"):
            with pytest.raises(TypeError, match="DistView"):
                getattr(operator, name)(other, a)


@pytest.mark.parametrize("function", [operator.neg, operator.pos, abs, operator.invert, bool, int, float, complex])
def test_unary_operators_and_truth_are_refused(function, arrays):
    with pytest.raises(TypeError, match="DistView"):
        function(arrays[0])


def test_identity_and_hash_are_the_objects(arrays):
    a, b = arrays
    assert a is not b and hash(a) == object.__hash__(a) and hash(a) != hash(b)
    assert {a: 1, b: 2}[b] == 2 and len({a, b, a}) == 2


def test_what_remains(arrays):
    """np.asarray gives explicit access to the section; functions that need no elements work, or are methods."""
    a, b = arrays
    assert np.asarray(a).shape == np.array(a).shape == a.local_shape
    assert np.linalg.norm(np.asarray(a)) == 12
    assert np.shape(a) == a.shape and np.ndim(a) == 2
    assert np.shares_memory(a, a.interior) and not np.may_share_memory(a, b)
    assert np.transpose(distview.zeros((2, 3, 4)), (2, 0, 1)).layout.shape == (4, 2, 3)


@pytest.mark.parametrize("part", ["view", "owned", "interior"])
def test_parts_take_operators_in_place(part):
    """`a.interior += 1` is an operation on the part and an assignment of it."""
    a = distview.zeros((4, 3), padding=1)
    cells = getattr(a, part)
    if part == "view":
        a.view += 1
    elif part == "owned":
        a.owned += 1
    else:
        a.interior += 1
    setattr(a, part, cells)
    assert (cells == 1).all() and a.view.sum() == cells.size
    for other in (5, np.zeros(cells.shape), cells[1:], cells.copy(), None):
        with pytest.raises(AttributeError, match=rf"{part}: .*\.{part}\[\.\.\.\] = "):
            setattr(a, part, other)
    assert (cells == 1).all()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_parts_without_cells_or_axes(shape):
    a = distview.zeros(shape)
    a.interior += 1
    a.owned *= 2
    a.view -= 1
    assert np.all(a.view == 1)


def test_parts_that_are_read_only():
    base = np.zeros(3)
    base.flags.writeable = False
    a = distview.wrap(base, 3)
    with pytest.raises(ValueError, match="read-only"):
        a.interior += 1


@pytest.mark.parametrize("key", [..., slice(None), (slice(1, 2), ...), 0, "name"])
def test_assignment_says_what_to_write_instead(key):
    a = distview.zeros((3, 4))
    with pytest.raises(TypeError, match=r"write array\.interior\[\.\.\.\] = value .* array\[key\]\.interior\[\.\.\.\] = "):
        a[key] = 1
    with pytest.raises(TypeError, match="a DistView is distributed"):
        del a[key]
    a[1:2].interior[...] = 1  # the alternative that the error names
    assert a.sum() == 4
