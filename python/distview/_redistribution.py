# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moves arrays from one layout to another."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _distview
from ._comm import agreed, collective, communicator, of_array
from ._device import HOST_TYPES, kind_like, settle
from ._distview import Layout
from ._errors import LayoutError, UsageError, short
from ._exchange import Redistribution
from ._making import make
from ._section import Section
from ._slices import Slices, axis_slices, slices_or_none

if TYPE_CHECKING:
    from ._types import AnyType, Comm, Description

Moved = TypeVar("Moved", bound=Section)

#: Keywords that describe a new array's layout and memory; see zeros().
_OF_LAYOUTS = {"padding", "boundary", "periodic", "grid", "device"}


def _of_plan(_self: Any, *args: Any, **kwargs: Any) -> _distview.Communicator | None:
    """For collective(): the communicator of ``comm``, else that of the arrays; Layouts have none."""
    comm = kwargs.get("comm", args[2] if len(args) > 2 else None)
    return of_array(*args, **kwargs) if comm is None else communicator(comm)


class RedistributionPlan:
    """A reusable plan that moves elements from arrays of one layout to arrays of another.

        plan = distview.RedistributionPlan(a, c, permutation=(1, 0))
        plan.execute(a, c)                              # c = a^T; can be repeated
        with plan.start(a, c):                          # the same; compute in between
            ...

    source, target: Layouts, or DistViews that have them. comm: by default the DistViews' communicator;
    None with Layouts means one process. permutation: axis d of the target is axis permutation[d] of the source.
    from_slice, to_slice: the part of the source that moves, and its place in the target, written as between
    brackets: a slice or a tuple of slices with any step. Slices count interior cells, as gather() does; cell i
    of an unstructured axis is the i-th smallest index.

    If neither side has a slice along an axis (or only a plain ``:``), equal global indices are paired: the listed
    indices of unstructured axes, indices from 0 of other axes. Source indices that the target lacks do not move.
    If the source lacks indices of the target, LayoutError names the lowest one; with allow_missing_indices the
    target keeps its elements there. With a slice on one side, for example ``slice(0, None)``, cells are paired by order.

    fill_padding: also writes the target's communication padding (on periodic axes also boundary padding) that
    mirrors written cells. conjugate: conjugates elements on the way; they must be complex. in_place: source and
    target may share memory, for example an array that is transposed within itself. If they do, beta must be 0 and
    combine is refused; interleaved slices without a common element do not share memory. buffer_bytes: the most
    buffer memory that a rank uses for a move in place; 0 lets the library choose. A move that undoes itself when
    repeated needs little; other moves need room for all elements that a rank sends and receives in messages.

    Elements are read from their owner: the lowest of the processes that list an index. Only execute(combine=) reads
    the elements of all of them. If several processes hold an index of the target, all of them get it. Elements move
    once: directly from the memory of processes on the same node (wrapped arrays are packed into shared memory
    first), else in one message to each process. Building and executing are collective over comm, in the same order
    on all ranks. Raises LayoutError, the same on all ranks, if slices and layouts do not fit each other. The first
    execution with a pair of arrays prepares it; later executions are faster.
    """

    @collective("RedistributionPlan", _of_plan)
    def __init__(
        self,
        source: Layout | Section,
        target: Layout | Section,
        comm: Comm = None,
        *,
        permutation: Sequence[int] | None = None,
        from_slice: Any = ...,
        to_slice: Any = ...,
        fill_padding: bool = False,
        conjugate: bool = False,
        in_place: bool = False,
        buffer_bytes: int = 0,
        allow_missing_indices: bool = False,
    ) -> None:
        taken = _communicator_of(comm, source, target)

        def prepare() -> tuple[Layout, Layout, list[int], Slices, Slices, bool, bool, bool, int, bool]:
            caller = "RedistributionPlan"
            one, other = _layout_of(source, "source", caller), _layout_of(target, "target", caller)
            expected = taken.size if taken is not None else 1
            for layout in (one, other):
                if layout.process_count != expected:
                    processes = "process" if expected == 1 else "processes"
                    raise UsageError(
                        f"{caller}: expected grids of {expected} {processes}"
                        f"{'' if taken else ' (comm is None)'}, got one of {layout.process_count}"
                    )
            return (
                one,
                other,
                _permutation(permutation, one.rank, caller),
                slices_or_none(from_slice, one.shape, f"{caller}: from_slice"),
                slices_or_none(to_slice, other.shape, f"{caller}: to_slice"),
                bool(fill_padding),
                bool(conjugate),
                _in_place(in_place),
                _buffer_bytes(buffer_bytes),
                bool(allow_missing_indices),
            )

        self._plan = _distview.Redistribution(taken, *agreed(taken, "RedistributionPlan", prepare))
        self._buffers: dict[Any, Section] = {}

    @collective("RedistributionPlan.execute", of_array, "RedistributionPlan")
    def execute(
        self,
        source: Section,
        target: Section,
        *,
        alpha: Any = 1,
        beta: Any = 0,
        combine: str | None = None,
    ) -> None:
        """target = beta * target + alpha * source. Collective; finished on return.

        With beta = 0 the target is not read. combine: instead combines each target element with the arriving
        element by "sum", "min" or "max"; if several processes list an index of the source, the elements of all
        of them, in the order of the processes. alpha and beta are the same on all ranks: integers that the
        target's type can hold if its elements are integers, real numbers if they are real, else any numbers.

        The arrays have the plan's layouts and communicator, and elements of 1, 2, 4, 8 or 16 bytes. All of them are
        in memory that the host reads, or all in memory that one device reads. Calculations need 32- or 64-bit
        integers, float32, float64 or complex numbers. If the element types differ, source elements are converted
        before they move, into an array that the plan keeps; complex to real and real to integer are refused.
        Raises ShapeError or UsageError, the same on all ranks.
        """
        self._plan.execute(
            source, target, alpha, beta, combine,
            lambda: self._converted(source, target, "RedistributionPlan.execute"),
        )  # fmt: skip

    @collective("RedistributionPlan.start", of_array, "RedistributionPlan")
    def start(
        self,
        source: Section,
        target: Section,
        *,
        alpha: Any = 1,
        beta: Any = 0,
        combine: str | None = None,
    ) -> Redistribution:
        """Begins execute() and returns a Redistribution whose finish() ends it. Compute in between:

            with plan.start(a, c):
                compute(b)                      # neither writes a, nor reads or writes c

        A plan has one execution in flight at a time; a second start() raises UsageError, the same on all ranks.
        Collective, in the same order on all ranks.
        """
        return Redistribution(
            self._plan.start(
                source, target, alpha, beta, combine,
                lambda: self._converted(source, target, "RedistributionPlan.start"),
            )
        )  # fmt: skip

    def _converted(self, source: Section, target: Section, caller: str) -> Section:
        """The source, converted to the target's element type. Collective the first time."""
        key = target.dtype, source.device[0]
        buffer = self._buffers.get(key)
        if buffer is None:
            kind = kind_like(source)
            buffer = make(
                Section, caller, None, self.source_layout, source.comm, target.dtype, device=kind
            )
            self._buffers[key] = buffer
        if source.device[0] in HOST_TYPES:
            settle(source, caller)  # the host reads it
            buffer.interior[...] = source.interior
        else:  # by way of the host
            buffer.copy_from_host(source.copy_to_host("interior"), "interior")
        return buffer

    @property
    def source_layout(self) -> Layout:
        """The layout of source arrays."""
        return self._plan.source_layout

    @property
    def target_layout(self) -> Layout:
        """The layout of target arrays."""
        return self._plan.target_layout

    @property
    def elements(self) -> int:
        """Number of elements that move, including elements that stay on their process."""
        return self._plan.elements

    @property
    def wire_elements(self) -> int:
        """Number of elements that move between processes."""
        return self._plan.wire_elements

    def describe(self) -> str:
        """The layouts, the elements that move and their transport, as text. Local."""
        return self._plan.describe()

    def __repr__(self) -> str:
        return (
            f"<RedistributionPlan {self.source_layout.shape} over {self.source_layout.grid}"
            f" to {self.target_layout.shape} over {self.target_layout.grid}: "
            f"{self.elements} elements, {self.wire_elements} between processes>"
        )


