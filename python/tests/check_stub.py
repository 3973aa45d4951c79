#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_stub.py GENERATED REFERENCE: fails if signatures or texts that users see have changed."""

import difflib
import sys
from pathlib import Path


def main(generated, reference):
    new = Path(generated).read_text().splitlines(keepends=True)
    old = Path(reference).read_text().splitlines(keepends=True) if Path(reference).exists() else []
    difference = list(difflib.unified_diff(old, new, reference, generated))
    if difference:
        sys.stdout.writelines(difference)
        print(f"\nThe stub of _distview has changed. If that is meant:\n    cp {generated} {reference}")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
