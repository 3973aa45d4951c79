# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""call_arrays.py LIBRARY: arrays between Python, C, C++ and Fortran. Of three languages the first makes or lends an array,
the second fills it and reverses it in place, the third must find the values at the same address; one is Python, by ctypes."""

import ctypes
import itertools
import sys
from ctypes import c_int, c_int32, c_int64, c_void_p

sys.dont_write_bytecode = True
from c_face import BOOL, COLUMN_MAJOR, COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, INT32, INT64, OPAQUE  # noqa: E402
from c_face import ROW_MAJOR, STRIDED, Axis, Library, Memory, ShapeError, Slice, UsageError, raises  # noqa: E402

SLICE = 3
ORDERS = ("row", "column", "general", "slice")
LENT_BYTES = 1 << 21
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
COLOURS = (7, -3, 100000)


class FComplex(ctypes.Structure):
    _fields_ = (("real", ctypes.c_float), ("imag", ctypes.c_float))


class DComplex(ctypes.Structure):
    _fields_ = (("real", ctypes.c_double), ("imag", ctypes.c_double))


def _product(index):
    product = 1
    for d, i in enumerate(index, 1):
        product *= i + d
    return product


def _power(index):
    return -index[0] if len(index) == 1 else 2 * index[0] - sum(index)


def _raw(value):
    """The bytes by which two ctypes values are compared."""
    return bytes(value)


#: Element type of the C face, ctypes type, and the value at an index, in the order of arrays.h. The element type of char
#: depends on the machine: main() sets it.
KINDS = [
    (BOOL, ctypes.c_bool, lambda i: sum(i) % 2 == 0),
    (None, ctypes.c_char, lambda i: bytes([ord("a") + sum(i) % 26])),
    (INT32, c_int32, _product),
    (INT64, c_int64, lambda i: PRIMES[i[0]] if len(i) == 1 else _product(i)),
    (FLOAT32, ctypes.c_float, lambda i: 2.0 ** _power(i)),
    (FLOAT64, ctypes.c_double, lambda i: 2.0 ** _power(i)),
    (COMPLEX64, FComplex, lambda i: FComplex(2.0 ** sum(i), 2.0 ** -sum(i))),
    (COMPLEX128, DComplex, lambda i: DComplex(2.0 ** sum(i), 2.0 ** -sum(i))),
    (OPAQUE + 8, c_void_p, lambda i: 16 * _product(i) if sum(i) else None),
    (OPAQUE + 8, ctypes.c_char * 8, lambda i: f"é{_product(i):<6}".encode()),
    (INT32, c_int32, lambda i: COLOURS[sum(i) % 3]),
]
KIND_CHAR = 1


class Python:
    """Python's implementation of the functions of arrays.h."""

    name = "python"

    def __init__(self, library, comm):
        self.library, self.comm = library, comm
        self.keep = ctypes.create_string_buffer(LENT_BYTES + 16)
        self.address = (ctypes.addressof(self.keep) + 15) // 16 * 16

    def memory(self):
        return self.address

    def every_second(self, parent, layout):
        extents = (c_int64 * 8)()
        try:
            self.library.call("distview_layout_extents", layout, extents)
            slices = (Slice * 8)(*[(1, extent // 2, 2) for extent in extents])
            return self.library.make("distview_array_slice", parent, slices)
        finally:
            self.release(parent)

    def borrow(self, layout, kind, order):
        memory = Memory(data=self.address, element=KINDS[kind][0])
        memory.rank = rank = self.library.number("distview_layout_rank", layout)
        self.library.call("distview_layout_local_extents", layout, 0, memory.extents)
        memory.order = COLUMN_MAJOR if order == SLICE else order
        stride = 2 * (memory.element % 2**24)
        for k in range(1, rank + 1):
            memory.strides[k % rank] = stride
            stride *= memory.extents[k % rank] + 1
        if 0 in memory.extents[:rank]:
            memory.data = None
        ctypes.memset(self.address, 0x5A, LENT_BYTES)
        array = self.library.make("distview_array_borrow", self.comm, layout, ctypes.byref(memory))
        return self.every_second(array, layout) if order == SLICE else array

    def create(self, layout, kind, order):
        of_parent = COLUMN_MAJOR if order == SLICE else order
        array = self.library.make("distview_array_create", self.comm, layout, KINDS[kind][0], of_parent)
        return self.every_second(array, layout) if order == SLICE else array

    def elements(self, array, kind):
        """The place of each element by its index."""
        memory = Memory()
        self.library.call("distview_array_memory", array, ctypes.byref(memory))
        if memory.element != KINDS[kind][0]:
            raise ShapeError("Python: expected another element type")
        rank, type_ = memory.rank, KINDS[kind][1]
        places = {}
        for index in itertools.product(*map(range, memory.extents[:rank])):
            offset = sum(i * s for i, s in zip(index, memory.strides[:rank]))
            places[index] = type_.from_address(memory.data + offset)
        return places

    @staticmethod
    def made(kind, index):
        _, type_, value = KINDS[kind]
        made = value(index)
        if isinstance(made, type_):
            return made
        return type_(*made) if isinstance(made, bytes) and len(made) == 8 else type_(made)

    def fill(self, array, kind):
        size = ctypes.sizeof(KINDS[kind][1])
        for index, place in self.elements(array, kind).items():
            ctypes.memmove(ctypes.byref(place), ctypes.byref(self.made(kind, index)), size)

    def reverse(self, array, kind):
        places = self.elements(array, kind)
        length = 1 + max((index[0] for index in places), default=-1)
        for index, place in places.items():
            there = places[(length - 1 - index[0], *index[1:])]
            if 2 * index[0] + 1 < length:
                kept = _raw(place)
                size = len(kept)
                ctypes.memmove(ctypes.byref(place), ctypes.byref(there), size)
                ctypes.memmove(ctypes.byref(there), kept, size)

    def count_wrong(self, array, kind, reversed_, address):
        places = self.elements(array, kind)
        if not places:
            return 0
        length = 1 + max(index[0] for index in places)
        wrong = ctypes.addressof(next(iter(places.values()))) != address
        for index, place in places.items():
            of = (length - 1 - index[0], *index[1:]) if reversed_ else index
            wrong += _raw(place) != _raw(self.made(kind, of))
        return wrong

    def retain(self, array):
        return c_void_p(self.library.functions.distview_array_retain(array))

    def release(self, array):
        self.library.functions.distview_array_release(array)


class Foreign:
    """Another language's functions of arrays.h."""

    def __init__(self, library, comm, name):
        self.library, self.comm, self.name = library, comm, name

    def function(self, what):
        return getattr(self.library.functions, f"{self.name}_{what}")

    def memory(self):
        return self.function("memory")()

    def borrow(self, layout, kind, order):
        return self.library.make(f"{self.name}_borrow", self.comm, layout, kind, order)

    def create(self, layout, kind, order):
        return self.library.make(f"{self.name}_create", self.comm, layout, kind, order)

    def fill(self, array, kind):
        self.library.check(self.function("fill")(array, kind))

    def reverse(self, array, kind):
        self.library.check(self.function("reverse")(array, kind))

    def count_wrong(self, array, kind, reversed_, address):
        return self.function("count_wrong")(array, kind, int(reversed_), c_void_p(address))

    def retain(self, array):
        function = self.function("retain")
        function.restype = c_void_p
        return c_void_p(function(array))

    def release(self, array):
        self.function("release")(array)


def layout_of(library, rank, order, empty=False):
    extents = [8] if rank == 1 else [3, 2, 2, 3, 2, 2, 2][:rank]
    axes = (Axis * rank)(*[Axis(extent=extent * (2 if order == SLICE else 1)) for extent in extents])
    if empty:
        axes[rank - 1].extent = 0
    return library.make("distview_layout_create", rank, (c_int * rank)(*[1] * rank), axes)


def right(library, layout, kind, order, owned, maker, filler, checker):
    """Whether arrays of one element type pass correctly through three languages."""
    array = (maker.create if owned else maker.borrow)(layout, kind, order)
    data = c_void_p()
    library.call("distview_array_data", array, ctypes.byref(data))
    results = []
    if not owned:
        extents = (c_int64 * 8)()
        library.call("distview_layout_extents", layout, extents)
        offset, stride = 0, KINDS[kind][0] % 2**24
        for extent in extents[: library.number("distview_layout_rank", layout)] if order == SLICE else ():
            offset += stride
            stride *= extent
        results.append(data.value == maker.memory() + offset)
    second, third = filler.retain(array), checker.retain(array)
    maker.release(array)
    filler.fill(second, kind)
    results.append(checker.count_wrong(third, kind, False, data.value) == 0)
    filler.reverse(second, kind)
    filler.release(second)
    results.append(checker.count_wrong(third, kind, True, data.value) == 0)
    # Proves that the check detects a wrong value and another address.
    ctypes.c_uint8.from_address(data.value).value ^= 1
    results.append(checker.count_wrong(third, kind, True, 16) == 2)
    checker.release(third)
    return all(results)


def null_right(library, python):
    """Arrays without elements and memory, and null handles."""
    results = []
    for rank in range(1, 8):
        layout = layout_of(library, rank, ROW_MAJOR, empty=True)
        for kind in range(len(KINDS)):
            array = python.borrow(layout, kind, ROW_MAJOR)
            data = c_void_p(1)
            library.call("distview_array_data", array, ctypes.byref(data))
            python.fill(array, kind)
            python.reverse(array, kind)
            results.append(data.value is None and python.count_wrong(array, kind, False, None) == 0)
            python.release(array)
            none = c_void_p()
            results += [raises(UsageError, Exception, "null pointer", lambda: python.fill(none, kind)),
                        raises(UsageError, Exception, "null pointer", lambda: python.reverse(none, kind))]  # fmt: skip
        library.functions.distview_layout_release(layout)
    python.release(c_void_p())
    return all(results)


def main():
    library = Library(sys.argv[1])
    KINDS[KIND_CHAR] = (c_int32.in_dll(library.functions, "char_element").value, *KINDS[KIND_CHAR][1:])
    library.call("distview_initialize", None)
    comm = library.make("world_communicator")
    python = Python(library, comm)
    languages = [python, *(Foreign(library, comm, name) for name in ("c", "cpp", "fortran"))]
    failures = 0

    def report(what, axes, names, is_right):
        nonlocal failures
        failures += not is_right
        print(f"languages {what} {axes} {names} {'ok' if is_right else 'failed'}")

    for rank, order, owned in itertools.product(range(1, 8), range(4), (False, True)):
        if owned and order == STRIDED:
            continue
        layout = layout_of(library, rank, order)
        for three in itertools.permutations(languages, 3):
            if python in three:
                is_right = all(right(library, layout, kind, order, owned, *three) for kind in range(len(KINDS)))
                names = " ".join(language.name for language in three)
                report(f"{'owned' if owned else 'borrowed'}_{ORDERS[order]}", rank, names, is_right)
        library.functions.distview_layout_release(layout)
    report("null", "1-7", "python", null_right(library, python))
    library.functions.distview_communicator_release(comm)
    library.call("distview_finalize")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
