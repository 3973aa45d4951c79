# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of layouts and their owners. Needs Matplotlib, imported only when a function is called."""

from ._layouts import MOST_SECTIONS, plot_array_distribution, plot_layout

__all__ = ["MOST_SECTIONS", "plot_array_distribution", "plot_layout"]
