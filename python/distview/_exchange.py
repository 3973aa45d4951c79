# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding exchanges and redistributions in flight."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from . import _distview
from ._errors import Error, named_after


class InFlight:
    """Handle of an exchange in flight, whose arrays other ranks may be reading and writing; base of
    PaddingExchange and Redistribution.
    """

    def __init__(self, handle: _distview.ExchangeInFlight) -> None:
        self._handle = handle

    def finish(self) -> None:
        """Waits for other ranks' elements, and until they have read this section's.

        Collective over the arrays' communicator, of several in flight in the same order on all ranks.
        Raises UsageError if it has been finished or abandoned.
        """
        try:
            self._handle.finish()
        except Error as error:
            named_after(error, f"{type(self).__name__}.finish", ("ExchangeInFlight", "RedistributionPlan"))
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._handle.abandon()
        elif self._handle.is_in_flight:
            self.finish()


class PaddingExchange(InFlight):
    """A padding exchange in flight; made by DistView.start_exchange(). Local, but finish().

    One that is dropped without finish(), as by an exception within ``with``, waits for nobody: the padding
    is not to be relied on. Neighbours, which wait for it, get an error, as do all in the next exchange of these
    arrays, unless all have dropped it; the one after that works again.
    """


class Redistribution(InFlight):
    """A redistribution in flight; made by RedistributionPlan.start(). Local, but finish().

    One that is dropped without finish(), as by an exception within ``with``, waits for nobody: the target
    is not to be relied on, and others may still be writing it. Ranks that wait for it get an error, as do all
    that use the plan again: build a new one.
    """
