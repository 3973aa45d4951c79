# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules D12 to D17 of DLPack on made-up devices: synchronisation and copies."""

import gc
import weakref

import distview
import numpy as np
import pytest
from distview import _device
from dlpack_structs import (
    CPU,
    CUDA,
    CUDA_HOST,
    IS_COPIED,
    MANAGED,
    ONE_API,
    READ_ONLY,
    ROCM,
    ROCM_HOST,
    MadeUp,
    Managed,
    ManagedVersioned,
    array_of,
    shape_of,
    struct_of,
)
from made_up_devices import POINTER, address_of, device_view, host_view_as

PINNED = [(CUDA_HOST, 0), (ROCM_HOST, 0), (MANAGED, 0)]
CUDA_DEVICES = [(CUDA, 0), (CUDA, 1), (CUDA_HOST, 0), (MANAGED, 0)]


def view_on(device, **more):
    if device[0] in (CUDA_HOST, ROCM_HOST, MANAGED):
        return host_view_as(device, np.arange(12.0).reshape(3, 4), **more)
    return device_view(device, **more)


def tensor_of(view, **keywords):
    capsule = view.__dlpack__(max_version=(1, 0), **keywords)
    return struct_of(capsule).tensor, capsule


# D14, as the producer


def test_D14_host_memory_has_no_streams(fake):
    """On the host stream is None or -1 (no synchronisation); the producer does not wait."""
    view = distview.zeros(3)
    for stream in (None, -1):
        view.__dlpack__(stream=stream)
    for stream in (0, 1, 2, 3, 2**40, -2):
        with pytest.raises(ValueError, match="stream"):
            view.__dlpack__(stream=stream)
    assert fake.calls == []


@pytest.mark.parametrize("device", CUDA_DEVICES, ids=str)
def test_D14_streams_of_cuda(fake, device):
    """None and 1 are the legacy default stream, 2 the per-thread one, more is a handle, -1 none."""
    view = view_on(device, stream=77)
    for stream, waiting in ((None, 1), (1, 1), (2, 2), (3, 3), (2**47 + 16, 2**47 + 16)):
        view.__dlpack__(stream=stream)
        assert fake.calls.pop() == ("wait", waiting, 77)
    view.__dlpack__(stream=-1)
    for stream in (0, -2, -(2**40)):
        with pytest.raises(ValueError, match="stream"):
            view.__dlpack__(stream=stream)
    for stream in ("1", 1.0, True, False, [1]):
        with pytest.raises(TypeError, match="stream"):
            view.__dlpack__(stream=stream)
    assert fake.calls == []


@pytest.mark.parametrize("device", [(ROCM, 0), (ROCM, 2), (ROCM_HOST, 0)], ids=str)
def test_D14_streams_of_rocm(fake, device):
    """None and 0 are the default stream; 1 and 2 do not exist."""
    view = view_on(device, stream=77)
    for stream, waiting in ((None, 1), (0, 1), (3, 3), (2**47, 2**47)):
        view.__dlpack__(stream=stream)
        assert fake.calls.pop() == ("wait", waiting, 77)
    view.__dlpack__(stream=-1)
    for stream in (1, 2, -2):
        with pytest.raises(ValueError, match="stream"):
            view.__dlpack__(stream=stream)
    assert fake.calls == []


def test_D14_streams_of_other_devices(fake):
    """A stream is refused for devices whose stream numbers are unknown."""
    view = device_view((ONE_API, 0))
    view.__dlpack__(stream=None)
    with pytest.raises(ValueError, match="stream"):
        view.__dlpack__(stream=5)


# D15


@pytest.mark.parametrize("device", [*CUDA_DEVICES, (ROCM, 0), (ROCM_HOST, 0)], ids=str)
def test_D15_consumer_waits_only_for_what_is_pending(fake, device):
    """The consumer does not wait without pending work, on the same stream, or with stream -1."""
    view_on(device).__dlpack__(stream=5)
    view_on(device, stream=5).__dlpack__(stream=5)
    view_on(device, stream=5).__dlpack__(stream=-1)
    view_on(device, stream=1).__dlpack__(stream=None)
    assert fake.calls == []
    view_on(device, stream=5).__dlpack__(stream=6)
    assert fake.calls == [("wait", 6, 5)] and fake.devices_of_streams == [device]


