# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses Markdown: blocks of code with the markers before them, headings, links."""

import re
from dataclasses import dataclass, field

#: Languages of blocks that tests/snippets compiles or runs, and languages that it ignores.
TESTED = ("cpp", "c", "fortran", "python", "cmake")
SHOWN = ("sh", "text")
#: The marks of a marker, and the form of each value; tests/snippets/README.md explains them.
MARKS = {
    "shown only": "", "compiled only": "", "continues": "", "prelude": r"\w+", "scope": "file",
    "ranks": r"\d+( \d+)*", "needs": r"\w+",
}  # fmt: skip

_FENCE = re.compile(r"( *)(`{3,}|~{3,}) *([^`]*?) *$")
_ITEM = re.compile(r" *(?:[-*+]|\d{1,9}[.)])( +)(?=\S)")
_MARKER = re.compile(r" *<!-- *snippet: *(.*?) *--> *$")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


@dataclass
class Block:
    """A block of code. `language` is None if the block is indented instead of fenced, and "" if its fence has none."""

    line: int  # of the fence, or of the first line of an indented block
    language: "str | None"
    marks: dict = field(default_factory=dict)
    lines: list = field(default_factory=list)

    @property
    def first_line(self):
        return self.line if self.language is None else self.line + 1

    @property
    def code(self):
        return "".join(line + "\n" for line in self.lines)

    @property
    def is_tested(self):
        return self.language in TESTED and "shown only" not in self.marks


@dataclass
class Page:
    """`prose`: (line number, text) outside of blocks; `mistakes`: (line number, description) of wrong markers."""

    blocks: list = field(default_factory=list)
    prose: list = field(default_factory=list)
    mistakes: list = field(default_factory=list)


def _marks(text):
    """The marks of a marker as a dictionary, and a description of its mistakes."""
    marks, mistakes = {}, []
    for part in text.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in MARKS or bool(equals) != bool(MARKS[key]) or not re.fullmatch(MARKS[key], value):
            mistakes.append(f"snippet: {part.strip()} is not known (tests/snippets/README.md)")
        marks[key] = value
    return marks, mistakes


class _Reader:
    def __init__(self):
        self.page = Page()
        self.items = []  # enclosing list items of the line: columns at which their text begins
        self.marker = None
        self.fence = None
        self.after_blank = True
        self.in_indented = False

    def read(self, number, text):
        if self.fence:
            self.read_fenced(text)
        elif not text.strip():
            self.after_blank = True
        else:
            self.read_line(number, text.expandtabs(4))
            self.after_blank = False

    def read_fenced(self, text):
        indent, mark = self.fence
        stripped = text.strip()
        if stripped.startswith(mark) and not stripped.strip(mark[0]):
            self.fence = None
            self.after_blank = True
            return
        spaces = min(indent, len(text) - len(text.lstrip(" ")))
        self.page.blocks[-1].lines.append(text[spaces:])

    def read_line(self, number, text):
        indent = len(text) - len(text.lstrip(" "))
        while self.items and indent < self.items[-1]:
            self.items.pop()
        column = self.items[-1] if self.items else 0
        if indent >= column + 4 and (self.after_blank or self.in_indented):
            if not self.in_indented:
                self.begin_block(number, None)
            self.in_indented = True
            self.page.blocks[-1].lines.append(text[column + 4 :])
            return
        self.in_indented = False

        item = _ITEM.match(text)
        if item:
            self.items.append(item.end() if len(item[1]) <= 4 else item.start(1) + 1)
        fence = _FENCE.match(text, item.end() if item else 0)
        marker = _MARKER.match(text)
        if fence:
            self.fence = (fence.start(2), fence[2])
            self.begin_block(number, fence[3])
            return
        self.forget_marker()
        if marker:
            marks, mistakes = _marks(marker[1])
            self.page.mistakes += [(number, mistake) for mistake in mistakes]
            self.marker = (number, marks)
            return
        self.page.prose.append((number, text))

    def begin_block(self, number, language):
        marks = self.marker[1] if self.marker else {}
        self.marker = None
        self.page.blocks.append(Block(number, language, marks))

    def forget_marker(self):
        if self.marker:
            self.page.mistakes.append((self.marker[0], "snippet: no block of code follows"))
            self.marker = None


def parse(text):
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, line)
    reader.forget_marker()
    return reader.page


def without_code(text):
    """A line of prose with its code spans blanked."""
    return _CODE_SPAN.sub(lambda match: " " * len(match[0]), text)


def anchors(page):
    """The anchors that GitHub gives to the headings of a page, and anchors written in HTML."""
    found, counts = set(), {}
    for _, text in page.prose:
        found.update(re.findall(r"<a\s[^>]*?\b(?:id|name)=\"([^\"]+)\"", text))
        heading = _HEADING.match(text)
        if not heading:
            continue
        words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


_TARGET = r"(<[^<>]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)"
_LINK = re.compile(r"\]\( *" + _TARGET + r"(?: +(?:\"[^\"]*\"|'[^']*'))? *\)")
_DEFINITION = re.compile(r" {0,3}\[[^\]^]+\]: *" + _TARGET)
_HTML = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")


def links(page):
    """(line number, target) of all links and images."""
    for number, text in page.prose:
        plain = without_code(text)
        for pattern in (_LINK, _HTML):
            for match in pattern.finditer(plain):
                yield number, match[1].strip("<>")
        definition = _DEFINITION.match(plain)
        if definition:
            yield number, definition[1].strip("<>")
