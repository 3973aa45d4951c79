# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/api_sheet.md names every public function and class of the package, and every method of its arrays."""

import re
from pathlib import Path

import distview
import pytest

SHEET = Path(__file__).resolve().parents[2] / "docs" / "api_sheet.md"

#: Classes of errors.
_ERRORS = {name for name in distview.__all__ if isinstance(getattr(distview, name), type) and issubclass(
    getattr(distview, name), BaseException)}  # fmt: skip
_METHODS = [
    "exchange_padding", "start_exchange", "combine_padding", "gather", "scatter", "sum", "min", "max", "norm", "dot",
    "transpose", "attach", "dap", "copy_to_host", "copy_from_host", "global_indices", "petsc_vec",
    "require_padding", "mark_written", "mark_padding_valid", "set_label", "valid_padding", "has_valid_corners", "to_hdf5",
]  # fmt: skip


@pytest.mark.skipif(not SHEET.exists(), reason="of a source tree")
def test_all_names_are_there():
    words = set(re.findall(r"\w+", SHEET.read_text(encoding="utf-8")))
    named = set(distview.__all__) - _ERRORS - {"DistView", "PaddingExchange"} | set(_METHODS)
    assert all(hasattr(distview.DistView, name) for name in _METHODS)
    assert named <= words, sorted(named - words)
