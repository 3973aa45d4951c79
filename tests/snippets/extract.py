#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the blocks of code on Markdown pages into sources for CMake. README.md defines the permitted blocks.

extract.py ROOT FOLDER [PAGE...]: reads the pages (all *.md of the checkout, unless named) and writes to FOLDER one
source per page with C++, Fortran or C fragments, one per program, one folder per CMake block, and snippets.cmake, which calls

    distview_snippet_fragments(NAME SOURCE)
    distview_snippet_program(NAME SOURCE RANKS n...)
    distview_snippet_fortran(NAME SOURCE RANKS n...)
    distview_snippet_c(NAME SOURCE RANKS n...)
    distview_snippet_cmake(NAME FOLDER)
    distview_snippet_python(NAME PAGE RANKS n...)

A file with unchanged text is not rewritten, so that it is not compiled again.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "structure"))
sys.dont_write_bytecode = True

import markdown_text  # noqa: E402
from tree import Tree  # noqa: E402

PRELUDES = HERE / "preludes"
RANKS = "1 2 3 4"
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"

_SUFFIXES = {"fortran": ".f90", "c": ".c"}

_INCLUDE = re.compile(r"[ \t]*#[ \t]*include\b.*")
_MAIN = re.compile(r"^(?:int|auto)\s+main\s*\(", re.MULTILINE)


_FORTRAN_MAIN = re.compile(r"^\s*program\s", re.MULTILINE)


def is_program(block):
    return bool((_FORTRAN_MAIN if block.language == "fortran" else _MAIN).search(block.code))


def page_name(page):
    """Makes the name of a page's tests and targets: docs/design/errors.md becomes docs_design_errors."""
    return re.sub(r"\W", "_", re.sub(r"\.md$", "", page))


def _prelude(block, suffix, default=None):
    """Path of a block's prelude, or None."""
    name = block.marks.get("prelude", default)
    path = PRELUDES / f"{name}.{suffix}"
    return path if name and path.is_file() else None


def _at(line, path):
    return f'#line {line} "{path}"\n'


class Fragments:
    """The C++ fragments of a page as one source: one function and one test per fragment."""

    def __init__(self, root, page):
        self.file = (root / page).resolve().as_posix()
        self.page = page
        self.includes = []
        self.parts = []
        self.tests = []
        self.open = False

    def add(self, block):
        prelude = _prelude(block, "hpp")
        if prelude and f'#include "{prelude}"' not in self.includes:
            self.includes.append(f'#include "{prelude}"')
        code = _INCLUDE.sub(self._hoist, block.code)
        code = _at(block.first_line, self.file) + code
        if "continues" in block.marks:
            if not self.open:
                raise SystemExit(f"{self.page}:{block.line}: snippet: continues: there is nothing before it")
            self.parts.append(code)
            return
        self.close()
        name = f"line_{block.line}"
        if block.marks.get("scope") == "file":
            self.parts.append(f"namespace {name} {{\n{code}}}\nusing namespace {name};\n\n")
            return
        self.parts.append(f"void {name}([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {{\n")
        statements = _prelude(block, "inl", "usual")
        if statements:
            self.parts.append(_at(1, statements.as_posix()) + statements.read_text(encoding="utf-8"))
        self.parts.append("{\n" + code)
        self.open = True
        if "compiled only" not in block.marks:
            self.tests.append((name, block.marks.get("ranks", "")))

    def close(self):
        if self.open:
            self.parts.append("}\n}\n\n")
        self.open = False

    def _hoist(self, match):
        self.includes.append(match[0].strip())
        return ""

    def text(self):
        self.close()
        suite = page_name(self.page)
        lines = [f"// {LICENCE}\n// Made of {self.page} by tests/snippets/extract.py.\n"]
        lines += [f"{include}\n" for include in dict.fromkeys(self.includes)]
        lines.append(f'#include "{(HERE / "fragments.hpp").as_posix()}"\n\nnamespace snippets {{\n\n')
        lines += self.parts
        lines.append(f"}} // namespace snippets\n{_at(1, f'tests of {self.page}')}")
        for name, ranks in self.tests:
            numbers = ", ".join(ranks.split())
            lines.append(f"TEST({suite}, {name}) {{ snippets::call(snippets::{name}, {{{numbers}}}); }}\n")
        if not self.tests:
            lines.append(f"TEST({suite}, compiles) {{}}\n")
        return "".join(lines)


def program_text(root, page, block):
    prelude = _prelude(block, "hpp")
    text = f"// {LICENCE}\n// Made of {page} by tests/snippets/extract.py.\n"
    text += f'#include "{prelude}"\n' if prelude else ""
    return text + _at(block.first_line, (root / page).resolve().as_posix()) + block.code


def _is_of_file(block):
    return block.marks.get("scope") == "file"


