# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of scripts/run, beside a build that stands in for ours: what it says of a program that there is none of."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# Configures a folder, and builds programs that say what they are called with.
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

# Some of what ninja -t targets all says.
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
        """One that was killed leaves its files, and Open MPI 5 would not start on them."""
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
            at = lines.index(f"distview: error: there is no program {arguments[-1]}; there are")
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
        self.assertIn("there is no program bench_dap; there are\n", done.stderr)
        self.assertTrue(done.stderr.endswith("  01_layouts daxpy\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
