# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of docs/site: what Doxygen gets to see of headers, and where links of pages lead on the site."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "site"))

import collect  # noqa: E402
import doxygen_filter  # noqa: E402


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
            "core/include/distview/core/a.hpp": "namespace distview {\ntemplate <class T>\nconcept A = true;\n}\n",
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
        self.assertEqual(
            set(made) - {"README.md", "docs/a.md"},
            {
                "docs/p.svg", "index.rst", "examples/with/README.md", "source/examples/c.cpp",
                "source/examples/c.cpp.md", "source/examples/without.md", "source/examples/without/e.py",
                "source/examples/without/e.py.md", "cpp/distview/core/a.hpp.rst", "cpp/distview/c.h",
                "cpp/distview/c.h.md",
            },
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
