# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's input filter: the keyed lines at the end of our comments become paragraphs with titles.

    /// Collective: over comm                   /// @par Collective
    /// Errors:     ShapeError if extents   ->  /// over comm
    ///             differ                      ///
                                                /// @par Errors
                                                /// ShapeError if extents differ

Characters that Doxygen would interpret as HTML or as one of its commands are escaped. Private parts of classes are left
out, and deduction guides, too, which Doxygen misreads as functions.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "structure"))
sys.dont_write_bytecode = True

from cpp_text import without_strings  # noqa: E402

_COMMENT = re.compile(r"(\s*///(?!<)) ?(.*)")
_KEY = re.compile(r"(Collective|Shapes|Indices|Units|Space|Touches|Cost|Errors|Source|Example): +(\S.*)")


def escaped(text):
    """The text with Doxygen's special characters escaped outside of code spans."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([<>@\\#%&])", r"\\\1", p) for p in parts)


def filtered(lines):
    is_table = False
    for line in lines:
        comment = _COMMENT.fullmatch(line)
        if not comment:
            is_table = False
            yield line
            continue
        mark, text = comment.groups()
        key = _KEY.fullmatch(text)
        if key:
            yield f"{mark}"
            yield f"{mark} @par {key[1]}"
            yield f"{mark} {escaped(key[2])}"
            is_table = True
        elif is_table and text.startswith("   "):
            yield f"{mark} {escaped(text.strip())}"
        else:
            is_table = False
            is_code = text.startswith("    ")
            yield f"{mark} {text if is_code else escaped(text)}".rstrip()


def without_private(text):
    """The text with blank lines in place of private parts of classes, up to the class's end or its next public part."""
    code = without_strings(text)
    kept, at = [], 0
    for begin in re.finditer(r"\bprivate\s*:", code):
        if begin.start() < at:
            continue
        depth = 0
        for token in re.compile(r"[{}]|\b(?:public|protected)\s*:").finditer(code, begin.end()):
            depth += (token[0] == "{") - (token[0] == "}")
            if depth < 0 or (depth == 0 and token[0][0] == "p"):
                break
        kept += [text[at : begin.start()], "\n" * text.count("\n", begin.start(), token.start())]
        at = token.start()
    return "".join(kept) + text[at:]


def without_guides(text):
    """The text with blank lines in place of deduction guides."""
    guide = re.compile(r"^template <[^;{}]*>\n(\w+)\([^;{}]*\)\s*-> \1<[^;]*>;$", re.MULTILINE)
    return guide.sub(lambda match: "\n" * match[0].count("\n"), text)


def main(path):
    text = Path(path).read_text(encoding="utf-8")
    for line in filtered(without_guides(without_private(text)).splitlines()):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1])
