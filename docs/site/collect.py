# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the sources of the site into one folder, in the structure that Sphinx expects.

collect.py ROOT FOLDER: copies the Markdown pages of the checkout with their pictures, to where they are in the checkout,
and the pages of docs/site; writes a page for each public header, and for each source file or folder that a page
links to.
"""

import os
import posixpath
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "structure"))
sys.dont_write_bytecode = True

import markdown_text  # noqa: E402
from tree import COMPONENTS, STACKS, Tree  # noqa: E402

#: Folders whose include/ contains public headers.
HEADERS = (*COMPONENTS, "interop/common", *(f"interop/{stack}" for stack in STACKS), "c")

_PICTURES = (".svg", ".png", ".jpg")
_LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".py": "python", ".cmake": "cmake"}


def title(text, line="="):
    return f"{text}\n{line * len(text)}\n\n"


class Site:
    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.tree = Tree(root)
        self.written = set()

    def write(self, path, text):
        file = self.folder / path
        if file in self.written:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        # Sphinx reads changed files again, so an unchanged file keeps its time.
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
        self.written.add(file)

    def copy(self, path, to):
        file = self.folder / to
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / path, file)
        self.written.add(file)

    def page(self, path):
        """Writes a page of the checkout, with its links redirected to pages of the site."""
        page = markdown_text.parse(self.tree.text(path))
        lines = self.tree.text(path).splitlines()
        for number, target in markdown_text.links(page):
            new = self.target(path, target)
            if new != target:
                lines[number - 1] = lines[number - 1].replace(f"]({target})", f"]({new})")
        self.write(path, "\n".join(lines) + "\n")

    def target(self, page, target):
        """The target on the site for a link of a page."""
        name, _, anchor = target.partition("#")
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) or not name or name.endswith(".md"):
            return target
        here = posixpath.dirname(page)
        path = posixpath.normpath(posixpath.join(here, name))
        if path.endswith(_PICTURES):
            self.copy(path, path)
            return target
        if (self.root / path / "README.md").is_file():
            found = f"{path}/README.md"
        else:
            found = self.listing(path)
        return posixpath.relpath(found, here or ".")

    def listing(self, path):
        """Writes the page that shows a file, or the files of a folder, and returns its path."""
        page = f"source/{path}.md"
        if (self.root / path).is_dir():
            self.folder_listing(path, page)
            return page
        self.write(page, self.literal(path, f"source/{path}"))
        return page

    def literal(self, path, to):
        """The text of a page that shows a file; copies the file beside the page."""
        self.copy(path, to)
        language = _LANGUAGES.get(posixpath.splitext(path)[1], "text")
        include = f"```{{literalinclude}} {posixpath.basename(to)}\n:language: {language}\n```\n"
        return f"---\norphan: true\n---\n\n# {path}\n\n{include}"

    def folder_listing(self, path, page):
        """Lists the folder's pages first, then its other files, without those of subfolders."""
        names = [p for p in self.tree.below(path, suffixes=("",)) if posixpath.dirname(p) == path]
        lines = []
        for name in sorted(names, key=lambda name: (not name.endswith(".md"), name)):
            found = name if name.endswith(".md") else self.listing(name)
            words = posixpath.basename(name)
            if name.endswith(".md"):
                words = self.tree.text(name).splitlines()[0].lstrip("# ")
            lines.append(f"* [{words}]({posixpath.relpath(found, posixpath.dirname(page))})\n")
        self.write(page, f"---\norphan: true\n---\n\n# {path}\n\n" + "".join(lines))

    def header(self, component, path):
        """Writes the page of a public header; for a C header, the page shows its text."""
        name = path[len(f"{component}/include/") :]
        if name.endswith(".h"):  # its comments are written for readers of the file
            self.write(f"cpp/{name}.md", self.literal(path, f"cpp/{name}"))
            return
        text = title(f"<{name}>") + f".. doxygenfile:: {path}\n   :project: distview\n"
        # Breathe omits concepts from the page of a file.
        code = re.sub(r"^namespace impl \{.*?^\} // namespace impl$", "", self.tree.text(path), flags=re.DOTALL | re.MULTILINE)
        space = re.search(r"^namespace (distview[\w:]*)", code, re.MULTILINE)
        for concept in re.findall(r"^concept (\w+)", code, re.MULTILINE):
            text += f"\n.. doxygenconcept:: {space[1]}::{concept}\n   :project: distview\n"
        self.write(f"cpp/{name}.rst", text)

    def finish(self):
        for folder, _, names in os.walk(self.folder):
            for name in names:
                file = Path(folder) / name
                if file not in self.written:
                    file.unlink()


def main(root, folder):
    site = Site(Path(root).resolve(), Path(folder).resolve())
    for path in site.tree.paths:
        if path.endswith(".md"):
            site.page(path)
        elif path.startswith("docs/site/") and path.endswith(".rst"):
            site.copy(path, posixpath.basename(path))
    for component in HEADERS:
        for path in site.tree.below(f"{component}/include", suffixes=(".hpp", ".h")):
            if "/impl/" not in path:
                site.header(component, path)
    site.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
