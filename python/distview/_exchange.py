# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exchanges in flight."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from . import _distview
from ._errors import Error, named_after


class InFlight:
    """Handle of an exchange in flight; base of the classes below. Other ranks may read and write the
    arrays meanwhile.
    """

    def __init__(self, handle: _distview.ExchangeInFlight) -> None:
        self._handle = handle

    def finish(self) -> None:
        """Waits for other ranks' elements, and until other ranks have read this section's elements.

        Collective over the arrays' communicator; all ranks finish several exchanges in the same order.
        Raises UsageError if the exchange has been finished or abandoned.
        """
        try:
            self._handle.finish()
        except Error as error:
            named_after(error, f"{type(self).__name__}.finish", ("ExchangeInFlight", "RedistributionPlan", "GatherPlan", "GhostExchangePlan"))
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
    """A padding exchange in flight; made by DistView.start_exchange(). Local, except finish().

    If a rank drops the exchange without finish(), for example by an exception within ``with``, it does not wait,
    and its padding is undefined. Neighbours that wait for it get an error, and so do all ranks in the next
    exchange of these arrays, unless all ranks have dropped this one; later exchanges work again.
    """


class Redistribution(InFlight):
    """A redistribution in flight; made by RedistributionPlan.start(). Local, except finish().

    If a rank drops the redistribution without finish(), for example by an exception within ``with``, it does not
    wait: the target is undefined, and other ranks may still write it. Ranks that wait for this rank get an error,
    and so do all ranks that use the plan again: build a new plan.
    """


class Gather(InFlight):
    """A gather of elements in flight; made by GatherPlan.start(). Local, except finish().

    If a rank drops the gather without finish(), for example by an exception within ``with``, the values are undefined,
    and the plan cannot be used again, as with a Redistribution.
    """


class GhostExchange(InFlight):
    """An exchange of ghosts in flight; made by GhostExchangePlan.start(). Local, except finish().

    If a rank drops the exchange without finish(), the ghosts are undefined, and the plan cannot be used again, as with a
    Redistribution.
    """
