# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends a test program that hangs, having said where."""

import faulthandler
import os
import signal

import pytest

# For what is no test: the start, the end, what lies between.
_LEAST = 60
# Between the traceback and the end, so that a launcher has passed on what was printed.
_GRACE = 2


class Watchdog:
    """A plugin of pytest. Works wherever the program hangs, even in C++ that holds the interpreter:
    the traceback comes from a thread that needs no Python, the end is the kernel's alarm."""

    def __init__(self):
        self.limit = float(os.environ.get("DISTVIEW_TEST_TIMEOUT", "60"))
        # sys.stderr is pytest's while a test runs.
        self.stderr = os.dup(2)
        faulthandler.enable(file=self.stderr)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.arm()

    def arm(self, seconds=None):
        """From now on, and until it is armed again, the program has so many seconds."""
        if self.limit > 0:
            seconds = seconds or max(self.limit, _LEAST)
            faulthandler.dump_traceback_later(seconds, file=self.stderr)
            signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)

    def say(self, text):
        """To the real stderr, at once."""
        os.write(self.stderr, text.encode(errors="replace"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        marker = item.get_closest_marker("time_limit")
        # Who gives all tests longer than usual (CMake does, for sanitizers) means these, too.
        self.arm(marker.args[0] * max(1, self.limit / 60) if marker else self.limit)
        try:
            return (yield)
        finally:
            self.arm()
