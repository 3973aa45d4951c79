# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules on any text: licence, words, paths, build options."""

import posixpath
import re

from tree import COMPONENTS, Violation

_SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
_SOURCES = (".hpp", ".cpp", ".h", ".c", ".in", ".cmake", "CMakeLists.txt", ".py", ".sh", ".pl")
_WORDED = (*COMPONENTS, "examples", "docs", "perf", "python", "interop", "c")
# The glossary names rejected words in the form "never halo".
#: Ghosts are copied indices of unstructured axes only.
_SYNONYM = re.compile(r"(?<!never )(?:halo|ghost[ _-]?(?:cell|layer|zone|point|node|region|width))", re.IGNORECASE)
# A page that quotes the terms of other libraries.
_FOREIGN_WORDS = ("docs/coming_from.md",)
_MACHINE_PATH = re.compile(r"(?<![\w.$}/*+-])/(?:home|work|Users|root|mnt|scratch|data)/\w")


def spdx(tree):
    """The licence is stated in one line, the first (or the second, after #!)."""
    for path in tree.paths:
        lines = tree.text(path).splitlines()[:2]
        is_script = bool(lines) and lines[0].startswith("#!")
        if not path.endswith(_SOURCES) and not is_script:
            continue
        line = 2 if is_script else 1
        if len(lines) < line or _SPDX not in lines[line - 1]:
            yield Violation("spdx", path, line, "the SPDX line is missing")


def pragma_once(tree):
    """Guards are #pragma once, names snake_case."""
    for path in tree.paths:
        if path.endswith((".hpp", ".hpp.in")) and path.startswith((*COMPONENTS, "interop", "tests", "perf")):
            is_configured = path.endswith(".in") and "/include/" not in path
            if "#pragma once" not in tree.text(path) and not is_configured:
                yield Violation("pragma_once", path, 1, "#pragma once is missing")
        if path.endswith((".hpp", ".cpp")):
            name = posixpath.basename(path)
            if not re.fullmatch(r"[a-z0-9_]+\.[hc]pp", name):
                yield Violation("pragma_once", path, 1, f"{name} is not snake_case")


def words(tree):
    """One term per concept: padding."""
    for path in tree.paths:
        if not (path.startswith(tuple(f + "/" for f in _WORDED)) or path.endswith(".md")):
            continue
        if path in _FOREIGN_WORDS:
            continue
        for line, text in tree.lines(path):
            match = _SYNONYM.search(re.sub("[*_`\"']", "", text))
            if match:
                yield Violation("words", path, line, f"{match[0]}: the word is padding")


#: Words that may not begin a comment: pronouns, and determiners without a noun ("all of them", but
#: not "all ranks").
_PRONOUN = re.compile(
    r"(?:what|who|whom|whose|those|that|they|it|this|these|them|its|their|which|whoever|whatever|nobody|"
    r"everybody|somebody|everything|nothing|something|anything|anybody|others|none)\b"
    r"|(?:one|all|some|both|any|each|another|many|most|few|several|other)\b(?= *$|[.,:;]| (?:"
    r"an?|and|are|as|at|but|by|can|come|could|do|does|for|from|had|has|have|if|in|is|it|may|might|must|not|of|on|or|"
    r"only|say|says|serve|should|than|that|the|there|these|this|those|to|was|were|when|where|which|who|whose|will|with|"
    r"without|would)\b)",
    re.IGNORECASE,
)


def pronouns(tree):
    """Comments of comm begin with a noun or a verb, not with a pronoun (what, those, who, it, one of these)."""
    for path in tree.paths:
        if not (path.startswith(("comm/src/", "comm/include/")) and path.endswith((".hpp", ".cpp"))):
            continue
        goes_on = False
        for line, text in tree.lines(path):
            whole = re.match(r"\s*//+ *(.*)", text)
            behind = re.search(r"///< *(.*)", text)
            begins = behind if behind else None if goes_on else whole
            goes_on = whole is not None and behind is None
            if begins and _PRONOUN.match(begins[1]):
                yield Violation("pronouns", path, line, f"begin with a noun or a verb: {begins[1]}")


