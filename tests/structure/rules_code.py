# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules on library code: forbidden calls, and labels of Kokkos calls."""

import re

from cpp_text import calls, line_of, without_strings
from tree import COMPONENTS, Violation

# The wrappers around MPI; all other code of comm calls these.
MPI_WRAPPERS = re.compile(
    r"comm/src/|comm/include/distview/comm/impl/"
    r"|comm/include/distview/comm/(?:communicator|mpi_error|mpi_datatype|runtime)\.hpp$"
    r"|io/tools/"
)
#: Programs installed with a component: they may print, and end all ranks.
_PROGRAMS = re.compile(r"io/tools/")
_PRINTING = re.compile(
    r"std::(?:cout|cerr|clog)\b"
    r"|(?<![\w.>])(?:std::|Kokkos::|::)?(?:v?f?printf|f?puts|putchar|abort|_?exit|_Exit|quick_exit"
    r"|terminate)\s*\("
    r"|\bKokkos::abort\b|\bMPI_Abort\b"
)
_NESTED_POLICY = re.compile(r"(?:Kokkos::)?(?:Team|Thread)(?:Thread|Vector)\w*Range\b")


def _search(tree, rule, folders, pattern, text, skip=None):
    for path in tree.below(*folders):
        if skip and skip.match(path):
            continue
        code = without_strings(tree.text(path))
        for match in re.finditer(pattern, code):
            yield Violation(rule, path, line_of(code, match.start()), f"{match[0].strip()}: {text}")


def printing(tree):
    """The library reports errors by exceptions and the message sink only."""
    asked_for = re.compile(
        r"core/include/distview/core/assert\.hpp$|comm/src/mpi/deadline\.cpp$|" + _PROGRAMS.pattern
    )
    return _search(
        tree, "printing", (*COMPONENTS, "interop", "c"), _PRINTING, "the library never prints or ends", asked_for
    )


def world(tree):
    """The library uses the communicator passed to it, never MPI_COMM_WORLD."""
    folders = (*COMPONENTS, "python", "interop", "c")
    return _search(tree, "world", folders, r"\bMPI_COMM_WORLD\b", "only in tests, perf, examples", _PROGRAMS)


def raw_mpi(tree):
    """Library code calls MPI through wrappers, which check the status of each call."""
    pattern = r"\bP?MPI_[A-Z][A-Za-z_]*\s*\("
    return _search(tree, "raw_mpi", COMPONENTS, pattern, "MPI is called by wrappers", MPI_WRAPPERS)


def _is_label(argument, prefix):
    if argument.startswith(('"', "std::string(\"", "std::string{\"")):
        return prefix in argument
    return "label" in argument or "reason" in argument


def labels(tree):
    """Kernels, fences and allocations carry labels, so that tools and tests can identify them."""
    for path in tree.below(*COMPONENTS, "interop", "examples"):
        prefix = "" if path.startswith("examples/") else '"distview::'
        text = tree.text(path)
        for line, name, arguments in calls(text, r"parallel_(?:for|reduce|scan)"):
            first = arguments[0] if arguments else ""
            if not _NESTED_POLICY.match(first) and not _is_label(first, prefix):
                yield Violation("labels", path, line, f"{name}({first}, ...) without a label")
        for line, _, arguments in calls(text, r"(?<=\.)fence|(?<=->)fence|Kokkos::fence"):
            if not (arguments and _is_label(arguments[-1], prefix)):
                yield Violation("labels", path, line, "fence without a label that gives its reason")
        for line, _, arguments in calls(text, r"(?:Kokkos::)?view_alloc"):
            if not any(_is_label(a, prefix) for a in arguments):
                yield Violation("labels", path, line, "view_alloc without a label")
        for line, _, arguments in calls(text, r"(?:Kokkos::)?View\s*<[^;(){}]*>\s*(?:\w+\s*)?"):
            if arguments and re.match(r'"', arguments[0]) and not _is_label(arguments[0], prefix):
                yield Violation("labels", path, line, f"{arguments[0]} does not begin {prefix}")


def instances(tree):
    """Library code waits for one execution space instance, never for all of Kokkos."""
    for path in tree.below(*COMPONENTS, "interop"):
        text = tree.text(path)
        for line, _, _ in calls(text, r"Kokkos::fence"):
            yield Violation("instances", path, line, "Kokkos::fence waits for every instance")
        for line, _, arguments in calls(text, r"Kokkos::deep_copy"):
            if len(arguments) < 3:
                yield Violation("instances", path, line, "deep_copy without an instance")


RULES = (printing, world, raw_mpi, labels, instances)
