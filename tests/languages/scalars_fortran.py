# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates scalar functions, and a program that calls those of all languages, in Fortran."""

import math

from scalars import COLOURS, IMPLEMENTERS, SCALARS

_FIELDS = ("returned", "taken", "given", "before", "after")

_TYPES = {
    "bool": "logical(c_bool)", "char": "character(kind=c_char)", "int32": "integer(c_int32_t)",
    "int64": "integer(c_int64_t)", "float": "real(c_float)", "double": "real(c_double)",
    "fcomplex": "complex(c_float_complex)", "dcomplex": "complex(c_double_complex)", "opaque": "type(c_ptr)",
    "string": "type(c_ptr)", "enum": "integer(kind(colour_red))",
}  # fmt: skip

# Text is passed with its length and blank-padded here, like Fortran's texts; trailing blanks are not passed on.
_SUPPORT = """module {name}
    use, intrinsic :: iso_c_binding
    implicit none
    public
    enum, bind(C)
        enumerator :: {enumerators}
    end enum
    character(kind=c_char, len=40), target, save :: returned, refused

contains

    function pointer_of(number) result(address)
        integer(c_intptr_t), intent(in) :: number
        type(c_ptr) :: address
        address = transfer(number, address)
    end function

    logical function same_pointer(a, b)
        type(c_ptr), intent(in) :: a, b
        same_pointer = transfer(a, 0_c_intptr_t) == transfer(b, 0_c_intptr_t)
    end function

    logical function is_text(letters, length, expected)
        character(kind=c_char), intent(in) :: letters(*)
        integer(c_int64_t), intent(in) :: length
        character(*), intent(in) :: expected
        character(40) :: text
        integer :: i
        text = ""
        do i = 1, int(length)
            text(i:i) = letters(i)
        end do
        is_text = text == expected .and. length == len_trim(text)
    end function

    subroutine give(text, letters, capacity, length)
        character(*), intent(in) :: text
        character(kind=c_char), intent(inout) :: letters(*)
        integer(c_int64_t), intent(in) :: capacity
        integer(c_int64_t), intent(out) :: length
        integer :: i
        length = len_trim(text)
        do i = 1, int(min(length, capacity - 1))
            letters(i) = text(i:i)
        end do
        letters(i) = c_null_char
    end subroutine

    logical function is_c_text(address, expected)
        type(c_ptr), intent(in) :: address
        character(*), intent(in) :: expected
        character(kind=c_char), pointer :: letters(:)
        integer :: i
        call c_f_pointer(address, letters, [40])
        do i = 1, 40
            if (letters(i) == c_null_char) exit
        end do
        is_c_text = is_text(letters, int(i - 1, c_int64_t), expected)
    end function
{rest}end module
"""


def _real(value, kind):
    mantissa, exponent = math.frexp(value)
    return f"scale({int(mantissa * 2**53)}_c_int64_t * 1.0_{kind}, {exponent - 53})" if kind == "c_double" else (
        f"scale({int(mantissa * 2**24)}.0_{kind}, {exponent - 24})"
    )  # fmt: skip


def _literal(scalar, value):
    name = scalar.name
    if name == "bool":
        return ".true._c_bool" if value else ".false._c_bool"
    if name == "char":
        return f"char({value}, c_char)"
    if name in ("int32", "int64"):
        return f"({value}_c_{name}_t)"
    if name in ("float", "double"):
        return _real(value, f"c_{name}")
    if name in ("fcomplex", "dcomplex"):
        kind = "c_float" if name == "fcomplex" else "c_double"
        return f"cmplx({_real(value.real, kind)}, {_real(value.imag, kind)}, {kind})"
    if name == "opaque":
        return "c_null_ptr" if value is None else f"pointer_of({value}_c_intptr_t)"
    if name == "string":
        return f'"{value}"'
    return value


def _same(scalar, a, b):
    if scalar.name == "bool":
        return f"logical({a} .eqv. {b})"
    return f"same_pointer({a}, {b})" if scalar.name == "opaque" else f"{a} == {b}"


def _heads(of, scalar):
    """For each function: its first line, its declarations, its last line."""
    name, t = scalar.name, _TYPES[scalar.name]
    if name == "string":
        args = {"a": "a, a_length", "b": "b, b_capacity, b_length", "c": "c, c_capacity, c_length"}
        taken = ["character(kind=c_char), intent(in) :: a(*)", "integer(c_int64_t), value :: a_length"]
        given = ["character(kind=c_char), intent(inout) :: b(*)", "integer(c_int64_t), value :: b_capacity",
                 "integer(c_int64_t), intent(out) :: b_length"]  # fmt: skip
        changed = ["character(kind=c_char), intent(inout) :: c(*)", "integer(c_int64_t), value :: c_capacity",
                   "integer(c_int64_t), intent(inout) :: c_length"]  # fmt: skip
    else:
        args = {"a": "a", "b": "b", "c": "c"}
        taken, given, changed = [f"{t}, value :: a"], [f"{t}, intent(out) :: b"], [f"{t}, intent(inout) :: c"]
    result, right = [f"{t} :: r"], ["logical(c_bool) :: r"]

    def function(mode, arguments, declarations):
        head = f'function {of}_{mode}_{name}({arguments}) bind(C, name="{of}_{mode}_{name}") &\n        result(r)'
        return head, declarations, "end function"

    return {
        "return": function("return", "", result),
        "in": function("in", args["a"], taken + right),
        "out": (f'subroutine {of}_out_{name}({args["b"]}) bind(C, name="{of}_out_{name}")', given, "end subroutine"),
        "inout": function("inout", args["c"], changed + right),
        "all": function("all", f'{args["a"]}, {args["b"]}, &\n        {args["c"]}', taken + given + changed + result),
    }


