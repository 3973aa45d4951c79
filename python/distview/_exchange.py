# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding exchanges in flight."""

from __future__ import annotations

from types import TracebackType

from . import _distview
from ._errors import named


class PaddingExchange:
    """A padding exchange in flight; made by DistView.start_exchange(). Local, but finish().

    One that is dropped without finish(), as by an exception within ``with``, waits for nobody: the padding
    is not to be relied on. Neighbours, which wait for it, get an error, as do all in the next exchange of these
    arrays, unless all have dropped it; the one after that works again.
    """

    def __init__(self, handle: _distview.ExchangeInFlight) -> None:
        self._handle = handle

    @named("PaddingExchange.finish")
    def finish(self) -> None:
        """Waits for the neighbours' elements, and until they have read this section's.

        Collective over the arrays' communicator, of several exchanges in the same order on all ranks.
        Raises UsageError if it has been finished or abandoned.
        """
        self._handle.finish()

    def __enter__(self) -> PaddingExchange:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._handle.abandon()
        elif self._handle.is_in_flight:
            self.finish()
