# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy, JAX and PyTorch on the host import our sections, and we import their arrays, without copies.

The tests of JAX and PyTorch are skipped where these are not installed.
"""

import gc
import os
import weakref

import distview
import numpy as np
import pytest
from made_up_devices import address_of


@pytest.fixture(scope="module")
def jax():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    module = pytest.importorskip("jax")
    module.config.update("jax_enable_x64", True)
    return module


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def sections():
    """Views with and without padding, of several types and shapes; values encode their places."""
    views = [
        distview.zeros((4, 6)),
        distview.zeros((4, 6), padding=1),
        distview.zeros((3, 4, 5), padding=((1, 2), 0, (0, 1)), periodic=(True, False, False)),
        distview.zeros(7, "c", dtype="int32"),
        distview.zeros(7, dtype="float32"),
        distview.zeros(None, ("u", [[4, -2, 9]]), dtype="complex64"),
        distview.zeros((2, 3), dtype="bool"),
        distview.zeros(9, dtype="uint8"),
        distview.zeros(()),
    ]
    for view in views:
        view.view[...] = np.arange(view.view.size).reshape(view.local_shape) % 2**7
    return views


def frozen_section():
    array = distview.zeros(24).view  # aligned as JAX requires
    array[...] = np.arange(24)
    array.flags.writeable = False
    return distview.wrap(array, 24)


# NumPy


def test_numpy_takes_ours():
    """np.from_dlpack, np.asarray, np.frombuffer, np.array with copy=False and ufuncs' out."""
    for view in sections():
        assert np.asarray(view).flags.writeable and np.array(view, copy=False).flags.writeable
        for array in (
            np.from_dlpack(view),
            np.asarray(view),
            np.array(view, copy=False),
            np.from_dlpack(view, copy=False),
            np.from_dlpack(view, device="cpu"),
        ):
            assert address_of(array) == view.data_pointer and array.dtype == view.dtype
            assert array.shape == view.local_shape and array.tolist() == view.view.tolist()
        if view.ndim == 1:
            assert address_of(np.frombuffer(view, view.dtype)) == view.data_pointer
        copied = np.from_dlpack(view, copy=True)
        assert not np.shares_memory(copied, view.view)
        assert copied.tolist() == view.view.tolist()
    view = distview.zeros(5)
    np.add(np.arange(5.0), 1, out=view.view)
    assert view.view.tolist() == [1, 2, 3, 4, 5]


def test_numpy_takes_ours_strided_and_read_only():
    """Strided sections are taken with their strides, read-only ones as read-only arrays."""
    base = np.arange(60.0).reshape(3, 4, 5)
    for array in (base[:, 1:3, ::2], base[::-1], base.T, base[:, :, :0]):
        for writeable in (True, False):
            array.flags.writeable = writeable
            view = distview.wrap(array, array.shape)
            assert np.asarray(view).flags.writeable is writeable
            # Some versions of NumPy make all results of from_dlpack read-only, even of NumPy arrays.
            expected = np.from_dlpack(array).flags.writeable if writeable else False
            if array.size:  # else NumPy makes an array of its own
                assert np.from_dlpack(view).flags.writeable is expected
            for got in (np.from_dlpack(view), np.asarray(view)):
                assert got.tolist() == array.tolist()
                if array.size:
                    assert got.strides == array.strides and address_of(got) == address_of(array)


def test_numpy_gives_us_its_own():
    """wrap() of arrays, parts of arrays, subclasses, and objects with DLPack only."""

    class OnlyDlpack:
        def __init__(self, array):
            self.__dlpack__ = array.__dlpack__
            self.__dlpack_device__ = array.__dlpack_device__

    base = np.arange(60.0).reshape(3, 4, 5)
    for array in (base, base[:, 1:3, ::2], base[::-1], base.T, base[0]):
        for given in (array, array.view(np.recarray), OnlyDlpack(array)):
            view = distview.wrap(given, array.shape)
            assert address_of(view) == address_of(array) and view.view.tolist() == array.tolist()
            assert view.strides == array.strides and not view.readonly
    frozen = frozen_section().view
    for given in (frozen, OnlyDlpack(frozen)):
        view = distview.wrap(given, 24)
        assert view.readonly and address_of(view) == address_of(frozen)


def test_numpy_outlives_us():
    """Results of np.from_dlpack and np.asarray stay valid after the view is gone."""
    for take in (np.from_dlpack, np.asarray, memoryview):
        view = distview.zeros(1000)
        view.view[...] = 7
        watch = weakref.ref(view)
        taken = take(view)
        del view
        gc.collect()
        assert watch() is None and np.asarray(taken).sum() == 7000


# JAX


def test_jax_takes_ours(jax):
    """jax.dlpack.from_dlpack is on our memory, which is aligned for it; padding included."""
    for view in sections():
        array = jax.dlpack.from_dlpack(view)
        assert array.unsafe_buffer_pointer() == view.data_pointer
        assert array.shape == view.local_shape and array.dtype == view.dtype
        assert np.asarray(array).tolist() == view.view.tolist()
    empty = jax.dlpack.from_dlpack(distview.zeros((0, 3)))
    assert empty.shape == (0, 3)


def test_jax_takes_transposed_sections(jax):
    """A transposition is compact to JAX; it is taken without a copy."""
    array = distview.zeros((4, 6)).view
    array[...] = np.arange(24).reshape(4, 6)
    got = jax.dlpack.from_dlpack(distview.wrap(array.T, (6, 4)))
    assert got.unsafe_buffer_pointer() == address_of(array)
    assert np.asarray(got).tolist() == array.T.tolist()


