# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays with sections of some ranks in device memory: all ranks get the same error, or the same
values. The device is made up."""

import distview
import numpy as np
import pytest
from distview import _device, _distview

CUDA, CUDA_HOST, MANAGED = (2, 0), (3, 0), (13, 0)
pytestmark = pytest.mark.usefixtures("fake")


def array_with(comm, device, where):
    """12 rows in blocks with padding 1, said to be on `device` on the ranks `where`."""
    made = distview.zeros((12, 4), "bn", comm, padding=(1, 0), periodic=(True, False))
    indices = np.asarray(made.global_indices(0, "interior"))
    made.interior[...] = indices[:, None] * 10.0 + np.arange(4.0)
    given = device if comm.rank in where else (1, 0)
    memory = _distview.memory_at(
        made.data_pointer, list(made.local_shape), [], "<f8", False, given, 0, made
    )
    view = distview.wrap(memory, (12, 4), "bn", comm, padding=(1, 0), periodic=(True, False))
    assert view.device == given
    return view


def last_rank(comm):
    return [comm.size - 1]


@pytest.mark.skipif(_distview.device_runtime() is not None, reason="this build has kernels for devices")
def test_one_rank_in_device_memory_fails_all(comm):
    """Exchanges and redistributions with either side on a device; afterwards everything works."""
    view = array_with(comm, CUDA, last_rank(comm))
    host = array_with(comm, CUDA, [])
    for call in (
        view.exchange_padding, lambda: host.exchange_padding(view),
        lambda: distview.redistribute(view, out=host), lambda: distview.redistribute(host, out=view),
    ):  # fmt: skip
        with pytest.raises(distview.ShapeError, match="no kernels for devices"):
            call()
    host.exchange_padding()
    assert host.max() == 113.0


def test_pending_work_without_a_runtime_fails_all(comm, monkeypatch):
    """If one rank cannot wait for pending work, no rank begins the call."""
    view = array_with(comm, MANAGED, last_rank(comm))
    if comm.rank == comm.size - 1:
        view.stream = 9
        if _distview.device_runtime() is None:
            monkeypatch.setattr(_device, "runtime", None)
    if _distview.device_runtime() is not None:
        pytest.skip("this build can wait")
    for call in (view.exchange_padding, view.sum, view.gather):
        with pytest.raises(distview.UsageError, match="no support for device memory"):
            call()


@pytest.mark.skipif(_distview.device_runtime() is not None, reason="this build makes device arrays")
def test_one_rank_that_asks_for_a_device_fails_all(comm):
    """Ranks may request different memory; if one rank cannot have it, no rank gets an array."""
    device = "cuda" if comm.rank == comm.size - 1 else "cpu"
    with pytest.raises(distview.UsageError, match="no support for device memory"):
        distview.zeros((12, 4), "bn", comm, device=device)
    bad = "gpu" if comm.rank == 0 else None
    with pytest.raises(distview.UsageError, match="expected device to be"):
        distview.ones((12, 4), "bn", comm, device=bad)


@pytest.mark.parametrize("device", [CUDA, CUDA_HOST, MANAGED], ids=str)
def test_reductions_and_gather_with_some_ranks_on_a_device(comm, device):
    """The same bits as with arrays on the host."""
    host = array_with(comm, device, [])
    view = array_with(comm, device, range(0, comm.size, 2))
    assert view.sum() == host.sum() and view.norm() == host.norm()
    assert (view.min(), view.max()) == (host.min(), host.max())
    assert view.dot(host) == host.dot(host)
    gathered, expected = view.gather(), host.gather()
    assert (gathered is None) == (expected is None)
    assert gathered is None or gathered.tolist() == expected.tolist()
