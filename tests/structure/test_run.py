# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of scripts/run with a fake build: its messages for a program that does not exist, its way into the private
root, and how it counts cores."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# Configures a folder, and builds programs that print their arguments.
CMAKE = """#!/bin/sh
if [ "$1" = --preset ]; then
    echo "CMAKE_MAKE_PROGRAM:FILEPATH={root}/path/ninja" >"$4/CMakeCache.txt"
    touch "$4/build.ninja"
    exit
fi
folder=$2
while [ "$1" != --target ]; do shift; done
shift
if [ "$1" = build.ninja ]; then
    if [ -e "{root}/new" ]; then cat "{root}/new" >>"{root}/targets"; fi
    exit
fi
mkdir -p "$folder/bin"
for program; do
    printf '#!/bin/sh\\necho %s "$@"\\n' "$program" >"$folder/bin/$program"
    chmod +x "$folder/bin/$program"
done
"""

# Part of the output of ninja -t targets all.
TARGETS = """
all: phony
daxpy: phony
bin/daxpy: CXX_EXECUTABLE_LINKER__daxpy_Release
examples/daxpy/CMakeFiles/daxpy.dir/main.cpp.o: CXX_COMPILER__daxpy_unscanned_Release
daxpy_parts: phony
examples/daxpy/CMakeFiles/daxpy_parts.dir/report.cpp.o: CXX_COMPILER__daxpy_parts_unscanned_Release
examples/daxpy/libdaxpy_parts.a: CXX_STATIC_LIBRARY_LINKER__daxpy_parts_Release
bench_dap: phony
bin/bench_dap: CXX_EXECUTABLE_LINKER__bench_dap_Release
perf/CMakeFiles/bench_dap.dir/core/bench_dap.cpp.o: CXX_COMPILER__bench_dap_unscanned_Release
01_layouts: phony
bin/01_layouts: CUDA_EXECUTABLE_LINKER__01_layouts_Release
examples/CMakeFiles/01_layouts.dir/01_layouts.cpp.o: CXX_COMPILER__01_layouts_unscanned_Release
test_core_slice: phony
bin/test_core_slice: CXX_EXECUTABLE_LINKER__test_core_slice_Release
tests/unit/core/CMakeFiles/test_core_slice.dir/test_slice.cpp.o: CXX_COMPILER__test_core_slice_unscanned_Release
"""

