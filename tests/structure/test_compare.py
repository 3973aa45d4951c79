# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of perf/compare, with builds whose benchmarks print what they are told."""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True

COMPARE = Path(__file__).resolve().parents[2] / "perf" / "compare"


def load():
    loader = SourceFileLoader("compare", str(COMPARE))
    module = module_from_spec(spec_from_loader("compare", loader))
    loader.exec_module(module)
    return module


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.compare = load()
        # In place of scripts/run -n RANKS PROGRAM: the program alone.
        self.compare.RUN = self.script("run", 'shift 2; exec "$@"')

    def script(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def build(self, name, rows, status=0, benchmark="bench_exchange_latency"):
        report = json.dumps({"benchmarks": rows})
        self.script(f"{name}/bin/{benchmark}", f"echo \"$0\" >>{self.root}/runs\necho '{report}'\nexit {status}")
        return str(self.root / name)

    def run_compare(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["compare", *arguments]):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = self.compare.main()
        return status, out.getvalue(), err.getvalue()

    def test_what_is_no_slower_passes(self):
        before = self.build("before", [{"name": "row/iterations:3", "direct_us": 2.0, "floor_us": 1.0}])
        after = self.build("after", [{"name": "row/iterations:3", "direct_us": 2.2, "floor_us": 1.0}])
        status, out, _ = self.run_compare(before, after)
        self.assertEqual(status, 0)
        self.assertRegex(out, r"row +direct_us +2 +2\.2 +1\.10 +1\.00")
        self.assertNotIn("floor_us", out)
        self.assertIn("bench_redistribution: left out", out)
        # In turns, there and back.
        runs = [Path(line).parents[1].name for line in (self.root / "runs").read_text().split()]
        self.assertEqual(runs, ["before", "after", "after", "before", "before", "after"])

    def test_what_is_slower_is_named(self):
        before = self.build("before", [{"name": "row", "direct_us": 2.0, "floor_us": 1.0}])
        after = self.build("after", [{"name": "row", "direct_us": 2.4, "floor_us": 1.0}])
        status, out, _ = self.run_compare("--runs", "1", before, after)
        self.assertEqual(status, 1)
        self.assertIn("Slower than 1.15", out)
        self.assertEqual(self.run_compare("--runs", "1", "--limit", "1.3", before, after)[0], 0)

    def test_a_slower_machine_is_not_a_slower_library(self):
        before = self.build("before", [{"name": "row", "message_us": 2.0, "packed_us": 1.0}])
        after = self.build("after", [{"name": "row", "message_us": 4.0, "packed_us": 2.0}])
        self.assertEqual(self.run_compare(before, after)[0], 0)

    def test_more_instructions_are_slower(self):
        before = self.build("before", [{"name": "row", "direct_instructions": 100.0}])
        after = self.build("after", [{"name": "row", "direct_instructions": 120.0}])
        self.assertEqual(self.run_compare(before, after)[0], 1)

    def test_a_benchmark_that_fails_is_no_comparison(self):
        before = self.build("before", [{"name": "row", "direct_us": 1.0}])
        after = self.build("after", [{"name": "row", "direct_us": 1.0}], status=3)
        status, _, err = self.run_compare(before, after)
        self.assertEqual(status, 2)
        self.assertIn("bench_exchange_latency of", err)


if __name__ == "__main__":
    unittest.main()
