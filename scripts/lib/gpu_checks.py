# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of gpu-check: which device the machine has, and whether results on it are right."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import gpu_pack

MPI_ENVIRONMENT = {
    # Allows more ranks than cores, and running as root; for Open MPI 4 and 5.
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMP_NUM_THREADS": "1",
    "OMP_PROC_BIND": "false",
}

#: Open MPI's mpirun ends at once if it finds no way to start ranks on other hosts, although it needs none.
MPI_WITHOUT_SSH = {"OMPI_MCA_plm_rsh_agent": "sh", "PRTE_MCA_plm_ssh_agent": "sh"}

#: Least seconds in which a program can be useful: with less time left it is not started.
LEAST_SECONDS = 10


class Checks:
    """Runs programs of a build and keeps their results.

    With `seconds`, all programs together run no longer; a program that does not finish in time is skipped, not failed.
    `changed` is called after every new result.
    """

    def __init__(self, out, build, seconds=None, changed=lambda: None):
        self.out = out
        self.build = build
        self.programs = build / "bin"
        self.environment = {**os.environ, **MPI_ENVIRONMENT, **gpu_pack.environment_of(build)}
        if not (shutil.which("ssh") or shutil.which("rsh")):
            self.environment = {**MPI_WITHOUT_SSH, **self.environment}
        self.launcher = shutil.which("mpirun", path=self.environment["PATH"])
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self.changed = changed
        self.results = []
        self.bars = []
        self.benchmarks = {}
        self.gpu_aware = False

    def first_line(self, command):
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=30,
                check=True,
                env=self.environment,
            )
        except (OSError, subprocess.SubprocessError):
            return ""
        return done.stdout.strip().partition("\n")[0].strip()

    def add(self, name, verdict, seconds=0.0, note=""):
        result = {"name": name, "verdict": verdict, "seconds": round(seconds, 3), "note": note}
        self.results.append(result)
        print(f"{verdict:8} {name:44} {seconds:8.1f} s  {note}", flush=True)
        self.changed()

    def add_bar(self, name, measured, bar, met):
        self.bars.append({"name": name, "measured": measured, "bar": bar, "met": bool(met)})

    def log_of(self, name):
        return self.out / (name.replace(" ", "_").replace("/", "_") + ".log")

    def run(self, name, command, timeout, unsupported=None, threads=1):
        """Runs a command with its output in a file; returns the file if the status was 0, else None.

        If a command fails and its output contains the text `unsupported`, the check counts as skipped.
        """
        log = self.log_of(name)
        start = time.monotonic()
        left = timeout if self.deadline is None else self.deadline - start
        if left < LEAST_SECONDS:
            self.add(name, "skipped", note="no time left")
            return None
        with open(log, "w", encoding="utf-8") as file:
            command = [str(part) for part in command]
            status = self.status_of(command, file, min(timeout, left), threads)
        seconds = time.monotonic() - start
        output = log.read_text(encoding="utf-8", errors="replace")
        if status == 0:
            # A program that had nothing to do prints this line and ends with status 0.
            last = output.rstrip().rpartition("\n")[2]
            skipped = last.startswith("DISTVIEW-TEST-SKIPPED")
            self.add(name, "skipped" if skipped else "passed", seconds, last if skipped else "")
            return log
        if unsupported and unsupported in output:
            self.add(name, "skipped", seconds, unsupported)
        elif status == "timeout" and left < timeout:
            self.add(name, "skipped", seconds, "no time left")
        else:
            self.add(name, "FAILED", seconds, f"status {status}, see {log.name}{complaint_in(output)}")
        return None

    def status_of(self, command, file, timeout, threads=1):
        """Returns the exit status, or a text for another failure. No started process outlives a timeout or Ctrl-C."""
        # Open MPI 5 refuses to start if a killed mpirun with the same process number has left files:
        # each mpirun keeps its files in a separate folder.
        folder = tempfile.mkdtemp(prefix="mpirun.")
        try:
            environment = {**self.environment, "OMP_NUM_THREADS": str(threads)}
            if not environment.get("PRTE_MCA_prte_tmpdir_base"):
                environment["PRTE_MCA_prte_local_tmpdir_base"] = folder
            return self.status_in(environment, command, file, timeout)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def status_in(self, environment, command, file, timeout):
        """Same as status_of(), in the given environment."""
        try:
            process = subprocess.Popen(
                command,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=self.out,
                start_new_session=True,
            )
        except OSError as error:
            return str(error)
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            if process.returncode is None:
                self.end(process)

    @staticmethod
    def end(process):
        """Lets the launcher end its ranks, if it can; then kills the remaining processes of its group."""
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def run_program(
        self, name, program, arguments, ranks, timeout, before=(), unsupported=None, threads=1
    ):
        """Like run(), for a program of the build on `ranks` ranks."""
        path = self.programs / program
        if not path.exists():
            self.add(name, "FAILED", note=f"{program} was not built")
            return None
        if ranks > 1 and not self.launcher:
            self.add(name, "skipped", note="no mpirun here")
            return None
        start = [self.launcher, "-n", ranks] if self.launcher else []
        return self.run(name, [*start, *before, path, *arguments], timeout, unsupported, threads)