NINJA = '#!/bin/sh\ncat "{root}/targets"\n'
MPIRUN = '#!/bin/sh\n[ "$1" = -n ] || exit 0\nshift 2\nexec "$@"\n'


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        shutil.copytree(SCRIPTS, self.root / "scripts")
        (self.root / "path").mkdir()
        for name, text in (("cmake", CMAKE), ("ninja", NINJA), ("mpirun", MPIRUN)):
            path = self.root / "path" / name
            path.write_text(text.format(root=self.root), encoding="utf-8")
            path.chmod(0o755)
        (self.root / "targets").write_text(TARGETS, encoding="utf-8")

    def run_script(self, *arguments):
        return subprocess.run(
            ["bash", self.root / "scripts" / "run", *arguments],
            env={
                "PATH": f"{self.root / 'path'}{os.pathsep}{os.environ['PATH']}",
                "DISTVIEW_INSIDE": "native",
                "DISTVIEW_TOOLCHAIN_SUMMARY": "a stand-in",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def test_a_program_is_built_and_run(self):
        for name in ("daxpy", "bench_dap", "test_core_slice"):
            done = self.run_script("-n", "2", name, "--t", "1")
            self.assertEqual((done.returncode, done.stdout), (0, f"{name} --t 1\n"), done.stderr)

    def test_mpirun_has_a_folder_of_its_own(self):
        """A killed mpirun leaves its files, and Open MPI 5 would refuse to start with them."""
        base = "$PRTE_MCA_prte_local_tmpdir_base"
        text = f'[ "$1" = -n ] || {{ echo "mpirun (Open MPI) 5"; exit; }}\n[ -d "{base}" ] && echo "{base}"\n'
        (self.root / "path/mpirun").write_text(f"#!/bin/sh\n{text}exit 7\n", encoding="utf-8")
        folders = [self.run_script("daxpy") for _ in range(2)]
        for done in folders:
            self.assertEqual(done.returncode, 7, done.stderr)
            self.assertTrue(Path(done.stdout.strip()).is_absolute(), done.stdout)
            self.assertFalse(Path(done.stdout.strip()).exists())
        self.assertNotEqual(*(done.stdout for done in folders))

    def test_another_name_is_answered_with_those_there_are(self):
        for arguments in (["nosuch"], ["-n", "1", "daxpy", ":", "-n", "1", "nosuch"], ["daxpy_part"]):
            done = self.run_script(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            lines = [line.strip() for line in done.stderr.splitlines()]
            at = lines.index(f"distview: error: unknown program {arguments[-1]}; the programs are")
            self.assertEqual(lines[at + 1 :], ["01_layouts daxpy", "and benchmarks", "bench_dap"])
            self.assertEqual(list(self.root.glob("build/*/bin/*")), [])

    def test_a_source_that_is_younger_than_the_configuration(self):
        (self.root / "new").write_text("mine: phony\n", encoding="utf-8")
        done = self.run_script("mine")
        self.assertEqual((done.returncode, done.stdout), (0, "mine\n"), done.stderr)

    def test_a_build_without_benchmarks_names_none(self):
        lines = [line for line in TARGETS.splitlines() if "bench_dap" not in line]
        (self.root / "targets").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = self.run_script("bench_dap")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown program bench_dap; the programs are\n", done.stderr)
        self.assertTrue(done.stderr.endswith("  01_layouts daxpy\n"), done.stderr)


# Enters the private root up to the last step, which needs the right to mount: a fake unshare prints the variables.
ENTER = """
. "$1/lib/common.sh"
root_impossible() { :; }
root_dir=$2 toolchain_kind=private toolchain_summary=stand-in
: >"$root_dir/.distview-root"
enter_toolchain true
"""
UNSHARE = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 5
count=$1
while [ "$count" -gt 0 ]; do shift; count=$((count - 1)); printf '%s\\0' "$1"; done
"""


class Environment(unittest.TestCase):
    def entered(self, given):
        """Returns the variables that are set in the private root."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("unshare", UNSHARE), ("flock", "#!/bin/sh\n")):
                path = Path(folder) / name
                path.write_text(text, encoding="utf-8")
                path.chmod(0o755)
            path = f"{folder}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-c", ENTER, "bash", SCRIPTS, folder],
                env={**given, "PATH": path},
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry)

    def test_variables_of_the_user_are_passed_on(self):
        given = {
            "MY_SETTING": "two\nlines with spaces",
            "OMP_NUM_THREADS": "3",
            "OPENBLAS_NUM_THREADS": "1",
            "UCX_TLS": "sm",
            "OMPI_MCA_btl": "self",
            "PYTHONUNBUFFERED": "1",
            "CXXFLAGS": "-O1",
            "DISTVIEW_TRANSPORT": "message",
            "PATHS": "mine",
            "EMPTY": "",
        }
        entered = self.entered(given)
        self.assertEqual({name: entered.get(name) for name in given}, given)

    def test_variables_that_name_the_hosts_system_are_not(self):
        names = (
            "LD_LIBRARY_PATH LD_PRELOAD LIBRARY_PATH CPATH CPLUS_INCLUDE_PATH CC CXX FC PYTHONPATH PYTHONHOME "
            "VIRTUAL_ENV CONDA_PREFIX PKG_CONFIG_PATH CMAKE_PREFIX_PATH CMAKE_CXX_COMPILER_LAUNCHER Kokkos_ROOT "
            "KOKKOS_DIR MPI_HOME CUDA_HOME OPAL_PREFIX PERL5LIB LANG LC_CTYPE BASH_ENV SSL_CERT_FILE PIP_CERT CURL_CA_BUNDLE "
            "SLURM_JOB_ID PMIX_RANK OMPI_COMM_WORLD_RANK"
        ).split()
        entered = self.entered({name: "/nowhere" for name in names})
        self.assertEqual([name for name in names if name in entered], [])
        self.assertEqual(entered["PATH"].split(":")[0], "/usr/local/bin")
        self.assertEqual(entered["LC_ALL"], "C.UTF-8")


FOLDERS = """
. "$1/lib/common.sh"
root_dir=$2 enter_output=$3 enter_arguments=("${@:4}")
enter_folders | tail -n +4
"""


class Folders(unittest.TestCase):
    """Folders passed into the private root; /usr/share exists on every machine."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "root"
        (self.root / "usr" / "bin").mkdir(parents=True)

    def run_bash(self, script, *arguments, path=None):
        return subprocess.run(
            ["bash", "-c", script, "bash", SCRIPTS, self.root, *arguments],
            env={"PATH": os.environ["PATH"] if path is None else f"{path}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_the_folder_that_a_script_writes_to(self):
        link = self.root.parent / "a=link"
        link.symlink_to("/usr/share")
        for output in ("/usr/share", "/usr/share/", link):
            done = self.run_bash(FOLDERS, output)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "/usr/share\n", ""), output)
        self.assertEqual(self.run_bash(FOLDERS, self.root.parent).stdout, "")

    def test_folders_of_files_that_are_named(self):
        done = self.run_bash(FOLDERS, "", "/usr/share/file", "--json=/usr/share/file", "/tmp/file", "relative")
        self.assertEqual((done.stdout, done.stderr), ("/usr/share\n" * 2, ""))
        done = self.run_bash(FOLDERS, "", "/usr/file")
        self.assertEqual(done.stdout, "")
        self.assertIn("note: inside the private root, /usr is the root's own\n", done.stderr)

    def test_a_folder_that_is_the_roots_own_is_not_written_to(self):
        (self.root / "usr" / "share" / "doc").mkdir(parents=True)
        unshare = self.root.parent / "path" / "unshare"
        unshare.parent.mkdir()
        unshare.write_text("#!/bin/sh\necho entered\n", encoding="utf-8")
        unshare.chmod(0o755)
        enter = ENTER.replace("enter_toolchain", "enter_output=$3\nenter_toolchain")
        for output, folder in (("/usr/share", "/usr/share"), ("/usr", "/usr")):
            done = self.run_bash(enter, output, path=unshare.parent)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn(f"error: {folder} cannot be written from the private root", done.stderr)


# Imitates GNU's nproc on a machine of four cores.
NPROC = """#!/bin/sh
cores=${OMP_NUM_THREADS:-4}
if [ "${OMP_THREAD_LIMIT:-$cores}" -lt "$cores" ]; then cores=$OMP_THREAD_LIMIT; fi
echo "$cores"
"""
CORES = """
. "$1/lib/common.sh"
mpi_environment "$2"
awk() { echo "${MEMORY:-98304}"; } # MiB
echo "$OMP_NUM_THREADS ${KOKKOS_DISABLE_WARNINGS:-false} ${OMP_WAIT_POLICY:-active} $(build_jobs)"
"""


class Cores(unittest.TestCase):
    def environment(self, ranks, **given):
        """Returns the threads of a rank, whether warnings are off, how threads wait, and the jobs of a build."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "nproc"
            path.write_text(NPROC, encoding="utf-8")
            path.chmod(0o755)
            done = subprocess.run(
                ["bash", "-c", CORES, "bash", SCRIPTS, str(ranks)],
                env={
                    "DISTVIEW_CONTROL_GROUP": folder,
                    **given,
                    "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
                },
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_threads_are_no_cores(self):
        self.assertEqual(self.environment(1), "4 false active 4")
        self.assertEqual(self.environment(2), "2 false active 4")
        self.assertEqual(self.environment(4), "1 false active 4")
        self.assertEqual(self.environment(5), "1 true passive 4")
        self.assertEqual(self.environment(2, OMP_NUM_THREADS="1"), "1 false active 4")
        self.assertEqual(self.environment(2, OMP_NUM_THREADS="3"), "3 true passive 4")
        self.assertEqual(self.environment(2, OMP_THREAD_LIMIT="1"), "2 false active 4")

    def in_container(self, files, **given):
        """The same if the control group has these files."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).parent.mkdir(exist_ok=True)
                (Path(folder) / name).write_text(text + "\n", encoding="utf-8")
            return self.environment(1, DISTVIEW_CONTROL_GROUP=folder, **given)

    def test_a_container_has_less_than_its_machine(self):
        self.assertEqual(self.in_container({"cpu.max": "250000 100000"}), "3 false active 3")
        self.assertEqual(self.in_container({"cpu.max": "900000 100000"}), "4 false active 4")
        self.assertEqual(self.in_container({"cpu.max": "max 100000"}), "4 false active 4")
        old = {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "50000"}
        self.assertEqual(self.in_container(old), "2 false active 2")
        old["cpu/cpu.cfs_quota_us"] = "-1"
        self.assertEqual(self.in_container(old), "4 false active 4")
        for name in ("memory.max", "memory/memory.limit_in_bytes"):
            self.assertEqual(self.in_container({name: str(3 << 30)}), "4 false active 2")
        self.assertEqual(self.in_container({"memory.max": "max"}), "4 false active 4")
        self.assertEqual(self.in_container({}, MEMORY="1000"), "4 false active 1")


class ContinuousIntegration(unittest.TestCase):
    def run_ci(self, *arguments, status=0):
        """The arguments passed to scripts/test, one line per call."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / ".ci").mkdir()
            (Path(folder) / "scripts").mkdir()
            run = Path(folder) / ".ci" / "run"
            shutil.copy(SCRIPTS.parent / ".ci" / "run", run)
            test = Path(folder) / "scripts" / "test"
            test.write_text(f'#!/bin/sh\necho "$*"\nexit {status}\n', encoding="utf-8")
            test.chmod(0o755)
            done = subprocess.run([run, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_all_tests_and_those_of_solver_stacks(self):
        self.assertEqual(self.run_ci("--preset", "asan"), (0, ["--preset asan", "--interop"]))
        self.assertEqual(self.run_ci("--full"), (0, ["--full", "--interop --full"]))
        self.assertEqual(self.run_ci(status=3), (3, [""]))

    def test_help_runs_nothing(self):
        for option in ("--help", "-h"):
            self.assertEqual(self.run_ci(option), (0, ["--help"]))


if __name__ == "__main__":
    unittest.main()
