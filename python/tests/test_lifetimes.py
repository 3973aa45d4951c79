# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory lives exactly as long as it is used: by the DistView, its arrays, or its capsules.

test_growth.py repeats this many times; test_exit.py tests the end of programs.
"""

import gc
import threading
import weakref

import distview
import numpy as np
import pytest
from distview import _distview
from dlpack_structs import MadeUp, consume, delete
from made_up_devices import Interface
from py_buffer import FLAGS, buffer_of, numbers

def watched(count=10):
    array = np.arange(float(count))
    return array, weakref.ref(array)


# Order of destruction


EXPORTS = {
    "view": lambda view: view.view,
    "owned": lambda view: view.owned,
    "interior": lambda view: view.interior[1:],
    "asarray": np.asarray,
    "memoryview": memoryview,
    "distarray": lambda view: view.__distarray__(),
    "from_dlpack": np.from_dlpack,
    "legacy capsule": lambda view: view.__dlpack__(),
    "capsule": lambda view: view.__dlpack__(max_version=(1, 0)),
    "C struct": lambda view: view.__dap_capsule__(),
    "layout and memory": lambda view: (view.layout, view.view),
}


@pytest.mark.parametrize("export", EXPORTS)
def test_consumer_outlives_producer(export):
    """The memory lives as long as the exported object, not as long as the DistView; then it is freed."""
    array, watch = watched(10)
    view = distview.wrap(array, 10)
    watch_view = weakref.ref(view)
    exported = EXPORTS[export](view)
    del array, view
    gc.collect()
    assert watch_view() is None and watch() is not None
    assert watch().tolist() == list(range(10))
    del exported
    gc.collect()
    assert watch() is None


def test_E9_import_holds_the_exporter():
    """An imported view keeps the buffer and its exporter alive, and releases both at its end."""
    array, watch = watched(10)
    first = distview.wrap(array, 10)
    watch_first = weakref.ref(first)
    for validate in ("full", "local"):
        second = distview.from_distarray(first, validate=validate)
        third = distview.from_distarray(second.dap("0.9.0"), validate=validate)
    del array, first, second
    gc.collect()
    assert watch_first() is not None and third.view.tolist() == list(range(10))
    del third
    gc.collect()
    assert watch_first() is None and watch() is None


def test_E9_import_holds_the_buffer():
    """The view keeps the buffer itself alive: the exporter may have made it for this export only."""
    arrays = []

    class Exporter:
        def __distarray__(self):
            array = np.arange(8.0)
            arrays.append(weakref.ref(array))
            return {"__version__": "0.10.0", "buffer": array, "dim_data": ({},)}

    view = distview.from_distarray(Exporter())
    gc.collect()
    assert arrays[0]() is not None and view.view.tolist() == list(range(8))
    given = bytearray(8)
    export = {"__version__": "0.10.0", "buffer": given, "dim_data": ({},)}
    view = distview.from_distarray(export)
    with pytest.raises(BufferError):
        given.append(1)
    del view
    given.append(1)


@pytest.mark.parametrize("export", EXPORTS)
def test_producer_outlives_consumer(export):
    """An exported object may be destroyed first: the DistView does not change."""
    array, watch = watched(10)
    view = distview.wrap(array, 10)
    exported = EXPORTS[export](view)
    del array, exported
    gc.collect()
    assert view.view.tolist() == list(range(10)) and view.sum() == 45
    del view
    gc.collect()
    assert watch() is None


def test_owners_of_the_memory_may_be_deleted_first():
    """The view keeps a bytearray or an mmap alive after its last name is deleted."""
    given = bytearray(range(8))
    view = distview.wrap(given, 8)
    del given
    gc.collect()
    litter = [bytearray(8) for _ in range(1000)]
    assert view.view.tolist() == list(range(8)) and len(litter) == 1000


def test_resizable_buffers_are_locked_while_they_are_used():
    """A bytearray cannot be resized under a view, its arrays or its capsules; afterwards it can."""
    given = bytearray(8)
    users = [distview.wrap(given, 8)]
    users.append(users[0].view[2:])
    users.append(users[0].__dlpack__())
    users.append(distview.from_distarray(users[0]))
    users.append(users[0].__dap_capsule__())
    while users:
        with pytest.raises(BufferError):
            given.append(1)
        users.pop(0)
    given.append(1)
    assert len(given) == 9


def test_failed_imports_release_the_buffer():
    """A refused buffer, by rules or by shape, is released at once."""
    given = bytearray(8)
    data = dict(dist_type="b", size=9, proc_grid_size=1, proc_grid_rank=0, start=0, stop=9)
    export = {"__version__": "0.10.0", "buffer": given, "dim_data": (data,)}
    for attempt in (
        lambda: distview.wrap(given, 9),
        lambda: distview.from_distarray(export),
        lambda: distview.check(export),
        lambda: distview.check_all([export]),
    ):
        with pytest.raises((distview.ShapeError, distview.ProtocolError)):
            attempt()
        given.append(1)
        given.pop()


def test_attach_leaves_buffers_as_they_are(mpi):
    """attach() changes a view's state while others use its memory."""
    array = np.arange(12.0).reshape(3, 4)
    view = distview.from_distarray(distview.wrap(array, (3, 4)), validate="local")
    with buffer_of(view, FLAGS.FULL) as before:
        view.attach(mpi.COMM_SELF)
        litter = [np.zeros(2, np.int64) for _ in range(1000)]
        assert numbers(before.shape, 2) == (3, 4) and numbers(before.strides, 2) == (32, 8)
        assert before.format == b"d" and len(litter) == 1000
        assert view.view.__array_interface__["data"][0] == before.buf


