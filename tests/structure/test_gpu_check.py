# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of scripts/gpu-check, which few machines can run: fake programs replace those of a build and print the
output that a device would produce."""

import ast
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "gpu-check"

PROGRAM = """#!{python} -IS
import json, os, sys
said = json.loads(os.environ["SAID"])
name = os.path.basename(sys.argv[0])
rank = os.environ.get("OMPI_COMM_WORLD_RANK", "0")
arguments = dict(zip(sys.argv[1:-1], sys.argv[2:]))
if name in said.get("fails", []) or rank == said.get("fails_on_rank"):
    sys.exit(3)
for variable, expected in said.get("environment", {{}}).items():
    if os.environ.get(variable) != expected:
        sys.exit(f"{{variable}} is {{os.environ.get(variable)}}, not {{expected}}")
if rank != "0":
    sys.exit(0)
if name == "test_cuda_transports":
    print(said.get("transports", ""))
if name == "bench_device":
    out = [each for each in sys.argv if each.startswith("--benchmark_out=")][0].partition("=")[2]
    wrong = said.get("wrong")
    for each in said["benchmarks"]:
        if each["name"].split("/")[0] == wrong:
            name = each["name"]
            each.clear()
            each.update(name=name, error_occurred=True)
    if not said.get("no_report"):
        open(out, "w").write(json.dumps({{"context": {{}}, "benchmarks": said["benchmarks"]}}))
    if wrong:
        sys.exit(1)
    print("DISTVIEW-TEST-PASSED")
if "--json" in arguments:
    digest = said.get("digests", {{}}).get(arguments["--space"], "same")
    fields = {{f: {{"digest": digest, "l2": said.get("l2", 1.0)}} for f in "huv"}}
    report = {{"steps": {{"40": fields, "501": fields}}, "reference_l2": {{"501": dict(h=1.0, u=1.0, v=1.0)}}}}
    report.update(nx=3600, ny=1800, seconds=0.1, mcell_steps_per_s=1.0, triad_gbs=1.0)
    report.update(memory_bytes=8, trial_seconds=[1.0, 0.5])
    iterations = said.get("iterations", {{}}).get(arguments["--space"], 20)
    report.update(iterations=iterations, error_max=1e-3, history=[digest])
    open(arguments["--json"], "w").write(json.dumps(report))
"""


# Runs a program once per rank, one rank after the other.
MPIRUN = """#!/bin/sh
[ "$1" = -n ] && [ "$OMPI_ALLOW_RUN_AS_ROOT" = 1 ] && [ -d "$PRTE_MCA_prte_local_tmpdir_base" ] || exit 99
ranks=$2 rank=0 status=0
shift 2
while [ $rank -lt $ranks ]; do
    OMPI_COMM_WORLD_RANK=$rank "$@" || status=$?
    rank=$((rank + 1))
