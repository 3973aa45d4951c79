# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""describe(): the owners as text. C++ tests compare complete texts of draw() (test_draw.cpp)."""

import distview
import numpy as np
import pytest
from whole_layouts import LAYOUTS, elements, layout_of


def test_text_of_a_padded_axis():
    assert (
        distview.describe(layout_of(4, "b", 2, padding=1))
        == """\
1-d array over a process grid of 2
  axis 0: block, 4 elements over 2 processes, padding (1, 1), boundary padding (1, 1)

who owns what
  element | -1  0  1  2  3  4
  process |  0  0  0  1  1  1

sections: (communication padding), [boundary padding]
  process 0 at (0), section (4)
    element | -1   0   1   2
    process | [0]  0   0  (1)
  process 1 at (1), section (4)
    element |  1   2   3   4
    process | (0)  1   1  [1]"""
    )


@pytest.mark.parametrize("name", ["padded", "uneven", "cyclic", "block-cyclic", "unstructured"])
def test_map_shows_the_owners(name):
    layout = LAYOUTS[name]
    lines = distview.describe(layout).split("who owns what")[1].split("\n\n")[0].splitlines()
    columns = [int(label) for label in lines[1].split("|")[1].split()]
    shown = {}
    for line in lines[3:]:
        row, owners = line.split("|")
        for column, owner in zip(columns, owners.split(), strict=True):
            shown[int(row), column] = int(owner)
    assert shown == elements(layout)


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout_and_function_say_the_same(name):
    layout = LAYOUTS[name]
    assert distview.describe(layout) == layout.describe()
    assert layout.describe().startswith(str(layout))


def test_view_describes_its_layout():
    view = distview.zeros((5, 6), "bc", padding=(1, 0))
    assert distview.describe(view) == view.describe() == view.layout.describe()
    assert "who owns what" in view.describe()
    assert "axis 1: cyclic, 6 elements over 1 process" in view.describe()


def test_section_without_the_others_says_how_to_learn_of_them():
    dim = {"dist_type": "b", "size": 8, "proc_grid_size": 2, "proc_grid_rank": 1}
    part = {
        "__version__": "0.10.0",
        "buffer": np.zeros(4),
        "dim_data": ({**dim, "start": 4, "stop": 8},),
    }
    text = distview.describe(distview.from_distarray(part, validate="local"))
    assert "process 1 of 2" in text
    assert "attach(comm)" in text


def test_expects_a_layout_or_a_view():
    with pytest.raises(distview.UsageError, match="expected a Layout or a DistView, got ndarray"):
        distview.describe(np.zeros(3))