def fortran_text(page, blocks):
    """A program, or the fragments of a page as one: a block each, after the prelude; scope=file goes after contains."""
    made = f"! {LICENCE}\n! Made of {page} by tests/snippets/extract.py.\n"
    if is_program(blocks[0]):
        return made + blocks[0].code
    before, rest = (PRELUDES / "usual.f90").read_text(encoding="utf-8").split("! fragments\n")
    after, end = rest.split("! procedures\n")
    parts = []
    for block in blocks:
        if _is_of_file(block):
            continue
        text = f"block ! of line {block.line}\n{block.code}end block\n"
        if "compiled only" in block.marks:
            parts.append(f"if (.false.) then\n{text}end if\n")
        else:
            # The end of a block frees arrays; a later block may get the same addresses on some ranks only.
            parts.append(f"{text}call plan%forget()\n")
    procedures = "".join(block.code for block in blocks if _is_of_file(block))
    return made + before + "".join(parts) + after + (f"contains\n{procedures}" if procedures else "") + end


def c_text(root, page, blocks):
    """A program, or the fragments of a page as one: a block each, after the prelude; scope=file goes before main."""
    made = f"// {LICENCE}\n// Made of {page} by tests/snippets/extract.py.\n"
    prelude = PRELUDES / "usual.c"

    def code(block):
        return _at(block.first_line, (root / page).resolve().as_posix()) + block.code

    if is_program(blocks[0]):
        return made + code(blocks[0])
    before, rest = prelude.read_text(encoding="utf-8").split("// scope=file\n")
    begin, end = rest.split("// fragments\n")
    declarations = "".join(code(block) for block in blocks if _is_of_file(block))
    parts = []
    for block in blocks:
        if not _is_of_file(block):
            parts.append(("if (0) " if "compiled only" in block.marks else "") + f"{{\n{code(block)}}}\n")
    return made + before + declarations + begin + "".join(parts) + end


def program_or_fragments(root, page, blocks):
    return fortran_text(page, blocks) if blocks[0].language == "fortran" else c_text(root, page, blocks)


def cmake_text(page, block):
    """A project: the block itself if it contains project(), otherwise a project with a program, then the block."""
    text = f"# {LICENCE}\n# Made of {page}, line {block.line}, by tests/snippets/extract.py.\n"
    if not re.search(r"^\s*project\s*\(", block.code, re.MULTILINE):
        text += "cmake_minimum_required(VERSION 3.25)\nproject(snippet LANGUAGES CXX)\nadd_executable(app app.cpp)\n"
    return text + block.code


class Output:
    """A folder that contains only the files written to it once writing has finished."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.written = set()
        self.calls = []

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
        self.written.add(path)
        return path.resolve().as_posix()

    def call(self, function, *arguments):
        self.calls.append(f"distview_snippet_{function}({' '.join(arguments)})\n")

    def finish(self):
        self.write("snippets.cmake", f"# {LICENCE}\n" + "".join(self.calls))
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()


def extract_page(root, page, output):
    blocks = [b for b in markdown_text.parse((root / page).read_text(encoding="utf-8")).blocks if b.is_tested]
    name = page_name(page)
    fragments = Fragments(root, page)
    has_fragments = False
    fragments_of = {"fortran": [], "c": []}
    for block in blocks:
        if block.language == "cpp" and is_program(block):
            where = f"{name}.line_{block.line}"
            source = output.write(f"{where}.cpp", program_text(root, page, block))
            ranks = block.marks.get("ranks", RANKS) if "compiled only" not in block.marks else ""
            output.call("program", where, f'"{source}"', "RANKS", ranks)
        elif block.language == "cpp":
            fragments.add(block)
            has_fragments = True
        elif block.language in fragments_of and is_program(block):
            where = f"{name}.line_{block.line}"
            source = output.write(f"{where}{_SUFFIXES[block.language]}", program_or_fragments(root, page, [block]))
            output.call(block.language, where, f'"{source}"', "RANKS", block.marks.get("ranks", RANKS))
        elif block.language in fragments_of:
            fragments_of[block.language].append(block)
        elif block.language == "cmake":
            where = f"{name}.line_{block.line}"
            output.write(f"{where}/CMakeLists.txt", cmake_text(page, block))
            app = output.write(f"{where}/app.cpp", (HERE / "app.cpp").read_text(encoding="utf-8"))
            output.call("cmake", where, f'"{Path(app).parent.as_posix()}"')
    if has_fragments:
        source = output.write(f"{name}.cpp", fragments.text())
        output.call("fragments", name, f'"{source}"')
    for language, of in fragments_of.items():
        if of:
            source = output.write(f"{name}{_SUFFIXES[language]}", program_or_fragments(root, page, of))
            output.call(language, name, f'"{source}"', "RANKS", RANKS)
    python = [b for b in blocks if b.language == "python"]
    if python:
        running = [b for b in python if "compiled only" not in b.marks]
        numbers = {n for b in running for n in b.marks.get("ranks", RANKS).split()}
        ranks = " ".join(sorted(numbers, key=int)) or "1"  # a page that runs no block is compiled on one rank
        output.call("python", name, f'"{(root / page).resolve().as_posix()}"', "RANKS", ranks)


def main(arguments):
    root, folder, *pages = arguments
    root = Path(root).resolve()
    if not pages:
        pages = [p for p in Tree(root).paths if p.endswith(".md")]
    output = Output(folder)
    for page in pages:
        extract_page(root, page, output)
    output.finish()


if __name__ == "__main__":
    main(sys.argv[1:])