def redistributed(
    kind: type[Moved],
    array: Section,
    layout: Description | Section,
    *,
    permutation: Sequence[int] | None,
    from_slice: Any,
    to_slice: Any,
    fill_padding: bool,
    conjugate: bool,
    alpha: Any,
    beta: Any,
    combine: str | None,
    allow_missing_indices: bool,
    dtype: AnyType | None,
    out: Moved | None,
    keywords: dict[str, Any],
) -> Moved:
    """See redistribute(); a new array is a ``kind``."""
    if out is None:
        out = _new(kind, array, layout, permutation, from_slice, to_slice, dtype, keywords)
    else:
        _check_out(array, out, layout, dtype, keywords)
    what: dict[str, Any] = {
        "permutation": permutation, "from_slice": from_slice, "to_slice": to_slice,
        "fill_padding": fill_padding, "conjugate": conjugate,
        "allow_missing_indices": allow_missing_indices,
    }  # fmt: skip
    plans = array._joint.plans
    plan, key = None, None
    try:
        plan, key = _known_plan(array, out, what)
        if plan is None:
            plan = RedistributionPlan(array, out, **what)
        plan.execute(array, out, alpha=alpha, beta=beta, combine=combine)
    except BaseException:
        # The plans that ranks keep may differ now, or be unusable.
        plans.clear()
        raise
    plans.pop(key, None)
    plans[key] = plan
    if len(plans) > _MOST_PLANS:
        plans.pop(next(iter(plans)))
    return out


