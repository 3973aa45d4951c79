# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in device memory: supported calls, and errors of unsupported ones.

The device is made up: its memory is the host's, and its runtime records calls.
check_device_consumers.py checks a real device.
"""

import distview
import numpy as np
import pytest
from distview import _distview
from made_up_devices import device_view, host_view_as

CUDA, CUDA_HOST, MANAGED = (2, 0), (3, 0), (13, 0)
NUMBERS = np.arange(48.0).reshape(6, 8)
KINDS = {
    "contiguous": lambda base: base,
    "with gaps": lambda base: base[1:5, 2:7:2],
    "backwards": lambda base: base[::-1, ::-2],
    "transposed": lambda base: base.T,
    "empty": lambda base: base[:0],
}


def padded_on(device, numbers, **more):
    """A DistView with padding 1 at both ends of the first axis, over memory said to be a device's."""
    memory = _distview.memory_at(
        numbers.ctypes.data, list(numbers.shape), list(numbers.strides), numbers.dtype.str, False,
        device, more.pop("stream", 0), numbers,
    )  # fmt: skip
    shape = (numbers.shape[0] - 2, *numbers.shape[1:])
    return distview.wrap(memory, shape, padding=[1, 0], periodic=[True, False], **more)


# Copies to and from the host


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", [(1, 0), CUDA, CUDA_HOST, MANAGED], ids=str)
def test_copy_to_host(fake, device, kind):
    """A NumPy array of its own in C order, from any memory, once pending work has finished."""
    numbers = KINDS[kind](NUMBERS.copy())
    view = host_view_as(device, numbers)
    if device != (1, 0):
        view.stream = 9
    copied = view.copy_to_host()
    assert copied.tolist() == numbers.tolist() and copied.shape == numbers.shape
    assert copied.flags.c_contiguous and not np.shares_memory(copied, numbers)
    waits = [("synchronize", 9)] if device != (1, 0) else []
    if numbers.size:
        assert fake.calls[:1] == waits
    assert [call for call in fake.calls if call[0] == "copy"] == fake.calls[len(waits) :]


def test_copy_to_host_of_parts(fake):
    """The cells of view, owned and interior."""
    view = padded_on(CUDA, NUMBERS.copy())
    assert view.copy_to_host("all").tolist() == NUMBERS.tolist()
    assert view.copy_to_host("interior").tolist() == NUMBERS[1:-1].tolist()
    assert view.copy_to_host("owned").tolist() == NUMBERS[slice(*view.owned_range(0))].tolist()
    with pytest.raises(distview.UsageError, match='copy_to_host: expected cells to be "owned"'):
        view.copy_to_host("none")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("device", [(1, 0), CUDA, MANAGED], ids=str)
def test_copy_from_host(fake, device, kind):
    """Writes the section's elements and nothing between them."""
    base = np.zeros((6, 8))
    expected = base.copy()
    KINDS[kind](expected)[...] = 7.0
    host_view_as(device, KINDS[kind](base)).copy_from_host(7.0)
    assert base.tolist() == expected.tolist()


def test_copy_from_host_of_parts(fake):
    """Values are broadcast; padding stays as it was."""
    base = NUMBERS.copy()
    view = padded_on(CUDA, base, stream=9)
    view.copy_from_host(np.arange(8.0), "interior")
    assert base[1:-1].tolist() == [list(range(8))] * 4
    assert base[[0, -1]].tolist() == NUMBERS[[0, -1]].tolist()
    assert [call[0] for call in fake.calls] == ["synchronize", "copy", "copy"]
    with pytest.raises(ValueError, match="broadcast"):
        view.copy_from_host(np.arange(7.0), "interior")
    with pytest.raises(distview.ShapeError, match="read-only"):
        device_view(readonly=True).copy_from_host(1)


def test_reductions_and_gather_of_device_memory(fake):
    """The same results as with host memory; only the interior counts."""
    on_host = padded_on((1, 0), NUMBERS.copy())
    for device in (CUDA, CUDA_HOST, MANAGED):
        view = padded_on(device, NUMBERS.copy(), stream=9)
        for call in (
            lambda v: v.sum(), lambda v: v.min(), lambda v: v.max(), lambda v: v.norm(),
            lambda v: v.dot(v), lambda v: v.sum(cells="owned"), lambda v: v.gather().tolist(),
        ):  # fmt: skip
            fake.calls.clear()
            assert call(view) == call(on_host)
            assert fake.calls[0] == ("synchronize", 9)


# Refused calls


@pytest.mark.parametrize("what", ["view", "owned", "interior"])
def test_host_arrays_of_device_memory(what):
    """Without CuPy the error names the expected memory, the actual memory and the alternatives."""
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(distview.UsageError, match=r"host can access.*device \(2, 0\).*copy_to_host"):
            getattr(device_view(), what)
    else:
        pytest.skip("CuPy is installed")


