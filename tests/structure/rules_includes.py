# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who may include whom: Kokkos <- core <- comm <- algorithms <- programs; mpi.h in comm only."""

import posixpath
import re

from cpp_text import includes
from tree import COMPONENTS, Violation, component_of

_ALLOWED = {"core": {"core"}, "comm": {"core", "comm"}, "algorithms": set(COMPONENTS)}
_IMPL_TEST = re.compile(r"tests/(?:unit|races)/(\w+)/(?:test_)?impl_\w+\.[ch]pp$")


def _component_of_header(name):
    match = re.match(r"distview/(\w+)(?:/|\.hpp$)", name)
    return match[1] if match and match[1] in COMPONENTS else None


def direction(tree):
    """A component includes itself and what lies below it."""
    for path in tree.below(*COMPONENTS):
        own = component_of(path)
        for line, name, quoted in includes(tree.text(path)):
            other = _component_of_header(name)
            if other and other not in _ALLOWED[own]:
                yield Violation("direction", path, line, f"{own} includes {name}")
            if quoted:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
                if component_of(target) != own:
                    yield Violation("direction", path, line, f"{own} includes {target}")


def mpi(tree):
    """Only comm includes mpi.h; of comm, nothing that a schedule header includes does."""

    def leads_to_mpi(path, seen):
        for line, name, _ in includes(tree.text(path)):
            if name == "mpi.h":
                return line, name
            header = tree.header(name)
            if header and header not in seen:
                seen.add(header)
                if leads_to_mpi(header, seen):
                    return line, name
        return None

    for path in tree.below(*COMPONENTS):
        own = component_of(path)
        is_schedule = own == "comm" and "/include/" in path and "schedule" in posixpath.basename(path)
        if own == "core" or is_schedule:
            found = leads_to_mpi(path, {path})
            if found:
                yield Violation("mpi", path, found[0], f"{found[1]} needs mpi.h")
        elif own == "algorithms":
            for line, name, _ in includes(tree.text(path)):
                if name == "mpi.h":
                    yield Violation("mpi", path, line, "algorithms includes mpi.h")


def impl(tree):
    """impl/ belongs to its component, and to tests named impl_*, with their headers, of that component."""
    for path in tree.below(*COMPONENTS, "tests", "perf", "examples", "python", "interop"):
        match = _IMPL_TEST.match(path)
        own = match[1] if match else component_of(path)
        for line, name, _ in includes(tree.text(path)):
            match = re.match(r"distview/(\w+)/(?:\w+/)*impl/", name)
            if match and match[1] != own:
                yield Violation("impl", path, line, f"{name} belongs to {match[1]}")


def iostream(tree):
    """<iostream> in a header costs every user its static initialisers."""
    for path in tree.paths:
        if path.endswith((".hpp", ".hpp.in", ".h")):
            for line, name, _ in includes(tree.text(path)):
                if name == "iostream":
                    yield Violation("iostream", path, line, "<iostream> in a header")


RULES = (direction, mpi, impl, iostream)
