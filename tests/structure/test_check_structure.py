# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the rules: each rule finds a planted violation at its place, and accepts correct files."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True

import check_structure  # noqa: E402
import rules_includes  # noqa: E402
import rules_text  # noqa: E402

LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
HPP = f"// {LICENCE}\n#pragma once\n"
CPP = f"// {LICENCE}\n"
HOME = "/" + "home/me/kokkos"

# A small repository that breaks no rule, though it comes close.
GOOD = {
    "CMakeLists.txt": f"# {LICENCE}\noption(DISTVIEW_ENABLE_COMM \"\" ON)\n"
    "if(DISTVIEW_ENABLE_COMM)\nendif()\n",
    "docs/index_spaces.md": "Say *padding*, never *halo* or another word; shallow, hallo.\n",
    "docs/api_sheet.md": "| `all(1)`, a `Handle`, `fill`, `finish`, `a`, `b`, `send`, `Plan`, `sum` |\n",
    "core/include/distview/core/a.hpp": HPP + "#include <Kokkos_Macros.hpp>\n#include <vector>\n",
    "core/include/distview/core/view.hpp": HPP + "#include <Kokkos_Core.hpp>\n",
    "core/include/distview/core/impl/i.hpp": HPP,
    "core/include/distview/core/text.hpp": HPP + "namespace distview {\nvoid not_for_users();\n}\n",
    "core/include/distview/core/events.hpp": HPP
    + "namespace distview::impl {\nvoid inner();\n}\nnamespace distview {\nconstexpr int constant = 2;\n}\n",
    "core/src/a.cpp": CPP
    + '#include <distview/core/impl/i.hpp>\n#include "b.hpp"\n// #include <mpi.h>\n'
    + 'const char* s = "abort() and MPI_Send( and std::cout";  // printf("x")\n'
    + "int n = 1'000'000; std::snprintf(b, n, \"%d\", 1); handle.abort_count(); exit_code(1);\n",
    "core/src/b.hpp": HPP + "#include <map>\n",
    "core/src/b.cpp": CPP + "#include \"b.hpp\"\n#include <algorithm>\nvoid f(std::map<int, int> m) { std::sort(a, std::find(b)); }\n",
    "comm/include/distview/comm/plan.hpp": HPP
    + "#include <distview/core/a.hpp>\n#include <mpi.h>\n"
    + "/// Communicator comm(MPI_COMM_WORLD);\nMPI_Comm handle() const;\n"
    + "namespace distview {\nnamespace impl {\nvoid inner();\n}\nclass Later;\nstruct Plain { int x; };\n"
    + "/// Adds.\n///\n/// Collective: over comm\ntemplate <class T>\n    requires(sizeof(T) > 1)\n"
    + "std::vector<decltype(x)> all(T x);\nvoid all(int x);\n"
    + "/// Collective: finish()\ntemplate <class E>\nclass [[nodiscard]] Handle {\npublic:\n"
    + "    void finish() { f(); }\n};\nenum class Kind { a };\nusing F = void (*)(int);\n"
    + "inline constexpr int n = f(1);\n}\n",
    "comm/include/distview/comm/a_schedule.hpp": HPP + "#include <distview/core/a.hpp>\n",
    "comm/include/distview/comm/impl/memory/m.hpp": HPP,
    "comm/include/distview/comm/impl/memory/n.hpp": HPP
    + "#include <distview/comm/impl/memory/m.hpp>\n",
    "comm/include/distview/comm/impl/kernels/k.hpp": HPP + "#include <distview/core/view.hpp>\n",
    "comm/include/distview/comm/impl/plan/move_runner.hpp": HPP
    + "#include <distview/comm/impl/kernels/k.hpp>\n",
    "comm/include/distview/comm/impl/plan/binding.hpp": HPP
    + "#include <distview/comm/impl/memory/m.hpp>\n",
    "comm/src/plan/README.md": "# plan\n\n* Includes: kernels, memory, core.\n",
    "comm/src/mpi/runtime.cpp": CPP + "#include <Kokkos_Core.hpp>\n",
    "comm/src/schedule/a_schedule.cpp": CPP + "#include <distview/comm/a_schedule.hpp>\n",
    "comm/src/plan/plan.cpp": CPP + "#include <mpi.h>\nvoid f() { check(MPI_Wait(a, b)); }\n"
    + "// All ranks wait.\nint a; ///< both sides\nint b; ///< one array's\nint c;\n// Other ranks.\nint d;\n// One round only.\n",
    "algorithms/include/distview/algorithms.hpp": HPP + "#include <distview/algorithms/fill.hpp>\n",
    "algorithms/include/distview/algorithms/impl/i.hpp": HPP,
    "algorithms/include/distview/algorithms/fill.hpp": HPP
    + "#include <distview/core/view.hpp>\n"
    + 'void f() {\n  Kokkos::parallel_for("distview::fill::x", Policy(e, 0, n), g);\n'
    + "  Kokkos::parallel_reduce(m_label_sum, Policy(e, 0, n), g, s);\n"
    + "  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), g);\n"
    + '  exec.fence("distview::fill: the result is read"); e.fence(m_labels.fence_unpack);\n'
    + '  Kokkos::View<double*> v(Kokkos::view_alloc(exec, "distview::fill::v"), n);\n'
    + "  Kokkos::deep_copy(exec, a, b);\n}\n",
    "examples/heat.cpp": CPP
    + '#include <iostream>\nint main() { std::cout << 1; comm(MPI_COMM_WORLD);\n'
    + 'Kokkos::parallel_for("heat", n, f); }\n',
    "tests/unit/core/impl_i.cpp": CPP + "#include <distview/core/impl/i.hpp>\n",
    "interop/common/include/distview/interop/rows.hpp": HPP + "#include <distview/comm/plan.hpp>\n#include <mpi.h>\n",
    "interop/petsc/src/vec.cpp": CPP
    + "#include <distview/interop/rows.hpp>\n#include <distview/petsc/vec.hpp>\n#include <petscvec.h>\n",
    "docs/links.md": "# A [`b`](a%20b.txt), of c_d!\n## Twice\n## Twice\n[a](#a-b-of-c_d), [t](#twice-1)\n"
    "[x](../scripts) ![p](../core/src/a.cpp \"title\") [y](<a b.txt>) [z](https://x.org/y#z) <a href=\"links.md\">\n"
    "`[no](link)` v[0](1 of 2) [s](a%20b.txt#L1-L1)\n\n[r]: links.md#twice\n"
    "```sh\n[no](link)\n```\n\n* item\n\n  text of the item\n\n  ~~~~text\n```\n  ~~~~\n\nlazy\n      text\n"
    "<!-- snippet: prelude=usual, ranks=1 4 -->\n\n```cpp\nint a[2](3);\n```\n"
    "<!-- snippet: shown only -->\n```rust\n```\n",
    "docs/a b.txt": "Text.\n",
    "tests/snippets/preludes/usual.inl": "",
    "scripts/run": f"#!/bin/bash\n# {LICENCE}\ncd \"$root/home/x\"\n",
}

