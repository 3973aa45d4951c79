# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text files of the repository, and the violations that rules report."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

COMPONENTS = ("core", "comm", "algorithms", "io")
#: Folders of interop/, each beside common/; the component of common/ is interop.
STACKS = ("petsc", "hypre", "tpetra")
FOLDERS = COMPONENTS + (
    "tests", "perf", "examples", "python", "interop", "c", "fortran", "cmake", "docs", "scripts", ".ci",
)  # fmt: skip
_SKIPPED = {"__pycache__", "build", ".git", "node_modules", ".ruff_cache", ".mypy_cache"}
_BINARY = {".png", ".gz", ".npy", ".npz", ".pyc", ".pdf", ".jpg"}


@dataclass(frozen=True)
class Violation:
    rule: str
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.text}"


class Tree:
    """Files of the checkout by path from its root, sorted; needs no version control."""

    def __init__(self, root):
        self.root = Path(root)
        found = [p for p in self.root.iterdir() if p.is_file()]
        for folder in FOLDERS:
            found += [p for p in (self.root / folder).rglob("*") if p.is_file()]
        self.paths = sorted(
            p.relative_to(self.root).as_posix()
            for p in found
            if p.suffix not in _BINARY and not _SKIPPED.intersection(p.relative_to(self.root).parts)
        )

    @lru_cache(maxsize=None)
    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        return enumerate(self.text(path).splitlines(), 1)

    def below(self, *folders, suffixes=(".hpp", ".cpp", ".hpp.in", ".cpp.in")):
        """Paths below the given folders that end in one of the suffixes."""
        return [
            p
            for p in self.paths
            if any(p.startswith(f + "/") for f in folders) and p.endswith(tuple(suffixes))
        ]

    def header(self, name):
        """The path of <name>, or None if it is not a header of this project."""
        if not name.startswith("distview/") and name != "distview.hpp":
            return None
        for folder in (*COMPONENTS, "interop/common", *(f"interop/{stack}" for stack in STACKS)):
            for suffix in ("", ".in"):
                path = f"{folder}/include/{name}{suffix}"
                if (self.root / path).is_file():
                    return path
        return None


def component_of(path):
    first, second, *_ = (*path.split("/", 2), "")
    if first == "interop":
        return "interop" if second == "common" else second if second in STACKS else None
    return first if first in COMPONENTS else None
