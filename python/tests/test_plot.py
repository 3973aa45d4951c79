# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plot_layout(): pictures agree with the layout. Needs Matplotlib."""

import itertools
from collections import Counter

import distview
import numpy as np
import pytest
from whole_layouts import LAYOUTS, elements, layout_of

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")

pytestmark = pytest.mark.filterwarnings("error")
SMALL = [name for name in LAYOUTS if name not in ("long axis", "large")]


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


def panels(figure):
    """{"whole array": [Axes], "process 3": [Axes], ...}; several Axes for several slices."""
    result = {}
    for axes in figure.axes:
        result.setdefault(axes.get_label(), []).append(axes)
    return result


def coloured(axes):
    """The number of cells in each process's colour."""
    counts = Counter()
    for mesh in axes.collections:
        if mesh.get_gid() != "owners":
            continue
        corners = mesh.get_coordinates()
        areas = np.diff(corners[:, :, 1], axis=0)[:, :-1] * np.diff(corners[:, :, 0], axis=1)[:-1]
        owners = np.broadcast_to(mesh.get_array().reshape(areas.shape), areas.shape)
        for owner, area in zip(owners.ravel().tolist(), areas.ravel().tolist(), strict=True):
            counts[owner] += round(area)
    return counts


def marked(axes, kind):
    """The number of cells marked as padding; marks do not overlap."""
    cells = Counter()
    for patch in axes.patches:
        if patch.get_gid() == kind:
            box = patch.get_bbox()
            assert patch.get_hatch()
            for row in range(round(box.y0), round(box.y1)):
                for column in range(round(box.x0), round(box.x1)):
                    cells[row, column] += 1
    assert all(count == 1 for count in cells.values())
    return len(cells)


def texts(axes):
    return [text.get_text() for text in axes.texts]


def tick_labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def section_cells(layout, process):
    """(owner of every cell, number of copies, number of cells of boundary padding) of a section."""
    indices = [layout.global_indices(d, process).tolist() for d in range(layout.rank)]
    owners, copies, boundary = Counter(), 0, 0
    for at in itertools.product(*(range(len(i)) for i in indices)):
        ranges = [(layout.owned_range(d, process), layout.interior_range(d, process))
                  for d in range(layout.rank)]  # fmt: skip
        owned = all(o[0] <= at[d] < o[1] for d, (o, _) in enumerate(ranges))
        interior = all(i[0] <= at[d] < i[1] for d, (_, i) in enumerate(ranges))
        # If several processes hold an element, each shows it as its own.
        owner = layout.owner([indices[d][at[d]] for d in range(layout.rank)])
        owners[process if owned else owner] += 1
        copies += not owned
        boundary += owned and not interior
    return owners, copies, boundary


@pytest.mark.parametrize("name", ["padded", "widths", "uneven", "empty sections", "cyclic",
                                  "block-cyclic", "unstructured", "shared indices", "one axis",
                                  "long axis", "large", "no elements"])  # fmt: skip
def test_cells_have_their_owners_colours(name):
    layout = LAYOUTS[name]
    figure = distview.plot_layout(layout)
    (whole,) = panels(figure)["whole array"]
    assert coloured(whole) == Counter(elements(layout).values())
    assert marked(whole, "communication padding") == 0
    assert marked(whole, "boundary padding") == np.prod(layout.protocol_shape) - np.prod(
        layout.shape
    )
    for process in range(layout.process_count):
        (axes,) = panels(figure)[f"process {process}"]
        owners, copies, boundary = section_cells(layout, process)
        assert coloured(axes) == owners, process
        assert marked(axes, "communication padding") == copies, process
        assert marked(axes, "boundary padding") == boundary, process


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_picture_is_rendered(name, tmp_path):
    distview.plot_layout(LAYOUTS[name]).savefig(tmp_path / "layout.png", dpi=50)
    pixels = pyplot.imread(tmp_path / "layout.png")
    assert len(np.unique(pixels.reshape(-1, pixels.shape[-1]), axis=0)) > 3


@pytest.mark.parametrize("grid", [(1,), (2, 2), (8,), (3, 3), (4, 9), (4, 4, 4)])
def test_colours_of_processes_differ(grid):
    from distview.plot._owners import process_colours

    colours = process_colours(grid)
    assert colours.shape == (np.prod(grid), 3)
    assert colours.min() >= 0 and colours.max() <= 1
    for a, b in itertools.combinations(colours, 2):
        assert np.abs(a - b).sum() > 0.02


def test_names_are_grid_coordinates_numbers_or_what_is_given():
    layout = LAYOUTS["padded"]
    coordinates = ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]
    for given, names in (
        (True, coordinates),
        (False, ["0", "1", "2", "3"]),
        (["a", "b", "c", "d"], ["a", "b", "c", "d"]),
        ([(0, 0), (0, 1), (1, 0), (1, 1)], coordinates),
    ):
        figure = distview.plot_layout(layout, process_coords=given)
        assert texts(figure.axes[0]) == names
        assert [axes.get_title() for axes in figure.axes[1:]] == [f"process {n}" for n in names]
    with pytest.raises(distview.UsageError, match="process_coords of 4 processes, got 1"):
        distview.plot_layout(layout, process_coords=["a"])


