# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends a test program that hangs, after printing where."""

import faulthandler
import os
import signal

import pytest

# For the phases outside of tests: the start, the end, and between tests.
_LEAST = 60
# Time between the traceback and the end, so that a launcher can pass on the output.
_GRACE = 2


class Watchdog:
    """A pytest plugin. It works wherever the program hangs, even in C++ that holds the interpreter's lock: a thread without
    Python prints the traceback, and the kernel's alarm ends the program."""

    def __init__(self):
        self.limit = float(os.environ.get("DISTVIEW_TEST_TIMEOUT", "60"))
        # While a test runs, sys.stderr is pytest's.
        self.stderr = os.dup(2)
        faulthandler.enable(file=self.stderr)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.arm()

    def arm(self, seconds=None):
        """Limits the program to this many seconds from now, until armed again."""
        if self.limit > 0:
            seconds = seconds or max(self.limit, _LEAST)
            faulthandler.dump_traceback_later(seconds, file=self.stderr)
            signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)

    def say(self, text):
        """Prints to the real stderr at once."""
        os.write(self.stderr, text.encode(errors="replace"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        marker = item.get_closest_marker("time_limit")
        # A longer limit for all tests (CMake sets one for sanitizers) also lengthens the limits of single tests.
        self.arm(marker.args[0] * max(1, self.limit / 60) if marker else self.limit)
        try:
            return (yield)
        finally:
            self.arm()