def test_builds_without_devices_say_so(no_runtime):
    """Copying, waiting and making need support for the device."""
    view = device_view()
    for call in (view.copy_to_host, lambda: view.copy_from_host(1), view.sum, view.gather):
        with pytest.raises(distview.UsageError, match=r"cannot copy memory of device \(2, 0\)"):
            call()
    view = host_view_as(MANAGED, NUMBERS.copy())
    view.stream = 9
    with pytest.raises(distview.UsageError, match="pending on a stream.*no support for device"):
        view.sum()


def builds_for_cuda():
    return _distview.device_runtime() is not None


@pytest.mark.skipif(builds_for_cuda(), reason="this build has kernels for devices")
def test_kernels_of_the_host_and_memory_of_a_device():
    """Builds for the host refuse calls that need kernels on a device."""
    view = device_view()
    for call in (view.exchange_padding, lambda: distview.redistribute(view, out=view)):
        with pytest.raises(distview.ShapeError, match="host cannot access.*no kernels for devices"):
            call()
    pinned = padded_on(CUDA_HOST, NUMBERS.copy())
    pinned.exchange_padding()
    assert pinned.view[0].tolist() == NUMBERS[-2].tolist()
    pinned.stream = 9
    with pytest.raises(distview.UsageError, match="no support for device memory"):
        pinned.exchange_padding()


@pytest.mark.skipif(builds_for_cuda(), reason="this build makes arrays in device memory")
@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda_managed", "cuda_host", CUDA, MANAGED])
def test_builds_for_the_host_make_no_device_arrays(device):
    """Device names are recognised, and the error says what is missing."""
    for make in (distview.zeros, distview.ones, distview.empty):
        with pytest.raises(distview.UsageError, match="no support for device memory"):
            make((3, 4), device=device)
    with pytest.raises(distview.UsageError, match="no support for device memory"):
        distview.zeros_like(distview.zeros(3), device=device)


@pytest.mark.parametrize(
    "device", ["gpu", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "", 2, (2,), (2, 0, 0), (2.0, 0), (10, 0), b"cuda", [2, 0]]
)  # fmt: skip
def test_devices_that_have_no_name(device):
    """A value that is not a device is refused before an array is made."""
    with pytest.raises(distview.UsageError, match="expected device to be"):
        distview.zeros(3, device=device)


def test_the_host_by_name():
    """The host is the default device, and has three names."""
    for device in (None, "cpu", (1, 0), distview.zeros(2).device):
        assert distview.zeros(3, device=device).device == (1, 0)
    assert distview.zeros_like(host_view_as(MANAGED, NUMBERS.copy()), device="cpu").device == (1, 0)


# Streams


def test_stream_is_what_others_work_on(fake):
    """A set stream is in all exports, and calls wait for it; None and 0 reset it. Other names of the array share it."""
    view = device_view()
    again = distview.DistView(view)
    assert view.stream == 0 and "stream" not in view.__cuda_array_interface__
    view.stream = 77
    assert again.stream == 77 and view.__cuda_array_interface__["stream"] == 77
    view.__dlpack__(stream=5)
    assert fake.calls == [("wait", 5, 77)] and fake.devices_of_streams == [(2, 0)]
    part = view[1:, ::2]
    assert part.stream == 77
    for nothing in (None, 0):
        view.stream = nothing
        assert view.stream == 0 and "stream" not in view.__cuda_array_interface__
        view.stream = 1
    assert part.stream == 77  # a slice is an array of its own
    assert _distview.dap_capsule(view) is not None


def test_stream_of_what_is_wrapped(fake):
    """A DistView over a DistView inherits its pending work, and is a separate array."""
    first = padded_on(CUDA, NUMBERS.copy())
    first.stream = 77
    second = distview.wrap(first, (4, 8), padding=[1, 0], periodic=[True, False])
    assert second.stream == 77 and second.__cuda_array_interface__["stream"] == 77
    second.copy_to_host()
    assert fake.calls[0] == ("synchronize", 77)
    second.stream = None
    assert (first.stream, second.stream) == (77, 0)


@pytest.mark.parametrize("device", [CUDA_HOST, MANAGED], ids=str)
def test_exports_to_the_host_wait(fake, device):
    """The protocol's buffer has no place for a stream."""
    view = host_view_as(device, NUMBERS.copy())
    for export in (view.__distarray__, view.dap, lambda: distview.from_distarray(view)):
        view.stream = 0
        export()
        assert fake.calls == []
        view.stream = 9
        export()
        assert fake.calls == [("synchronize", 9)]
        fake.calls.clear()


def test_exports_to_the_host_need_who_can_wait(no_runtime):
    view = host_view_as(MANAGED, NUMBERS.copy())
    view.__distarray__()
    view.stream = 9
    with pytest.raises(BufferError, match="^__distarray__: work on this array is pending"):
        view.__distarray__()


def test_stream_of_host_memory():
    """Host memory has no streams."""
    view = distview.zeros(3)
    view.stream = 0
    with pytest.raises(distview.UsageError, match="no streams"):
        view.stream = 5
    for bad in (-1, 1.5, "1"):
        with pytest.raises(TypeError):
            view.stream = bad