def test_D15_without_support_for_devices(no_runtime):
    """Without pending work no support is needed; with pending work the view cannot be exported."""
    tensor, capsule = tensor_of(device_view(), stream=5)
    assert tensor.data == POINTER
    with pytest.raises(BufferError, match="no support for device memory"):
        device_view(stream=7).__dlpack__(stream=5)


# D16


@pytest.mark.parametrize("device", [(CPU, 0), *CUDA_DEVICES, (ROCM, 1), (ROCM_HOST, 0)], ids=str)
def test_D16_own_device(fake, device):
    """dl_device None and the view's own device export the memory without a copy."""
    view = distview.zeros((3, 4)) if device == (CPU, 0) else view_on(device)
    for wanted in (None, device):
        tensor, capsule = tensor_of(view, dl_device=wanted)
        assert (tensor.device_type, tensor.device_id) == device
        assert tensor.data == view.data_pointer and struct_of(capsule).flags == 0


def test_D16_other_devices_are_refused(fake):
    """The memory of one device cannot be exported to another device."""
    for own, wanted in (
        ((CPU, 0), (CUDA, 0)), ((CPU, 0), (CPU, 1)), ((CUDA, 0), (CUDA, 1)),
        ((CUDA, 0), (ROCM, 0)), ((CUDA, 0), (MANAGED, 0)), ((MANAGED, 0), (ROCM, 0)),
    ):  # fmt: skip
        view = distview.zeros((3, 4)) if own == (CPU, 0) else view_on(own)
        for copy in (None, True, False):
            with pytest.raises(BufferError, match="cannot be exported to"):
                view.__dlpack__(max_version=(1, 0), dl_device=wanted, copy=copy)


@pytest.mark.parametrize("device", PINNED, ids=str)
def test_D16_to_the_host_without_a_copy(fake, device):
    """Host-readable memory is exported to the host without a copy, once pending work has finished."""
    for stream, calls in ((0, []), (9, [("synchronize", 9)])):
        view = view_on(device, stream=stream)
        for copy in (None, False):
            tensor, capsule = tensor_of(view, dl_device=(CPU, 0), copy=copy)
            assert (tensor.device_type, tensor.device_id) == (CPU, 0)
            assert tensor.data == view.data_pointer and struct_of(capsule).flags == 0
            assert array_of(tensor).tolist() == np.arange(12.0).reshape(3, 4).tolist()
            assert fake.calls == calls
            fake.calls.clear()
        for given in (1, -1, 5):
            with pytest.raises(ValueError, match="stream"):
                view.__dlpack__(dl_device=(CPU, 0), stream=given)
    frozen = view_on(device, readonly=True)
    assert struct_of(tensor_of(frozen, dl_device=(CPU, 0))[1]).flags == READ_ONLY
    with pytest.raises(BufferError, match="read-only"):
        frozen.__dlpack__(dl_device=(CPU, 0))


def test_D16_managed_memory_as_that_of_a_cuda_device(fake):
    """Managed memory can be requested as CUDA device memory; nothing is copied."""
    view = view_on((MANAGED, 0), stream=9)
    for wanted in ((CUDA, 0), (CUDA, 3)):
        tensor, capsule = tensor_of(view, dl_device=wanted, stream=4)
        assert (tensor.device_type, tensor.device_id) == wanted
        assert tensor.data == view.data_pointer and struct_of(capsule).flags == 0
        assert fake.calls.pop() == ("wait", 4, 9) and not fake.calls
    frozen = view_on((MANAGED, 0), readonly=True)
    assert struct_of(tensor_of(frozen, dl_device=(CUDA, 0))[1]).flags == READ_ONLY


ODD_ARRAYS = {
    "contiguous": lambda base: base,
    "with gaps": lambda base: base[1:5, 2:7:2],
    "backwards": lambda base: base[::-1, ::-2],
    "transposed": lambda base: base.T,
    "empty": lambda base: base[:0],
    "no axes": lambda base: base[2, 3, None].reshape(()),
}


