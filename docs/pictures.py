# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws docs/padding_exchange.svg and docs/redistribution.svg.

    scripts/python -n 4 docs/pictures.py            # writes both pictures
    scripts/python -n 4 docs/pictures.py --check    # fails if a committed picture differs

Every cell shows the library's result: 4 ranks fill arrays with their process numbers, exchange padding and
redistribute; rank 0 gathers the sections and writes SVG as text, so the files are the same on every machine.
"""

import sys
from pathlib import Path

import distview
from mpi4py import MPI

FOLDER = Path(__file__).resolve().parent
CELL = 22
TINTS = ("#d3e5f6", "#fde5c8", "#d8efd6", "#f3d7e6")
STYLE = """
  <style>
    text { font-family: sans-serif; font-size: 12px; fill: #111; }
    .cell { stroke: #888; stroke-width: 0.6; }
    .number { text-anchor: middle; }
    .index { text-anchor: middle; font-size: 10px; fill: #555; }
    .title { font-weight: bold; }
    .box { fill: none; stroke: #111; stroke-width: 2.4; }
    .block { fill: none; stroke: #111; stroke-width: 1.6; }
    .message { fill: none; stroke: #111; stroke-width: 2.6; stroke-dasharray: 6 3; }
    .arrow { fill: none; stroke: #111; stroke-width: 1.8; marker-end: url(#head); }
  </style>
  <defs>
    <marker id="head" markerWidth="7" markerHeight="8" refX="6" refY="4" orient="auto">
      <path d="M0,0 L7,4 L0,8 z" fill="#111"/>
    </marker>
    <pattern id="copies" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d="M0,0 V5" stroke="#555" stroke-width="1"/>
    </pattern>
    <pattern id="boundary" width="5" height="5" patternUnits="userSpaceOnUse">
      <circle cx="2.5" cy="2.5" r="0.8" fill="#444"/>
    </pattern>
  </defs>"""


class Picture:
    """An SVG file, built element by element."""

    def __init__(self, width, height):
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
            "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception; made by docs/pictures.py -->",
            STYLE.lstrip("\n"),
            f'  <rect width="{width}" height="{height}" fill="white"/>',
        ]

    def rect(self, x, y, rows, columns, **attributes):
        more = "".join(f' {key.replace("_", "")}="{value}"' for key, value in attributes.items())
        self.lines.append(f'  <rect x="{x}" y="{y}" width="{columns * CELL}" height="{rows * CELL}"{more}/>')

    def text(self, x, y, words, kind=""):
        mark = f' class="{kind}"' if kind else ""
        self.lines.append(f'  <text x="{x}" y="{y}"{mark}>{words}</text>')

    def arrow(self, x, y, to_x, to_y):
        self.lines.append(f'  <path d="M{x},{y} L{to_x},{to_y}" class="arrow"/>')

    def cell(self, x, y, value, pattern=None):
        self.rect(x, y, 1, 1, class_="cell", fill=TINTS[value])
        if pattern:
            self.rect(x, y, 1, 1, fill=f"url(#{pattern})")
        self.number(x, y, value, bool(pattern))

    def number(self, x, y, value, on_pattern=True):
        """A process number in the middle of a cell."""
        if on_pattern:
            self.lines.append(f'  <circle cx="{x + CELL // 2}" cy="{y + CELL // 2}" r="7" fill="{TINTS[value]}"/>')
        self.text(x + CELL // 2, y + CELL // 2 + 4, value, "number")

    def indices(self, x, y, rows, columns):
        for i, index in enumerate(rows):
            self.text(x - 11, y + i * CELL + 15, index, "index")
        for j, index in enumerate(columns):
            self.text(x + j * CELL + CELL // 2, y - 5, index, "index")

    def whole(self):
        return "\n".join([*self.lines, "</svg>", ""])


class Section:
    """One process's part of an array, as laid out in memory."""

    def __init__(self, array):
        self.values = array.view.tolist()
        self.indices = [array.global_indices(d, "all").tolist() for d in range(2)]
        self.owned = [array.owned_range(d) for d in range(2)]
        self.interior = [array.interior_range(d) for d in range(2)]

    def kind(self, *at):
        """The pattern for a position: of communication padding, of boundary padding, or None."""
        if any(not begin <= a < end for a, (begin, end) in zip(at, self.owned)):
            return "copies"
        return "boundary" if any(not begin <= a < end for a, (begin, end) in zip(at, self.interior)) else None

    def box_of(self, positions):
        """The box (first row, first column, rows, columns) that the positions fill."""
        rows, columns = [p[0] for p in positions], [p[1] for p in positions]
        return min(rows), min(columns), max(rows) - min(rows) + 1, max(columns) - min(columns) + 1

    def from_process(self, process):
        """The box of the communication padding whose elements another process owns."""
        return self.box_of([
            (i, j) for i, row in enumerate(self.values) for j, value in enumerate(row)
            if value == process and self.kind(i, j) == "copies"
        ])  # fmt: skip

    def box_with(self, rows, columns):
        """The box of these global indices."""
        return self.box_of([(self.indices[0].index(i), self.indices[1].index(j)) for i in rows for j in columns])


def draw_section(picture, x, y, section, title):
    picture.text(x, y - 20, title, "title")
    picture.indices(x, y, *section.indices)
    for i, row in enumerate(section.values):
        for j, value in enumerate(row):
            picture.cell(x + j * CELL, y + i * CELL, value, section.kind(i, j))


def outline(picture, x, y, box, kind="box"):
    """Draws a line around a box of cells; returns its left, top, right and bottom."""
    row, column, rows, columns = box
    left, top = x + column * CELL, y + row * CELL
    picture.rect(left, top, rows, columns, class_=kind)
    return left, top, left + columns * CELL, top + rows * CELL


def draw_padding(sections, periodic):
    picture = Picture(810, 460)
    at = [(40, 56), (304, 56), (40, 284), (304, 284)]
    for process, (x, y) in enumerate(at):
        draw_section(picture, x, y, sections[process], f"process {process}")
    draw_section(picture, 560, 56, periodic, "process 0, axis 1 periodic")

    # The padding of process 0, and the elements that fill it.
    target = sections[0]
    for process in (1, 2, 3):
        row, column, rows, columns = box = target.from_process(process)
        same = sections[process].box_with(
            target.indices[0][row : row + rows], target.indices[1][column : column + columns]
        )
        left, top, _, _ = outline(picture, *at[process], same)
        _, _, right, bottom = outline(picture, *at[0], box)
        if process == 1:
            middle = top + 3 * CELL
            picture.arrow(left, middle, right + 2, middle)
            picture.text(right + 12, middle - 8, f"{rows * columns} elements")
        elif process == 2:
            middle = left + 5 * CELL
            picture.arrow(middle, top, middle, bottom + 2)
            picture.text(middle - 76, bottom + 22, f"{rows * columns} elements")
        else:
            picture.arrow(left, top, right + 2, bottom + 2)
            picture.number(left - CELL, top - CELL, sections[process].values[same[0] - 1][same[1] - 1])
            picture.text((left + right) // 2 + 6, (top + bottom) // 2 - 6, f"{rows * columns} element")

    for number, (pattern, words) in enumerate((
        (None, "interior"),
        ("boundary", "boundary padding: owned; filled if periodic"),
        ("copies", "communication padding: filled"),
    )):  # fmt: skip
        picture.cell(500, 284 + 30 * number, 0, pattern)
        picture.text(530, 299 + 30 * number, words)
    for number, words in enumerate((
        "Numbers: the process whose element it is.",
        "At the edges: global indices.",
        "Boxes and arrows: the padding of process 0",
        "and the elements that fill it.",
    )):  # fmt: skip
        picture.text(500, 386 + 18 * number, words)
    return picture.whole()


def draw_array(picture, x, y, values, title):
    """A whole array: every cell shows the process that sent its element."""
    picture.text(x, y - 20, title, "title")
    picture.indices(x, y, range(len(values)), range(len(values[0])))
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            picture.cell(x + j * CELL, y + i * CELL, value)


def runs(indices):
    """Consecutive indices, as (first, count)."""
    result = []
    for index in indices:
        if result and sum(result[-1]) == index:
            result[-1] = (result[-1][0], result[-1][1] + 1)
        else:
            result.append((index, 1))
    return result


def outline_blocks(picture, x, y, sections, are_rows):
    """Draws a line around every block, with the number of its process beside it."""
    for process, section in enumerate(sections):
        for row, rows in runs(section.indices[0]):
            for column, columns in runs(section.indices[1]):
                left, top, right, bottom = outline(picture, x, y, (row, column, rows, columns), "block")
                if are_rows:
                    picture.text(right + 8, (top + bottom) // 2 + 4, f"process {process}")
                else:
                    picture.text((left + right) // 2, bottom + 16, process, "number")


def outline_message(picture, x, y, values, sections, source, target):
    """Draws dashed boxes around the elements that one process has sent to another."""
    rows = [i for i in sections[target].indices[0] if source in values[i]]
    columns = [j for j in sections[target].indices[1] if values[rows[0]][j] == source]
    for row, n_rows in runs(rows):
        for column, n_columns in runs(columns):
            outline(picture, x, y, (row, column, n_rows, n_columns), "message")
    return len(rows) * len(columns)


def draw_redistribution(rows, cycles, transposed):
    """Every argument is (the whole array, the sections of all processes)."""
    picture = Picture(700, 590)
    draw_array(picture, 40, 56, rows[0], "a: 8 x 10, blocks of rows")
    outline_blocks(picture, 40, 56, rows[1], True)
    draw_array(picture, 420, 56, cycles[0], "b: columns dealt out in blocks of 2")
    outline_blocks(picture, 420, 56, cycles[1], False)
    picture.text(646, 56 + 8 * CELL + 16, "process")
    draw_section(picture, 40, 330, cycles[1][0], "process 0's section of b")
    draw_array(picture, 420, 330, transposed[0], "c: a transposed, blocks of rows")
    outline_blocks(picture, 420, 330, transposed[1], True)

    picture.arrow(330, 144, 396, 144)
    picture.arrow(330, 244, 396, 306)
    count = outline_message(picture, 420, 56, cycles[0], cycles[1], 1, 0)
    for column, columns in runs(cycles[1][0].indices[1]):
        outline(picture, 40, 56, (2, column, 2, columns), "message")
    outline(picture, 40, 330, (2, 0, 2, 4), "message")
    other = outline_message(picture, 420, 330, transposed[0], transposed[1], 1, 0)
    for number, words in enumerate((
        "Number: process that holds the",
        "element in a, and sends it.",
        "Thick lines: blocks of one process.",
        "Dashed: from process 1 to process 0,",
        f"{count} elements of b, {other} of c.",
    )):  # fmt: skip
        picture.text(160, 350 + 18 * number, words)
    return picture.whole()


def sections_of(array):
    """Sections of all processes, on rank 0."""
    return array.comm.gather(Section(array))


def exchanged(comm, periodic):
    u = distview.zeros((8, 10), "bb", comm, dtype="int64", padding=1, periodic=periodic)
    u.view[...] = -1  # the exchange must overwrite it: no picture shows it
    u.owned[...] = u.process
    u.exchange_padding()
    return sections_of(u)


def pictures(comm):
    """{name: SVG} on rank 0, else {}. Collective."""
    walls, ring = exchanged(comm, False), exchanged(comm, (False, True))

    a = distview.zeros((8, 10), "bn", comm, dtype="int64")
    a.interior[...] = a.process
    b = distview.redistribute(a, ("n", ("c", 2)))
    c = distview.redistribute(a, "bn", permutation=(1, 0))
    arrays = []
    for array in (a, b, c):
        whole = array.gather()
        arrays.append((whole.tolist() if comm.rank == 0 else None, sections_of(array)))
    if comm.rank != 0:
        return {}
    return {
        "padding_exchange.svg": draw_padding(walls, ring[0]),
        "redistribution.svg": draw_redistribution(*arrays),
    }


def main():
    comm = MPI.COMM_WORLD
    if comm.size != 4 or sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: scripts/python -n 4 docs/pictures.py [--check]")
    status = 0
    for name, text in pictures(comm).items():
        path = FOLDER / name
        if not sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"docs/{name} is not what docs/pictures.py draws: run it without --check", flush=True)
            status = 1
    sys.exit(comm.bcast(status))


if __name__ == "__main__":
    main()
