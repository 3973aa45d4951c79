# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of extract.py: its output for the blocks on small pages."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

import extract  # noqa: E402


def block(language, code, marker=""):
    return (f"<!-- snippet: {marker} -->\n" if marker else "") + f"```{language}\n{code}\n```\n"


class Extract(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve() / "root"
        self.made = Path(folder.name).resolve() / "made"
        (self.root / "docs").mkdir(parents=True)

    def extract(self, text, page="docs/a.md"):
        """Writes the page and returns snippets.cmake, without its first line."""
        (self.root / page).write_text(text, encoding="utf-8")
        extract.main([str(self.root), str(self.made), page])
        return self.read("snippets.cmake").partition("\n")[2]

    def read(self, name):
        return (self.made / name).read_text(encoding="utf-8")

    def test_fragments_are_functions_with_the_lines_of_the_page(self):
        calls = self.extract("Text.\n\n" + block("cpp", "#include <map>\nf();") + "\n" + block("cpp", "g();"))
        self.assertEqual(calls, f'distview_snippet_fragments(docs_a "{self.made}/docs_a.cpp")\n')
        text = self.read("docs_a.cpp")
        self.assertIn(f'{{\n#line 4 "{self.root}/docs/a.md"\n\nf();\n}}\n}}\n', text)
        self.assertIn("TEST(docs_a, line_3) { snippets::call(snippets::line_3, {}); }\n", text)
        self.assertIn("TEST(docs_a, line_8) {", text)
        self.assertLess(text.index("#include <map>\n"), text.index("namespace snippets {"))
        self.assertEqual(text.count("const ArrayLayout layout("), 2)

    def test_marked_fragments(self):
        text = block("cpp", "a();", "prelude=dlpack, ranks=1 4") + block("cpp", "b();", "continues")
        text += block("cpp", "c();", "compiled only") + block("cpp", "void d() {}", "scope=file")
        self.extract(text)
        made = self.read("docs_a.cpp")
        self.assertRegex(made, r'auto\* const foreign.*\n\{\n#line 3 .*\na\(\);\n#line 7 .*\nb\(\);\n\}\n\}\n')
        self.assertIn("call(snippets::line_2, {1, 4});", made)
        self.assertRegex(made, r"void line_10.*")
        self.assertNotIn("call(snippets::line_10", made)
        self.assertRegex(made, r"namespace line_14 \{\n#line 15 .*\nvoid d\(\) \{\}\n\}\nusing namespace line_14;")

    def test_nothing_to_continue_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "docs/a.md:2: .*continues"):
            self.extract(block("cpp", "a();", "continues"))

    def test_fortran(self):
        text = block("fortran", "call f()") + block("fortran", "program p\nend program") + block("fortran", "call g()")
        calls = self.extract(text)
        self.assertIn(f'distview_snippet_fortran(docs_a.line_4 "{self.made}/docs_a.line_4.f90" RANKS 1 2 3 4)\n', calls)
        self.assertIn(f'distview_snippet_fortran(docs_a "{self.made}/docs_a.f90" RANKS 1 2 3 4)\n', calls)
        self.assertTrue(self.read("docs_a.line_4.f90").endswith("program p\nend program\n"))
        self.assertIn(
            "block ! of line 1\ncall f()\nend block\ncall plan%forget()\nblock ! of line 8\ncall g()\nend block\n",
            self.read("docs_a.f90"),
        )

    def test_marked_fortran(self):
        procedure = "subroutine f()\nend subroutine"
        text = block("fortran", procedure, "scope=file") + block("fortran", "call g()", "compiled only")
        self.extract(text)
        made = self.read("docs_a.f90")
        self.assertIn("if (.false.) then\nblock ! of line 7\ncall g()\nend block\nend if\n", made)
        self.assertIn(f"MPI_Finalize(ierr)\ncontains\n{procedure}\nend program\n", made)
        self.extract(block("fortran", "call f()"))
        self.assertNotIn("contains", self.read("docs_a.f90"))

    def test_c(self):
        text = block("c", "f(a);") + block("c", "int main(void) { return 0; }") + block("c", "g();", "compiled only")
        text += block("c", "static int h(void);", "scope=file")
        calls = self.extract(text)
        self.assertIn(f'distview_snippet_c(docs_a.line_4 "{self.made}/docs_a.line_4.c" RANKS 1 2 3 4)\n', calls)
        self.assertIn(f'distview_snippet_c(docs_a "{self.made}/docs_a.c" RANKS 1 2 3 4)\n', calls)
        page = f'"{self.root}/docs/a.md"'
        self.assertTrue(self.read("docs_a.line_4.c").endswith(f"#line 5 {page}\nint main(void) {{ return 0; }}\n"))
        made = self.read("docs_a.c")
        self.assertIn(f"{{\n#line 2 {page}\nf(a);\n}}\nif (0) {{\n#line 9 {page}\ng();\n}}\n    free(x);\n", made)
        self.assertIn(f"#line 13 {page}\nstatic int h(void);\nint main(int argc", made)

    def test_ranks_of_python(self):
        def ranks(text):
            return self.extract(text).partition("RANKS ")[2]

        self.assertEqual(ranks(block("python", "a", "ranks=4") + block("python", "b", "ranks=1 4")), "1 4)\n")
        self.assertEqual(ranks(block("python", "a", "ranks=4") + block("python", "b")), "1 2 3 4)\n")
        self.assertEqual(ranks(block("python", "a", "compiled only")), "1)\n")
        self.assertEqual(ranks(block("python", "a", "ranks=2") + block("python", "b", "compiled only")), "2)\n")

    def test_programs(self):
        calls = self.extract(block("cpp", "int main() {}") + block("cpp", "int main() {}", "prelude=run, ranks=4"))
        self.assertEqual(
            calls,
            f'distview_snippet_program(docs_a.line_1 "{self.made}/docs_a.line_1.cpp" RANKS 1 2 3 4)\n'
            f'distview_snippet_program(docs_a.line_5 "{self.made}/docs_a.line_5.cpp" RANKS 4)\n',
        )
        self.assertTrue(self.read("docs_a.line_1.cpp").endswith('/docs/a.md"\nint main() {}\n'))
        self.assertIn("preludes/run.hpp", self.read("docs_a.line_5.cpp"))

    def test_python_and_cmake(self):
        calls = self.extract(block("python", "a") + block("python", "b") + block("cmake", "message(c)"))
        self.assertEqual(
            calls,
            f'distview_snippet_cmake(docs_a.line_7 "{self.made}/docs_a.line_7")\n'
            f'distview_snippet_python(docs_a "{self.root}/docs/a.md" RANKS 1 2 3 4)\n',
        )
        self.assertRegex(self.read("docs_a.line_7/CMakeLists.txt"), r"add_executable\(app app.cpp\)\nmessage\(c\)")
        self.extract(block("cmake", "project(own)"))
        self.assertNotIn("add_executable", self.read("docs_a.line_1/CMakeLists.txt"))

    def test_what_is_not_tested(self):
        shown = [block("sh", "rm"), block("text", "a"), block("cpp", "a", "shown only")]
        shown.append("````text\n" + block("cpp", "a") + "````\n")
        self.assertEqual(self.extract("\n".join(shown)), "")

    def test_a_block_in_a_list(self):
        self.extract("* item\n\n  ```cpp\n  f(\n    1);\n  ```\n")
        self.assertIn("\nf(\n  1);\n", self.read("docs_a.cpp"))

    def test_only_what_has_changed_is_written(self):
        text = block("cpp", "f();") + block("cpp", "int main() {}")
        self.extract(text)
        before = (self.made / "docs_a.cpp").stat().st_mtime_ns
        self.extract(text.replace("main() {}", "main() { }"))
        self.assertEqual((self.made / "docs_a.cpp").stat().st_mtime_ns, before)
        self.extract(block("sh", "ls"))
        self.assertEqual([p.name for p in self.made.rglob("*") if p.is_file()], ["snippets.cmake"])


if __name__ == "__main__":
    unittest.main()
