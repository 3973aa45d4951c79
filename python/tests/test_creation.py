# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""New arrays, and arrays over existing memory: their elements, types and texts."""

import array
import copy
import pickle
import warnings

import distview
import numpy as np
import pytest

NUMBERS = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", "F", "D"]


@pytest.mark.parametrize("code", NUMBERS)
def test_elements_are_of_any_number_type(code):
    dtype = np.dtype(code)
    view = distview.zeros((3, 4), "bc", dtype=code, padding=(1, 0))
    assert view.dtype == dtype and view.view.dtype == dtype
    assert view.view.shape == view.local_shape == (5, 4)
    assert view.view.strides == view.strides == (4 * dtype.itemsize, dtype.itemsize)
    assert not view.view.any() and not view.readonly
    view.view[...] = np.arange(20).reshape(5, 4)
    assert (view.view == np.arange(20).reshape(5, 4).astype(dtype)).all()
    assert distview.ones(3, dtype=code).view.tolist() == [1, 1, 1]
    assert distview.zeros_like(view).dtype == dtype


def test_type_names():
    for given in (float, "float64", np.float64, np.dtype("d"), "<f8", "=f8", "d", None):
        assert distview.zeros(2, dtype=given).dtype == np.float64
    assert distview.zeros(2, dtype=bool).dtype == np.bool_
    assert distview.zeros(2, dtype=int).dtype == np.int_
    assert distview.zeros(2, dtype=complex).dtype == np.complex128


@pytest.mark.parametrize(
    "dtype",
    [
        ">f8", ">i4", object, "S5", "U5", "V8", "M8[s]", "m8[ns]", np.longdouble, np.clongdouble,
        [("x", "f4"), ("n", "i4")], ("f4", (2,)),
    ],
)  # fmt: skip
def test_other_element_types_are_refused(dtype):
    for make in (distview.zeros, distview.empty, distview.ones):
        with pytest.raises(distview.UsageError) as caught:
            make(3, dtype=dtype)
        written = np.dtype(dtype).str
        assert str(caught.value) == f"{make.__name__}: elements of type '{written}' are not supported"


def test_what_is_no_type_is_numpys_own_error():
    for nonsense in ("nonsense", 17, [3]):
        with pytest.raises((TypeError, ValueError)) as ours:
            distview.zeros(3, dtype=nonsense)
        with pytest.raises(type(ours.value)) as numpys:
            np.zeros(3, dtype=nonsense)
        assert str(ours.value) == str(numpys.value)


def test_sections_begin_at_a_cache_line():
    views = [distview.zeros(n, dtype="i1", padding=n % 3) for n in range(40)]
    assert {view.data_pointer % 64 for view in views} == {0}


def test_full():
    view = distview.full((2, 3), 7.5, "bc", padding=(1, 0))
    assert (view.view == np.full((4, 3), 7.5)).all()
    assert (distview.full((2, 3), [1, 2, 3], dtype="i4").view == [[1, 2, 3]] * 2).all()
    assert distview.full((), 5, dtype="u1").view[()] == 5
    for value, error in (("many", ValueError), ([1, 2], ValueError), (None, TypeError)):
        with pytest.raises(error):
            distview.full((2, 3), value, dtype="i4")