def complaint_in(output):
    """The first complaint of compute-sanitizer, a test or CUDA, otherwise the last line: text for a note."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    tool = [line for line in lines if re.match(r"={9} (?!COMPUTE-SANITIZER|ERROR SUMMARY)\S", line)]
    failed = [line for line in lines if "Failure" in line or "cuda" in line.lower() and "error" in line.lower()]
    first = (tool or failed or lines[-1:] or [""])[0].strip("= ")[:160]
    return f": {first}" if first else ""


def check_device(checks):
    query = "name,driver_version,memory.total,compute_cap"
    device = checks.first_line(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"])
    note = device or "nvidia-smi finds no GPU: run this on a machine with one (--pack copies all that it needs)"
    checks.add("device", "passed" if device else "FAILED", note=note)
    return device


def check_start(checks):
    """Reports once that no program starts: without the driver's library, or if Kokkos has another architecture."""
    name = "programs start"
    checks.run_program(name, "shallow_water", ["--help"], 1, 120)
    if checks.results[-1]["verdict"] != "FAILED":
        return True
    log = checks.log_of(name)
    if log.exists():
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[:3]:
            print(f"         {line}")
    return False


def check_correctness(checks):
    for ranks in (1, 2, 4):
        for program in gpu_pack.OF_RESULTS:
            log = checks.run_program(f"{program} np{ranks}", program, [], ranks, 300)
            if log and program == "test_cuda_transports":
                # The program tests whether MPI accepts device memory: an MPI built for that may still fail here.
                output = log.read_text(encoding="utf-8", errors="replace")
                checks.gpu_aware = re.search(r"\[ +OK \].*/gpu_message\b", output) is not None
    note = "" if checks.gpu_aware else "no run showed that this MPI accepts device memory"
    checks.add("transport gpu_message", "passed" if checks.gpu_aware else "skipped", note=note)
    checks.run_program("test_cuda_exports np1", "test_cuda_exports", [], 1, 120)


def check_shallow_water(checks):
    """Device and host give the same bits: neither contracts a product with a sum."""
    cases = [
        ("C fused float32", ["--dtype", "float32"]),
        ("C strips float64", ["--cut", "strips"]),
        ("C literal float64", ["--exchanges", "literal"]),
        ("P fused float64", ["--mode", "P"]),
    ]
    for ranks in (1, 2, 4):
        for title, options in cases:
            name = f"shallow_water {title} np{ranks}"
            digests = []
            for space in ("host", "cuda"):
                report = checks.out / f"{name.replace(' ', '_')}_{space}.json"
                arguments = ["--nx", 361, "--ny", 181, "--steps", 40, "--space", space, *options]
                arguments += ["--json", report]
                of_space = f"{name} {space}"
                if checks.run_program(of_space, "shallow_water", arguments, ranks, 120):
                    fields = json.loads(report.read_text(encoding="utf-8"))["steps"]["40"]
                    digests.append([fields[field]["digest"] for field in "huv"])
            if len(digests) == 2:
                same = digests[0] == digests[1]
                note = "" if same else f"host {digests[0]}, device {digests[1]}"
                checks.add(f"{name}: same bits", "passed" if same else "FAILED", note=note)