# Garbage


def test_view_that_holds_its_own_arrays_is_freed():
    """NumPy arrays take no part in garbage collection, so they must not keep their DistView alive."""
    array, watch = watched()
    view = distview.wrap(array, 10)
    view.mine = [view.view, view.interior, memoryview(view), view.__dlpack__()]
    del array, view
    gc.collect()
    assert watch() is None


class OwnMemory:
    """A class that exports its own memory, and keeps a DistView of it."""

    def __init__(self):
        self.memory = bytearray(8)
        self.view = distview.wrap(self, 8)

    def __buffer__(self, flags):
        return memoryview(self.memory)


class OwnExport:
    def __init__(self):
        self.memory = np.zeros(8)
        self.view = distview.from_distarray(self)

    def __distarray__(self):
        return {"__version__": "0.10.0", "buffer": self.memory, "dim_data": ({},)}


class OwnDeviceMemory(Interface):
    def __init__(self):
        super().__init__(shape=(0,), data=(0, False))
        self.view = distview.wrap(self, 0)


class OwnArray(np.ndarray):
    pass


def own_array():
    array = np.zeros(8).view(OwnArray)
    array.view_of_it = distview.wrap(array, 8)
    return array


@pytest.mark.parametrize("make", [OwnMemory, OwnExport, OwnDeviceMemory, own_array])
def test_object_that_holds_a_view_of_itself_is_garbage(make):
    """The garbage collector finds a cycle of an object and a DistView of its memory."""
    thing = make()
    watch = weakref.ref(thing)
    gc.collect()
    assert watch() is not None
    del thing
    gc.collect()
    assert watch() is None


def test_gathers_do_not_keep_the_memory(mpi):
    """From the second call on gather() keeps its access to sections, which keeps no memory alive."""
    array = np.arange(8.0).view(OwnArray)
    view = array.view_of_it = distview.wrap(array, 8, comm=mpi.COMM_SELF)
    for _ in range(3):
        assert view.gather().tolist() == list(range(8))
    view[2:5].interior[...] = 1  # a temporary slice
    assert view._joint.gathers.access is not None and view.gather().tolist() == [0, 1, 1, 1, 1, 5, 6, 7]
    watch = weakref.ref(array)
    del array, view
    gc.collect()
    assert watch() is None


def test_cycles_in_use_are_not_garbage():
    """While an array or a capsule of the view is alive, the collector does not free the cycle."""
    thing = OwnMemory()
    watch = weakref.ref(thing)
    users = [thing.view.view, thing.view.__dlpack__(), memoryview(thing.view)]
    users += [_distview.Array(thing.view), distview.from_distarray(thing.view)]
    users[0][3] = 5
    del thing
    while users:
        gc.collect()
        assert watch() is not None and watch().memory[3] == 5
        assert watch().view.view.tolist() == [0, 0, 0, 5, 0, 0, 0, 0]
        users.pop(0)
    gc.collect()
    assert watch() is None


# Threads


def test_last_references_dropped_by_threads():
    """The memory is freed exactly once, whichever thread drops the last reference."""
    arrays = [watched(100) for _ in range(400)]
    watches = [watch for _, watch in arrays]
    views = [distview.wrap(array, 100) for array, _ in arrays]
    shares = [[v, v.view, v.__dlpack__(max_version=(1, 0)), memoryview(v)] for v in views]
    del arrays, views
    gate = threading.Barrier(4)

    def drop(which):
        gate.wait()
        for share in shares:
            share[which] = None

    threads = [threading.Thread(target=drop, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert [watch() for watch in watches] == [None] * len(watches)


def test_foreign_memory_dropped_by_threads():
    """The deleter of another library's capsule is called once, by the last thread."""
    producers = [MadeUp(numbers=np.arange(3.0)) for _ in range(200)]
    shares = []
    for producer in producers:
        view = distview.wrap(producer, 3)
        managed = consume(view.__dlpack__())
        shares.append([view, managed])
    del view, managed

    def drop_views():
        for share in shares:
            share[0] = None

    def drop_capsules():
        for share in shares:
            delete(share[1])

    threads = [threading.Thread(target=target) for target in (drop_views, drop_capsules)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert [producer.deleted for producer in producers] == [1] * len(producers)
