# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules on the comments of public headers."""

import re

from cpp_text import line_of, without_strings
from tree import COMPONENTS, STACKS, Violation

_INTERNAL = ("impl", "detail", "")
_NAMESPACE = re.compile(r"namespace\s+([\w:]*)\s*$")
_TYPE = re.compile(r"(?:template\s*<.*>\s*(?:requires\b.*)?)?\b(class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)", re.DOTALL)
_NO_FUNCTION = re.compile(
    r"(?:template\s*<.*?>\s*)?(?:inline\s+)?(?:using|enum|concept|constexpr(?![^=]*\()|static_assert|extern|friend)\b"
    r"|template\s*<[^;{]*>\s*(?:inline\s+)?(?:concept|constexpr\s+\w+\s+\w+\s*=)",
    re.DOTALL,
)
_KEYWORDS = {"requires", "decltype", "noexcept", "alignas", "operator", "sizeof", "explicit"}


def _items(code, begin, end):
    """(begin, begin of the body or None, end) of each declaration in a range."""
    at = begin
    while at < end:
        while at < end and (code[at].isspace() or code[at] == ";"):
            at += 1
        if at < end and code[at] == "#":  # a preprocessor line
            at = code.find("\n", at) + 1 or end
            continue
        start, body, round_depth = at, None, 0
        while at < end:
            character = code[at]
            round_depth += (character == "(") - (character == ")")
            if character == ";" and round_depth == 0:
                break
            if character == "{" and round_depth == 0:
                body, depth = at, 0
                while at < end:
                    depth += (code[at] == "{") - (code[at] == "}")
                    if depth == 0:
                        break
                    at += 1
                break
            at += 1
        if start < end:
            yield start, body, at
        at += 1


def _doc(text, begin):
    """The /// lines that end directly before a declaration."""
    lines = text[:begin].splitlines()
    if lines and not lines[-1].strip():
        lines.pop()
    doc = []
    while lines and lines[-1].lstrip().startswith("///"):
        doc.append(lines.pop())
    return "\n".join(reversed(doc))


def _function_name(head):
    """The name of the function if the text looks like a function declaration; None otherwise."""
    if _NO_FUNCTION.match(head):
        return None
    flat = re.sub(r"\brequires\s*\((?:[^()]|\([^()]*\))*\)", " ", head)
    previous = None
    while previous != flat:  # remove template arguments, which may contain calls
        previous, flat = flat, re.sub(r"<(?:[^<>()]|\([^()]*\))*>", " ", flat)
    for match in re.finditer(r"(\w+|operator\S+)\s*\(", flat):
        if match[1] not in _KEYWORDS:
            return match[1]
    return None


def _has_functions(code, begin, end):
    return any(
        _function_name(code[b : body or e]) for b, body, e in _items(code, begin, end)
    )


def _public(text, code, begin, end, inside=False):
    """(offset, name, comment) of public functions and of classes with functions in namespaces; an overload without a
    comment has the comment of the overload before it."""
    last_function, last_doc = None, ""
    for start, body, stop in _items(code, begin, end):
        head = code[start : body or stop]
        space = _NAMESPACE.search(head)
        if space:
            if space[1].split("::")[-1] not in _INTERNAL:
                yield from _public(text, code, body + 1, stop, inside=True)
            continue
        if not inside:
            continue
        if re.match(r"(?:public|private|protected)\s*:", head):
            continue
        doc = _doc(text, start)
        type_name = _TYPE.match(head)
        if type_name and "(" not in head.split(type_name[2])[0]:
            if body and _has_functions(code, body + 1, stop):
                yield start, type_name[2], doc
            last_function = None
            continue
        name = _function_name(head)
        if name is None:
            continue
        doc = doc or (last_doc if name == last_function else "")
        last_function, last_doc = name, doc
        yield start, name, doc


_DOCUMENTED = (
    "comm/include", "algorithms/include", "io/include", "interop/common/include", *(f"interop/{stack}/include" for stack in STACKS),
)  # fmt: skip


def _public_of_headers(tree, folders=_DOCUMENTED):
    """(path, line, name, comment) of declarations in public headers: above core unless folders are given."""
    for path in tree.below(*folders, suffixes=(".hpp",)):
        if "/impl/" in path:
            continue
        text = tree.text(path)
        code = without_strings(text)
        for offset, name, doc in _public(text, code, 0, len(code)):
            yield path, line_of(text, offset), name, doc


