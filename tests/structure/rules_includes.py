# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Permitted includes: Kokkos <- core <- comm <- algorithms <- programs; mpi.h in comm only."""

import posixpath
import re

from cpp_text import includes, line_of, without_strings
from tree import COMPONENTS, STACKS, Violation, component_of

_ALLOWED = {
    "core": {"core"},
    "comm": {"core", "comm"},
    "algorithms": {"core", "comm", "algorithms"},
    # Files and solver stacks do not include each other.
    "io": {"core", "comm", "io"},
    "interop": {"core", "comm", "algorithms", "interop"},
    # A stack includes no other stack.
    **{stack: {"core", "comm", "algorithms", "interop", stack} for stack in STACKS},
}
_IMPL_TEST = re.compile(r"tests/(?:unit|races)/(\w+)/(?:test_)?impl_\w+\.[ch]pp$")


def _component_of_header(name):
    match = re.match(r"distview/(\w+)(?:/|\.hpp$)", name)
    return match[1] if match and match[1] in _ALLOWED else None


def direction(tree):
    """A component includes only itself and the components below it."""
    for path in tree.below(*COMPONENTS, "interop"):
        own = component_of(path)
        if own is None:
            continue
        for line, name, quoted in includes(tree.text(path)):
            other = _component_of_header(name)
            if other and other not in _ALLOWED[own]:
                yield Violation("direction", path, line, f"{own} includes {name}")
            if quoted:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
                if component_of(target) != own:
                    yield Violation("direction", path, line, f"{own} includes {target}")


def mpi(tree):
    """Only comm includes mpi.h; the headers that a schedule header of comm includes do not."""

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
        if path.startswith("io/tools/"):  # programs
            continue
        own = component_of(path)
        is_schedule = own == "comm" and "/include/" in path and "schedule" in posixpath.basename(path)
        if own == "core" or is_schedule:
            found = leads_to_mpi(path, {path})
            if found:
                yield Violation("mpi", path, found[0], f"{found[1]} needs mpi.h")
        elif own in ("algorithms", "io"):
            for line, name, _ in includes(tree.text(path)):
                if name == "mpi.h":
                    yield Violation("mpi", path, line, f"{own} includes mpi.h")


def impl(tree):
    """impl/ headers are included only by their component, and by its tests named impl_* and their headers."""
    for path in tree.below(*COMPONENTS, "tests", "perf", "examples", "python", "interop", "c"):
        match = _IMPL_TEST.match(path)
        own = match[1] if match else component_of(path)
        for line, name, _ in includes(tree.text(path)):
            match = re.match(r"distview/(\w+)/(?:\w+/)*impl/", name)
            if match and match[1] != own:
                yield Violation("impl", path, line, f"{name} belongs to {match[1]}")


#: Rooms of comm, lower to higher: a room includes itself and those before it. The first four
#: (_WITHOUT_MPI) need no MPI.
ROOMS = ("schedule", "kernels", "memory", "report", "mpi", "transport", "plan")
_WITHOUT_MPI = ROOMS[:4]
#: Ceilings of comm: pairs of rooms, public headers besides comm.hpp, lines of headers and sources.
#: Lower them when comm has shrunk; a higher number needs a decision (docs/decisions).
_MOST_ARROWS = 11
_MOST_PUBLIC_HEADERS = 22
_MOST_LINES = 25_497
#: Public headers without a source of the same name.
_ROOM_OF_PUBLIC = {"combine": "kernels", "elements": "plan", "exchange_handle": "plan", "global_access": "transport"}


def _stem(path):
    return posixpath.basename(path).split(".")[0]


def _rooms(tree):
    """The room of each file of comm; comm.hpp, which includes all public headers, the archive and the constants have none."""
    result = {}
    for path in tree.below("comm"):
        match = re.match(r"comm/(?:include/distview/comm/impl|src)/(\w+)/", path)
        if match:
            result[path] = match[1]
    by_stem = {_stem(path): room for path, room in result.items() if "/src/" in path}
    for path in tree.below("comm"):
        if path not in result and _stem(path) not in ("comm", "archive", "tuning"):
            result[path] = _ROOM_OF_PUBLIC.get(_stem(path)) or by_stem.get(_stem(path), "?")
    return result


def _included(tree, path):
    for line, name, quoted in includes(tree.text(path)):
        yield line, f"comm/src/{name}" if quoted else tree.header(name)


