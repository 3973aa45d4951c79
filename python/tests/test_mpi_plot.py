# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of arrays on several processes: process 0 gathers the values and alone draws them."""

import pathlib
import tempfile

import distview
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


def view_of(comm):
    return distview.from_function(
        lambda i, j: 100 * i + j, (4, 7), "bc", comm, dtype="int64", padding=(1, 0)
    )


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_values_are_drawn_on_process_0(comm):
    view = view_of(comm)
    figure = distview.plot_layout(view, values=True)
    if comm.rank != 0:
        assert figure is None
        return
    expected = [str(100 * i + j) for i in range(-1, 5) for j in range(7)]
    assert texts(figure.axes[0]) == expected
    assert len(figure.axes) == 1 + comm.size
    for process, axes in enumerate(figure.axes[1:]):
        rows, columns = (view.layout.global_indices(d, process) for d in range(2))
        mine = [str(100 * i + j) for i in rows.tolist() for j in columns.tolist()]
        assert texts(axes) == (mine or ["empty"])


def test_layouts_are_drawn_wherever_it_is_asked_for(comm):
    figure = distview.plot_layout(view_of(comm))
    assert len(figure.axes) == 1 + comm.size


def test_old_name_saves_on_process_0_only(comm):
    # A separate folder for each rank; pytest's tmp_path does not support concurrent processes.
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        figure = distview.plot_array_distribution(
            view_of(comm),
            global_plot_filename=folder / "whole.png",
            local_plot_filename=folder / "sections.png",
        )
        saved = {path.name for path in folder.iterdir()}
    assert saved == ({"whole.png", "sections.png"} if comm.rank == 0 else set())
    assert (figure is None) == (comm.rank != 0)


def test_text_is_the_same_on_all_ranks(comm):
    view = view_of(comm)
    text = distview.describe(view)
    assert "who owns what" in text
    assert comm.allgather(text) == [text] * comm.size


def test_what_is_wrong_on_one_rank_is_raised_on_all(comm):
    view = view_of(comm)
    cmap = "no such colours" if comm.rank == comm.size - 1 else None
    with pytest.raises(Exception, match="no such colours"):
        distview.plot_layout(view, values=True, cmap=cmap)
    assert view.sum() == sum(100 * i + j for i in range(4) for j in range(7))
