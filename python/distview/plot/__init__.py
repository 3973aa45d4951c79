# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of layouts: who owns what. Needs Matplotlib, which is imported when it is used."""

from ._layouts import MOST_SECTIONS, plot_array_distribution, plot_layout

__all__ = ["MOST_SECTIONS", "plot_array_distribution", "plot_layout"]