# rule, file, text (a {} stands for the file's text in GOOD), line of the violation
PLANTED = [
    ("direction", "core/src/a.cpp", CPP + "#include <distview/comm/a_schedule.hpp>\n", 2),
    ("direction", "core/src/a.cpp", CPP + "#  include <distview/comm.hpp>\n", 2),
    ("direction", "core/src/a.cpp", CPP + '#include "../../comm/src/x.hpp"\n', 2),
    ("direction", "comm/src/plan/plan.cpp", CPP + "\n#include <distview/algorithms/sum.hpp>\n", 3),
    ("direction", "algorithms/include/distview/algorithms/fill.hpp", HPP + "#include <distview/interop/rows.hpp>\n", 3),
    ("direction", "interop/common/include/distview/interop/rows.hpp", HPP + "#include <distview/petsc/vec.hpp>\n", 3),
    ("direction", "interop/petsc/src/vec.cpp", CPP + "\n#include <distview/hypre/vec.hpp>\n", 3),
    ("direction", "interop/hypre/src/vec.cpp", CPP + '#include "../../petsc/src/vec.hpp"\n', 2),
    ("mpi", "core/src/a.cpp", CPP + "#include <mpi.h>\n", 2),
    ("mpi", "comm/include/distview/comm/a_schedule.hpp", HPP + "#include <mpi.h>\n", 3),
    ("mpi", "comm/include/distview/comm/a_schedule.hpp",
     HPP + "#include <distview/comm/plan.hpp>\n", 3),
    ("mpi", "algorithms/include/distview/algorithms/fill.hpp", HPP + "#include <mpi.h>\n", 3),
    ("impl", "comm/src/plan/plan.cpp", CPP + "#include <distview/core/impl/i.hpp>\n", 2),
    ("impl", "examples/heat.cpp", CPP + "#include <distview/core/impl/i.hpp>\n", 2),
    ("impl", "tests/unit/core/test_i.cpp", CPP + "#include <distview/core/impl/i.hpp>\n", 2),
    ("impl", "tests/unit/comm/impl_i.cpp", CPP + "#include <distview/core/impl/i.hpp>\n", 2),
    ("iostream", "core/include/distview/core/a.hpp", HPP + "#include <iostream>\n", 3),
    ("iostream", "tests/support/x.hpp", HPP + "#include <iostream>\n", 3),
    ("standard", "core/src/a.cpp", CPP + "// std::sort\nvoid f() { std::find_if(a, b, c); }\n", 3),
    ("standard", "core/src/a.cpp", CPP + "#include <algorithm>\nstd::set<int> s;\n", 3),
    ("standard", "core/src/b.cpp", CPP + "std::map<int, int> m;\n", 2),
    ("standard", "tests/support/x.hpp", HPP + "\nstd::ofstream f;\n", 4),
    ("printing", "core/src/a.cpp", CPP + "void f() { std::cerr << 1; }\n", 2),
    ("printing", "core/src/a.cpp", CPP + "/* a\nb */ std::printf(\"x\");\n", 3),
    ("rooms", "comm/src/schedule/a_schedule.cpp", CPP + "#include <distview/comm/plan.hpp>\n", 2),
    ("rooms", "comm/src/attic/x.cpp", CPP, 1),
    ("rooms", "comm/src/plan/README.md", "* Includes: memory, core.\n", 1),
    ("rooms", "comm/src/mpi/README.md", "* May include: memory.\n", 1),
    ("rooms", "comm/src/memory/m.cpp", CPP + "#include <mpi.h>\n", 2),
    ("sizes", "comm/src/plan/plan.cpp", CPP + "int a;\n" * rules_includes._MOST_LINES, 1),
    ("names_kokkos", "io/include/distview/io/a.hpp", HPP + "#include <distview/io/b.hpp>\nKokkos::View<int*> v;\n", 4),
    ("kokkos", "comm/include/distview/comm/a_schedule.hpp", HPP + "#include <Kokkos_Core.hpp>\n", 3),
    ("kokkos", "comm/include/distview/comm/impl/memory/m.hpp", HPP + "#include <distview/core/view.hpp>\n", 3),
    ("kokkos", "comm/include/distview/comm/impl/plan/binding.hpp",
     HPP + "#include <distview/comm/impl/kernels/k.hpp>\n#include <distview/comm/impl/memory/m.hpp>\n", 3),
    ("kokkos", "comm/src/plan/plan.cpp", CPP + "\n#include <distview/comm/impl/plan/move_runner.hpp>\n", 3),
    ("kokkos", "comm/src/kernels/k.cpp", CPP + "#include <Kokkos_Complex.hpp>\n", 2),
    ("kokkos", "comm/include/distview/comm/impl/mpi/runtime.hpp", HPP + "#include <Kokkos_Core.hpp>\n", 3),
    ("cycles", "comm/include/distview/comm/impl/memory/m.hpp", HPP + "#include <distview/comm/impl/memory/n.hpp>\n", 1),
    ("umbrella", "algorithms/include/distview/algorithms/sum.hpp", HPP, 1),
    ("printing", "comm/src/plan/plan.cpp", CPP + "void f() { ::exit(1); }\n", 2),
    ("printing", "comm/src/plan/plan.cpp", CPP + "void f() { std::terminate(); }\n", 2),
    ("printing", "comm/src/plan/plan.cpp", CPP + "void f() { check(MPI_Abort(c, 1)); }\n", 2),
    ("printing", "core/include/distview/core/a.hpp", HPP + "#include <Kokkos_Macros.hpp>\nf() { Kokkos::printf(\"%d\", 1); }\n", 4),
    ("world", "comm/src/plan/plan.cpp", CPP + "MPI_Comm c = MPI_COMM_WORLD;\n", 2),
    ("raw_mpi", "comm/include/distview/comm/plan.hpp", "{}inline void f() { MPI_Barrier(c); }\n", 30),
    ("raw_mpi", "algorithms/include/distview/algorithms/fill.hpp", HPP + "f() { PMPI_Wait(a); }\n", 3),
    ("printing", "interop/petsc/src/vec.cpp", CPP + "void f() { std::puts(s); }\n", 2),
    ("labels", "interop/petsc/src/vec.cpp", CPP + "f() { exec.fence(); }\n", 2),
    ("labels", "core/src/a.cpp", CPP + "f() { Kokkos::parallel_for(Policy(0, n), g); }\n", 2),
    ("labels", "core/src/a.cpp", CPP + "f() {\n Kokkos::parallel_scan(\n  n, g); }\n", 3),
    ("labels", "core/src/a.cpp", CPP + 'f() { parallel_reduce("other::x", n, g, s); }\n', 2),
    ("labels", "core/src/a.cpp", CPP + "f() { exec.fence(); }\n", 2),
    ("labels", "core/src/a.cpp", CPP + 'f() { exec.fence("because"); }\n', 2),
    ("labels", "core/src/a.cpp", CPP + "f() { space()->fence(); }\n", 2),
    ("labels", "examples/heat.cpp", CPP + "void fence(int x) { exec.fence(); }\n", 2),
    ("labels", "core/src/a.cpp", CPP + "V v(Kokkos::view_alloc(exec), n);\n", 2),
    ("labels", "core/src/a.cpp", CPP + 'Kokkos::View<double**> v("v", n, m);\n', 2),
    ("labels", "core/src/a.cpp", CPP + 'auto v = Kokkos::View<int*, H>("v", n);\n', 2),
    ("labels", "examples/heat.cpp", CPP + "int main() { Kokkos::parallel_for(n, f); }\n", 2),
    ("instances", "core/src/a.cpp", CPP + 'f() { Kokkos::fence("distview::x"); }\n', 2),
    ("instances", "core/src/a.cpp", CPP + "f() { Kokkos::deep_copy(a, b(1, 2)); }\n", 2),
    ("api_sheet", "comm/include/distview/comm/plan.hpp",
     "{}namespace distview {\n/// Collective: no\nvoid another(int x);\n}\n", 32),
    ("collective", "comm/include/distview/comm/plan.hpp",
     HPP + "namespace distview {\n/// Sends.\nvoid send(int x);\n}\n", 5),
    ("collective", "comm/include/distview/comm/plan.hpp",
     HPP + "namespace distview {\n/// Collective: no\nint a(int x);\nint b(int x) { return x; }\n}\n",
     6),
    ("collective", "algorithms/include/distview/algorithms/fill.hpp",
     HPP + "namespace distview {\n/// A plan.\ntemplate <class T>\nclass Plan {\npublic:\n"
     "    explicit Plan(T x);\n};\n}\n", 5),
    ("collective", "algorithms/include/distview/algorithms/fill.hpp",
     HPP + "namespace distview {\n\ntemplate <class V>\n    requires A<V, B>\nauto sum(const V& v)"
     " -> int {\n    return f(v);\n}\n}\n", 5),
    ("collective", "interop/common/include/distview/interop/rows.hpp",
     HPP + "namespace distview {\n/// Sends.\nvoid send(int x);\n}\n", 5),
    ("api_sheet", "interop/petsc/include/distview/petsc/vec.hpp",
     HPP + "namespace distview {\n/// Collective: no\nvoid another(int x);\n}\n", 5),
    ("api_sheet_members", "comm/include/distview/comm/plan.hpp",
     HPP + "namespace distview {\n/// Collective: no\nclass Plan {\n    void inner();\n\npublic:\n    Plan(int x);\n"
     "    int sum() const;\n    template <class E>\n    int other(const E& e) { return f(e); }\n    ~Plan();\n"
     "    Plan& operator=(const Plan&) = delete;\n    friend bool same(Plan, Plan);\n    operator int() const;\n\n"
     "private:\n    void more();\n};\n}\n", 11),
    ("api_sheet_members", "algorithms/include/distview/algorithms/fill.hpp",
     HPP + "namespace distview {\n/// Collective: no\nstruct Plan {\n    int f();\n\nprivate:\n    int x;\n};\n}\n", 6),
    ("api_sheet", "core/include/distview/core/view.hpp", "{}namespace distview {\nint another(int x);\n}\n", 5),
    ("api_sheet", "core/include/distview/core/events.hpp",
     "{}namespace distview::protocol {\nconstexpr int another(int x = 1) { return x; }\n}\n", 10),
    ("api_sheet_members", "core/include/distview/core/dist_view.hpp",
     HPP + "namespace distview {\nclass Plan {\npublic:\n    int size();\n};\n}\n", 6),
    ("api_sheet_members", "core/include/distview/core/view.hpp",
     "{}namespace distview {\nstruct Plan {\n    constexpr int size() const { return 1; }\n};\n}\n", 6),
    ("c_face", "c/include/distview/c/a.h", CPP + "DISTVIEW_API int\ndistview_a(int x);\n", 2),
    ("printing", "c/src/a.cpp", CPP + "void f() { std::puts(s); }\n", 2),
    ("world", "c/src/a.cpp", CPP + "MPI_Comm f() { return MPI_COMM_WORLD; }\n", 2),
    ("links", "docs/links.md", "{}[a](none.md)\n", 31),
    ("links", "README.md", "![a](docs/none.svg)\n", 1),
    ("links", "README.md", "a\n[a]: docs/none.svg\n", 2),
    ("links", "README.md", "<img alt=\"\" src=\"docs/none.svg\">\n", 1),
    ("links", "README.md", "[`a`](docs/links.md#twice-2)\n", 1),
    ("links", "README.md", "[a](#a)\n", 1),
    ("links", "README.md", "[a]()\n", 1),
    ("links", "README.md", "* [a](CMakeLists.txt#L9)\n", 1),
    ("links", "docs/links.md", "# A [`b`](a%20b.txt), of c_d!\n[a](#a-b)\n", 2),
    ("links", "docs/links.md", "[a](../../b)\n", 1),
    ("links", "docs/links.md", "[a](/README.md)\n", 1),
    ("snippets", "docs/links.md", "{}```\na\n```\n", 31),
    ("snippets", "docs/links.md", "{}\n    f();\n\n    g();\n", 32),
    ("snippets", "README.md", "* a\n\n      b\n", 3),
    ("snippets", "README.md", "~~~\na\n~~~\n", 1),
    ("snippets", "README.md", "```c++\na\n```\n", 1),
    ("snippets", "README.md", "<!-- snippet: prelude=none -->\n```cpp\n```\n", 2),
    ("snippets", "README.md", "<!-- snippet: shown -->\n```cpp\n```\n", 1),
    ("snippets", "README.md", "<!-- snippet: ranks=two -->\n```cpp\n```\n", 1),
    ("snippets", "README.md", "<!-- snippet: shown only, ranks=2 -->\n```cpp\n```\n", 2),
    ("snippets", "README.md", "<!-- snippet: shown only -->\ntext\n", 1),
    ("snippets", "README.md", "<!-- snippet: shown only -->\n", 1),
    ("spdx", "core/src/a.cpp", "int x;\n" + CPP, 1),
    ("spdx", "core/CMakeLists.txt", "project(x)\n", 1),
    ("spdx", "scripts/run", "#!/bin/bash\nset -e\n", 2),
    ("pragma_once", "core/include/distview/core/a.hpp", CPP, 1),
    ("pragma_once", "core/src/BigName.cpp", CPP, 1),
    ("words", "core/src/a.cpp", CPP + "int halo_width;\n", 2),
    ("words", "comm/src/plan/plan.cpp", CPP + "// the Ghost cells\n", 2),
    ("words", "docs/index_spaces.md", "{}Two halos.\n", 2),
    ("words", "README.md", "exchanges ghost layers\n", 1),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a;\n// What it does.\n", 3),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a = 0; ///< those of a\n", 2),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a;\n// One that is not in use.\n", 3),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a;\n// All, or these.\n", 3),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a;\n/// Others may come.\n", 3),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a;\n/// None of them.\n", 3),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a = 0; ///< both\n", 2),
    ("pronouns", "comm/src/plan/plan.cpp", CPP + "int a;\n// Some of it.\n", 3),
    ("riddles", "core/src/a.cpp", CPP + "int a; // see: " + rules_text.RIDDLES[1] + "\n", 2),
    ("riddles", "comm/src/plan/plan.cpp",
     CPP + "int a;\n/// See: " + rules_text.RIDDLES[2].replace(" those", "\n///   those").replace("one, if", "one,\n    /// if"), 3),
    ("riddles", "README.md", "a\n\n* " + rules_text.RIDDLES[0].lower().replace(" ", "\n") + "\n", 3),
    ("riddles", "perf/README.md", rules_text.RIDDLES[3] + " More.\n", 1),
    ("riddles", "docs/index_spaces.md", "{}" + rules_text.RIDDLES[4], 2),
    ("paths", "cmake/x.cmake", f"# {LICENCE}\nset(x \"{HOME}\")\n", 2),
    ("paths", "README.md", f"cd {HOME}\n", 1),
    ("todo", "core/src/a.cpp", CPP + "// TODO: later\n", 2),
    ("pipes", "scripts/run", f"#!/bin/bash\n# {LICENCE}\nset -o pipefail\nls | head -n 2\n", 4),
    ("pipes", "tests/system/x.sh", f"# {LICENCE}\nset -euo pipefail\nls | grep -q a\n", 3),
    ("options", "CMakeLists.txt", "{}option(DISTVIEW_NATIVE \"\" OFF)\n", 1),
    ("options", "CMakeLists.txt", "{}set(DISTVIEW_NATIVE AUTO CACHE STRING \"\")\n", 1),
    ("options", "core/CMakeLists.txt", f"# {LICENCE}\nif(DISTVIEW_ENABLE_GAMES)\nendif()\n", 1),
]  # fmt: skip


