#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the rules of the repository that no compiler checks.

check_structure.py [FOLDER]: prints one line for each violation, and exits with status 1 if it found
any. test_check_structure.py plants a violation of every rule and requires that it is found.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import rules_code  # noqa: E402
import rules_docs  # noqa: E402
import rules_includes  # noqa: E402
import rules_markdown  # noqa: E402
import rules_text  # noqa: E402
from tree import Tree  # noqa: E402

RULES = (
    *rules_includes.RULES,
    *rules_code.RULES,
    *rules_docs.RULES,
    *rules_markdown.RULES,
    *rules_text.RULES,
)


def violations(root):
    tree = Tree(root)
    return [violation for rule in RULES for violation in rule(tree)]


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    found = violations(root)
    for violation in found:
        print(violation)
    print(f"{len(Tree(root).paths)} files, {len(RULES)} rules, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
