# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules D3 to D11, D19 and D20 of DLPack for hand-made capsules passed to wrap()."""

import gc

import distview
import numpy as np
import pytest
from dlpack_structs import (
    CPU,
    IS_COPIED,
    LEGACY,
    READ_ONLY,
    USED,
    VERSIONED,
    MadeUp,
    Managed,
    ManagedVersioned,
    name_of,
    struct_of,
)
from made_up_devices import address_of

both_kinds = pytest.mark.parametrize("kind", [Managed, ManagedVersioned])


def numbers(*shape):
    return np.arange(float(np.prod(shape, dtype=int))).reshape(shape)


def wrap(producer):
    return distview.wrap(producer, tuple(producer.numbers.shape))


def refused(producer, shape, match):
    """wrap() raises BufferError and calls the deleter once, because it has consumed the capsule."""
    with pytest.raises(BufferError, match=match):
        distview.wrap(producer, shape)
    assert producer.deleted == 1
    assert name_of(producer.capsule) == USED[producer.managed.name]


def test_D3_unknown_major_version():
    """If a struct has another major version, only its deleter is used: it is called."""
    for major in (0, 2, 7, 2**32 - 1):
        # Using any member of this tensor crashes.
        producer = MadeUp(
            major=major, flags=2**64 - 1, manager_ctx=1, data=1, device_type=-1, device_id=-1,
            ndim=2**31 - 1, code=255, bits=255, lanes=65535, shape=1, strides=1,
            byte_offset=2**64 - 1,
        )  # fmt: skip
        refused(producer, 3, f"version {major}.0 is not supported")


@both_kinds
def test_D3_layout_of_the_structs(kind):
    """Every member is read at its offset in DLPack's ABI."""
    array = numbers(2, 3)
    view = wrap(MadeUp(kind, array, minor=99) if kind is ManagedVersioned else MadeUp(kind, array))
    assert view.local_shape == (2, 3) and view.view.tolist() == array.tolist()
    view.view[0, 1] = 50
    assert array[0, 1] == 50 and address_of(view) == address_of(array)


def test_D4_flags():
    """The flag read-only is honoured; other flags, also unknown ones, change nothing."""
    for flags in (0, READ_ONLY, IS_COPIED, 4, 2**63, 2**64 - 1):
        view = wrap(MadeUp(numbers=numbers(3), flags=flags))
        assert view.readonly is bool(flags & READ_ONLY)
        assert view.view.flags.writeable is not view.readonly


@both_kinds
def test_D6_renames_at_once_and_deletes_once(kind):
    """wrap() renames the capsule; the deleter is called when nothing uses the memory any more."""
    producer = MadeUp(kind, numbers(3))
    view = wrap(producer)
    assert name_of(producer.capsule) == USED[kind.name] and producer.deleted == 0
    array, capsule = view.view, view.__dlpack__()
    del view
    gc.collect()
    assert producer.deleted == 0 and array.tolist() == [0, 1, 2]
    del array
    gc.collect()
    assert producer.deleted == 0 and struct_of(capsule).tensor.data
    del capsule
    gc.collect()
    assert producer.deleted == 1


@both_kinds
def test_D6_second_consumer_is_refused(kind):
    """A consumed capsule gives a clear error; it still belongs to the first consumer."""
    producer = MadeUp(kind, numbers(3))
    view = wrap(producer)
    with pytest.raises(BufferError, match="DLPack capsule that was not consumed before"):
        wrap(producer)
    assert producer.deleted == 0 and view.view.tolist() == [0, 1, 2]
    del view
    gc.collect()
    assert producer.deleted == 1


@pytest.mark.parametrize("bad", [None, 5, object(), "dltensor"], ids=repr)
def test_D6_what_is_no_capsule(bad):
    """If __dlpack__ returns something else, the error is the same."""
    producer = type("Producer", (), {"__dlpack__": lambda self, **keywords: bad})()
    with pytest.raises(BufferError, match="expected a DLPack capsule"):
        distview.wrap(producer, 3)


@both_kinds
def test_D7_deleter_may_be_null(kind):
    """A producer that has nothing to free passes no deleter."""
    array = numbers(3)
    view = wrap(MadeUp(kind, array, deleter=None))
    assert view.view.tolist() == [0, 1, 2]
    del view
    gc.collect()
    assert array.tolist() == [0, 1, 2]