#: Plans that an array keeps.
_MOST_PLANS = 4


def _known_plan(array: Section, out: Section, keywords: Any) -> tuple[RedistributionPlan | None, Any]:
    """The plan that the array keeps for these arguments, or None, and its key. Raises on all ranks if only some of them
    keep a plan."""

    names = (
        "source layout", "target layout", "permutation", "from_slice", "to_slice", "fill_padding",
        "conjugate", "allow_missing_indices", "whether out has no communicator",
    )  # fmt: skip

    def find() -> tuple[Any, RedistributionPlan | None, dict[str, Any]]:
        caller = "RedistributionPlan"
        source, target = _layout_of(array, "source", caller), _layout_of(out, "target", caller)
        key = (
            source.fingerprint,
            target.fingerprint,
            tuple(_permutation(keywords["permutation"], source.rank, caller)),
            tuple(slices_or_none(keywords["from_slice"], source.shape, f"{caller}: from_slice")),
            tuple(slices_or_none(keywords["to_slice"], target.shape, f"{caller}: to_slice")),
            bool(keywords["fill_padding"]),
            bool(keywords["conjugate"]),
            bool(keywords["allow_missing_indices"]),
            out._communicator is None,
        )
        plan = array._joint.plans.get(key)
        if plan is not None and (plan.source_layout, plan.target_layout) != (source, target):
            plan = None
        alike = dict(zip(names, (source, target, *key[2:]), strict=True))
        return key, plan, {**alike, "whether the array keeps a plan for it": plan is not None}

    key, plan, _ = agreed(array._communicator, "redistribute", find, lambda found: found[2])
    return plan, key


def transpose(array: Section, axes: tuple[Any, ...], kind: type[Moved]) -> Moved:
    """See DistView.transpose(); the new array is a ``kind``."""

    def prepare() -> tuple[Layout, list[int]]:
        layout = array._attached_layout("transpose")
        given = axes[0] if len(axes) == 1 and not _is_axis(axes[0]) else axes or None
        if given is None:
            return layout, list(range(layout.rank))[::-1]
        return layout, _permutation(given, layout.rank, "transpose")

    layout, permutation = agreed(
        array._communicator, "transpose", prepare, lambda made: {"axes": made[1]}
    )
    return redistributed(
        kind, array, layout.permuted(permutation), permutation=permutation, from_slice=..., to_slice=...,
        fill_padding=False, conjugate=False, alpha=1, beta=0, combine=None, allow_missing_indices=False, dtype=None,
        out=None, keywords={},
    )  # fmt: skip


#: Name of this argument in the error of ranks that differ in it.
_WITH_OUT = "whether out is given"


