# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding exchanges in flight."""

from __future__ import annotations

from types import TracebackType

from . import _distview
from ._errors import UsageError


class PaddingExchange:
    """A padding exchange in flight; made by DistView.start_exchange(). Local, but finish().

    One that is dropped without finish(), as by an exception within ``with``, waits for nobody: the padding
    is not to be relied on, and neighbours get an error in the next exchange of these arrays.
    """

    def __init__(self, handle: _distview.ExchangeInFlight | None) -> None:
        self._handle = handle
        self._is_finished = False

    def finish(self) -> None:
        """Waits for the neighbours' elements, and until they have read this section's.

        Collective over the arrays' communicator, of several exchanges in the same order on all ranks.
        Raises UsageError if it is called twice.
        """
        if self._is_finished:
            raise UsageError("PaddingExchange.finish: called twice")
        self._is_finished = True
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.finish()

    def __enter__(self) -> PaddingExchange:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and not self._is_finished:
            self.finish()
        elif kind is not None:
            self._handle = None