@both_kinds
def test_D8_strides(kind):
    """Strides are elements and may be negative; NULL is C order without gaps."""
    base = numbers(3, 4, 5)
    for array in (base, base[:, 1:3, ::2], base[::-1], base.T, base[:0]):
        view = wrap(MadeUp(kind, array))
        assert view.view.tolist() == array.tolist()
        if array.size:
            assert view.view.strides == array.strides
    view = wrap(MadeUp(kind, base, strides=None))
    assert view.view.strides == base.strides and view.view.tolist() == base.tolist()


@both_kinds
def test_D8_without_axes(kind):
    """shape and strides may be NULL only if the tensor has no axes."""
    view = wrap(MadeUp(kind, np.array(2.5), shape=None, strides=None))
    assert view.ndim == 0 and view.view[()] == 2.5
    refused(MadeUp(kind, numbers(2, 3), shape=None, strides=None, ndim=2), (2, 3), "expected the shape of 2 axes, got null")
    refused(MadeUp(kind, numbers(3), ndim=-1), 3, "-1 axes")
    refused(MadeUp(kind, numbers(3), shape=(-3,)), 3, "expected extents >= 0, got -3")


@both_kinds
def test_numbers_that_cannot_be(kind):
    """With too many axes, or memory outside of all addresses, nothing is read."""
    for ndim in (9, 64, 2**20, 2**31 - 1, -(2**31)):
        refused(MadeUp(kind, numbers(3), ndim=ndim), 3, f"got a tensor of {ndim} axes")
    for offset in (2**64 - 1, 2**64 - 8, 2**63):
        refused(MadeUp(kind, numbers(3), byte_offset=offset), 3, "a byte_offset within the address space")
    refused(MadeUp(kind, numbers(2, 2), shape=(2**40, 2**40)), (2, 2), "2\\^63-1 bytes")
    refused(MadeUp(kind, numbers(2, 2), shape=(2**40, 2**40), strides=(0, 0)), (2, 2), "2\\^63-1")
    refused(MadeUp(kind, numbers(2, 2), strides=(2**62, 1)), (2, 2), "stride")
    refused(MadeUp(kind, numbers(2, 2), strides=(2**60 - 1, 1)), (2, 2), "2\\^63-1 bytes")
    refused(MadeUp(kind, numbers(2), byte_offset=4), 2, "multiples of 8 bytes")


@both_kinds
def test_D9_empty(kind):
    """Without elements data may be NULL or anything; with elements it must not be NULL."""
    for data in (None, 8, 0x7F00_0000_0000):
        producer = MadeUp(kind, np.zeros((2, 0)), data=data)
        view = wrap(producer)
        assert view.view.shape == (2, 0) and view.__array_interface__["shape"] == (2, 0)
    refused(MadeUp(kind, numbers(3), data=None), 3, "expected the address of the elements, got null")


@both_kinds
def test_D10_byte_offset(kind):
    """The first element is at data + byte_offset."""
    array = numbers(10)
    view = distview.wrap(MadeUp(kind, array, byte_offset=24, shape=(5,), strides=(1,)), 5)
    assert view.view.tolist() == [3, 4, 5, 6, 7] and view.data_pointer == address_of(array) + 24
    view = wrap(MadeUp(kind, np.zeros((0, 2)), data=None, byte_offset=64))
    assert view.view.shape == (0, 2)


TYPES = {
    (0, 8): "|i1", (0, 16): "<i2", (0, 32): "<i4", (0, 64): "<i8", (1, 8): "|u1", (1, 16): "<u2",
    (1, 32): "<u4", (1, 64): "<u8", (2, 16): "<f2", (2, 32): "<f4", (2, 64): "<f8", (4, 16): "<V2",
    (5, 32): "<V4", (5, 64): "<c8", (5, 128): "<c16", (6, 8): "|b1",
}  # fmt: skip


