# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the protocol's documents, read from its reStructuredText when a test runs."""

import re
from dataclasses import dataclass

import numpy as np

TITLE = re.compile(r"^(?P<title>\S.*)\n`{4,}\n", re.MULTILINE)
PROCESS = re.compile(r"In process \(?(?P<coordinates>[0-9, ]+)\)?:")
VALUE = re.compile(
    r">>> (?P<name>full_array|distbuffer\['\w+'\])\n(?P<text>.*?)(?=\n\s*>>>|\n\s*\n|\Z)", re.DOTALL
)


@dataclass(frozen=True)
class Example:
    title: str
    exports: tuple  # in the order of the processes
    full_array: np.ndarray | None

    @property
    def generated(self):
        """Whether distarray wrote the example: such examples also show the undistributed array."""
        return self.full_array is not None


def _evaluate(text):
    return eval(text, {"__builtins__": {}, "array": np.array})  # noqa: S307  arrays and literals


def _cells(text):
    """The text with every table replaced by its cells, one below the other, row by row."""
    result, columns = [], []
    for line in text.split("\n"):
        if line.startswith(("+", "|")):
            if line.startswith("+"):
                for column in columns:
                    result += [*column, ""]
                edges = [position for position, letter in enumerate(line) if letter == "+"]
                columns = [[] for _ in edges[1:]]
            else:
                for column, left, right in zip(columns, edges, edges[1:], strict=False):
                    column.append(line[left + 1 : right])
        else:
            columns = []
            result.append(line)
    return "\n".join(line.rstrip() for line in result)


def _example(title, text):
    parts = PROCESS.split(_cells(text))
    common = {m["name"]: _evaluate(m["text"]) for m in VALUE.finditer(parts[0])}
    full_array = common.pop("full_array", None)
    exports = {}
    for where, part in zip(parts[1::2], parts[2::2], strict=True):
        values = common | {m["name"]: _evaluate(m["text"]) for m in VALUE.finditer(part)}
        # "distbuffer['buffer']" is the key 'buffer'.
        export = {name.split("'")[1]: value for name, value in values.items()}
        exports[tuple(int(number) for number in where.split(","))] = export
    ordered = [exports[coordinates] for coordinates in sorted(exports)]  # C order of the grid
    return Example(title, tuple(ordered), full_array)


def examples(text):
    """Every example of a document, in its order."""
    parts = TITLE.split(text)
    found = [_example(*pair) for pair in zip(parts[1::2], parts[2::2], strict=True)]
    return [example for example in found if example.exports]