def check_poisson(checks):
    """With reproducible sums, conjugate gradients need the same iterations on device and host, with the same answer."""
    cases = [("jacobi 3-D", ["--n", 33, "--dimensions", 3, "--precondition", "jacobi"])]
    cases.append(("jumping periodic 2-D", ["--nx", 70, "--ny", 90, "--coefficient", "jumping", "--sides", "periodic"]))
    for ranks in (1, 2, 4):
        for title, options in cases:
            name = f"poisson {title} np{ranks}"
            reports = []
            for space in ("host", "cuda"):
                path = checks.out / f"{name.replace(' ', '_')}_{space}.json"
                arguments = ["--reproducible", "--space", space, *options, "--json", path]
                if checks.run_program(f"{name} {space}", "poisson", arguments, ranks, 120):
                    reports.append(json.loads(path.read_text(encoding="utf-8")))
            if len(reports) == 2:
                compare_poisson(checks, name, *reports)


def compare_poisson(checks, name, host, device):
    errors = [each["error_max"] for each in (host, device)]
    # JSON has null for a value that is not a number.
    same = device["iterations"] == host["iterations"] and None not in errors and abs(errors[1] - errors[0]) <= 1e-10
    which = "the same" if device["history"] == host["history"] else "another"
    note = f"{which} history of residual norms, {device['iterations']} iterations"
    if not same:
        note = f"host {host['iterations']} and {host['error_max']}, " + note + f", {device['error_max']}"
    checks.add(f"{name}: same answer", "passed" if same else "FAILED", note=note)


def check_consumers(checks, root):
    """Tests exports with CuPy, Numba, PyTorch and JAX, as far as they are installed."""
    program = root / "python" / "tests" / "check_device_consumers.py"
    name = "exports to other libraries"
    package = checks.build / "python"
    if not program.exists() or not (package / "distview").is_dir():
        checks.add(name, "skipped", note="the Python package is not here")
        return
    paths = [str(package), os.environ.get("PYTHONPATH", "")]
    checks.environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    report = checks.out / "device_consumers.json"
    command = [sys.executable, program, "--json", report]
    probe = [sys.executable, "-c", "import pytest, distview"]
    log = checks.out / "device_consumers_import.log"
    with open(log, "w", encoding="utf-8") as file:
        status = checks.status_of(probe, file, 60)
    if status != 0:
        last = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        note = f"no pytest, or the package was built for another Python: {last}"
        checks.add(name, "skipped", note=note)
        return
    if checks.run(name, command, 300) and report.exists():
        checks.benchmarks["device_consumers"] = json.loads(report.read_text(encoding="utf-8"))


def check_sanitizer(checks):
    """Runs the tests and the shallow-water model under compute-sanitizer.

    CUDA calls that return errors count only where none is expected. The test of elements asks the driver about host
    memory, and on several ranks Open MPI does the same and registers memory that the driver refuses: neither counts.
    initcheck skips the runs in which processes read each other's memory: it cannot know that another process wrote it.
    """
    sanitizer = shutil.which("compute-sanitizer")
    own = ["--gtest_filter=*/staged:*/gpu_message"]
    shared = ["--gtest_filter=*/ipc"]
    small = ["--nx", 90, "--ny", 50, "--steps", 3, "--space", "cuda"]
    alone = [("", "test_cuda_transports", []), (" algorithms", "test_cuda_algorithms", [])]
    alone += [(" elements", "test_cuda_elements", []), (" shallow_water", "shallow_water", small)]
    runs = []
    for tool in ("memcheck", "racecheck", "initcheck"):
        runs += [(tool, 1, *each) for each in alone]
        runs.append((tool, 2, "", "test_cuda_transports", own))
        if tool != "initcheck":
            runs.append((tool, 2, " ipc", "test_cuda_transports", shared))
    for tool, ranks, which, program, arguments in runs:
        name = f"compute-sanitizer {tool} np{ranks}{which}"
        if not sanitizer:
            checks.add(name, "skipped", note="no compute-sanitizer here")
            continue
        command = [sanitizer, f"--tool={tool}", "--error-exitcode=9", "--target-processes=all"]
        if tool == "memcheck":
            expects_none = ranks == 1 and program != "test_cuda_elements"
            command.append(f"--report-api-errors={'explicit' if expects_none else 'no'}")
        checks.run_program(name, program, arguments, ranks, 300, command, "Device not supported")