def test_edges_have_global_indices():
    figure = distview.plot_layout(LAYOUTS["padded"])
    whole, first, second, third, _ = figure.axes
    assert tick_labels(whole.xaxis) == [str(g) for g in range(-1, 13)]
    assert tick_labels(whole.yaxis) == [str(g) for g in range(-1, 11)]
    assert tick_labels(first.xaxis) == [str(g) for g in range(-1, 7)]
    assert tick_labels(second.xaxis) == [str(g) for g in range(5, 13)]
    assert tick_labels(third.yaxis) == [str(g) for g in range(4, 11)]
    assert whole.get_xlabel() == "axis 1, periodic"
    assert whole.get_ylabel() == "axis 0"
    long = distview.plot_layout(LAYOUTS["long axis"]).axes[0]
    assert {int(label) % 10 for label in tick_labels(long.xaxis)} == {0}


def test_unstructured_indices_are_sorted_in_the_whole_and_as_they_come_in_sections():
    figure = distview.plot_layout(LAYOUTS["shared indices"])
    whole, first, second, third = figure.axes
    assert tick_labels(whole.xaxis) == ["-3", "7+", "8", "9", "100"]
    assert texts(first)[:3] == ["7", "-3", "100"]
    assert texts(second)[0] == "empty"
    assert texts(third)[:3] == ["9", "8", "7"]
    assert any("several processes" in t.get_text() for t in figure.legends[0].get_texts())


def test_legend_explains_what_there_is():
    def labels(name, **keywords):
        figure = distview.plot_layout(LAYOUTS[name], **keywords)
        return [t.get_text().split(":")[0] for legend in figure.legends for t in legend.get_texts()]

    assert labels("padded") == ["communication padding", "boundary padding"]
    assert labels("uneven") == ["communication padding"]
    assert labels("cyclic") == []
    assert labels("padded", legend=False) == []
    values = np.zeros((12, 14))
    assert labels("padded", values=values)[:2] == ["process (0, 0)", "process (0, 1)"]


def test_values_are_written_into_every_cell():
    layout = LAYOUTS["padded"]
    values = np.arange(12 * 14).reshape(12, 14)
    figure = distview.plot_layout(layout, values=values)
    assert texts(figure.axes[0]) == [str(v) for v in values.ravel()]
    for process, axes in enumerate(figure.axes[1:]):
        rows, columns = (layout.global_indices(d, process) + 1 for d in range(2))
        assert texts(axes) == [str(v) for v in values[np.ix_(rows, columns)].ravel()]
    inner = distview.plot_layout(layout, values=values[1:-1, 1:-1]).axes[0]
    blank = np.full(values.shape, "", object)
    blank[1:-1, 1:-1] = values[1:-1, 1:-1]
    assert texts(inner) == [str(v) for v in blank.ravel()]
    with pytest.raises(distview.UsageError, match=r"shape \(10, 12\), or \(12, 14\) with .* got \(10, 14\)"):
        distview.plot_layout(layout, values=values[1:-1])
    with pytest.raises(distview.UsageError, match="expects a DistView"):
        distview.plot_layout(layout, values=True)


def test_values_of_unstructured_axes_are_in_ascending_order():
    values = np.array([0.5, 1.25, 2, 3, 4e6])
    figure = distview.plot_layout(LAYOUTS["shared indices"], values=values)
    assert texts(figure.axes[0]) == ["0.5", "1.25", "2", "3", "4e+06"]
    assert texts(figure.axes[1])[:3] == ["1.25", "0.5", "4e+06"]


def test_values_of_a_view_are_its_own():
    view = distview.from_function(lambda i, j: 10 * i + j, (3, 4), dtype="int32", padding=1)
    figure = distview.plot_layout(view, values=True)
    expected = [str(10 * i + j) for i in range(-1, 4) for j in range(-1, 5)]
    assert texts(figure.axes[0]) == expected
    assert texts(figure.axes[1]) == expected


def test_given_axes_get_the_whole_array_only():
    figure, axes = pyplot.subplots(1, 2)
    assert distview.plot_layout(LAYOUTS["padded"], axes=axes[1], title="mine") is figure
    assert len(figure.axes) == 2
    assert sum(coloured(axes[1]).values()) == 12 * 14
    assert not axes[0].collections
    assert axes[1].get_title() == "mine"
    with pytest.raises(distview.UsageError, match="2 slices do not fit into the given axes"):
        distview.plot_layout(LAYOUTS["three axes"], axes=axes[0])