def test_jax_refuses_gaps(jax):
    """JAX does not accept the interior of a padded section: it raises, and frees the capsule."""
    view = distview.zeros((4, 6), padding=1)
    watch = weakref.ref(view)
    inner = distview.wrap(view.interior, (4, 6))
    with pytest.raises(Exception, match="[Ss]trid"):
        jax.dlpack.from_dlpack(inner)
    assert jax.numpy.asarray(inner.view).shape == (4, 6)
    del view, inner
    gc.collect()
    assert watch() is None


def test_jax_gives_us_its_own(jax):
    """wrap() of a JAX array is on its memory and read-only: JAX arrays do not change."""
    for dtype in ("float64", "float32", "float16", "int8", "uint64", "complex64", "bool"):
        array = jax.numpy.arange(24).astype(dtype).reshape(4, 6)
        view = distview.wrap(array, (4, 6))
        assert view.data_pointer == array.unsafe_buffer_pointer() and view.readonly
        assert view.dtype == np.dtype(dtype) and view.view.tolist() == np.asarray(array).tolist()
        address = view.data_pointer
        del array
        gc.collect()
        assert address_of(view) == address and view.view[3, 5] == np.array(23).astype(dtype)


def test_jax_bfloat16(jax):
    """A type that NumPy lacks can be imported from JAX and exported again."""
    array = jax.numpy.arange(8, dtype="bfloat16")
    view = distview.wrap(array, 8)
    assert view.data_pointer == array.unsafe_buffer_pointer() and view.itemsize == 2
    assert view.view.tobytes() == np.asarray(array).tobytes()
    back = jax.dlpack.from_dlpack(view)
    assert back.dtype == array.dtype and back.tolist() == array.tolist()


def test_jax_read_only(jax):
    """JAX imports a read-only section or refuses it with an error; it never gets a writable array."""
    view = frozen_section()
    got = jax.dlpack.from_dlpack(view)
    assert np.asarray(got).tolist() == list(range(24))
    assert not np.asarray(got).flags.writeable and view.view.tolist() == list(range(24))


def test_jax_outlives_us(jax):
    """A JAX array of our memory is valid after the view is gone, and then lets it go."""
    view = distview.zeros(1000)
    view.view[...] = 7
    memory = weakref.ref(view)
    array = jax.dlpack.from_dlpack(view)
    del view
    gc.collect()
    assert memory() is None and float(array.sum()) == 7000


# PyTorch. (Negative strides abort it, NumPy's too: "Storage size calculation overflowed".)


def test_torch_takes_ours(torch):
    """torch.from_dlpack uses our memory, also with strides; we read what it writes."""
    for view in sections():
        tensor = torch.from_dlpack(view)
        assert tensor.data_ptr() == view.data_pointer and tuple(tensor.shape) == view.local_shape
        assert tensor.tolist() == view.view.tolist()
    assert tuple(torch.from_dlpack(distview.zeros((0, 3))).shape) == (0, 3)
    padded = distview.zeros((4, 6), padding=1)
    for array in (padded.interior, padded.view.T, padded.view[::2, 1::3]):
        tensor = torch.from_dlpack(distview.wrap(array, array.shape))
        assert tensor.data_ptr() == address_of(array)
        assert tuple(8 * n for n in tensor.stride()) == array.strides
        tensor += 1
    assert padded.view[3, 3] == 2 and padded.view[2, 1] == 3 and padded.view[1, 0] == 1


def test_torch_gives_us_its_own(torch):
    """wrap() of a tensor is on its memory and may be written."""
    for dtype in ("float64", "float32", "float16", "int8", "uint8", "int64", "complex64", "bool"):
        tensor = torch.arange(24).to(getattr(torch, dtype)).reshape(4, 6)
        for given, shape in ((tensor, (4, 6)), (tensor.T, (6, 4)), (tensor[1:3, ::2], (2, 3))):
            view = distview.wrap(given, shape)
            assert view.data_pointer == given.data_ptr() and not view.readonly
            assert view.dtype == np.dtype(dtype) and view.view.tolist() == given.tolist()
        view.view[0, 0] = 0
        assert tensor[1, 0] == 0


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_torch_types_that_numpy_lacks(torch):
    """bfloat16 and complex half numbers can be exported and imported again."""
    for dtype in (torch.bfloat16, torch.complex32):
        tensor = torch.ones(8, dtype=dtype)
        view = distview.wrap(tensor, 8)
        back = torch.from_dlpack(view)
        assert view.data_pointer == back.data_ptr() == tensor.data_ptr() and back.dtype == dtype


def test_torch_read_only(torch):
    """PyTorch has no read-only tensors: a request without a version is refused."""
    view = frozen_section()
    try:
        tensor = torch.from_dlpack(view)
    except BufferError as failure:
        assert "read-only" in str(failure)
    else:  # it knows of the flag, and ignores it as DLPack allows
        assert tensor.tolist() == list(range(24))


def test_torch_tensors_with_gradients_are_refused(torch):
    """wrap() refuses tensors that PyTorch does not export, with PyTorch's text."""
    with pytest.raises((RuntimeError, BufferError), match="gradient"):
        distview.wrap(torch.zeros(3, requires_grad=True), 3)


def test_torch_outlives_us_and_we_it(torch):
    """Either side's memory is valid after the other side's object is gone."""
    view = distview.zeros(1000)
    view.view[...] = 7
    tensor = torch.from_dlpack(view)
    del view
    gc.collect()
    assert float(tensor.sum()) == 7000
    view = distview.wrap(tensor, 1000)
    del tensor
    gc.collect()
    assert view.sum() == 7000
