# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shims for old Python, and the table of known differences; see reference/README.md."""

import ast
import collections
import importlib.util
import io
import re
import sys
import unittest
from pathlib import Path

import numpy as np
import pytest
from reference import places
from reference.known_differences import DIFFERENCES
from reference.shims import ABSTRACT_CLASSES, MODULES, old_names


def test_the_validators_own_tests_pass_with_the_shims():
    folder = places.folder(places.PROTOCOL)
    suite = unittest.TestSuite()
    with places.foreign_import(folder):
        for name in ("test_validator", "test_utils"):
            spec = importlib.util.spec_from_file_location(name, folder / "tests" / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
    report = io.StringIO()
    result = unittest.TextTestRunner(report).run(suite)
    assert result.wasSuccessful() and not result.skipped, report.getvalue()
    assert result.testsRun >= 31


def test_the_shims_leave_no_trace():
    watched = [(collections, ABSTRACT_CLASSES), (np, ("cast", "issctype", "sctype2char"))]
    before = [[name in vars(module) for name in names] for module, names in watched]
    modules = {name: sys.modules.get(name) for name in MODULES}
    with pytest.raises(ZeroDivisionError), old_names():
        assert all(name in vars(module) for module, names in watched for name in names)
        assert sys.modules["ipyparallel"].Client
        raise ZeroDivisionError
    assert [[name in vars(module) for name in names] for module, names in watched] == before
    assert {name: sys.modules.get(name) for name in MODULES} == modules


@pytest.mark.parametrize(
    "text, version",
    [
        ("0.10.0", (0, 10, 0)),
        ("0.10", (0, 10, 0)),
        ("1.2.3b4", (1, 2, 3)),
        ("1", None),
        ("1.2.3.4", None),
        ("1.2.c", None),
        ("v1.0.0", None),
        ("٠.٩.٠", None),
    ],
)
def test_the_shims_version_parser_is_strict(text, version):
    with old_names():
        strict_version = sys.modules["distutils.version"].StrictVersion
    if version is None:
        with pytest.raises(ValueError, match="invalid version number"):
            strict_version(text)
    else:
        assert strict_version(text).version == version



def test_every_known_difference_has_a_test_and_a_line_in_the_readme():
    here = Path(__file__).parent
    asserted = set()
    for file in here.glob("test_*reference_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "known_difference":
                asserted |= {argument.value for argument in node.args}
    assert asserted == set(DIFFERENCES)
    readme = (here / "reference" / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)`", readme, re.MULTILINE)) == set(DIFFERENCES)