@both_kinds
@pytest.mark.parametrize(("code", "bits"), TYPES, ids=str)
def test_D11_element_types(code, bits, kind):
    """Every type of the table can be imported and exported again, also types that NumPy lacks."""
    memory = np.arange(48, dtype="u1")
    producer = MadeUp(kind, memory, code=code, bits=bits, shape=(3,), strides=(1,))
    view = distview.wrap(producer, 3)
    assert (view.typestr, view.itemsize) == (TYPES[code, bits], bits // 8)
    assert view.view.tobytes() == memory[: 3 * bits // 8].tobytes()
    for copy in (None, True):
        capsule = view.__dlpack__(copy=copy)
        tensor = struct_of(capsule).tensor
        assert (tensor.code, tensor.bits, tensor.lanes) == (code, bits, 1)
        assert (tensor.data == address_of(memory)) is (copy is None)


@both_kinds
def test_D11_other_types_are_refused(kind):
    """Vectors, bits, opaque handles, unknown codes and sizes are refused."""
    bad = [(2, 64, 2), (2, 64, 0), (6, 1, 1), (0, 4, 1), (0, 128, 1), (2, 8, 1), (2, 80, 1)]
    bad += [(2, 128, 1), (3, 64, 1), (4, 32, 1), (5, 96, 1), (6, 64, 1), (7, 8, 1), (255, 8, 1)]
    bad += [(2, 0, 1), (0, 24, 1), (1, 40, 1)]
    for code, bits, lanes in bad:
        producer = MadeUp(kind, numbers(4), code=code, bits=bits, lanes=lanes)
        refused(producer, 4, f"code {code}, {bits} bits, {lanes} lanes are not supported")


def test_D19_asks_for_1_x_and_looks_at_what_came():
    """The first request names version 1.0; if the producer does not know the argument, a second one omits it."""
    new = MadeUp(ManagedVersioned, numbers(3))
    wrap(new)
    assert [call["max_version"] for call in new.calls_of_dlpack] == [(1, 0)]
    # A producer may answer either request with either kind.
    other = MadeUp(Managed, numbers(3))
    assert wrap(other).view.tolist() == [0, 1, 2] and len(other.calls_of_dlpack) == 1

    class Old(MadeUp):
        def __dlpack__(self, stream=None):
            self.calls_of_dlpack.append({"stream": stream})
            return self.capsule

    for kind in (Managed, ManagedVersioned):
        old = Old(kind, numbers(3))
        assert wrap(old).view.tolist() == [0, 1, 2] and old.calls_of_dlpack == [{"stream": None}]


def test_D19_errors_of_the_producer_are_the_caller_s():
    """wrap() raises the exception of __dlpack__; after a BufferError it makes no second request."""

    class Refuses:
        calls = 0

        def __dlpack__(self, **keywords):
            Refuses.calls += 1
            raise BufferError("in the producer's words")

    with pytest.raises(BufferError, match="in the producer's words"):
        distview.wrap(Refuses(), 3)
    assert Refuses.calls == 1


def test_D17_wrap_asks_for_no_copy():
    """wrap() shares memory or fails: it requests copy=False."""
    producer = MadeUp(numbers=numbers(3))
    wrap(producer)
    assert producer.calls_of_dlpack[0]["copy"] is False


def test_D20_read_only_memory_is_taken_as_such():
    """Read-only memory becomes a read-only array, which can be exported as read-only again."""
    view = wrap(MadeUp(numbers=numbers(3), flags=READ_ONLY))
    assert view.readonly and not np.asarray(view).flags.writeable
    assert struct_of(view.__dlpack__(max_version=(1, 0))).flags == READ_ONLY
    with pytest.raises(BufferError, match="read-only"):
        view.__dlpack__()


@both_kinds
def test_wrong_shape_lets_go(kind):
    """A section that does not fit the layout is an error, and its memory is released."""
    producer = MadeUp(kind, numbers(4))
    with pytest.raises(distview.ShapeError):
        distview.wrap(producer, 5)
    gc.collect()
    assert producer.deleted == 1


def test_our_capsules_are_taken_by_ourselves():
    """Both kinds, exported and imported again, share the memory."""
    array = numbers(3, 4)[:, ::2]
    first = distview.wrap(array, array.shape)
    for version, name in ((None, LEGACY), ((1, 0), VERSIONED)):

        class Producer:
            def __dlpack__(self, *, max_version=None, copy=None, version=version, name=name):
                capsule = first.__dlpack__(max_version=version)
                assert name_of(capsule) == name
                return capsule

        second = distview.wrap(Producer(), array.shape)
        assert address_of(second) == address_of(array) and second.view.strides == array.strides
        assert second.device == (CPU, 0)
