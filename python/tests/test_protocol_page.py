# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/protocol.md: its programs run, it lists all error codes, and its examples cause them."""

import ast
import re
from pathlib import Path

import distview
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "docs").is_dir():
    pytest.skip("an archive without docs", allow_module_level=True)
PAGE = (ROOT / "docs" / "protocol.md").read_text()

# Codes of errors that only Python's dictionaries can have; the other codes are from C++.
IN_PYTHON = [
    *("env_not_dict", "env_missing_key", "env_extra_key", "buffer_protocol", "dim_data_type"),
    *("dim_dict_type", "bad_type", "indices_not_buffer", "indices_not_int", "indices_ndim"),
]


def rows(heading):
    """The rows (code, rule, example) of the table below a heading."""
    section = PAGE.split(f"### {heading}\n")[1].split("\n#")[0]
    cells = [[c.strip() for c in line.split("|")[1:-1]] for line in section.splitlines()]
    return [(code.strip("`"), rule, example) for code, rule, example in filter(None, cells)][2:]


def value(example):
    """The value of an example written in Python; None for an example in words."""
    if not re.fullmatch("`{.*}`", example):
        return None
    return eval(example.strip("`"), {"array": np.array})


def export_of(changes, rank=0):
    """One of the page's two dictionaries, changed, with a fitting buffer if possible."""
    dim = {"dist_type": "b", "size": 10, "proc_grid_size": 2, "proc_grid_rank": rank}
    dim |= {"start": 5 * rank, "stop": 5 * rank + 5}
    envelope = {"__version__": "0.10.0"}
    of_envelope = ("__version__", "buffer", "dim_data", "device")
    envelope |= {key: v for key, v in changes.items() if key in of_envelope}
    dim |= {key: v for key, v in changes.items() if key not in of_envelope}
    if dim["dist_type"] == "b":
        extent = dim["stop"] - dim["start"]
    else:
        extent = len(dim["indices"]) if "indices" in dim else 5
    return {"buffer": np.zeros(max(extent, 0)), "dim_data": (dim,)} | envelope


def test_programs_run():
    programs = re.findall("```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(programs) >= 2
    names = {}
    for program in programs:
        exec(compile(ast.parse(program), "docs/protocol.md", "exec"), names)


def test_table_has_every_code_once():
    listed = [r[0] for h in ("Of the export", "Of a dimension dictionary", "Between processes")
              for r in rows(h)]  # fmt: skip
    header = ROOT / "core/include/distview/core/protocol/violation.hpp"
    in_cpp = re.findall(r'std::string_view \w+ = "(\w+)"', header.read_text())
    assert len(in_cpp) > 20
    assert sorted(listed) == sorted(in_cpp + IN_PYTHON)


@pytest.mark.parametrize("rank", [0, 1])
def test_dictionaries_of_the_page_conform(rank):
    distview.check(export_of({}, rank))
    distview.check_all([export_of({}, 0), export_of({}, 1)])


@pytest.mark.parametrize("heading", ["Of the export", "Of a dimension dictionary"])
def test_examples_of_one_process_give_their_codes(heading):
    given = {code: value(example) for code, _, example in rows(heading)}
    in_words = {code for code, changes in given.items() if changes is None}
    assert in_words <= {"env_not_dict", "env_missing_key"}
    for code, changes in given.items():
        if changes is None:
            continue
        # On the process that the example names.
        rank = changes.get("proc_grid_rank", 0) % 2
        with pytest.raises(distview.ProtocolError) as refused:
            distview.check(export_of(changes, rank))
        assert refused.value.code == code, (code, str(refused.value))


def test_examples_in_words_give_their_codes():
    class Lists:
        def __distarray__(self):
            return []

    incomplete = export_of({})
    del incomplete["buffer"]
    for obj, code in ((Lists(), "env_not_dict"), (incomplete, "env_missing_key")):
        with pytest.raises(distview.ProtocolError) as refused:
            distview.check(obj)
        assert refused.value.code == code


def test_examples_of_two_processes_give_their_codes():
    table = rows("Between processes")
    assert len(table) == 8
    for code, _, example in table:
        first, second = value(example)
        parts = [export_of(first, 0), export_of(second, 1)]
        with pytest.raises(distview.ProtocolError) as refused:
            distview.check_all(parts)
        assert refused.value.code == code, (code, str(refused.value))
