# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses C++ source text as far as the structure rules need."""

import re

_TOKEN = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"([^(\s"]*)\(.*?\)\1"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])*'
    """,
    re.DOTALL | re.VERBOSE,
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text with comments blanked; offsets and lines do not change."""
    return _TOKEN.sub(lambda m: _blank(m[0]) if m[0].startswith("/") else m[0], text)


def without_strings(text):
    """The text with comments and contents of strings blanked; quotes stay."""

    def replace(match):
        token = match[0]
        return _blank(token) if token.startswith("/") else token[0] + _blank(token[1:-1]) + token[-1]

    return _TOKEN.sub(replace, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def includes(text):
    """(line, name, whether it is quoted) of every include line."""
    code = without_comments(text)
    for match in _INCLUDE.finditer(code):
        yield line_of(code, match.start()), match[1] or match[2], match[2] is not None


def calls(text, name_pattern):
    """(line, matched name, arguments) of what looks like a call; templates' arguments are skipped.

    Arguments are split at the commas outside any bracket. A declaration looks like a call as well.
    """
    code = without_comments(text)
    bare = without_strings(text)
    for match in re.finditer(rf"(?<![\w])({name_pattern})\s*(?:<[^;(){{}}]*>)?\s*\(", bare):
        begin = match.end()
        depth, end, commas = 1, begin, []
        while end < len(bare) and depth > 0:
            character = bare[end]
            depth += (character in "([{") - (character in ")]}")
            if character == "," and depth == 1:
                commas.append(end)
            end += 1
        cuts = [begin - 1, *commas, end - 1]
        arguments = [code[a + 1 : b].strip() for a, b in zip(cuts, cuts[1:])]
        yield line_of(bare, match.start()), match[1], [a for a in arguments if a]
