# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of perf/compare, with builds whose benchmarks print given results."""

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
        # Replaces scripts/run -n RANKS PROGRAM: runs the program alone.
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
        # Builds alternate, and the order reverses each time.
        runs = [Path(line).parents[1].name for line in (self.root / "runs").read_text().split()]
        self.assertEqual(runs, (["before", "after", "after", "before"] * 3)[:10])

    def test_what_is_slower_is_named(self):
        before = self.build("before", [{"name": "row", "direct_us": 2.0, "floor_us": 1.0}])
        after = self.build("after", [{"name": "row", "direct_us": 2.4, "floor_us": 1.0}])
        status, out, _ = self.run_compare("--runs", "1", before, after)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"Slower than 1.15, relative to the baselines, by default: 1 rows\nrow +direct_us")
        self.assertTrue(out.endswith("forced: 0 rows\n"))
        self.assertEqual(self.run_compare("--runs", "1", "--limit", "1.3", before, after)[0], 0)

    def test_a_slower_machine_is_not_a_slower_library(self):
        before = self.build("before", [{"name": "row", "message_us": 2.0, "packed_us": 1.0}])
        after = self.build("after", [{"name": "row", "message_us": 4.0, "packed_us": 2.0}])
        self.assertEqual(self.run_compare(before, after)[0], 0)

    def test_more_instructions_are_slower(self):
        before = self.build("before", [{"name": "row", "direct_instructions": 100.0}])
        after = self.build("after", [{"name": "row", "direct_instructions": 120.0}])
        self.assertEqual(self.run_compare(before, after)[0], 1)

    def test_what_is_forced_is_listed_apart(self):
        before = self.build("before", [{"name": "row", "message_us": 2.0, "direct_us": 1.0}])
        after = self.build("after", [{"name": "row", "message_us": 3.0, "direct_us": 1.0}])
        status, out, _ = self.run_compare("--runs", "1", before, after)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"by default: 0 rows\n\nSlower than 1.15, relative to the baselines, forced: 1 rows\nrow +message_us")

    def test_what_is_derived_from_a_contender_is_no_baseline(self):
        before = self.build("before", [{"name": "row", "direct_ns": 2.0, "above_floor_ns": 1.0, "floor_ns": 1.0}])
        after = self.build("after", [{"name": "row", "direct_ns": 3.0, "above_floor_ns": 2.0, "floor_ns": 1.0}])
        status, out, _ = self.run_compare("--runs", "1", before, after)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"row +direct_ns +2 +3 +1\.50 +1\.00")

    def test_a_second_way_of_using_the_library_is_no_baseline(self):
        before = self.build("before", [{"name": "row", "direct_us": 2.0, "and_back_us": 4.0, "memcpy_us": 1.0}])
        after = self.build("after", [{"name": "row", "direct_us": 4.0, "and_back_us": 8.0, "memcpy_us": 1.0}])
        status, out, _ = self.run_compare("--runs", "1", before, after)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"row +direct_us +2 +4 +2\.00 +1\.00")
        self.assertNotIn("and_back_us", out)

    def test_a_time_in_two_units_counts_once(self):
        row = {"name": "row", "direct_us": 2.0, "direct_ns": 2000.0, "borrowed_us": 1.0, "floor_us": 1.0, "floor_ns": 1000.0}
        before = self.build("before", [row])
        after = self.build("after", [{**row, "direct_us": 3.0, "direct_ns": 3000.0}])
        status, out, _ = self.run_compare("--runs", "1", before, after)
        self.assertEqual(status, 1)
        self.assertRegex(out, r"by default: 1 rows\nrow +direct_ns")
        self.assertNotIn("direct_us", out)
        self.assertRegex(out, r"direct +time +1 rows +1\.500 +1\.500\n")
        self.assertRegex(out, r"borrowed +time +1 rows +1\.000 +1\.000\n")

    def test_a_benchmark_without_a_matching_row_is_left_out(self):
        # The message of Google Benchmark, and the status of a program that has measured nothing.
        none = 'case "$*" in *filter=wide*) echo "Failed to match any benchmarks against regex: wide" >&2; exit 1;; esac'
        for name in ("before", "after"):
            self.script(f"{name}/bin/bench_exchange_latency", none)
            self.build(name, [{"name": "wide", "direct_us": 1.0}], benchmark="bench_redistribution")
        before, after = str(self.root / "before"), str(self.root / "after")
        status, out, err = self.run_compare("--runs", "2", "--filter", "wide", before, after)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("bench_exchange_latency: left out, the two builds have no row", out)
        self.assertRegex(out, r"wide +direct_us +1 +1 +1\.00")
        status, _, err = self.run_compare("--filter", "wide", "--benchmark", "bench_exchange_latency", before, after)
        self.assertEqual(status, 2)
        self.assertIn("nothing was compared", err)

    def test_builds_without_a_row_in_common_are_no_comparison(self):
        before = self.build("before", [{"name": "row", "direct_us": 1.0}])
        other = self.build("other", [{"name": "row", "direct_us": 1.0}], benchmark="bench_redistribution")
        baseline = self.build("baseline", [{"name": "row", "floor_us": 1.0}])
        for after in (other, baseline):
            status, _, err = self.run_compare("--runs", "1", before, after)
            self.assertEqual(status, 2)
            self.assertIn("nothing was compared", err)

    def test_no_run_is_no_comparison(self):
        before = self.build("before", [{"name": "row", "direct_us": 1.0}])
        err = io.StringIO()
        with mock.patch.object(sys, "argv", ["compare", "--runs", "0", before, before]):
            with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as ended:
                self.compare.main()
        self.assertEqual(ended.exception.code, 2)
        self.assertIn("--runs: expected at least 1, got 0", err.getvalue())

    def test_the_geometric_mean(self):
        self.assertAlmostEqual(self.compare.mean([0.5, 2.0]), 1.0)
        self.assertAlmostEqual(self.compare.mean([1.0, 2.0, 4.0]), 2.0)
        self.assertAlmostEqual(self.compare.mean([0.9, 1.2]), 1.0392304845413265)
        self.assertAlmostEqual(self.compare.mean([0.0, 3.0]), 3.0)
        self.assertEqual(self.compare.mean([]), 1.0)

    def test_means_of_each_benchmark_and_of_all(self):
        def rows(*of):
            return [{"name": f"row{i}", **row} for i, row in enumerate(of)]

        ones = {"direct_us": 1.0, "borrowed_us": 1.0, "message_us": 1.0, "mpi_us": 1.0, "direct_instructions": 100.0}
        latency = {"direct_ns": 1.0, "floor_ns": 1.0}
        before = self.build("before", rows(ones, ones), benchmark="bench_padding_exchange")
        self.build("before", rows(latency), benchmark="bench_exchange_latency")
        after = self.build(
            "after",
            rows(
                {"direct_us": 4.0, "borrowed_us": 0.5, "message_us": 3.0, "mpi_us": 2.0, "direct_instructions": 90.0},
                {"direct_us": 1.0, "borrowed_us": 0.5, "message_us": 27.0, "mpi_us": 0.5, "direct_instructions": 40.0},
            ),
            benchmark="bench_padding_exchange",
        )
        self.build("after", rows({"direct_ns": 0.25, "floor_ns": 1.0}), benchmark="bench_exchange_latency")
        _, out, _ = self.run_compare("--runs", "1", before, after)
        of_one = out[out.index("geometric means of bench_padding_exchange") : out.index("geometric means of all")]
        # Geometric means: the ratios 4 and 1, divided by the baselines' 2 and 0.5, are 2 and 2.
        self.assertRegex(of_one, r"direct +time +2 rows +2\.000 +2\.000\nborrowed +time +2 rows +0\.500 +0\.500\n")
        self.assertRegex(of_one, r"all of the default +time +4 rows +1\.000 +1\.000\n")
        self.assertRegex(of_one, r"message \(forced\) +time +2 rows +9\.000 +9\.000\n")
        self.assertRegex(of_one, r"direct +instructions +2 rows +0\.600 +0\.600\n")
        of_all = out[out.index("geometric means of all") :]
        # The geometric mean of 4, 1 and 1/4.
        self.assertRegex(of_all, r"direct +time +3 rows +1\.000 +1\.000\n")
        self.assertRegex(of_all, r"all of the default +time +5 rows +0\.758 +0\.758\n")

    def test_a_benchmark_that_fails_is_no_comparison(self):
        before = self.build("before", [{"name": "row", "direct_us": 1.0}])
        after = self.build("after", [{"name": "row", "direct_us": 1.0}], status=3)
        status, _, err = self.run_compare(before, after)
        self.assertEqual(status, 2)
        self.assertIn("bench_exchange_latency of", err)


if __name__ == "__main__":
    unittest.main()
