#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_pip.py SOURCE FOLDER [MPIRUN WORDS...]

Checks pip on the source tree: builds a wheel in FOLDER, without the network and with the build
tools that Python has, checks its contents, installs it in a virtual environment and runs the
Python tests there; tests for several ranks run with the given mpirun.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

PIP = ("-m", "pip", "--disable-pip-version-check", "--no-cache-dir")


def run(*command, environment=None):
    print("$", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, env=environment)


def check_wheel(wheel, source):
    """The wheel has the complete package and nothing else; MPI is the machine's own."""
    (version,) = re.findall(
        r"^project\(\s*distview\s+VERSION\s+([0-9.]+)",
        (source / "CMakeLists.txt").read_text(),
        re.MULTILINE,
    )
    assert wheel.name.startswith(f"distview-{version}-cp312-abi3-"), wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    module, stub, marker = "distview/_distview.abi3.so", "distview/_distview.pyi", "distview/py.typed"
    package = source / "python"
    expected = {p.relative_to(package).as_posix() for p in (package / "distview").rglob("*.py")}
    expected |= {module, stub, marker}
    found = {n for n in names if not n.startswith(f"distview-{version}.dist-info/")}
    assert found == expected, found ^ expected
    assert any(n.endswith("/LICENSE") for n in names), names


def main(source, folder, *mpirun):
    source, folder = Path(source), Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "venv", "--system-site-packages", folder / "venv")
    python = folder / "venv/bin/python"
    alone = ("--no-index", "--no-deps")
    run(python, *PIP, "wheel", *alone, "--no-build-isolation", "-w", folder / "wheels", source)
    (wheel,) = (folder / "wheels").glob("*.whl")
    check_wheel(wheel, source)
    run(python, *PIP, "install", *alone, wheel)

    tests = source / "python/tests"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "pycache")}
    for file in sorted(tests.glob("test_*.py")):
        if not file.name.startswith("test_mpi_"):
            run(python, tests / "run_tests.py", file, environment=environment)
        elif mpirun:
            run(*mpirun, python, tests / "run_tests.py", "--mpi", file, environment=environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