def rooms(tree):
    """Rooms of comm are in order, with few arrows between them, which READMEs list; the first four include no mpi.h."""
    room_of = _rooms(tree)
    arrows = {}
    for path, room in room_of.items():
        if room not in ROOMS:
            yield Violation("rooms", path, 1, f"expected a folder of {', '.join(ROOMS)}, got {room}")
            continue
        for line, header in _included(tree, path):
            other = room_of.get(header)
            if other not in ROOMS or other == room:
                continue
            arrows.setdefault((room, other), (path, line))
            if ROOMS.index(other) > ROOMS.index(room):
                yield Violation("rooms", path, line, f"{room} includes {other}, which is higher")
        for line, name, _ in includes(tree.text(path)):
            if name == "mpi.h" and room in _WITHOUT_MPI:
                yield Violation("rooms", path, line, f"{room} includes mpi.h")
    for room in ROOMS:
        readme = f"comm/src/{room}/README.md"
        others = [other for other in ROOMS if (room, other) in arrows]
        expected = f"* Includes: {', '.join([*others, 'core'])}."
        if readme in tree.paths and expected not in tree.text(readme).splitlines():
            yield Violation("rooms", readme, 1, f"expected '{expected}'")
    if len(arrows) > _MOST_ARROWS:
        path, line = list(arrows.values())[-1]
        yield Violation("rooms", path, line, f"{len(arrows)} arrows, at most {_MOST_ARROWS}")


def sizes(tree):
    """comm has at most the decided number of public headers and lines."""
    headers = [p for p in tree.below("comm/include/distview/comm") if "/impl/" not in p]
    if len(headers) > _MOST_PUBLIC_HEADERS:
        why = f"{len(headers)} public headers of comm, at most {_MOST_PUBLIC_HEADERS} (tests/structure/rules_includes.py)"
        yield Violation("sizes", headers[-1], 1, why)
    lines = {p: len(tree.text(p).splitlines()) for p in tree.below("comm")}
    if sum(lines.values()) > _MOST_LINES:
        why = f"{sum(lines.values())} lines of comm, at most {_MOST_LINES}; this file is the longest"
        yield Violation("sizes", max(lines, key=lines.get), 1, why)


#: Units of comm, besides headers of kernels, that may include Kokkos_Core: runners, handles, units
#: that accept Views.
_WITH_KOKKOS = {
    "call_arguments",
    "elements",
    "exchange_handle",
    "gather_plan",
    "gather_runner",
    "ghost_exchange_plan",
    "global_access",
    "import_dist_view",
    "make_dist_view",
    "make_field",
    "migration_plan",
    "move_runner",
    "other_program",
    "padding_exchange_plan",
    "padding_runners",
    "redistribution_plan",
    "section_access",
}
#: Sources that may include it, though their headers may not.
_SOURCES_WITH_KOKKOS = {"cuda_layer", "field", "plan_core", "point_moves", "runtime"}
#: Headers of Kokkos that may be included anywhere.
_SMALL_KOKKOS = {"Kokkos_Abort.hpp", "Kokkos_Macros.hpp"}


def kokkos(tree):
    """Only headers of kernels and the units above include Kokkos_Core, directly or through these units."""
    room_of = _rooms(tree)
    found = {}

    def is_free(path):
        """Whether a file may include Kokkos_Core."""
        if path.endswith(".hpp") and room_of.get(path, "kernels") == "kernels":
            return True
        return _stem(path) in _WITH_KOKKOS | (_SOURCES_WITH_KOKKOS if path.endswith(".cpp") else set())

    def find(path):
        """The include line that brings in Kokkos_Core, or None; headers that may not include it are not followed."""
        if path not in found:
            found[path] = None  # ends circles of includes
            for line, name, quoted in includes(tree.text(path)):
                header = f"comm/src/{name}" if quoted else tree.header(name)
                heavy = name.startswith("Kokkos_") and name not in _SMALL_KOKKOS
                if heavy or (header in tree.paths and is_free(header) and find(header)):
                    found[path] = line, name
                    break
        return found[path]

    for path in room_of:
        if not is_free(path) and find(path):
            line, name = find(path)
            yield Violation("kokkos", path, line, f"gets Kokkos_Core by {name}")


def names_kokkos(tree):
    """A header that names Kokkos:: includes a header of Kokkos itself: most are compiled after Kokkos_Core."""

    def leads_to_kokkos(path, seen):
        for _, name, _ in includes(tree.text(path)):
            header = tree.header(name)
            if name.startswith("Kokkos_"):
                return True
            if header and header not in seen:
                seen.add(header)
                if leads_to_kokkos(header, seen):
                    return True
        return False

    for path in tree.below(*COMPONENTS):
        text = without_strings(tree.text(path))
        if "/include/" in path and "Kokkos::" in text and not leads_to_kokkos(path, {path}):
            line = line_of(text, text.index("Kokkos::"))
            yield Violation("names_kokkos", path, line, "names Kokkos:: and includes none of its headers")