done
exit $status
"""

# The libraries of a program or library; some belong to the machine, some to the package.
LDD = """#!/bin/sh
echo '  linux-vdso.so.1 (0x1)'
echo '  libc.so.6 => {root}/system/libc.so.6 (0x2)'
echo '  libthing.so.1 => {root}/system/libthing.so.1 (0x3)'
"""

OMPI_INFO = """#!/bin/sh
echo 'path:prefix:{root}/openmpi'
echo 'path:libdir:{root}/openmpi/lib/arch'
echo 'path:pkglibdir:{root}/openmpi/lib/arch/openmpi'
echo 'path:pkgdatadir:{root}/openmpi/share/openmpi'
"""


PROGRAMS = ("test_cuda_transports", "test_cuda_algorithms", "test_cuda_elements", "cuda_instantiations")
PROGRAMS += ("test_cuda_exports", "bench_device", "shallow_water", "poisson", "ptrans")


def benchmark(name, share):
    numbers = {"device_us": 1, "wall_us": 2, "model_sector_bytes": 3, "model_us": 1, "copy_gbs": 1}
    numbers.update(share=share, useful_share=share, kernels=1, copies=0)
    if name == "exchange_staged":
        numbers["device_us"] = 4
    return {"name": f"{name}/iterations:30", **numbers}


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in PROGRAMS:
            self.make("build/bin/" + name, PROGRAM)
        self.path = self.root / "path"

    def make(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(python=sys.executable, root=self.root), encoding="utf-8")
        os.chmod(path, 0o755)

    def start(self, script, *arguments, **said):
        return subprocess.run(
            [sys.executable, script, *arguments],
            env={"PATH": str(self.path), "SAID": json.dumps(said)},
            capture_output=True,
            text=True,
            check=False,
        )

    def check(self, *options, device="One GPU, 1.0", share=0.95, script=SCRIPT, **said):
        """Runs the script; returns its status and stores the verdicts and bars of its report by name."""
        names = ("self_periodic_exchange", "transposition", "daxpy", "exchange_in_place", "exchange_staged")
        said["benchmarks"] = [benchmark(name, share) for name in names]
        if device:
            self.make("path/nvidia-smi", f"#!/bin/sh\necho '{device}'\n")
        build = ["--build", self.root / "build"] if script == SCRIPT else []
        done = self.start(script, *build, "--out", self.root / "out", *options, **said)
        self.assertEqual(done.stderr, "")
        self.report = json.loads((self.root / "out/gpu-check.json").read_text(encoding="utf-8"))
        self.verdicts = {each["name"]: each["verdict"] for each in self.report["results"]}
        self.bars = {each["name"]: each["met"] for each in self.report["bars"]}
        return done.returncode

    def test_all_is_well_and_what_is_missing_is_skipped(self):
        self.assertEqual(self.check(), 0)
        self.assertNotIn("FAILED", self.verdicts.values())
        self.assertEqual(self.verdicts["test_cuda_transports np1"], "passed")
        self.assertEqual(self.verdicts["test_cuda_transports np2"], "skipped")  # no mpirun here
        self.assertEqual(self.verdicts["transport gpu_message"], "skipped")
        self.assertEqual(self.verdicts["compute-sanitizer memcheck np1"], "skipped")
        self.assertEqual(self.verdicts["shallow_water P fused float64 np1: same bits"], "passed")
        self.assertEqual(self.verdicts["poisson jacobi 3-D np1: same answer"], "passed")
        self.assertEqual(self.verdicts["shallow_water --benchmark tiles: norms"], "passed")
        self.assertTrue(all(self.bars.values()))
        self.assertEqual(self.report["device"], "One GPU, 1.0")

    def test_python_3_9_is_enough(self):
        """As docs/cuda.md promises: no syntax newer than 3.9, and none of these newer names of the standard library."""
        newer = {"ignore_cleanup_errors", "strict", "pairwise", "process_group", "root_dir", "UTC", "StrEnum"}
        for path in (SCRIPT, *(SCRIPT.parent / "lib").glob("gpu_*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
            names = {getattr(node, kind, None) for node in ast.walk(tree) for kind in ("arg", "attr", "id")}
            self.assertEqual({name for name in names if isinstance(name, str)} & newer, set(), path)

    def test_without_a_device_nothing_runs(self):
        self.assertEqual(self.check(device=""), 1)
        self.assertEqual(self.verdicts, {"device": "FAILED"})

    def test_where_no_program_starts_one_failure_says_so(self):
        self.assertEqual(self.check(fails=list(PROGRAMS)), 1)
        self.assertEqual(self.verdicts, {"device": "passed", "programs start": "FAILED"})

    def test_a_program_that_fails(self):
        self.assertEqual(self.check(fails=["test_cuda_transports"]), 1)
        self.assertEqual(self.verdicts["test_cuda_transports np1"], "FAILED")
        self.assertEqual(self.verdicts["cuda_instantiations np1"], "passed")

    def test_other_bits_than_the_host_s(self):
        self.assertEqual(self.check(digests={"host": "a", "cuda": "b"}), 1)
        self.assertEqual(self.verdicts["shallow_water C literal float64 np1: same bits"], "FAILED")

    def test_other_iterations_than_the_host_s(self):
        self.assertEqual(self.check(iterations={"host": 20, "cuda": 21}), 1)
        self.assertEqual(self.verdicts["poisson jacobi 3-D np1: same answer"], "FAILED")

    def test_norms_that_are_off_are_no_result(self):
        self.assertEqual(self.check(l2=1.01), 1)
        self.assertEqual(self.verdicts["shallow_water --benchmark tiles: norms"], "FAILED")
        self.assertFalse(self.bars["shallow_water 500 steps, s"])

    def test_a_bar_that_is_missed_is_said_and_fails_nothing(self):
        self.assertEqual(self.check(share=0.8), 0)
        self.assertTrue(self.bars["transposition: share of copies"])
        self.assertFalse(self.bars["daxpy: share of copies"])

    def test_several_ranks_share_the_device(self):
        self.make("path/mpirun", MPIRUN)
        self.assertEqual(self.check(), 0)
        for ranks in (1, 2, 4):
            self.assertEqual(self.verdicts[f"test_cuda_transports np{ranks}"], "passed")
            self.assertEqual(self.verdicts[f"cuda_instantiations np{ranks}"], "passed")
            self.assertEqual(self.verdicts[f"shallow_water C fused float32 np{ranks}: same bits"], "passed")
        self.assertEqual(self.verdicts["bench_device np2"], "passed")
        self.assertTrue(self.bars["staging / IPC, time of kernels and copies"])
        self.assertIn("exchange_staged np2", self.report["benchmarks"])

    def test_one_rank_of_several_fails(self):
        self.make("path/mpirun", MPIRUN)
        self.assertEqual(self.check(fails_on_rank="3"), 1)
        for name, verdict in self.verdicts.items():
            if "np4" in name:
                self.assertEqual(verdict, "FAILED", name)
            else:
                self.assertNotEqual(verdict, "FAILED", name)

    def test_what_tests_say_of_messages_in_device_memory(self):
        # In colours, since the launcher gives each rank a terminal.
        line = "\033[mAll/DeviceTransports.ExchangesLikeTheHost/gpu_message (3 ms)"
        self.assertEqual(self.check("--quick", transports=f"\033[0;32m[       OK ] {line}"), 0)
        self.assertEqual(self.verdicts["transport gpu_message"], "passed")
        self.assertIs(self.report["mpi_takes_device_memory"], True)
        self.assertEqual(self.check("--quick", transports=f"[  SKIPPED ] {line}"), 0)
        self.assertEqual(self.verdicts["transport gpu_message"], "skipped")
        self.assertIs(self.report["mpi_takes_device_memory"], False)

    def test_a_benchmark_without_a_report_fails_and_the_others_go_on(self):
        self.assertEqual(self.check(no_report=True), 1)
        self.assertEqual(self.verdicts["bench_device np1: report"], "FAILED")
        self.assertNotIn("daxpy: share of copies", self.bars)
        self.assertTrue(self.bars["shallow_water 500 steps, s"])

    def test_a_wrong_benchmark_fails_and_the_others_count(self):
        self.assertEqual(self.check(wrong="daxpy"), 1)
        self.assertEqual(self.verdicts["bench_device np1"], "FAILED")
        self.assertNotIn("daxpy: share of copies", self.bars)
        self.assertTrue(self.bars["transposition: share of copies"])

    def test_a_report_of_an_earlier_run_counts_for_nothing(self):
        self.assertEqual(self.check(), 0)
        self.assertEqual(self.check(no_report=True), 1)
        self.assertNotIn("transposition: share of copies", self.bars)

    def test_small_benchmarks_meet_no_bar(self):
        self.make("path/mpirun", MPIRUN)
        self.assertEqual(self.check("--quick"), 0)
        self.assertNotIn("daxpy: share of copies", self.bars)
        self.assertNotIn("staging / IPC, time of kernels and copies", self.bars)

    def test_some_parts_only(self):
        self.assertEqual(self.check("--only", "consumers", "--only", "sanitizer"), 0)
        names = {name.split()[0] for name in self.verdicts}
        self.assertEqual(names, {"device", "programs", "exports", "compute-sanitizer"})

    def test_what_there_is_no_time_for_is_skipped(self):
        self.assertEqual(self.check("--seconds", "1"), 0)
        self.assertEqual(set(self.verdicts.values()), {"passed", "skipped"})
        self.assertEqual(self.verdicts["device"], "passed")
        notes = {each["name"]: each["note"] for each in self.report["results"]}
        self.assertEqual(notes["cuda_instantiations np1"], "no time left")

    def test_what_is_known_when_all_is_ended_was_written(self):
        self.make("path/nvidia-smi", "#!/bin/sh\necho 'One GPU, 1.0'\n")
        self.make("build/bin/cuda_instantiations", "#!/bin/sh\nkill -9 $PPID\n")
        done = self.start(SCRIPT, "--build", self.root / "build", "--out", self.root / "out", benchmarks=[])
        self.assertNotEqual(done.returncode, 0)
        report = json.loads((self.root / "out/gpu-check.json").read_text(encoding="utf-8"))
        names = [each["name"] for each in report["results"]]
        programs = ["programs start", "test_cuda_transports np1", "test_cuda_algorithms np1"]
        programs.append("test_cuda_elements np1")
        self.assertEqual(names, ["device", *programs])

    def test_a_failure_s_note_says_what_was_complained_of(self):
        self.make("build/bin/test_cuda_exports", "#!/bin/sh\necho first; echo 'cudaMalloc: an error'; exit 3\n")
        self.assertEqual(self.check(), 1)
        notes = {each["name"]: each["note"] for each in self.report["results"]}
        expected = "status 3, see test_cuda_exports_np1.log: cudaMalloc: an error"
        self.assertEqual(notes["test_cuda_exports np1"], expected)

    def test_without_ssh_mpirun_is_told_of_another_program(self):
        self.assertEqual(self.check(environment={"OMPI_MCA_plm_rsh_agent": "sh"}), 0)
        self.assertNotIn("FAILED", self.verdicts.values())
        self.make("path/ssh", "#!/bin/sh\n")
        self.assertEqual(self.check(environment={"OMPI_MCA_plm_rsh_agent": None}), 0)
        self.assertNotIn("FAILED", self.verdicts.values())

    def make_what_is_packed(self):
        """A machine with Open MPI, and a library that programs need; fake tools replace the real ones."""
        for name in ("libc.so.6", "libthing.so.1"):
            self.make("system/" + name, "a library\n")
        self.make("path/ldd", LDD)
        self.make("path/strip", '#!/bin/sh\necho "# stripped" >>"$1"\n')
        self.make("path/ompi_info", OMPI_INFO)
        self.make("openmpi/bin/mpirun", MPIRUN)
        self.make("openmpi/lib/arch/openmpi/mca_btl_sm.so", "a plugin\n")
        self.make("openmpi/lib/arch/openmpi/mca_mtl_ofi.so", "for the network of a cluster\n")
        self.make("openmpi/lib/arch/pmix2/lib/pmix/mca_psec_native.so", "a plugin\n")
        self.make("openmpi/share/openmpi/help-mpi-runtime.txt", "help\n")

    def test_what_is_packed_runs_elsewhere(self):
        self.make_what_is_packed()
        packed = self.root / "packed"
        done = self.start(SCRIPT, "--build", self.root / "build", "--pack", packed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("there: scripts/gpu-check --out FOLDER", done.stdout)
        files = {str(path.relative_to(packed)) for path in packed.rglob("*") if path.is_file()}
        for expected in (
            *("bin/" + name for name in PROGRAMS),
            "lib/libthing.so.1",
            "mpi/bin/mpirun",
            "mpi/lib/arch/openmpi/mca_btl_sm.so",
            "mpi/lib/arch/pmix2/lib/pmix/mca_psec_native.so",
            "mpi/share/openmpi/help-mpi-runtime.txt",
            "scripts/gpu-check",
            "COMMIT",
        ):
            self.assertIn(expected, files)
        self.assertNotIn("lib/libc.so.6", files)
        self.assertNotIn("mpi/lib/arch/openmpi/mca_mtl_ofi.so", files)
        for name in PROGRAMS:
            self.assertIn("# stripped", (packed / "bin" / name).read_text(encoding="utf-8"))
            self.assertNotIn("# stripped", (self.root / "build/bin" / name).read_text(encoding="utf-8"))

        # On the target machine: neither the build nor Open MPI, and another folder.
        moved = self.root / "moved"
        packed.rename(moved)
        for folder in ("build", "openmpi", "system"):
            (self.root / folder).rename(self.root / ("no_" + folder))
        (self.path / "ompi_info").unlink()
        environment = {
            "OPAL_PREFIX": str(moved / "mpi"),
            "PMIX_INSTALL_PREFIX": str(moved / "mpi/lib/arch/pmix2"),
            "LD_LIBRARY_PATH": str(moved / "lib"),
        }
        status = self.check(script=moved / "scripts/gpu-check", environment=environment)
        self.assertEqual((status, list(self.verdicts.values()).count("FAILED")), (0, 0))
        self.assertEqual(self.verdicts["test_cuda_transports np4"], "passed")

    def test_what_was_not_built_is_not_packed(self):
        self.make_what_is_packed()
        for name in ("bench_device", "ptrans"):
            (self.root / "build/bin" / name).unlink()
        packed = self.root / "packed"
        done = self.start(SCRIPT, "--build", self.root / "build", "--pack", packed)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not built: bench_device ptrans; cmake --build", done.stderr)
        self.assertFalse(packed.exists())

    def test_nothing_is_packed_over_what_is_there(self):
        self.make_what_is_packed()
        self.make("packed/mine", "mine\n")
        done = self.start(SCRIPT, "--build", self.root / "build", "--pack", self.root / "packed")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not empty", done.stderr)
        self.assertEqual([path.name for path in (self.root / "packed").iterdir()], ["mine"])


if __name__ == "__main__":
    unittest.main()
