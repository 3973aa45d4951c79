# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matplotlib is optional: it is imported only when a picture is drawn."""

import subprocess
import sys

import distview
import pytest
from whole_layouts import LAYOUTS


def test_import_of_the_package_imports_no_matplotlib():
    check = "import distview, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], timeout=60).returncode == 0


@pytest.mark.parametrize("function", [distview.plot_layout, distview.plot_array_distribution])
def test_error_says_what_to_install_and_what_to_use_instead(monkeypatch, function):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'distview\[plot\]'.*describe\(layout\)"):
        function(LAYOUTS["cyclic"])


def test_names_of_the_subpackage():
    import distview.plot as plot

    assert plot.__path__ and plot.MOST_SECTIONS == 36
    for name in ("plot_layout", "plot_array_distribution"):
        assert name in plot.__all__ and getattr(plot, name) is getattr(distview, name)