def _bodies(scalar):
    value = {field: _literal(scalar, getattr(scalar, field)) for field in _FIELDS}
    if scalar.name == "string":
        taken, before = f"is_text(a, a_length, {value['taken']})", f"is_text(c, c_length, {value['before']})"
        give = f"call give({value['given']}, b, b_capacity, b_length)"
        change = f"call give({value['after']}, c, c_capacity, c_length)"
        result = [f"returned = {value['returned']} // c_null_char", "r = c_loc(returned)"]
        otherwise = [f"refused = {value['taken']} // c_null_char", "if (.not. right) r = c_loc(refused)"]
    else:
        taken, before = _same(scalar, "a", value["taken"]), _same(scalar, "c", value["before"])
        give, change = f"b = {value['given']}", f"c = {value['after']}"
        result, otherwise = [f"r = {value['returned']}"], [f"if (.not. right) r = {value['taken']}"]
    return {
        "return": result,
        "in": [f"r = logical({taken}, c_bool)"],
        "out": [give],
        "inout": [f"r = logical({before}, c_bool)", change],
        "all": ["logical :: right", f"right = {taken} .and. &\n            {before}", give, change, *result, *otherwise],
    }


def wrapped(text):
    """Continues lines of more than 132 bytes, Fortran's limit, after a comma outside of texts."""
    lines = []
    for line in text.splitlines():
        while len(line.encode()) > 120:
            at = max(i for i in range(20, 100) if line[i : i + 2] == ", " and line[:i].count('"') % 2 == 0)
            lines.append(line[: at + 1] + " &")
            line = " " * 12 + line[at + 2 :]
        lines.append(line)
    return "\n".join(lines) + "\n"


def _support(name, rest):
    numbers = ", ".join(f"{colour} = {number}" for colour, number in COLOURS.items())
    return "! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n" + _SUPPORT.format(
        name=name, enumerators=numbers, rest=rest
    )


def functions():
    parts = []
    for scalar in SCALARS:
        bodies = _bodies(scalar)
        for mode, (head, declarations, end) in _heads("fortran", scalar).items():
            parts.append("\n    " + "\n        ".join([head, *declarations, *bodies[mode]]) + f"\n    {end}\n")
    return wrapped(_support("scalar_functions", "".join(parts)))


def _calls(of, scalar):
    name, value = scalar.name, {field: _literal(scalar, getattr(scalar, field)) for field in _FIELDS}
    if name == "string":
        declarations = ["character(kind=c_char, len=40) :: b, c", "integer(c_int64_t) :: b_length, c_length"]
        a = f"{value['taken']}, len_trim({value['taken']}, c_int64_t)"
        begin = [f"c = {value['before']}", "c_length = len_trim(c)", "b_length = -1", 'b = ""']
        b, c = "b, 40_c_int64_t, b_length", "c, 40_c_int64_t, c_length"
        b_right, c_right = f"is_text(b, b_length, {value['given']})", f"is_text(c, c_length, {value['after']})"

        def same(result):
            return f"is_c_text({result}, &\n            {value['returned']})"
    else:
        t = _TYPES[name]
        declarations = [f"{t} :: b, c"]
        a, b, c = value["taken"], "b", "c"
        begin = [f"b = {value['before']}", f"c = {value['before']}"]
        b_right, c_right = _same(scalar, "b", value["given"]), _same(scalar, "c", value["after"])

        def same(result):
            return _same(scalar, result, f"&\n            {value['returned']}")

    lines = [
        *declarations,
        "logical :: right",
        f'call report("{name}", "return", "{of}", {same(f"{of}_return_{name}()")})',
        f'call report("{name}", "in", "{of}", logical({of}_in_{name}({a})))',
        *begin,
        f"call {of}_out_{name}({b})",
        f'call report("{name}", "out", "{of}", {b_right})',
        f"right = {of}_inout_{name}({c})",
        f'call report("{name}", "inout", "{of}", right .and. {c_right})',
        *begin,
        f"right = {same(f'{of}_all_{name}({a}, {b}, {c})')}",
        f'call report("{name}", "all", "{of}", right .and. {b_right} .and. &\n            {c_right})',
    ]
    return f"    subroutine call_{of}_{name}()\n        " + "\n        ".join(lines) + "\n    end subroutine\n"


def caller():
    """The program that calls the functions of all languages."""
    interfaces, calls, names = [], [], []
    for scalar in SCALARS:
        for of in IMPLEMENTERS:
            for head, declarations, end in _heads(of, scalar).values():
                interfaces.append("        " + "\n            ".join([head, "import", *declarations]) + f"\n        {end}\n")
            calls.append(_calls(of, scalar))
            names.append(f"    call call_{of}_{scalar.name}()\n")
    return wrapped(
        _support("scalar_values", "\n")
        + "program call_scalars\n    use scalar_values\n    implicit none\n    interface\n"
        + "".join(interfaces)
        + "    end interface\n    integer :: failures = 0\n"
        + "".join(names)
        + "    if (failures /= 0) error stop 1\n\ncontains\n\n"
        + """    subroutine report(type, mode, implementer, right)
        character(*), intent(in) :: type, mode, implementer
        logical, intent(in) :: right
        print "(9a)", "languages ", type, " ", mode, " fortran ", implementer, " ", trim(merge("ok    ", "failed", right))
        if (.not. right) failures = failures + 1
    end subroutine
"""
        + "".join(calls)
        + "end program\n"
    )
