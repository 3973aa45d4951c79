# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the README's installation commands line by line after scripts/demo, with a fake cmake: it knows presets, and
installs from a build folder only targets that have been built there."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

SOURCE = Path(__file__).resolve().parents[2]

CMAKE = """#!{python} -IS
import json, os, pathlib, re, sys
arguments = sys.argv[1:]
def value(option):
    return arguments[arguments.index(option) + 1] if option in arguments else None
def folder_of(preset):
    presets = json.loads(pathlib.Path("CMakePresets.json").read_text())["configurePresets"]
    folder = next(p["binaryDir"] for p in presets if p["name"] == "base")
    folder = folder.replace("${{sourceDir}}", os.getcwd()).replace("${{presetName}}", preset)
    return re.sub(r"\\$env{{(\\w+)}}", lambda name: os.environ.get(name[1], ""), folder)
if os.path.basename(sys.argv[0]) == "ctest":
    sys.exit(not pathlib.Path(folder_of(value("--preset")), "built").exists())
if arguments[0] == "--install":
    folder = pathlib.Path(arguments[1])
    if not (folder / "built").exists():
        sys.exit("cmake: error: not a build that can be installed: " + str(folder))
    component = value("--component")
    needed = [component, "distview-compare"] if component == "distview_io" else [component] if component else []
    for name in needed:
        if not (folder / "bin" / name).exists():
            sys.exit("cmake: error: cannot find " + name)
    prefix = pathlib.Path(value("--prefix"))
    prefix.mkdir(parents=True, exist_ok=True)
    with open(prefix / "installed", "a") as log:
        print(folder.resolve(), component, file=log)
elif arguments[0] == "--preset":
    folder = pathlib.Path(value("-B") or folder_of(arguments[1]))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CMakeCache.txt").write_text("CMAKE_MAKE_PROGRAM:FILEPATH={root}/path/ninja")
    (folder / "build.ninja").touch()
elif arguments[0] == "--build":
    preset = value("--preset")
    folder = pathlib.Path(folder_of(preset) if preset else arguments[1])
    if not (folder / "build.ninja").exists():
        sys.exit("cmake: error: not configured: " + str(folder))
    targets = arguments[arguments.index("--target") + 1 :] if "--target" in arguments else ["all"]
    with open(folder / "built", "a") as log:
        print(*targets, file=log)
    (folder / "bin").mkdir(exist_ok=True)
    for target in targets:
        program = folder / "bin" / target
        program.write_text("#!/bin/sh\\n")
        program.chmod(0o755)
"""

COMPONENTS = ("core", "comm", "algorithms", "interop", "io", "c", "fortran")
NINJA = "#!/bin/sh\nfor name in shallow_water NAMES; do echo $name: phony; done\n".replace(
    "NAMES", " ".join(["distview-compare", *(f"distview_{name}" for name in COMPONENTS)])
)
MPIRUN = '#!/bin/sh\n[ "$1" = -n ] || exit 0\nshift 2\nexec "$@"\n'


def readme_blocks(heading):
    """The shell blocks below a heading, each a list of lines."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [block.splitlines() for block in re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]


class Install(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        shutil.copytree(SOURCE / "scripts", self.root / "scripts")
        shutil.copy(SOURCE / "CMakePresets.json", self.root)
        (self.root / "path").mkdir()
        for name, text in (("cmake", CMAKE), ("ctest", CMAKE), ("ninja", NINJA), ("mpirun", MPIRUN)):
            path = self.root / "path" / name
            path.write_text(text.format(root=self.root, python=sys.executable), encoding="utf-8")
            path.chmod(0o755)
        self.own, self.scripts = readme_blocks("With your own Kokkos and MPI")[:2]

    def run_line(self, *words, inside=True, status=0):
        environment = {"PATH": f"{self.root / 'path'}{os.pathsep}{os.environ['PATH']}"}
        if inside:
            environment.update(DISTVIEW_INSIDE="native", DISTVIEW_TOOLCHAIN_SUMMARY="a stand-in")
        done = subprocess.run(
            ["bash", *words], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}{done.stderr}")
        return done.stderr

    def run_lines(self, lines, inside=True):
        for line in lines:
            self.run_line("-c", line.replace("/where/you/like", str(self.root / "prefix")), inside=inside)
        return (self.root / "prefix" / "installed").read_text(encoding="utf-8").splitlines()

    def test_with_ones_own(self):
        installed = self.run_lines(self.own, inside=False)
        self.assertEqual(installed, [f"{self.root}/build/release None"])

    def test_after_demo(self):
        self.assertEqual(self.scripts, ["scripts/install /where/you/like"])
        self.run_line("scripts/demo", "--quick")
        (folder,) = (self.root / "build").iterdir()
        self.assertEqual((folder / "built").read_text(), "shallow_water\nshallow_water\n")
        installed = self.run_lines(self.scripts)
        self.assertEqual(installed, [f"{folder} distview_{name}" for name in COMPONENTS])
        self.assertIn(
            "distview_core distview_comm distview_algorithms distview_interop distview_io "
            "distview-compare distview_c distview_fortran\n",
            (folder / "built").read_text(),
        )

    def test_without_the_c_face(self):
        (self.root / "path" / "ninja").write_text(NINJA.replace(" distview_c ", " "), encoding="utf-8")
        installed = self.run_lines(self.scripts)
        self.assertEqual([line.split("distview_")[1] for line in installed], [name for name in COMPONENTS if name != "c"])

    def test_a_door_without_its_library(self):
        said = self.run_line("scripts/install", "--interop", "prefix", status=1)
        self.assertIn("distview_petsc is not built here", said)

    def test_presets_in_the_shell_are_the_scripts_builds(self):
        self.run_line("scripts/demo", "--quick")
        (folder,) = (self.root / "build").iterdir()
        lines = [line.replace("build/release", 'build/release"$DISTVIEW_BUILD_SUFFIX"') for line in self.own]
        lines = [line.replace("/where/you/like", str(self.root / "prefix")) for line in lines]
        for line in lines:
            self.run_line("scripts/shell", "bash", "-c", line)
        installed = (self.root / "prefix" / "installed").read_text(encoding="utf-8")
        self.assertEqual(installed, f"{folder} None\n")
        self.assertEqual(list((self.root / "build").iterdir()), [folder])


if __name__ == "__main__":
    unittest.main()
