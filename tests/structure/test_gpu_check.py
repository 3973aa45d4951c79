# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of scripts/gpu-check, which few machines can run: programs that stand in for those of a build say what a
device would have let them say."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gpu-check"

PROGRAM = """#!{python}
import json, os, sys
said = json.loads(os.environ["SAID"])
name = os.path.basename(sys.argv[0])
arguments = dict(zip(sys.argv[1:-1], sys.argv[2:]))
if name in said.get("fails", []):
    sys.exit(3)
if name == "bench_device":
    print("some text first")
    print(json.dumps({{"context": {{}}, "benchmarks": said["benchmarks"]}}, indent=2))
    print("DISTVIEW-TEST-PASSED")
if "--json" in arguments:
    digest = said.get("digests", {{}}).get(arguments["--space"], "same")
    fields = {{f: {{"digest": digest, "l2": said.get("l2", 1.0)}} for f in "huv"}}
    report = {{"steps": {{"40": fields, "501": fields}}, "reference_l2": {{"501": dict(h=1.0, u=1.0, v=1.0)}}}}
    report.update(nx=3600, ny=1800, seconds=0.1, mcell_steps_per_s=1.0, triad_gbs=1.0)
    report.update(memory_bytes=8, trial_seconds=[1.0, 0.5])
    open(arguments["--json"], "w").write(json.dumps(report))
"""


PROGRAMS = ("test_cuda_transports", "cuda_instantiations", "bench_device", "shallow_water", "ptrans")


def benchmark(name, share):
    numbers = {"device_us": 1, "wall_us": 2, "model_sector_bytes": 3, "model_us": 1, "copy_gbs": 1}
    numbers.update(share=share, useful_share=share, kernels=1, copies=0)
    return {"name": f"{name}/iterations:30", **numbers}


class GpuCheck(unittest.TestCase):
    def check(self, device="One GPU, 1.0", share=0.95, **said):
        """Runs the script; its status, and the verdicts and bars of its report by name."""
        names = ("self_periodic_exchange", "transposition", "daxpy", "exchange_in_place")
        said["benchmarks"] = [benchmark(name, share) for name in names]
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for part in ("build/bin", "path"):
                (root / part).mkdir(parents=True)
            for name in PROGRAMS:
                self.make(root / "build/bin" / name, PROGRAM.format(python=sys.executable))
            if device:
                self.make(root / "path/nvidia-smi", f"#!/bin/sh\necho '{device}'\n")
            done = subprocess.run(
                [sys.executable, SCRIPT, "--build", root / "build", "--out", root / "out"],
                env={"PATH": str(root / "path"), "SAID": json.dumps(said)},
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.stderr, "")
            report = json.loads((root / "out/gpu-check.json").read_text(encoding="utf-8"))
        self.report = report
        self.verdicts = {each["name"]: each["verdict"] for each in report["results"]}
        self.bars = {each["name"]: each["met"] for each in report["bars"]}
        return done.returncode

    @staticmethod
    def make(path, text):
        path.write_text(text, encoding="utf-8")
        os.chmod(path, 0o755)

    def test_all_is_well_and_what_is_missing_is_skipped(self):
        self.assertEqual(self.check(), 0)
        self.assertNotIn("FAILED", self.verdicts.values())
        self.assertEqual(self.verdicts["test_cuda_transports np1"], "passed")
        self.assertEqual(self.verdicts["test_cuda_transports np2"], "skipped")  # no mpirun here
        self.assertEqual(self.verdicts["transport gpu_message"], "skipped")
        self.assertEqual(self.verdicts["compute-sanitizer memcheck np1"], "skipped")
        self.assertEqual(self.verdicts["shallow_water P fused float64 np1: same bits"], "passed")
        self.assertEqual(self.verdicts["shallow_water --benchmark tiles: norms"], "passed")
        self.assertTrue(all(self.bars.values()))
        self.assertEqual(self.report["device"], "One GPU, 1.0")

    def test_without_a_device_nothing_runs(self):
        self.assertEqual(self.check(device=""), 1)
        self.assertEqual(self.verdicts, {"device": "FAILED"})

    def test_a_program_that_fails(self):
        self.assertEqual(self.check(fails=["test_cuda_transports"]), 1)
        self.assertEqual(self.verdicts["test_cuda_transports np1"], "FAILED")
        self.assertEqual(self.verdicts["cuda_instantiations np1"], "passed")

    def test_other_bits_than_the_host_s(self):
        self.assertEqual(self.check(digests={"host": "a", "cuda": "b"}), 1)
        self.assertEqual(self.verdicts["shallow_water C literal float64 np1: same bits"], "FAILED")

    def test_norms_that_are_off_are_no_result(self):
        self.assertEqual(self.check(l2=1.01), 1)
        self.assertEqual(self.verdicts["shallow_water --benchmark tiles: norms"], "FAILED")
        self.assertFalse(self.bars["shallow_water 500 steps, s"])

    def test_a_bar_that_is_missed_is_said_and_fails_nothing(self):
        self.assertEqual(self.check(share=0.8), 0)
        self.assertTrue(self.bars["transposition: share of copies"])
        self.assertFalse(self.bars["daxpy: share of copies"])


if __name__ == "__main__":
    unittest.main()