#: Sentences that comments of comm once had and that readers could not understand; plain sentences replaced them.
RIDDLES = (
    "What a process would do with these arrays, which are to be filled by kernels of the host: what all would is done.",
    "Who is read has no messages: what would be several is one.",
    "The pieces with those of an axis that is this process's alone made one, if corners are filled.",
    "Before the others what they get; by one thread the rest while messages are under way.",
    "a few words that together would be more than MPI sends at once",
)


def riddles(tree):
    """None of these sentences returns, however its lines are broken."""
    between = r"(?:\s|//+|#|\*)+"
    pattern = re.compile("|".join(between.join(map(re.escape, r.rstrip(".").split())) for r in RIDDLES), re.IGNORECASE)
    for path in tree.paths:
        if path == "tests/structure/rules_text.py":
            continue
        text = tree.text(path)
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Violation("riddles", path, line, f"say it plainly: {match[0][:40]}...")


def paths(tree):
    """No file of the repository contains paths or names of the machine on which it was written."""
    for path in tree.paths:
        for line, text in tree.lines(path):
            match = _MACHINE_PATH.search(text)
            if match:
                yield Violation("paths", path, line, f"path of one machine: {text.strip()}")


def todo(tree):
    """Open work is recorded in issues or in a backend, not in comments."""
    for path in tree.below(*COMPONENTS, "interop", "tests", "perf", "examples", "python"):
        for line, text in tree.lines(path):
            if re.search(r"\b(?:TODO|FIXME|XXX)\b(?!\(#\d+\))", text):
                yield Violation("todo", path, line, "TODO without an issue number")


def options(tree):
    """The options are listed at the top of the root CMakeLists.txt, and each is read."""
    root = "CMakeLists.txt"
    if root not in tree.paths:
        return
    # An option with a third value, AUTO, is not an option() of CMake's.
    definition = re.compile(
        r"^\s*(?:option\(|set\((?=[^()]*\sCACHE\s))\s*(\w+)", re.MULTILINE
    )
    listed = set(definition.findall(tree.text(root)))
    files = [p for p in tree.paths if p.endswith((".cmake", "CMakeLists.txt", ".cmake.in"))]
    used = {}
    for path in files:
        code = re.sub(r"#[^\n]*", "", tree.text(path))
        for match in re.finditer(r"\bDISTVIEW_ENABLE_\w+|\bDISTVIEW_[A-Z_]+\b|\bBUILD_\w+", code):
            before = code[: match.start()].rsplit("\n", 1)[-1]
            if not re.search(r"\b(?:option|set)\(\s*$", before):
                used.setdefault(match[0], path)
    for name in sorted(listed - set(used) - {"BUILD_SHARED_LIBS"}):
        yield Violation("options", root, 1, f"nothing reads the option {name}")
    for name, path in sorted(used.items()):
        if name.startswith("DISTVIEW_ENABLE_") and name not in listed:
            yield Violation("options", path, 1, f"the option {name} is not listed in {root}")


def pipes(tree):
    """A reader that exits early, like head, ends the writer: under pipefail the script fails."""
    for path in tree.paths:
        if not path.startswith("scripts/") and not path.endswith(".sh"):
            continue
        if "pipefail" not in tree.text(path) and not path.startswith("scripts/lib/"):
            continue
        for line, text in tree.lines(path):
            if re.search(r"\|\s*(?:head\b|grep\b[^|]* -\w*[qm]|sed (?:-\w+ )?'?\d+q)", text.split(" #")[0]):
                yield Violation("pipes", path, line, "the reader may leave before the writer has ended")


RULES = (spdx, pragma_once, words, pronouns, riddles, paths, todo, options, pipes)
