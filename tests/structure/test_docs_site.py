# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of docs/site: the text of headers passed to Doxygen, the targets of links on the site, and that the site has
every page and every public header of the checkout. scripts/docs makes the site with Doxygen and Sphinx, which no toolchain
of the tests has; these tests find the most frequent fault, an unlisted page or folder of headers, without them.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "site"))

import collect  # noqa: E402
import doxygen_filter  # noqa: E402
ROOT = Path(__file__).resolve().parents[2]


def pages_of(folder):
    """{document: text} of a collected site, as Sphinx names them: paths without suffix."""
    return {
        page.relative_to(folder).with_suffix("").as_posix(): page.read_text(encoding="utf-8")
        for page in folder.rglob("*")
        if page.suffix in (".md", ".rst")
    }


def toctree_faults(pages):
    """Documents that are in no toctree and do not say so, and entries of toctrees that match no document."""
    found, faults = set(), []
    for name, text in pages.items():
        for tree in re.findall(r"^\.\. toctree::\n((?:(?: {3}.*)?\n)+)", text, re.MULTILINE):
            for entry in re.findall(r"^ {3}(?!:)(?:.*<)?([^\s<>]+)>?$", tree, re.MULTILINE):
                pattern = re.escape(entry).replace(r"\*", "[^/]*")
                matches = {page for page in pages if re.fullmatch(pattern, page)}
                found |= matches
                faults += [] if matches else [f"{name}: {entry} is no page"]
    for name, text in pages.items():
        if name not in found and name != "index" and not text.startswith("---\norphan: true\n"):
            faults.append(f"{name} is in no toctree")
    return sorted(faults)


class Filter(unittest.TestCase):
    def check(self, before, after):
        self.assertEqual(list(doxygen_filter.filtered(before.splitlines())), after.splitlines())

    def test_tables_become_paragraphs(self):
        self.check(
            "    /// Sums.\n    ///\n    /// Collective: over comm\n    /// Errors:     ShapeError if\n"
            "    ///             too long\n    int sum();\n/// Cost: a\n///\n///     code();",
            "    /// Sums.\n    ///\n    ///\n    /// @par Collective\n    /// over comm\n    ///\n    /// @par Errors\n"
            "    /// ShapeError if\n    /// too long\n    int sum();\n///\n/// @par Cost\n/// a\n///\n///     code();",
        )

    def test_what_means_something_to_doxygen_is_escaped(self):
        self.check("/// View<T> `View<T>` @ #1", "/// View\\<T\\> `View<T>` \\@ \\#1")
        self.check("///     f<T>();\nint n; ///< of <T>", "///     f<T>();\nint n; ///< of <T>")

    def test_private_parts_are_left_out(self):
        before = "class A : private B {\npublic:\n f();\nprivate:\n // }\n struct C { int c; };\npublic:\n g();\n"
        before += "private:\n union { int d; };\n};\nint e;\n"
        after = "class A : private B {\npublic:\n f();\n\n\n\npublic:\n g();\n\n\n};\nint e;\n"
        self.assertEqual(doxygen_filter.without_private(before), after)

    def test_deduction_guides_are_left_out(self):
        before = "int a;\ntemplate <class F>\nB(C&, F) -> B<F>;\n\ntemplate <class F>\nauto f(F) -> B<F>;\n"
        after = "int a;\n\n\n\ntemplate <class F>\nauto f(F) -> B<F>;\n"
        self.assertEqual(doxygen_filter.without_guides(before), after)


