# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes pytest on several ranks one run: the same tests in the same order, one verdict for each."""

import time

import pytest
from mpi4py import MPI

def _list(ranks):
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"


class RankAgreement:
    """A plugin of pytest. After each phase of a test (set-up, call, tear-down) all ranks agree on
    its outcome, so that a failure on one rank is a failure on all and none runs ahead."""

    def __init__(self, watchdog):
        self.watchdog = watchdog
        # A separate communicator: stray messages of tests must not match messages of this plugin.
        self.comm = MPI.COMM_WORLD.Dup()
        self.rank, self.size = self.comm.rank, self.comm.size
        self.collection_errors = []
        # A failed rank that waits so long for the others reports its failure: they may never arrive.
        self.patience = min(5.0, watchdog.limit / 3 or 5.0)

    def agree(self, where, what, told=""):
        """The `what` of all ranks, by rank. All ranks must be at the same place. Prints `told` if
        the others keep this rank waiting."""
        request, began = self.comm.Ibarrier(), time.monotonic()
        while not request.Test():
            # Sleeps instead of waiting in MPI: ranks that still work may share the core.
            time.sleep(0.0005)
            if told and time.monotonic() - began > self.patience:
                self.watchdog.say(f"\n[rank {self.rank} of {self.size}] waits since {where}:\n{told}\n")
                told = ""
        gathered = self.comm.allgather((where, what))
        if any(place != where for place, _ in gathered):
            if self.rank == 0:
                lines = [f"  rank {r}: {place}" for r, (place, _) in enumerate(gathered)]
                self.watchdog.say("\nthe ranks are not at the same place:\n" + "\n".join(lines) + "\n")
                # A launcher may drop unread output when a rank ends.
                time.sleep(1)
            self.comm.Barrier()
            MPI.COMM_WORLD.Abort(1)
        return [what for _, what in gathered]

    def pytest_collectreport(self, report):
        if report.failed:
            self.collection_errors.append(f"{report.nodeid}\n{report.longreprtext}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        mine = ("\n".join(self.collection_errors), [item.nodeid for item in session.items])
        collected = self.agree("the end of the collection", mine)
        errors = [f"rank {r}: {text}" for r, (text, _) in enumerate(collected) if text]
        if errors:
            pytest.exit("the tests could not be collected\n" + "\n".join(errors), returncode=1)
        for rank, (_, items) in enumerate(collected):
            if items != collected[0][1]:
                mine, theirs = (set(collected[r][1]) for r in (0, rank))
                what = sorted(mine ^ theirs) or "an order that is not that of rank 0"
                pytest.exit(f"rank {rank} has other tests than rank 0: {what}", returncode=1)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        text = ""
        if report.failed:
            captured = [f"{name}\n{content}" for name, content in report.sections]
            text = "\n".join([report.longreprtext, *captured])
        told = f"FAILED here: {text}" if text else ""
        outcomes = self.agree(f"{call.when} of {item.nodeid}", (report.outcome, text), told)
        failed = [r for r, (outcome, _) in enumerate(outcomes) if outcome == "failed"]
        if not failed and len({outcome for outcome, _ in outcomes}) > 1:
            failed = [r for r, (outcome, _) in enumerate(outcomes) if outcome == "skipped"]
            outcomes = [("", "skipped, while others were not" if r in failed else "")
                        for r in range(self.size)]  # fmt: skip
        if not failed:
            return report
        if not report.failed:
            report.outcome = "failed"
            report.longrepr = f"failed on {_list(failed)} of {self.size}, not on rank {self.rank}"
        # Print equal texts once.
        by_text = {}
        for rank in failed:
            if rank != self.rank:
                by_text.setdefault(outcomes[rank][1], []).append(rank)
        for text, ranks in by_text.items():
            report.sections.append((f"{_list(ranks)} of {self.size}", text))
        return report
