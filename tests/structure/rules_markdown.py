# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules on Markdown: links resolve, and every block of code has a known test."""

import posixpath
import re
from functools import lru_cache
from urllib.parse import unquote

import markdown_text
from tree import Violation

_PRELUDES = "tests/snippets/preludes"


@lru_cache(maxsize=None)
def _page(text):
    return markdown_text.parse(text)


def _pages(tree):
    for path in tree.paths:
        if path.endswith(".md"):
            yield path, _page(tree.text(path))


def _wrong_link(tree, path, target):
    """The reason why a link of the page `path` does not resolve, or None."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target):
        return None
    name, _, anchor = (unquote(part) for part in target.partition("#"))
    if name.startswith("/"):
        return "begins with /, which means another folder on every site"
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
    if found.startswith(".."):
        return "is outside of the repository"
    if not (tree.root / found).exists():
        return f"there is no {found}"
    if not anchor:
        return None if name else "is empty"
    if not found.endswith(".md"):
        lines = re.fullmatch(r"L(\d+)(?:-L(\d+))?", anchor)
        if lines and (tree.root / found).is_file():
            last = len(tree.text(found).splitlines())
            if all(int(n) <= last for n in lines.groups() if n):
                return None
        return f"{found} has no anchor {anchor}"
    if anchor not in markdown_text.anchors(_page(tree.text(found))):
        return f"{found} has no heading for #{anchor}"
    return None


def links(tree):
    """A relative link or image names a file or folder of the repository; an anchor names a heading of the page."""
    for path, page in _pages(tree):
        for line, target in markdown_text.links(page):
            why = _wrong_link(tree, path, target)
            if why:
                yield Violation("links", path, line, f"({target}): {why}")


def _wrong_block(tree, block):
    """A description of the mistake in a block of code, or None."""
    languages = (*markdown_text.TESTED, *markdown_text.SHOWN)
    if block.language is None:
        return "an indented block has no language: write ```sh or ```text"
    if not block.language:
        return "the block has no language: " + ", ".join(languages)
    if "shown only" in block.marks and len(block.marks) > 1:
        return "snippet: what is shown only has no other marks"
    if block.language not in languages and "shown only" not in block.marks:
        return f"nothing tests {block.language}: say <!-- snippet: shown only --> before it"
    prelude = block.marks.get("prelude")
    if prelude and not any(p.startswith(f"{_PRELUDES}/{prelude}.") for p in tree.paths):
        return f"snippet: there is no {_PRELUDES}/{prelude}.*"
    return None


def snippets(tree):
    """A block of code has a language, which decides whether tests/snippets compiles or runs it."""
    for path, page in _pages(tree):
        for line, mistake in page.mistakes:
            yield Violation("snippets", path, line, mistake)
        for block in page.blocks:
            why = _wrong_block(tree, block)
            if why:
                yield Violation("snippets", path, block.line, why)


RULES = (links, snippets)
