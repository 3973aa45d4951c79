# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""callers.py LIBRARY: Python, by ctypes, calls functions of C, C++, Fortran and itself, and passes them to the library."""

import ctypes
import sys
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char, c_double, c_float, c_int, c_int32, c_int64, c_void_p

sys.dont_write_bytecode = True
import c_face  # noqa: E402
from c_face import COLUMN_MAJOR, FLOAT64, INT32, INT64, OPAQUE, ROW_MAJOR  # noqa: E402
from c_face import CopiedBytes, Error, Exceeded, FibonacciError, LayoutError, Library, LocalCopyOptions  # noqa: E402
from c_face import Memory, NegativeValue, PlainArray, ShapeError, TooBig, TooDeep, UsageError, raises  # noqa: E402

IMPLEMENTERS = ("c", "cpp", "fortran")
NUMBERS = (
    (INT32, c_int32), (INT64, c_int64), (c_face.FLOAT32, c_float), (FLOAT64, c_double),
    (c_face.COMPLEX64, c_float * 2), (c_face.COMPLEX128, c_double * 2),
)  # fmt: skip


class Particle(ctypes.Structure):
    _fields_ = (("position", c_double * 3), ("kind", c_int32), ("alive", c_bool), ("tag", c_char * 3),
                ("charge", c_float), ("owner", c_void_p))  # fmt: skip


class Fibonacci(ctypes.Structure):
    _fields_ = (("n", c_int64), ("max_depth", c_int64), ("max_value", c_int64), ("result", c_int64))


LocalFunction = CFUNCTYPE(c_int, POINTER(PlainArray), c_void_p)
Distribution = CFUNCTYPE(c_int, c_int64, POINTER(c_int), POINTER(c_int64), c_void_p)
Kernel = CFUNCTYPE(c_int, c_int, POINTER(c_int64), POINTER(c_int64), POINTER(c_void_p))
Combine = CFUNCTYPE(c_int, POINTER(c_double), POINTER(c_double), c_int32, c_void_p)


class Foreign:
    """The functions of another language."""

    def __init__(self, library, name):
        self.library, self.name = library, name

    def __getattr__(self, what):
        return getattr(self.library.functions, f"{self.name}_{what}")

    def sum_float64_2(self, array):
        total = c_double()
        self.library.call(f"{self.name}_sum_float64_2", array, byref(total))
        return total.value

    def hold(self, array):
        return c_void_p(getattr(self.library.functions, f"{self.name}_hold")(array))

    def particle_offsets(self):
        offsets = (c_int64 * 7)()
        getattr(self.library.functions, f"{self.name}_particle_offsets")(offsets)
        return list(offsets)


