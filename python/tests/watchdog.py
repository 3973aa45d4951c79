# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends a test program that hangs, after printing where it hangs."""

import faulthandler
import os
import signal

import pytest

# Limit for the time outside of tests: start, end, and between tests.
_LEAST = 60
# Between the traceback and the end, so that a launcher has time to pass on the output.
_GRACE = 2


class Watchdog:
    """A plugin of pytest. Works wherever the program hangs, even in C++ code that holds the GIL:
    a thread that needs no Python prints the traceback, and the kernel's alarm ends the program."""

    def __init__(self):
        self.limit = float(os.environ.get("DISTVIEW_TEST_TIMEOUT", "60"))
        # While a test runs, sys.stderr belongs to pytest.
        self.stderr = os.dup(2)
        faulthandler.enable(file=self.stderr)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.arm()

    def arm(self, seconds=None):
        """Sets the seconds that the program has from now on, until armed again."""
        if self.limit > 0:
            seconds = seconds or max(self.limit, _LEAST)
            faulthandler.dump_traceback_later(seconds, file=self.stderr)
            signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)

    def say(self, text):
        """Writes to the real stderr at once."""
        os.write(self.stderr, text.encode(errors="replace"))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        marker = item.get_closest_marker("time_limit")
        # A longer limit for all tests (from CMake, for sanitizers) applies to these tests, too.
        self.arm(marker.args[0] * max(1, self.limit / 60) if marker else self.limit)
        try:
            return (yield)
        finally:
            self.arm()
