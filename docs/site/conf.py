# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of Sphinx for scripts/docs."""

import __future__
import logging
import os
import re
import sys
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

project = "DistView"
author = "The DistView developers"
copyright = author
version = release = re.search(r"VERSION (\d[\d.]*)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1])[1]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"DistView {version}"
html_show_sourcelink = False
html_copy_source = False
root_doc = "index"

myst_heading_anchors = 4
myst_links_external_new_tab = False

breathe_projects = {"distview": str(Path(os.environ["DISTVIEW_DOCS"]) / "xml")}
breathe_default_project = "distview"
breathe_default_members = ("members",)

autodoc_typehints = "none"
autodoc_member_order = "bysource"


def stand_in():
    """The extension module as described by its stub, so that docstrings need no compilation."""
    path = ROOT / "python" / "tests" / "_distview.pyi.ref"
    code = compile(path.read_text(), str(path), "exec", flags=__future__.annotations.compiler_flag)
    module = types.ModuleType("distview._distview")
    exec(code, module.__dict__)
    module.__version__ = version
    return module


sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "python"))
sys.modules["distview._distview"] = stand_in()


def plain_docstring(app, what, name, thing, options, lines):
    """Docstrings are written for help(): indented lines are code, and only ` is a markup character."""
    result = []
    is_code = False
    for line in lines:
        if line.strip() and line.startswith("    ") != is_code:
            is_code = not is_code
            result += ["", ".. code-block:: text", ""] if is_code else [""]
        parts = re.split(r"(``[^`]*``)", line)
        plain = [p if p.startswith("``") else re.sub(r"([*|`\\]|_\b)", r"\\\1", p) for p in parts]
        result.append(line if is_code else "".join(plain))
    lines[:] = result


def is_no_namespace(record):
    """Drops one warning: Breathe declares a namespace on the page of each of its headers. All others pass."""
    return not re.search(r"Duplicate C\+\+ declaration.*cpp:type:: \w+'", record.getMessage(), re.DOTALL)


def setup(app):
    logging.getLogger("sphinx.sphinx.domains.cpp").addFilter(is_no_namespace)
    app.connect("autodoc-process-docstring", plain_docstring)