class Rules(unittest.TestCase):
    def check(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**GOOD, **changes}.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return check_structure.violations(folder)

    def test_what_is_right_is_spared(self):
        self.assertEqual([str(v) for v in self.check({})], [])

    def test_what_is_planted_is_found(self):
        for rule, path, text, line in PLANTED:
            text = text.replace("{}", GOOD.get(path, ""), 1) if text.startswith("{}") else text
            with self.subTest(rule=rule, path=path, text=text):
                found = {(v.rule, v.path, v.line) for v in self.check({path: text})}
                if rule == "mpi":  # a file that includes mpi.h against that rule is in the wrong room, too
                    found = {v for v in found if v[0] != "rooms"}
                self.assertEqual(found, {(rule, path, line)})

    def test_public_headers_of_comm_are_counted(self):
        def headers(count):
            # Besides the two in GOOD; headers in impl, and comm.hpp, do not count.
            names = [f"comm/h{i:03}.hpp" for i in range(count - 2)] + ["comm/impl/plan/x.hpp", "comm.hpp"]
            found = self.check({f"comm/include/distview/{name}": HPP for name in names})
            return [(v.path, v.line) for v in found if v.rule == "sizes"]

        self.assertEqual(headers(rules_includes._MOST_PUBLIC_HEADERS), [])
        self.assertEqual(
            headers(rules_includes._MOST_PUBLIC_HEADERS + 1), [("comm/include/distview/comm/plan.hpp", 1)]
        )

    def test_every_rule_has_something_planted(self):
        self.assertEqual({r.__name__ for r in check_structure.RULES}, {p[0] for p in PLANTED})

    def test_folders_of_builds_are_not_searched(self):
        self.assertEqual(self.check({"core/build/x.cpp": "int halo;\n"}), [])


if __name__ == "__main__":
    unittest.main()
