# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads arguments that several calls take."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def integer_array(given: Any) -> npt.NDArray[np.int64] | None:
    """Integers of 64 bits as a contiguous array of at least one axis, or an empty one; None for anything else."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):  # in device memory; lists of different lengths
        return None
    if array.ndim == 0 or array.dtype.kind not in "iu" and (array.size or array.dtype.kind != "f"):
        return None
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        return None
    return np.ascontiguousarray(array, np.int64)