@pytest.mark.parametrize("kind", ODD_ARRAYS)
def test_D16_device_memory_goes_to_the_host_as_a_copy(fake, kind):
    """Memory that hosts cannot read is copied once pending work has finished, unless copy=False."""
    numbers = ODD_ARRAYS[kind](np.arange(48.0).reshape(6, 8))
    view = host_view_as((CUDA, 0), numbers, stream=9)
    for copy in (None, True):
        tensor, capsule = tensor_of(view, dl_device=(CPU, 0), copy=copy)
        assert (tensor.device_type, struct_of(capsule).flags) == (CPU, IS_COPIED)
        assert shape_of(tensor) == numbers.shape
        if numbers.size:
            copied = array_of(tensor)
            assert copied.tolist() == numbers.tolist() and copied.flags.c_contiguous
            assert not np.shares_memory(copied, numbers)
            assert [call[0] for call in fake.calls] == ["synchronize", "copy"]
            assert fake.calls[0] == ("synchronize", 9)
        fake.calls.clear()
    with pytest.raises(BufferError, match="copy=False"):
        view.__dlpack__(max_version=(1, 0), dl_device=(CPU, 0), copy=False)
    for given in (1, -1, 5):
        with pytest.raises(ValueError, match="stream"):
            view.__dlpack__(dl_device=(CPU, 0), stream=given)
    assert fake.calls == []


def test_D16_memory_that_this_build_cannot_copy(fake, monkeypatch):
    """Memory of other devices, and of any device without a runtime, is not touched."""
    for copy in (None, True):
        with pytest.raises(BufferError, match=r"cannot copy memory of device \(10, 0\)"):
            device_view((ROCM, 0)).__dlpack__(max_version=(1, 0), dl_device=(CPU, 0), copy=copy)
        monkeypatch.setattr(_device, "runtime", None)
        with pytest.raises(BufferError, match=r"cannot copy memory of device \(2, 0\)"):
            device_view().__dlpack__(max_version=(1, 0), dl_device=(CPU, 0), copy=copy)
        monkeypatch.setattr(_device, "runtime", fake)
    assert fake.calls == []


# D17


@pytest.mark.parametrize("version", [None, (1, 0)], ids=str)
def test_D17_copies(version):
    """copy=True gives other memory with the same values in C order; None and False share the memory."""
    base = np.arange(40.0).reshape(5, 8)
    for array in (base, base[::2, 1:4], base[::-1], base.T, base[:0], np.array(2.5)):
        view = distview.wrap(array, array.shape)
        for copy in (None, False):
            capsule = view.__dlpack__(max_version=version, copy=copy)
            tensor = struct_of(capsule).tensor
            assert tensor.data == (address_of(array) if array.size else None)
        for wanted in (None, (CPU, 0)):
            capsule = view.__dlpack__(max_version=version, copy=True, dl_device=wanted)
            tensor = struct_of(capsule).tensor
            assert shape_of(tensor) == array.shape
            if array.size:
                copied = array_of(tensor)
                assert copied.tolist() == array.tolist() and copied.flags.c_contiguous
                assert not np.shares_memory(copied, array)


@pytest.mark.parametrize("device", PINNED, ids=str)
def test_D17_copies_of_pinned_memory(fake, device):
    """Copies are in plain host memory: made only if requested, and after pending work."""
    view = view_on(device, stream=9)
    tensor, capsule = tensor_of(view, copy=True, dl_device=(CPU, 0))
    assert (tensor.device_type, struct_of(capsule).flags) == (CPU, IS_COPIED)
    assert tensor.data != view.data_pointer and fake.calls == [("synchronize", 9)]


@pytest.mark.parametrize("copy", [False, True])
def test_D16_D17_lifetimes(fake, copy):
    """A capsule for the host keeps the memory alive; a copy keeps only itself alive."""
    array = np.arange(1000.0)
    watch = weakref.ref(array)
    capsule = host_view_as((MANAGED, 0), array).__dlpack__(dl_device=(CPU, 0), copy=copy)
    del array
    gc.collect()
    assert (watch() is None) is copy
    litter = [np.zeros(1000) for _ in range(50)]  # reuses freed memory
    assert array_of(struct_of(capsule).tensor).sum() == 499500 and len(litter) == 50
    del capsule
    gc.collect()
    assert watch() is None


@pytest.mark.parametrize("device", [(CUDA, 0), (CUDA_HOST, 0), (MANAGED, 0)], ids=str)
@pytest.mark.parametrize("kind", ODD_ARRAYS)
def test_D17_copies_stay_on_their_device(fake, device, kind):
    """copy=True gives other memory of the same kind, which lives exactly as long as the capsule."""
    numbers = ODD_ARRAYS[kind](np.arange(48.0).reshape(6, 8))
    view = host_view_as(device, numbers, stream=9)
    for wanted in (None, device):
        tensor, capsule = tensor_of(view, copy=True, dl_device=wanted, stream=5)
        assert (tensor.device_type, tensor.device_id) == device
        assert struct_of(capsule).flags == IS_COPIED and shape_of(tensor) == numbers.shape
        if not numbers.size:
            continue
        asked = [call[0] for call in fake.calls if call[0] != "query"]
        assert asked == ["synchronize", "copy"]
        fake.calls.clear()
        assert array_of(tensor).tolist() == numbers.tolist()
        assert not np.shares_memory(array_of(tensor), numbers)
        asked, nbytes, watch = fake.allocated.pop()
        assert asked == device[0] and nbytes >= numbers.nbytes
        assert watch() is not None
        del tensor, capsule
        gc.collect()
        assert watch() is None