def test_from_function():
    view = distview.from_function(lambda i, j: 100 * i + j, (3, 4), "bc", padding=(1, 0), dtype=int)
    assert view.view.tolist() == [[100 * i + j for j in range(4)] for i in range(-1, 4)]
    labels = distview.from_function(lambda i: -i, None, ("u", [[5, -2, 9]]))
    assert labels.view.tolist() == [-5, 2, -9]
    assert distview.from_function(lambda i: 3, 4).view.tolist() == [3] * 4
    assert distview.from_function(lambda: 3, ()).view[()] == 3
    assert distview.from_function(lambda i, j: i + j, (0, 5)).local_shape == (0, 5)
    calls = []
    distview.from_function(lambda *indices: calls.append(indices) or 0, (2, 3))
    assert [(a.dtype, a.shape) for a in calls[0]] == [(np.int64, (2, 3))] * 2 and len(calls) == 1
    assert distview.from_function(lambda i: 1j * i, 3, dtype="c8").view.tolist() == [0, 1j, 2j]
    for function in (lambda i: 1j * i, lambda i: None):
        with pytest.raises(distview.UsageError, match="^from_function: expected the function to return numbers"):
            distview.from_function(function, 3)
    with pytest.raises(ZeroDivisionError):
        distview.from_function(lambda i: 1 // 0, 3)
    with pytest.raises(TypeError):
        distview.from_function(lambda i, j: 0, 3)


def test_zeros_like():
    view = distview.ones((4, 6), "bb", padding=((1, 2), 0), periodic=(True, False), dtype="f4")
    same, other = distview.zeros_like(view), distview.zeros_like(view, dtype="i2")
    assert same.layout == other.layout == view.layout
    assert (same.dtype, other.dtype) == (np.float32, np.int16)
    assert not same.view.any() and view.view.all()
    assert not np.shares_memory(same.view, view.view)


def test_without_axes():
    view = distview.zeros(())
    assert (view.shape, view.protocol_shape, view.local_shape, view.grid) == ((),) * 4
    assert (view.ndim, view.size, view.padding, view.dim_data) == (0, 1, (), ())
    for cells in (view.view, view.owned, view.interior):
        assert cells.shape == ()
        cells[...] += 1
    assert view.sum() == view.max() == view.gather()[()] == 3
    with pytest.raises(TypeError, match="without axes"):
        len(view)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 2**40)])
def test_without_elements(shape):
    for layout in ("b" * len(shape), "c" * len(shape)):
        view = distview.zeros(shape, layout)
        assert view.shape == view.view.shape == shape and view.size == view.view.size == 0
        assert len(view) == shape[0]
        view.exchange_padding()
        assert view.gather().shape == shape
    assert distview.zeros(0, padding=2).local_shape == (4,)


# Arrays over existing memory


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed", "transposed"])
def test_wrap_keeps_memory_and_strides(order):
    memory = {
        "C": np.zeros((4, 6)),
        "F": np.zeros((4, 6), order="F"),
        "strided": np.zeros((8, 18))[::2, 1::3],
        "reversed": np.zeros((4, 6))[::-1, ::-1],
        "transposed": np.zeros((6, 4)).T,
    }[order]
    view = distview.wrap(memory, (4, 4), "bb", padding=((0, 0), (1, 1)))
    assert view.data_pointer == memory.ctypes.data and view.strides == memory.strides
    view.interior[...] = 5
    assert (memory[:, 1:-1] == 5).all() and not memory[:, [0, -1]].any()


def test_wrap_takes_whatever_has_a_buffer():
    for memory in (array.array("d", [1, 2, 3]), bytearray(b"\1\2\3"), memoryview(b"\1\2\3")):
        view = distview.wrap(memory, 3)
        assert view.sum() == 6
        assert view.readonly == memoryview(memory).readonly
    assert distview.wrap(distview.ones(3), 3, "c").layout.types == "c"
    assert distview.wrap(np.float64(4), ()).view[()] == 4


def test_wrap_takes_elements_that_cannot_be_made():
    for dtype in (">f8", np.longdouble, [("x", "f4"), ("n", "i4")], "S5"):
        memory = np.zeros(3, dtype)
        view = distview.wrap(memory, 3)
        assert view.dtype == memory.dtype and np.shares_memory(view.view, memory)
        assert view.gather().dtype == memory.dtype


def test_wrap_keeps_the_section_alive():
    memory = np.arange(3.0)
    view = distview.wrap(memory, 3)
    del memory
    assert view.view.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "extents, text",
    [
        ((4, 6), "wrap: expected 8 elements along axis 1 of the section of process 0, got 6"),
        ((4,), "wrap: expected extents and strides of 2 axes, got 1 and 1"),
        ((), "wrap: expected extents and strides of 2 axes, got 0 and 0"),
    ],
)
def test_wrap_takes_sections_with_all_their_padding(extents, text):
    with pytest.raises(distview.ShapeError) as caught:
        distview.wrap(np.zeros(extents), (4, 6), padding=(0, 1))
    assert str(caught.value) == text