def test_three_axes_are_drawn_slice_by_slice():
    layout = LAYOUTS["three axes"]
    figure = distview.plot_layout(layout)
    wholes = panels(figure)["whole array"]
    assert [text.get_text() for text in figure.texts[-2:]] == ["axis 0: -1 to 2", "axis 0: 3 to 6"]
    owners = elements(layout)
    for axes, index in zip(wholes, (0, 4), strict=True):
        assert coloured(axes) == Counter(p for at, p in owners.items() if at[0] == index)
    assert sorted(set(panels(figure))) == [f"process {p}" for p in range(8)] + ["whole array"]

    (whole,) = panels(distview.plot_layout(layout, at={0: 5}))["whole array"]
    assert coloured(whole) == Counter(p for at, p in owners.items() if at[0] == 5)


def test_slices_that_do_not_fit_are_refused_with_advice():
    layout = layout_of((9, 3, 3), "bnn", 9)
    with pytest.raises(distview.UsageError, match=r"9 slices.*choose with at=\{axis: index\}"):
        distview.plot_layout(layout)
    assert len(distview.plot_layout(layout, at={0: 8}).axes) == 2
    with pytest.raises(distview.UsageError, match="axis 0 has no index 9"):
        distview.plot_layout(layout, at={0: 9})
    with pytest.raises(distview.UsageError, match="the last two axes are drawn whole"):
        distview.plot_layout(layout, at={2: 0})
    values = np.arange(81).reshape(9, 3, 3)
    with pytest.raises(distview.UsageError, match="values of a 3-d array need at="):
        distview.plot_layout(layout, values=values)
    figure = distview.plot_layout(layout, values=values, at={0: 4})
    assert texts(figure.axes[0]) == [str(v) for v in values[4].ravel()]


def test_arrays_without_axes_or_elements():
    (axes,) = distview.plot_layout(LAYOUTS["no axes"]).axes
    assert coloured(axes) == {0: 1}
    figure = distview.plot_layout(LAYOUTS["no elements"])
    assert [texts(axes) for axes in figure.axes] == [["empty"]] * 5


def test_too_many_pieces_are_refused_and_too_many_sections_left_out():
    with pytest.raises(distview.UsageError, match="axis 0 changes owner 2999 times"):
        distview.plot_layout(layout_of(3000, "c", 2))
    assert len(distview.plot_layout(layout_of((12, 12), "bb", 36)).axes) == 37
    assert len(distview.plot_layout(layout_of((37, 2), "bn", 37)).axes) == 1
    assert len(distview.plot_layout(LAYOUTS["padded"], sections=False).axes) == 1


def test_section_without_the_others_cannot_be_drawn():
    dim = {"dist_type": "b", "size": 8, "proc_grid_size": 2, "proc_grid_rank": 0}
    part = {"__version__": "0.10.0", "buffer": np.zeros(4),
            "dim_data": ({**dim, "start": 0, "stop": 4},)}  # fmt: skip
    with pytest.raises(distview.UsageError, match=r"attach\(comm\)"):
        distview.plot_layout(distview.from_distarray(part, validate="local"))


def test_other_colours():
    figure = distview.plot_layout(LAYOUTS["cyclic"], cmap="viridis")
    mesh = figure.axes[0].collections[0]
    assert mesh.get_cmap().N == 6
    assert {text.get_color() for text in figure.axes[0].texts} == {"black", "white"}


def test_old_name_with_old_arguments(tmp_path):
    """Called as in notebooks written for DistArray, by position and by name."""
    view = distview.from_function(lambda i, j: 4 * i + j, (3, 4), dtype="int64")
    files = [tmp_path / "whole.png", tmp_path / "sections.png"]
    figure = distview.plot_array_distribution(
        view, [(0, 0)], "title", "columns", "rows", legend=True, cell_label=True,
        global_plot_filename=files[0], local_plot_filename=files[1], yticks=[0.5],
    )  # fmt: skip
    (axes,) = figure.axes
    assert texts(axes) == [str(v) for v in range(12)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("columns", "rows")
    assert list(axes.get_yticks()) == [0.5]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["process (0, 0)"]
    assert all(pyplot.imread(file).size for file in files)
    with pytest.raises(distview.UsageError) as caught:
        distview.plot_array_distribution(distview.zeros((2, 3, 3)))
    assert str(caught.value) == (
        "plot_array_distribution: values of a 3-d array need plot_layout(..., at={axis: index}) for each of the axes "
        "[0]; or pass cell_label=False"
    )
    with pytest.raises(distview.UsageError, match=r"^plot_array_distribution: 9 slices.*with plot_layout\(\.\.\., at="):
        distview.plot_array_distribution(layout_of((9, 3, 3), "bnn", 9))
    upwards = distview.plot_array_distribution(LAYOUTS["cyclic"], yflip=True, cell_label=False)
    low, high = upwards.axes[0].get_ylim()
    assert (low, high) == (0, 7) and not upwards.legends