def cycles(tree):
    """Units of comm (a header and the source of the same name) do not include each other in a circle."""
    graph = {}
    for path in _rooms(tree):
        for _, header in _included(tree, path):
            if header and header.startswith("comm/") and _stem(header) != _stem(path):
                graph.setdefault(_stem(path), {}).setdefault(_stem(header), path)
    done, under_way = set(), []

    def visit(unit):
        if unit in under_way:
            circle = under_way[under_way.index(unit) :] + [unit]
            where = graph[circle[0]][circle[1]]
            yield Violation("cycles", where, 1, " -> ".join(circle))
            return
        if unit in done:
            return
        under_way.append(unit)
        for other in sorted(graph.get(unit, ())):
            yield from visit(other)
        under_way.pop()
        done.add(unit)

    for unit in sorted(graph):
        yield from visit(unit)


#: Public headers left out of their component's umbrella header: they serve sources without Kokkos
#: and offer nothing to programs, or include all of Trilinos, which triples the compile time.
_NOT_IN_UMBRELLA = {
    "core/include/distview/core/checked_events.hpp",
    "interop/tpetra/include/distview/tpetra/trilinos.hpp",
}


def umbrella(tree):
    """The header <distview/COMPONENT.hpp> includes all public headers of the component; of C it is <distview/distview.h>."""
    folders = {component: f"distview/{component}.hpp" for component in COMPONENTS}
    folders |= {f"interop/{stack}": f"distview/{stack}.hpp" for stack in STACKS}
    folders |= {"interop/common": "distview/interop.hpp", "c": "distview/distview.h"}
    for folder, first in folders.items():
        below = f"{folder}/include"
        public = {p for p in tree.below(below, suffixes=(".hpp", ".hpp.in", ".h")) if "/impl/" not in p}
        names, reached = [first], set()
        if f"{below}/{first}" not in public:
            continue
        while names:
            name = names.pop()
            for path in {f"{below}/{name}", f"{below}/{name}.in"} & public - reached:
                reached.add(path)
                names += [included for _, included, _ in includes(tree.text(path))]
        for path in sorted(public - reached - _NOT_IN_UMBRELLA):
            yield Violation("umbrella", path, 1, f"<{first}> does not include it")


def iostream(tree):
    """<iostream> in a header costs every user its static initialisers."""
    for path in tree.paths:
        if path.endswith((".hpp", ".hpp.in", ".h")):
            for line, name, _ in includes(tree.text(path)):
                if name == "iostream":
                    yield Violation("iostream", path, line, "<iostream> in a header")


#: Names of headers of the standard library that other headers bring in with some compilers only, or
#: that a joined build gets from the source before.
_STANDARD = {
    "algorithm": "adjacent_find all_of any_of binary_search copy_backward copy_if copy_n count count_if"
    " equal_range fill_n find find_first_of find_if find_if_not generate includes is_sorted"
    " lexicographical_compare lower_bound max_element min_element minmax_element mismatch none_of"
    " nth_element partition reverse rotate set_difference set_intersection shuffle sort"
    " stable_partition stable_sort transform unique upper_bound",
    "chrono": "chrono",
    "filesystem": "filesystem",
    "fstream": "fstream ifstream ofstream",
    "map": "map multimap",
    "numeric": "accumulate exclusive_scan gcd inclusive_scan inner_product iota lcm partial_sum reduce",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution",
    "set": "multiset set",
    "sstream": "istringstream ostringstream stringstream",
    "thread": "thread",
}
_STANDARD_HEADER_OF = {name: header for header, names in _STANDARD.items() for name in names.split()}


def standard(tree):
    """A file, or the header of a source's name, includes the standard headers of the names that it uses."""
    headers = {}
    for path in tree.paths:
        if path.endswith(".hpp"):
            headers.setdefault(_stem(path), []).append(path)
    for path in tree.paths:
        if not path.endswith((".hpp", ".cpp")):
            continue
        included = {name for _, name, _ in includes(tree.text(path))}
        if path.endswith(".cpp"):
            own = tuple(f"/{name}" for name in included if _stem(name) == _stem(path))
            for header in headers.get(_stem(path), []):
                if f"/{header}".endswith(own):
                    included |= {name for _, name, _ in includes(tree.text(header))}
        text = without_strings(tree.text(path))
        for match in re.finditer(r"\bstd::(\w+)", text):
            header = _STANDARD_HEADER_OF.get(match[1])
            if header and header not in included:
                included.add(header)  # once a file
                yield Violation("standard", path, line_of(text, match.start()), f"std::{match[1]} without <{header}>")


RULES = (direction, mpi, impl, rooms, sizes, kokkos, names_kokkos, cycles, umbrella, iostream, standard)
