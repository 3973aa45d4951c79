# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-in for numpy.lib.utils, which left NumPy in 2.0; distarray's file format reads with it."""

from ast import literal_eval as safe_eval

__all__ = ["safe_eval"]