def test_D17_copies_that_cannot_be_made(fake):
    """Memory of devices that this build does not support is not copied."""
    for device in ((ROCM, 0), (ROCM_HOST, 0), (ONE_API, 0)):
        with pytest.raises(BufferError, match="cannot copy memory of device"):
            view_on(device).__dlpack__(max_version=(1, 0), copy=True)
    with pytest.raises(BufferError, match="cannot copy memory"):
        view_on((MANAGED, 0)).__dlpack__(max_version=(1, 0), copy=True, dl_device=(CUDA, 0))
    assert fake.calls == [] and fake.allocated == []
    # A device that is not this process's.
    with pytest.raises(BufferError, match=r"this process's device, not on \(2, 1\)"):
        view_on((CUDA, 1)).__dlpack__(max_version=(1, 0), copy=True)
    assert fake.allocated.pop()[2]() is None


# As the consumer


def of_device(kind, device, **members):
    return MadeUp(
        kind, data=POINTER, shape=(3, 4), strides=(4, 1), device_type=device[0],
        device_id=device[1], **members,
    )  # fmt: skip


@pytest.mark.parametrize("kind", [Managed, ManagedVersioned])
@pytest.mark.parametrize("device", [(CUDA, 0), (CUDA, 3), (ROCM, 1), (ONE_API, 0)], ids=str)
def test_D12_D14_device_memory_comes_in(fake, kind, device):
    """The device is the capsule's device. CUDA producers are asked for data that are safe on the default
    stream, and wrap() waits for that stream: then no work is pending."""
    producer = of_device(kind, device)
    view = distview.wrap(producer, (3, 4))
    assert view.device == device and view.data_pointer == POINTER and view.stream == 0
    assert producer.calls_of_dlpack[0].get("stream") == (1 if device[0] == CUDA else None)
    assert fake.calls == [("synchronize", 1)] and fake.devices_of_streams == [device]
    assert view.dim_data[0]["size"] == 3 and "float64" in repr(view)


def test_dlpack_comes_before_the_cuda_array_interface(fake):
    """Preferred for producers with both, since some name no stream in the interface."""

    class Both(MadeUp):
        __cuda_array_interface__ = None

    for device in (CUDA, MANAGED):
        producer = Both(data=POINTER, shape=(3,), strides=(1,), device_type=device)
        producer.__cuda_array_interface__ = {"anything": "else"}
        assert distview.wrap(producer, 3).data_pointer == POINTER
        assert fake.calls == [("synchronize", 1)]
        assert producer.calls_of_dlpack[0]["stream"] == 1
        fake.calls.clear()


@pytest.mark.parametrize("kind", [CUDA_HOST, ROCM_HOST, MANAGED])
def test_D13_numbers_of_pinned_memory_are_ignored(fake, kind):
    """Memory that belongs to no single device gets number 0, whatever its producer passes."""
    numbers = np.arange(3.0)
    view = distview.wrap(MadeUp(numbers=numbers, device_type=kind, device_id=5), 3)
    assert view.device == (kind, 0) and view.view.tolist() == [0, 1, 2]
    assert fake.calls == [("synchronize", 1)]


def test_D14_host_memory_is_taken_without_a_runtime(no_runtime):
    """Host memory needs no device support; memory of a device does."""
    assert distview.wrap(MadeUp(numbers=np.arange(3.0)), 3).view.tolist() == [0, 1, 2]
    producer = of_device(ManagedVersioned, (CUDA, 0))
    with pytest.raises(distview.UsageError, match="no support for device memory"):
        distview.wrap(producer, (3, 4))
    assert producer.deleted == 1


def test_device_memory_has_no_distarray_export(fake):
    """The protocol's buffer is host memory: the export of a device view says what to use instead."""
    view = distview.wrap(of_device(ManagedVersioned, (CUDA, 0)), (3, 4))
    with pytest.raises(BufferError, match="__cuda_array_interface__"):
        view.__distarray__()