def _new(
    kind: type[Moved],
    array: Section,
    layout: Any,
    permutation: Any,
    from_slice: Any,
    to_slice: Any,
    dtype: Any,
    keywords: Any,
) -> Moved:
    def shape() -> Any:
        source = _layout_of(array, "array", "redistribute", only_arrays=True)
        _check_keywords(keywords)
        if isinstance(layout, Section):
            layout._attached_layout("redistribute")
        if isinstance(layout, (Layout, Section)):
            return None
        if layout is None:
            raise UsageError("redistribute: expected a layout, or out")
        if to_slice is not ...:
            raise UsageError(
                "redistribute: with to_slice, expected a Layout, a DistView or out, not a "
                "description: the size of the whole array is unknown"
            )
        order = _permutation(permutation, source.rank, "redistribute") or range(source.rank)
        slices = axis_slices(from_slice, source.shape, "redistribute: from_slice")
        return tuple(slices[axis][1] for axis in order)

    taken = _communicator_of(None, array)
    sizes = agreed(taken, "redistribute", shape, lambda sizes: {_WITH_OUT: False, "shape": sizes})
    given = layout.layout if isinstance(layout, Section) else layout
    keywords.setdefault("device", kind_like(array))
    element = array.dtype if dtype is None else dtype
    return make(kind, "redistribute", sizes, given, array.comm, element, **keywords)


def _check_keywords(keywords: Any) -> None:
    for keyword in keywords:
        if keyword not in _OF_LAYOUTS | {"comm"}:
            raise UsageError(
                f"redistribute: unexpected argument {short(keyword)}; for a new array's layout, "
                f"expected {', '.join(sorted(_OF_LAYOUTS))}"
            )
    if "comm" in keywords:
        raise UsageError("redistribute: expected no comm, because the new array has the comm of the source")


def _check_out(array: Section, out: Section, layout: Any, dtype: Any, keywords: Any) -> None:
    def check() -> None:
        _layout_of(array, "array", "redistribute", only_arrays=True)
        _layout_of(out, "out", "redistribute", only_arrays=True)
        _check_keywords(keywords)
        if layout is not None or dtype is not None or keywords:
            raise UsageError(
                "redistribute: expected a layout or out, got both: out has its own layout and dtype"
            )

    agreed(_communicator_of(None, array, out), "redistribute", check, lambda _: {_WITH_OUT: True})


def _communicator_of(comm: Any, *arguments: Any) -> _distview.Communicator | None:
    found = None
    for argument in arguments:
        if found is None and isinstance(argument, Section):
            found = argument._communicator
    if comm is None:
        return found
    try:
        return communicator(comm)
    except UsageError as error:
        if found is None:
            raise
        wrong = error  # the other ranks wait on the arrays' communicator

    def refuse() -> None:
        raise wrong

    agreed(found, "RedistributionPlan", refuse)
    raise wrong


def _layout_of(given: Any, what: str, caller: str, only_arrays: bool = False) -> Layout:
    if isinstance(given, Section):
        return given._attached_layout(caller)
    if isinstance(given, Layout) and not only_arrays:
        return given
    expected = "a DistView" if only_arrays else "a Layout or a DistView"
    raise UsageError(f"{caller}: expected {what} to be {expected}, got {type(given).__name__}")


def _in_place(given: Any) -> bool:
    if not isinstance(given, (bool, np.bool_)):
        raise UsageError(f"RedistributionPlan: expected in_place to be a bool, got {short(given)}")
    return bool(given)


def _buffer_bytes(given: Any) -> int:
    try:
        count = operator.index(given)
    except TypeError:
        count = -1
    if not 0 <= count < 2**63:
        raise UsageError(
            f"RedistributionPlan: expected buffer_bytes to be an int of at least 0, got {short(given)}"
        )
    return count


def _is_axis(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _permutation(given: Any, rank: int, caller: str) -> list[int]:
    """The checked permutation without negative numbers; an empty list if none is given."""
    if given is None:
        return []
    try:
        axes = [operator.index(axis) for axis in given]
    except TypeError:
        raise LayoutError(f"{caller}: expected a permutation of {rank} axes, got {short(given)}") from None
    counted = [axis + rank if axis < 0 else axis for axis in axes]
    if sorted(counted) != list(range(rank)):
        raise LayoutError(f"{caller}: expected a permutation of {rank} axes, got {tuple(axes)}")
    return counted