def collective(tree):
    """Public headers above core state for each function and class which calls are collective."""
    for path, line, name, doc in _public_of_headers(tree):
        if "Collective:" not in doc:
            yield Violation(
                "collective", path, line, f"{name}: its comment lacks 'Collective:', whether all ranks must call it"
            )


_SHEET = "docs/api_sheet.md"
#: Internals of the library, and the binary interface of another project.
_HEADERS_NOT_FOR_USERS = tuple(
    f"core/include/distview/core/{name}.hpp"
    for name in ("kokkos_ext", "protocol/dimension", "protocol/dlpack_abi", "protocol/rules", "text")
)
#: Public only until they move to impl.
_NOT_FOR_USERS = {"static_cast"}


def api_sheet(tree):
    """docs/api_sheet.md names every public function and class."""
    if _SHEET not in tree.paths:
        return
    sheet = set(re.findall(r"\w+", tree.text(_SHEET)))
    for path, line, name, _ in _public_of_headers(tree, ("core/include", *_DOCUMENTED)):
        if path in _HEADERS_NOT_FOR_USERS:
            continue
        if name not in sheet and name not in _NOT_FOR_USERS and not name.startswith("operator"):
            yield Violation("api_sheet", path, line, f"{name} is not in {_SHEET}")


#: RedistributionSchedule: lists from which plans are made. Layouts: functions that DeviceLayout calls.
_MEMBERS_NOT_FOR_USERS = {"runs_from", "runs_to", "runs_with", "messages", "with_tables"}
_ACCESS = re.compile(r"((?:public|private|protected)\s*:(?!:)\s*)+")


def _members(text, code, begin, end, owner=None, access="public"):
    """(offset, class, name) of public member functions, without constructors, operators and friends."""
    for start, body, stop in _items(code, begin, end):
        head = code[start : body or stop]
        label = _ACCESS.match(head)
        if label:
            access = re.findall(r"\w+", label[0])[-1]
            start, head = start + label.end(), head[label.end() :]
        space = _NAMESPACE.search(head)
        if space:
            if space[1].split("::")[-1] not in _INTERNAL:
                yield from _members(text, code, body + 1, stop)
            continue
        type_name = _TYPE.match(head)
        if type_name and "(" not in head.split(type_name[2])[0]:
            if body and access == "public":
                inside = "private" if type_name[1] == "class" else "public"
                yield from _members(text, code, body + 1, stop, type_name[2], inside)
            continue
        if owner is None or access != "public" or re.search(r"\bfriend\b|\boperator\b|~|=\s*delete\b", head):
            continue
        name = _function_name(head)
        if name and name != owner and not name.startswith("operator"):
            yield start, owner, name


def api_sheet_members(tree):
    """docs/api_sheet.md names every public member function of the classes of core, comm, algorithms and io."""
    if _SHEET not in tree.paths:
        return
    sheet = set(re.findall(r"\w+", tree.text(_SHEET))) | _MEMBERS_NOT_FOR_USERS
    folders = [f"{component}/include" for component in COMPONENTS]
    for path in tree.below(*folders, suffixes=(".hpp",)):
        if "/impl/" in path or path in _HEADERS_NOT_FOR_USERS:
            continue
        text = tree.text(path)
        code = without_strings(text)
        for offset, owner, name in _members(text, code, 0, len(code)):
            if name not in sheet:
                yield Violation("api_sheet_members", path, line_of(text, offset), f"{owner}::{name}() is not in {_SHEET}")


def c_face(tree):
    """docs/api_sheet.md names every function of the C interface."""
    sheet = set(re.findall(r"\w+", tree.text(_SHEET))) if _SHEET in tree.paths else None
    for path in tree.below("c/include", suffixes=(".h",)):
        text = tree.text(path)
        for match in re.finditer(r"^DISTVIEW_API [^;(]*?(distview_\w+)\(", text, re.MULTILINE):
            if sheet is not None and match[1] not in sheet:
                yield Violation("c_face", path, line_of(text, match.start()), f"{match[1]} is not in {_SHEET}")


RULES = (collective, api_sheet, api_sheet_members, c_face)