class Collect(unittest.TestCase):
    def test_links_lead_to_pages_of_the_site(self):
        files = {
            "README.md": "[a](docs/a.md#b) [c](examples/c.cpp) [d](examples/with) [e](examples/without) ![p](docs/p.svg)\n"
            "[web](https://x.org) `[c](examples/c.cpp)`\n",
            "docs/a.md": "# A\n\n[c](../examples/c.cpp)\n\n```text\n[c](../examples/c.cpp)\n```\n",
            "docs/p.svg": "<svg/>",
            "docs/site/index.rst": "Title\n",
            "examples/c.cpp": "int c;\n",
            "examples/with/README.md": "# With\n",
            "examples/without/e.py": "e\n",
            "examples/without/below/f.py": "f\n",
            "core/include/distview/core/a.hpp": "namespace distview {\ntemplate <class T>\nconcept A = true;\n"
            "namespace impl {\ntemplate <class T>\nconcept B = true;\n} // namespace impl\n}\n",
            "core/include/distview/core/impl/b.hpp": "int b;\n",
            "core/include/distview/c.h": "int c;\n",
        }
        with tempfile.TemporaryDirectory() as folder:
            root, out = Path(folder, "root"), Path(folder, "out")
            for path, text in {**files, "../out/old.md": ""}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            collect.main(root, out)
            made = {p.relative_to(out).as_posix(): p.read_text() for p in out.rglob("*") if p.is_file()}
        self.assertEqual(
            made["README.md"],
            "[a](docs/a.md#b) [c](source/examples/c.cpp.md) [d](examples/with/README.md) "
            "[e](source/examples/without.md) ![p](docs/p.svg)\n[web](https://x.org) `[c](examples/c.cpp)`\n",
        )
        self.assertIn("[c](../source/examples/c.cpp.md)\n\n```text\n[c](../examples/c.cpp)\n", made["docs/a.md"])
        self.assertIn("```{literalinclude} c.cpp\n:language: cpp\n", made["source/examples/c.cpp.md"])
        self.assertTrue(made["source/examples/without.md"].endswith("\n* [e.py](without/e.py.md)\n"))
        header = made["cpp/distview/core/a.hpp.rst"]
        self.assertIn(".. doxygenfile:: core/include/distview/core/a.hpp\n", header)
        self.assertIn(".. doxygenconcept:: distview::A\n", header)
        self.assertNotIn("::B\n", header)
        self.assertEqual(
            set(made) - {"README.md", "docs/a.md"},
            {
                "docs/p.svg", "index.rst", "examples/with/README.md", "source/examples/c.cpp",
                "source/examples/c.cpp.md", "source/examples/without.md", "source/examples/without/e.py",
                "source/examples/without/e.py.md", "cpp/distview/core/a.hpp.rst", "cpp/distview/c.h",
                "cpp/distview/c.h.md",
            },
        )  # fmt: skip


class Whole(unittest.TestCase):
    def test_every_page_and_header_of_the_checkout_is_on_the_site(self):
        doxyfile = (ROOT / "docs/site/Doxyfile").read_text(encoding="utf-8").replace("\\\n", " ")
        inputs = re.search(r"^INPUT +=(.*)", doxyfile, re.MULTILINE)[1].split()
        with tempfile.TemporaryDirectory() as folder:
            collect.main(ROOT, Path(folder))
            pages = pages_of(Path(folder))
        self.assertEqual(toctree_faults(pages), [])
        includes = [*ROOT.glob("*/include"), *ROOT.glob("interop/*/include")]
        headers = [
            (include, path.relative_to(include).as_posix())
            for include in includes
            for path in include.rglob("*.h*")
            if path.suffix in (".h", ".hpp") and "impl" not in path.relative_to(include).parts
        ]
        self.assertGreater(len(headers), 100)
        self.assertEqual([name for _, name in headers if f"cpp/{name}" not in pages], [])
        lacking = {
            include.relative_to(ROOT).as_posix() for include, name in headers if name.endswith(".hpp")
        } - set(inputs)
        self.assertEqual(lacking, set(), "the Doxyfile's INPUT lacks folders of headers")

    def test_what_toctrees_lack_is_found(self):
        pages = {
            "index": ".. toctree::\n   :glob:\n\n   Start <a>\n   b/*\n   none\n\nText.\n\n   e\n",
            "a": "", "b/c": "", "b/c/d": "", "e": "", "f": "---\norphan: true\n---\n",
        }  # fmt: skip
        self.assertEqual(
            toctree_faults(pages), ["b/c/d is in no toctree", "e is in no toctree", "index: none is no page"]
        )


if __name__ == "__main__":
    unittest.main()