class Python:
    """Python's own functions, for the library to call."""

    name = "python"

    def __init__(self, library):
        self.library = library
        self.raw = LocalFunction(self._guard(self._raw))
        self.fibonacci = LocalFunction(self._guard(self._fibonacci))
        self.distribution, self.kernel, self.combine = map(
            lambda pair: pair[0](self._guard(pair[1])),
            ((Distribution, self._distribution), (Kernel, self._kernel), (Combine, self._combine)),
        )

    def _guard(self, function):
        def call(*arguments):
            try:
                function(*arguments)
                return 0
            except Error as error:
                return self.library.set_error(error)

        return call

    @staticmethod
    def _raw(plain, _):
        a = plain.contents
        if a.rank != 2 or a.order != COLUMN_MAJOR or a.leading_dimension != a.extents[0] or not a.data:
            raise ShapeError("raw: expected a(m, n) without gaps")
        m, n = a.extents[:2]
        elements = (dict(NUMBERS)[a.element] * (m * n)).from_address(a.data)
        for k in range(m * n):
            factor = k % m + 1 + 10 * (k // m + 1)
            if hasattr(elements[k], "__len__"):
                elements[k][:] = [factor * part for part in elements[k]]
            else:
                elements[k] *= factor

    @staticmethod
    def _fibonacci(_, user):
        asked = Fibonacci.from_address(user)

        def find(n, depth):
            if n < 0:
                raise NegativeValue("fibonacci: expected n >= 0")
            if depth > asked.max_depth:
                raise TooDeep("fibonacci: too deep")
            value = n if n < 2 else find(n - 1, depth + 1) + find(n - 2, depth + 1)
            if value > asked.max_value:
                raise TooBig("fibonacci: too big")
            return value

        asked.result = find(asked.n, 0)

    @staticmethod
    def _distribution(index, process, position, user):
        process[0] = 0
        position[0] = c_int64.from_address(user).value - 1 - index

    @staticmethod
    def _kernel(rank, begin, end, user):
        if rank != 1:
            raise ShapeError("kernel: expected 1 axis")
        source, target = ((c_double * 10).from_address(user[k]) for k in range(2))
        for i in range(begin[0], end[0]):
            target[i] = source[i - 1] + source[i + 1]

    @staticmethod
    def _combine(here, incoming, element, _):
        if element != FLOAT64:
            raise ShapeError("combine: expected float64")
        here[0] = 2 * here[0] + incoming[0]

    def sum_float64_2(self, array):
        memory = Memory()
        self.library.call("distview_array_memory", array, byref(memory))
        if (memory.rank, memory.element) != (2, FLOAT64):
            raise ShapeError(f"sum_float64_2: expected 2 axes of float64, got {memory.rank} of element {memory.element}")
        return sum(
            c_double.from_address(memory.data + i * memory.strides[0] + j * memory.strides[1]).value
            for i in range(memory.extents[0])
            for j in range(memory.extents[1])
        )


class Tests:
    """One test for each row of the table; a method returns whether all results are right."""

    def __init__(self, library):
        self.library = library
        self.release = library.functions.distview_array_release

    def make(self, extents, element, order):
        data = c_void_p()
        array = c_void_p()
        self.library.call("make_array", len(extents), (c_int64 * len(extents))(*extents), element, order, byref(array),
                          byref(data))  # fmt: skip
        return array, data.value

    def padded(self):
        array, data, plan = c_void_p(), c_void_p(), c_void_p()
        self.library.call("make_padded", byref(array), byref(data), byref(plan))
        return array, (c_double * 10).from_address(data.value), plan

    def struct(self, of):
        names = [field[0] for field in Particle._fields_]
        expected = [getattr(Particle, name).offset for name in names] + [ctypes.sizeof(Particle)]
        p = Particle((1, 2, 3), 5, True, b"abc", 0.5, 16)
        results = [of.particle_offsets() == expected, of.particle_mass(p) == 1 + 4 + 12 + 40 + 16 + 0.5 + ord("c") + 1000]
        of.particle_move(byref(p))
        results.append((list(p.position), p.kind, p.alive, p.tag, p.charge, p.owner) ==
                       ([2, 4, 6], -5, False, b"cba", -0.5, None))  # fmt: skip
        array, data = self.make([5], OPAQUE + ctypes.sizeof(Particle), ROW_MAJOR)
        for i, element in enumerate((Particle * 5).from_address(data)):
            element.position[2] = i
            of.particle_move(byref(element))
            results.append(of.particle_mass(element) == 1 + 4 + 4 * (i + 3) + 16)
        self.release(array)
        return all(results)

    def raw(self, of):
        results = []
        for element, type_ in NUMBERS:
            for order in (ROW_MAJOR, COLUMN_MAJOR):
                array, data = self.make([3, 4], element, order)
                elements = (type_ * 12).from_address(data)
                for k in range(12):
                    elements[k] = (k - 6, 1) if hasattr(elements[k], "__len__") else k - 6
                options, copied = LocalCopyOptions(intent=2, order=COLUMN_MAJOR), CopiedBytes(-1, -1)
                self.library.call("distview_with_local_copy", array, byref(options), of.raw, None, byref(copied))
                expected = 0 if order == COLUMN_MAJOR else 12 * ctypes.sizeof(type_)
                results.append((copied.copied_in, copied.copied_out) == (expected, expected))
                for k in range(12):
                    i, j = (k % 3, k // 3) if order == COLUMN_MAJOR else (k // 4, k % 4)
                    factor, got = i + 1 + 10 * (j + 1), elements[k]
                    if hasattr(got, "__len__"):
                        results.append(list(got) == [(k - 6) * factor, factor])
                    else:
                        results.append(got == (k - 6) * factor)
                self.release(array)
        array, _ = self.make([3], FLOAT64, ROW_MAJOR)
        options = LocalCopyOptions(intent=2, order=COLUMN_MAJOR)
        results.append(raises(ShapeError, Error, "expected a(m, n) without gaps", lambda: self.library.call(
            "distview_with_local_copy", array, byref(options), of.raw, None, None)))  # fmt: skip
        self.release(array)
        return all(results)

    def generic(self, of):
        results = []
        for order in (ROW_MAJOR, COLUMN_MAJOR):
            array, data = self.make([3, 4], FLOAT64, order)
            (c_double * 12).from_address(data)[:] = range(12)
            results.append(of.sum_float64_2(array) == 66)
            self.release(array)
            for extents, element, got in (([3], FLOAT64, "1 of element 33554440"), ([3, 4], INT64, "2 of element 8")):
                array, _ = self.make(extents, element, order)
                results.append(raises(ShapeError, Error, f"expected 2 axes of float64, got {got}",
                                      lambda: of.sum_float64_2(array)))  # fmt: skip
                self.release(array)
        return all(results)

    def objects(self, of):
        ended = self.library.functions.ended_arrays
        before = ended()
        array = self.library.make("make_counted")
        held = of.hold(array)
        self.release(array)
        results = [ended() == before]
        of.let_go(held)
        return all([*results, ended() == before + 1])

    def exceptions(self, callee):
        array, _ = self.make([1], FLOAT64, ROW_MAJOR)

        def call(n, depth):
            asked = Fibonacci(n, depth, 1000, -1)
            self.library.call("distview_with_local_copy", array, None, callee, byref(asked), None)
            return asked.result

        results = [
            call(10, 100) == 55,
            raises(NegativeValue, FibonacciError, "fibonacci: expected n >= 0", lambda: call(-1, 100)),
            raises(TooDeep, Exceeded, "fibonacci: too deep", lambda: call(10, 3)),
            raises(TooBig, Exceeded, "fibonacci: too big", lambda: call(20, 100)),
        ]
        self.release(array)
        return all(results)

    def virtual(self, of):
        extent = c_int64(7)
        layout = self.library.make("make_backwards", of.distribution, byref(extent))
        results = []
        for i in range(7):
            index = c_int64()
            self.library.call("distview_layout_to_global", layout, 0, 0, c_int64(i), byref(index))
            results.append(index.value == 6 - i)
        self.library.functions.distview_layout_release(layout)
        array, source, plan = self.padded()
        target = (c_double * 10)()
        source[1:9] = [i * i for i in range(1, 9)]
        user = (c_void_p * 2)(ctypes.addressof(source), ctypes.addressof(target))
        self.library.call("distview_padding_plan_apply", plan, 1, byref(array), of.kernel, user)
        results += [target[i] == source[i - 1] + source[i + 1] for i in range(1, 9)]
        operation = c_int()
        self.library.call("distview_operation_create", of.combine, None, byref(operation))
        source[0], source[9] = 100, 200
        self.library.call("distview_padding_plan_combine", plan, operation, 1, byref(array))
        results.append((source[1], source[2], source[8]) == (2 * 1 + 200, 4, 2 * 64 + 100))
        self.library.functions.distview_operation_free(operation)
        self.library.functions.distview_padding_plan_release(plan)
        self.release(array)
        return all(results)

    def contracts(self):
        results, none = [], c_void_p()
        for level in range(3):
            array, _, plan = self.padded()
            self.library.call("distview_set_contracts", level)
            results.append(self.library.functions.distview_contracts() == level)
            self.library.call("distview_padding_plan_execute", plan, 1, byref(array))
            if level > 0:
                results.append(raises(UsageError, Error, "got a null pointer", lambda: self.library.call(
                    "distview_padding_plan_execute", plan, 1, byref(none))))  # fmt: skip
            results.append(self.library.number("distview_padding_plan_is_usable", plan) == 1 or level == 1)
            results.append(raises(UsageError, Error, "got 3", lambda: self.library.call("distview_set_contracts", 3)))
            self.library.functions.distview_padding_plan_release(plan)
            self.release(array)
        self.library.call("distview_set_contracts", 1)
        return all(results)

    def inheritance(self):
        """Each class is also an Error (conversion up); isinstance() tests conversion down."""
        return all(raises(LayoutError, base, "-5", lambda: self.make([-5], FLOAT64, ROW_MAJOR))
                   for base in (LayoutError, Error, Exception)) and not issubclass(LayoutError, ShapeError)  # fmt: skip


def main():
    library = Library(sys.argv[1])
    library.call("begin_calls")
    tests = Tests(library)
    python = Python(library)
    failures = 0

    def report(what, implementer, is_right):
        nonlocal failures
        failures += not is_right
        print(f"languages {what} python {implementer} {'ok' if is_right else 'failed'}")

    for of in (*(Foreign(library, name) for name in IMPLEMENTERS), python):
        if of is not python:
            report("struct", of.name, tests.struct(of))
            report("objects", of.name, tests.objects(of))
        report("raw", of.name, tests.raw(of))
        report("generic", of.name, tests.generic(of))
        report("exceptions", of.name, tests.exceptions(of.fibonacci))
        report("virtual", of.name, tests.virtual(of))
    report("exceptions", "fortran_by_cpp", tests.exceptions(library.functions.fortran_fibonacci_by_cpp))
    report("contracts", "library", tests.contracts())
    report("inheritance", "library", tests.inheritance())
    library.call("end_calls")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
