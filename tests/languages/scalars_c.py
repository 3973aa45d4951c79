# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates scalar functions, and programs that call those of all languages, in C and in C++."""

from scalars import COLOURS, IMPLEMENTERS, SCALARS

_ENUM = "enum colour { " + ", ".join(f"{name} = {number}" for name, number in COLOURS.items()) + " };"


class C:
    """C's notation of types and values."""

    name = "c"
    suffix = "c"
    head = f"""#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifndef CMPLX // of C11, which not all compilers have
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif
{_ENUM}
"""
    begin, end = "", ""
    types = {"int32": "int32_t", "int64": "int64_t", "fcomplex": "float _Complex", "dcomplex": "double _Complex",
             "opaque": "void*", "enum": "enum colour"}  # fmt: skip

    def type(self, scalar):
        return self.types.get(scalar.name, scalar.name)

    def complex(self, scalar, real, imaginary):
        return f"{'CMPLXF' if scalar.name == 'fcomplex' else 'CMPLX'}({real}, {imaginary})"

    def literal(self, scalar, value):
        name = scalar.name
        if name == "bool":
            return "true" if value else "false"
        if name == "char":
            return f"'\\{value:03o}'"
        if name == "int64":
            return f"INT64_C({value})"
        if name == "float":
            return f"{float(value).hex()}f"
        if name == "double":
            return float(value).hex()
        if name in ("fcomplex", "dcomplex"):
            end = "f" if name == "fcomplex" else ""
            return self.complex(scalar, f"{value.real.hex()}{end}", f"{value.imag.hex()}{end}")
        if name == "opaque":
            return "NULL" if value is None else f"(void*)(intptr_t){value:#x}"
        if name == "string":
            return f'"{value}"'
        return str(value)


class Cpp(C):
    """C++ declares the functions extern "C", and has another type for complex numbers."""

    name = "cpp"
    suffix = "cpp"
    head = f"""#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>

{_ENUM}
// What crosses as float _Complex and double _Complex of C.
static_assert(sizeof(std::complex<float>) == 8 && sizeof(std::complex<double>) == 16);
"""
    begin, end = 'extern "C" {\n', "}\n"
    types = {"int32": "std::int32_t", "int64": "std::int64_t", "fcomplex": "std::complex<float>",
             "dcomplex": "std::complex<double>", "opaque": "void*", "enum": "colour"}  # fmt: skip

    def complex(self, scalar, real, imaginary):
        return f"{self.type(scalar)}({real}, {imaginary})"

    def literal(self, scalar, value):
        if scalar.name == "opaque":
            return "nullptr" if value is None else f"reinterpret_cast<void*>(std::intptr_t{{{value:#x}}})"
        return super().literal(scalar, value)


# Text is UTF-8 with its length; output text ends with a 0 and is cut to its capacity.
_GIVE = """
static void give(const char* text, char* to, int64_t capacity, int64_t* length) {
    *length = (int64_t)strlen(text);
    strncpy(to, text, (size_t)capacity);
}
"""
_IS_TEXT = """
static bool is_text(const char* text, int64_t length, const char* expected) {
    return length == (int64_t)strlen(expected) && memcmp(text, expected, (size_t)length) == 0;
}
"""


def _signatures(language, of, scalar):
    """The signatures of the five functions of a type, by mode."""
    name, t = scalar.name, language.type(scalar)
    if name == "string":
        taken, given, changed = ("const char* a, int64_t a_length", "char* b, int64_t b_capacity, int64_t* b_length",
                                 "char* c, int64_t c_capacity, int64_t* c_length")  # fmt: skip
        t = "const char*"
    else:
        taken, given, changed = f"{t} a", f"{t}* b", f"{t}* c"
    nothing = "void" if language.name == "c" else ""
    return {
        "return": f"{t} {of}_return_{name}({nothing})",
        "in": f"bool {of}_in_{name}({taken})",
        "out": f"void {of}_out_{name}({given})",
        "inout": f"bool {of}_inout_{name}({changed})",
        "all": f"{t} {of}_all_{name}({taken}, {given}, {changed})",
    }


