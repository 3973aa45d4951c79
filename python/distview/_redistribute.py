# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""redistribute(): moves an array into another layout, in a new or an existing array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ._array import DistView
from ._comm import collective, of_array
from ._redistribution import redistributed

if TYPE_CHECKING:
    from ._types import AnyType, Description

S = TypeVar("S", bound=np.generic)
T = TypeVar("T", bound=np.generic)


@overload
def redistribute(
    array: DistView[S], layout: Description | DistView = ..., *, dtype: None = None, out: None = None, **keywords: Any
) -> DistView[S]: ...
@overload
def redistribute(
    array: DistView[Any], layout: None = None, *, dtype: None = None, out: DistView[T], **keywords: Any
) -> DistView[T]: ...
@overload
def redistribute(
    array: DistView[Any], layout: Description | DistView = ..., *, dtype: type[T] | np.dtype[T], out: None = None,
    **keywords: Any,
) -> DistView[T]: ...  # fmt: skip
@overload
def redistribute(
    array: DistView[Any], layout: Description | DistView = ..., *, dtype: AnyType, out: None = None, **keywords: Any
) -> DistView[Any]: ...
@collective("redistribute", of_array, "RedistributionPlan", "RedistributionPlan.execute")
def redistribute(
    array: DistView,
    layout: Description | DistView = None,
    *,
    permutation: Sequence[int] | None = None,
    from_slice: Any = ...,
    to_slice: Any = ...,
    fill_padding: bool = False,
    conjugate: bool = False,
    alpha: Any = 1,
    beta: Any = 0,
    combine: str | None = None,
    allow_missing_indices: bool = False,
    dtype: AnyType | None = None,
    out: DistView | None = None,
    **keywords: Any,
) -> DistView:
    """The elements of an array in another layout, in a new array or in ``out``.

        b = distview.redistribute(a, "cb")                      # cyclic along the first axis
        c = distview.redistribute(a, [0, 5, 9], from_slice=slice(None, None, -1))
        distview.redistribute(a, out=d, to_slice=slice(10, 20)) # into a part of d
        distview.redistribute(a, out=b, alpha=2.0, beta=1.0)    # b += 2 a
        single = distview.redistribute(a, a, dtype="float32")

    layout: the new array's layout: a Layout, a DistView that has it, or a description and keywords as in zeros()
    (padding, boundary, periodic, grid, device; by default the kind of memory that the array has). Cells of a new
    array to which nothing moves are 0. dtype: the new array's element type, by default the array's. permutation,
    from_slice, to_slice, fill_padding, conjugate, allow_missing_indices: see RedistributionPlan, which suits
    repeated moves better. alpha, beta, combine: see RedistributionPlan.execute(). The array keeps the plans of the
    last four different calls.

    Collective over the array's communicator.
    """
    return redistributed(
        DistView, array, layout, permutation=permutation, from_slice=from_slice, to_slice=to_slice,
        fill_padding=fill_padding, conjugate=conjugate, alpha=alpha, beta=beta, combine=combine,
        allow_missing_indices=allow_missing_indices, dtype=dtype, out=out, keywords=keywords,
    )  # fmt: skip
