# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of the package import each other in one direction, also within functions."""

import ast
from pathlib import Path

import distview

PACKAGE = Path(distview.__file__).parent


def is_for_types(node):
    """Whether this is an `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def statements(node):
    """Every import that runs, also within functions and classes."""
    for child in ast.iter_child_nodes(node):
        if is_for_types(child):
            for other in child.orelse:
                yield from statements(ast.Module([other], []))
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child
        else:
            yield from statements(child)


def imported(statement, name, is_package, names):
    """The package's modules that an import in module `name` names."""
    if isinstance(statement, ast.Import):
        return {alias.name for alias in statement.names} & names
    base = statement.module or ""
    if statement.level:
        parts = name.split(".")
        above = parts[: len(parts) - statement.level + is_package]
        base = ".".join([*above, base] if base else above)
    # `from . import _comm` names a module; `from ._comm import agreed` names an object in a module.
    inner = {f"{base}.{alias.name}" for alias in statement.names}
    return {module if module in names else base for module in inner} & names


def graph(sources):
    """Module names by module, of {name: (text, whether a package)}."""
    names = set(sources)
    return {
        name: set().union(*(imported(s, name, is_package, names) for s in statements(ast.parse(text))), set())
        - {name}
        for name, (text, is_package) in sources.items()
    }


def circle(edges):
    """A circle of modules, or []."""
    done = set()

    def search(module, path):
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for other in sorted(edges[module]):
            found = search(other, [*path, module])
            if found:
                return found
        done.add(module)
        return []

    return next(filter(None, (search(module, []) for module in sorted(edges))), [])


def package():
    sources = {"distview._distview": ("", False)}  # the compiled one
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = ("distview", *file.relative_to(PACKAGE).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        sources[".".join(parts[:-1] if is_package else parts)] = (file.read_text(encoding="utf-8"), is_package)
    return sources


def test_no_circle():
    edges = graph(package())
    assert {"distview._section", "distview._array"} <= edges["distview._create"] | edges["distview._array"]
    assert edges["distview.plot._layouts"] >= {"distview._comm", "distview.plot._figure"}
    found = circle(edges)
    assert not found, " -> ".join(found)


def test_nothing_imports_the_package_itself():
    """Its names exist only after all modules are imported: an earlier import of them would be a circle."""
    edges = graph(package())
    assert [name for name in edges if "distview" in edges[name]] == []


def test_circles_are_found():
    """Planted circles at the beginning of a module, within a function or a class; and imports without a circle."""
    inside = "def f():\n    if x:\n        from .b import y\n"
    for text in ("from . import b", "from .b import y", "import p.b", inside, "class C:\n    from p.b import y\n"):
        sources = {"p": ("", True), "p.a": (text, False), "p.b": ("from p import a", False)}
        assert circle(graph(sources)) == ["p.a", "p.b", "p.a"], text
    for_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .b import y\nelse:\n    import os\n"
    for text in (for_types, "import os, b", "from ..b import y"):
        assert circle(graph({**sources, "p.a": (text, False)})) == []
    deep = {"p": ("from .q import x", True), "p.q": ("from ._r import x", True), "p.q._r": ("from .. import s", False)}
    for text, expected in (("", []), ("from .q import x", ["p.q", "p.q._r", "p.s", "p.q"])):
        assert circle(graph({**deep, "p.s": (text, False)})) == expected
    both = {**sources, "p.a": ("from . import b, __name__", False)}
    assert graph(both)["p.a"] == {"p", "p.b"}
