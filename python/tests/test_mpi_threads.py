# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that wait for other ranks let the program's other threads run."""

import threading
import time

import distview
import numpy as np
import pytest
from shared_folder import shared_folder

#: Calls that each of two threads makes on an array of its own communicator.
ACTIONS = {
    "zeros": lambda u: distview.zeros(12, comm=u.comm),
    "index arrays": lambda u: distview.zeros(
        None, [("u", np.arange(2) + 2 * u.process)], u.comm
    ),
    "from_distarray": lambda u: distview.from_distarray(u, u.comm),
    "attach": lambda u: attached(u),
    "exchange_padding": lambda u: u.exchange_padding(),
    "redistribute": lambda u: distview.redistribute(u, "c"),
    "gather": lambda u: u.gather(),
    "sum": lambda u: u.sum(),
    "max": lambda u: u.max(),
    "norm": lambda u: u.norm(),
    "dot": lambda u: u.dot(u),
    "an error": lambda u: refused(u),
    "npy": lambda u: stored(u, "npy"),
}
if distview.has_hdf5():
    ACTIONS["hdf5"] = lambda u: stored(u, "h5")

every_action = pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())


def attached(u):
    local = distview.from_distarray(u, validate="local")
    if not local.attached:
        local.attach(u.comm)


def refused(u):
    with pytest.raises(distview.UsageError):
        u.gather(root=-1)


def stored(u, kind):
    with shared_folder(u.comm) as folder:
        path = folder / f"u.{kind}"
        distview.save(path, u if kind == "npy" else {"u": u})
        distview.load(path, out=u if kind == "npy" else {"u": u})
        assert (u.interior == 1).all()


@pytest.fixture
def arrays(comm, mpi):
    """Two arrays on two communicators."""
    if mpi.Query_thread() < mpi.THREAD_MULTIPLE:
        pytest.skip("this MPI library lets one thread call at a time")
    comms = [comm.Dup(), comm.Dup()]
    yield [distview.ones(12, comm=made, padding=1, periodic=True) for made in comms]
    for made in comms:
        made.Free()


class Thread(threading.Thread):
    """Raises in join() what its function raised."""

    error = None

    def run(self):
        try:
            super().run()
        except BaseException as error:
            self.error = error

    def join(self):
        super().join()
        if self.error:
            raise self.error


@every_action
def test_two_threads_on_two_communicators(comm, arrays, action):
    """Even ranks are in both calls at once; odd ranks make one call after the other, the last
    first: if a wait kept the GIL, the second call could not begin."""
    first, second = arrays
    if comm.rank % 2:
        action(second)
        action(first)
        return
    waiting = Thread(target=action, args=(first,))
    waiting.start()
    time.sleep(0.1)
    action(second)
    waiting.join()


@every_action
def test_other_threads_go_on(comm, arrays, action):
    """A thread of rank 0 tells the other ranks to join the call while rank 0 waits in it."""
    if comm.rank == 0:

        def tell():
            time.sleep(0.1)
            for rank in range(1, comm.size):
                comm.send("come", rank)

        thread = Thread(target=tell)
        thread.start()
        action(arrays[0])
        thread.join()
    else:
        assert comm.recv(source=0) == "come"
        action(arrays[0])


@pytest.mark.skipif(not distview.has_hdf5(), reason="a build without HDF5")
def test_files_of_hdf5_by_two_threads_at_once(comm, arrays):
    """Most builds of HDF5 allow only one thread at a time."""

    def write_and_read(u, path):
        for step in range(30):
            u.interior[...] = step
            distview.save(path, {"u": u}, {"step": step}, compression=1)
            u.interior[...] = -1
            distview.load(path, out={"u": u})
            assert (u.interior == step).all()
            assert distview.inspect(path, u.comm).attributes == {"step": step}

    with shared_folder(comm) as folder:
        threads = [Thread(target=write_and_read, args=(u, folder / f"{n}.h5")) for n, u in enumerate(arrays)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