@pytest.mark.parametrize("memory", [None, 5, [1.0, 2.0], "text", object()])
def test_wrap_needs_memory(memory):
    with pytest.raises(distview.UsageError, match="offers neither the buffer protocol"):
        distview.wrap(memory, 2)


# Names, copies and texts


def test_a_copy_is_another_name():
    view = distview.zeros(3)
    view.note = "mine"
    other = copy.copy(view)
    other.view[1] = 7
    assert type(other) is distview.DistView and other.note == "mine"
    assert view.view.tolist() == [0, 7, 0] and other.data_pointer == view.data_pointer
    del view
    assert other.sum() == 7


def test_a_view_is_not_copied_as_a_value():
    view = distview.zeros(3)
    for copied in (copy.deepcopy, pickle.dumps, lambda v: copy.deepcopy([v])):
        with pytest.raises(TypeError, match="one process's section"):
            copied(view)


class Field(distview.DistView):
    """A user's extension of DistView."""

    def __init__(self, view, name):
        super().__init__(view)
        self.name = name

    @property
    def twice(self):
        return 2 * self.interior


def test_a_class_of_ones_own():
    field = Field(distview.ones(3, padding=1, periodic=True), "u")
    assert field.twice.tolist() == [2, 2, 2] and field.sum() == 3
    field.view[0] = 9
    field.exchange_padding()
    assert field.view[0] == 1
    other = copy.copy(field)
    assert type(other) is Field and other.name == "u"
    assert distview.from_distarray(field).data_pointer == field.data_pointer


def test_a_view_that_was_never_made():
    class Forgetful(distview.DistView):
        def __init__(self):
            pass

    with pytest.raises(TypeError):
        distview.DistView()
    with pytest.raises(TypeError):
        distview.DistView(np.zeros(3))
    for use in (lambda v: v.shape, lambda v: v.view, memoryview, lambda v: v.exchange_padding()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nanobind warns about this
            with pytest.raises((TypeError, BufferError)):
                use(Forgetful())


@pytest.mark.parametrize(
    "view, text",
    [
        (lambda: distview.zeros(4), "<DistView block (4,) float64, one process>"),
        (lambda: distview.zeros(()), "<DistView no axes () float64, one process>"),
        (
            lambda: distview.zeros((3, 4), "bc", dtype="i2", padding=(1, 0), periodic=(True, False)),
            "<DistView block x cyclic (3, 4) int16, one process, padding ((1, 1), (0, 0)), "
            "periodic (True, False)>",
        ),
        (
            lambda: distview.wrap(bytes(3), 3, ("u", [[4, 1, 2]])),
            "<DistView unstructured (3,) uint8, one process, read-only>",
        ),
    ],
)
def test_repr(view, text):
    assert repr(view()) == text


def test_repr_of_a_part():
    dim = dict(dist_type="b", size=9, proc_grid_size=3, proc_grid_rank=1, start=2, stop=7,
               padding=(1, 1))  # fmt: skip
    part = {"__version__": "0.10.0", "buffer": np.zeros(5), "dim_data": (dim,)}
    view = distview.from_distarray(part, validate="local")
    assert repr(view) == (
        "<DistView block protocol shape (9,) float64, process 1 of 3, section (5,), padding ((1, 1),), not attached>"
    )
    assert view.describe() == (
        repr(view) + "\n(one process's section; attach(comm) adds the others)"
    )
    assert not view.attached and view.layout is None and view.comm is None
    for use in (view.sum, view.gather, view.exchange_padding, view.norm, view.min, view.max,
                lambda: view.dot(view), lambda: view.shape, lambda: view.global_indices(0),
                lambda: distview.zeros_like(view)):  # fmt: skip
        with pytest.raises(distview.UsageError, match=r'validate="local".*call attach\(comm\)'):
            use()
    with pytest.raises(distview.UsageError, match="expected a communicator, got None"):
        view.attach(None)