def _bodies(language, scalar):
    value = {field: language.literal(scalar, getattr(scalar, field))
             for field in ("returned", "taken", "given", "before", "after")}  # fmt: skip
    if scalar.name == "string":
        taken = f"is_text(a, a_length, {value['taken']})"
        before = f"is_text(c, *c_length, {value['before']})"
        give = f"give({value['given']}, b, b_capacity, b_length);"
        change = f"give({value['after']}, c, c_capacity, c_length);"
    else:
        taken, before = f"a == {value['taken']}", f"*c == {value['before']}"
        give, change = f"*b = {value['given']};", f"*c = {value['after']};"
    return {
        "return": f"return {value['returned']};",
        "in": f"return {taken};",
        "out": give,
        "inout": f"const bool right = {before};\n    {change}\n    return right;",
        "all": f"const bool right = {taken} && {before};\n    {give}\n    {change}\n"
        f"    return right ? {value['returned']} : {value['taken']};",
    }


def functions(language):
    """The source file that implements all functions."""
    parts = [language.head, _GIVE, _IS_TEXT, language.begin]
    for scalar in SCALARS:
        signatures, bodies = _signatures(language, language.name, scalar), _bodies(language, scalar)
        for mode, signature in signatures.items():
            parts.append(f"{signature};\n{signature} {{\n    {bodies[mode]}\n}}\n")
    return "".join([*parts, language.end])


def _calls(language, of, scalar):
    """Calls of the five functions of a type in one implementing language."""
    name, t = scalar.name, language.type(scalar)
    value = {field: language.literal(scalar, getattr(scalar, field))
             for field in ("returned", "taken", "given", "before", "after")}  # fmt: skip
    if name == "string":
        is_returned = f"strcmp({of}_return_string(), {value['returned']}) == 0"
        taken, begin_b = f"{value['taken']}, (int64_t)strlen({value['taken']})", 'char b[40] = "";\n    int64_t b_length = -1;'
        given, b_right = "b, sizeof b, &b_length", f"is_text(b, b_length, {value['given']})"
        begin_c = f"char c[40] = {value['before']};\n    int64_t c_length = (int64_t)strlen(c);"
        changed, c_right = "c, sizeof c, &c_length", f"is_text(c, c_length, {value['after']})"
        all_right = f"strcmp({of}_all_string({taken}, {given}, {changed}), {value['returned']}) == 0"
    else:
        is_returned = f"{of}_return_{name}() == {value['returned']}"
        taken, begin_b = value["taken"], f"{t} b = {value['before']};"
        given, b_right = "&b", f"b == {value['given']}"
        begin_c = f"{t} c = {value['before']};"
        changed, c_right = "&c", f"c == {value['after']}"
        all_right = f"{of}_all_{name}({taken}, {given}, {changed}) == {value['returned']}"
    return f"""
static void call_{of}_{name}_in(void) {{
    report("{name}", "return", "{of}", {is_returned});
    report("{name}", "in", "{of}", {of}_in_{name}({taken}));
}}
static void call_{of}_{name}_out(void) {{
    {begin_b}
    {begin_c}
    {of}_out_{name}({given});
    report("{name}", "out", "{of}", {b_right});
    const bool right = {of}_inout_{name}({changed});
    report("{name}", "inout", "{of}", right && {c_right});
}}
static void call_{of}_{name}_all(void) {{
    {begin_b}
    {begin_c}
    const bool right = {all_right};
    report("{name}", "all", "{of}", right && {b_right} && {c_right});
}}
"""


def caller(language):
    """The program that calls the functions of all languages."""
    parts = [language.head, _IS_TEXT, f"""
static int failures = 0;
static void report(const char* type, const char* mode, const char* implementer, bool right) {{
    printf("languages %s %s {language.name} %s %s\\n", type, mode, implementer, right ? "ok" : "failed");
    failures += !right;
}}

""", language.begin]  # fmt: skip
    calls = []
    for scalar in SCALARS:
        for of in IMPLEMENTERS:
            parts += [f"{signature};\n" for signature in _signatures(language, of, scalar).values()]
            calls.append(_calls(language, of, scalar))
    parts += [language.end, *calls, f"\nint main({'void' if language.name == 'c' else ''}) {{\n"]
    for scalar in SCALARS:
        for of in IMPLEMENTERS:
            parts += [f"    call_{of}_{scalar.name}_{part}();\n" for part in ("in", "out", "all")]
    return "".join([*parts, "    return failures == 0 ? 0 : 1;\n}\n"])
