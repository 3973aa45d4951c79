# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package's metadata and docstrings, and the absence of side effects of its import."""

import __future__
import inspect
import re
import subprocess
import sys
import types
from pathlib import Path

import distview
import pytest

_ROOT = Path(__file__).resolve().parents[2]


def run(code):
    """The lines that a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_version_is_that_of_cmake():
    text = (_ROOT / "CMakeLists.txt").read_text()
    (version,) = re.findall(r"^project\(\s*distview\s+VERSION\s+([0-9.]+)", text, re.MULTILINE)
    assert distview.__version__ == version


def test_import_starts_nothing():
    # Neither MPI nor Kokkos starts, even with mpi4py; and importing does not load a plotting
    # package.
    lines = run(
        "import sys, distview\n"
        "print(distview.is_initialized())\n"
        "print([m for m in ('mpi4py.MPI', 'matplotlib', 'cupy', 'torch', 'jax') if m in sys.modules])\n"
    )
    assert lines == ["False", "[]"]


def test_import_leaves_mpi_to_the_user():
    pytest.importorskip("mpi4py")
    lines = run(
        "import mpi4py\n"
        "mpi4py.rc.initialize = False\n"
        "import distview\n"
        "from mpi4py import MPI\n"
        "print(MPI.Is_initialized())\n"
    )
    assert lines == ["False"]


def public():
    """(name, object) of all public objects, including members of classes."""
    for name in distview.__all__:
        thing = getattr(distview, name)
        # The docstring of a constant would be its class's.
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member, value in inspect.getmembers(thing):
                if not member.startswith("_") and not hasattr(object, member):
                    yield f"{name}.{member}", value


@pytest.mark.parametrize("name, thing", [pytest.param(*p, id=p[0]) for p in public()])
def test_everything_public_has_a_text(name, thing):
    text = inspect.getdoc(thing)
    assert text and text.strip(), f"distview.{name} has no docstring"


def test_all_is_what_is_public():
    # Submodules become attributes when they are imported; "from __future__ import" leaves a name.
    hidden = (types.ModuleType, __future__._Feature)
    offered = {n for n, v in vars(distview).items() if not isinstance(v, hidden)}
    assert {n for n in offered if not n.startswith("_")} <= set(distview.__all__)
    assert len(set(distview.__all__)) == len(distview.__all__)


def test_types_are_shipped():
    folder = Path(distview.__file__).parent
    assert (folder / "py.typed").is_file()
    assert "class" in (folder / "_distview.pyi").read_text()
