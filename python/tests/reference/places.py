# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paths of the two repositories, and their modules, imported from there unchanged."""

import importlib
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from .shims import old_names

# Variable, repository, and a file that identifies the folder.
PROTOCOL = ("DISTVIEW_DAP_REFERENCE", "enthought/distributed-array-protocol", "validator.py")
DISTARRAY = ("DISTVIEW_DISTARRAY", "enthought/distarray", "distarray/__init__.py")


def folder(place):
    """The folder of a repository; skips the test when the variable is not set."""
    variable, repository, witness = place
    path = os.environ.get(variable)
    if not path:
        pytest.skip(f"{variable} is not set: it names a checkout of {repository}")
    if not (Path(path) / witness).is_file():
        pytest.fail(f"{variable} is {path}, which is no checkout of {repository}: no {witness}")
    return Path(path)


@contextmanager
def foreign_import(path):
    """Imports from `path` work in the block; nothing is written there, and its warnings are ignored."""
    write = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(path))
    try:
        with old_names(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.path.remove(str(path))
        sys.dont_write_bytecode = write


def protocol_module(name):
    """A module of the protocol's repository, `validator` or `utils`, under a name of its own."""
    path = folder(PROTOCOL)
    spec = importlib.util.spec_from_file_location(f"dap_{name}", path / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    with foreign_import(path):
        spec.loader.exec_module(module)
    return module


def protocol_history(revision, path):
    """The text of a file at a tag of the protocol's repository; skips the test without its history."""
    where = folder(PROTOCOL)
    command = ["git", "-c", f"safe.directory={where}", "-C", str(where)]
    found = subprocess.run(
        [*command, "show", f"{revision}:{path}"], capture_output=True, text=True, timeout=60
    )
    if found.returncode:
        pytest.skip(f"{PROTOCOL[0]} has no history with {revision}: {found.stderr.strip()}")
    return found.stdout


def protocol_module_of(revision, path):
    """A module of the protocol's repository as it was at a tag."""
    source = protocol_history(revision, path)
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec("dap_old", None))
    with old_names():
        exec(compile(source, f"{revision}:{path}", "exec"), vars(module))
    return module


def distarray():
    """The tested modules of distarray: LocalArray, its maps, and the maps between ranks."""
    path = folder(DISTARRAY)
    pytest.importorskip("mpi4py", reason="distarray needs mpi4py")
    with foreign_import(path):
        local = importlib.import_module("distarray.localapi.localarray")
        global_maps = importlib.import_module("distarray.globalapi.maps")
        return SimpleNamespace(
            LocalArray=local.LocalArray,
            Distribution=local.maps.Distribution,
            redistribute=local.redistribute,
            redistribute_general=local.redistribute_general,
            GlobalDistribution=global_maps.Distribution,
            folder=path,
        )
