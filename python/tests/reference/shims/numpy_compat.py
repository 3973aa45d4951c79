# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-in for numpy.compat, deprecated since NumPy 2.0."""


def asbytes(text):
    return text if isinstance(text, bytes) else str(text).encode("latin1")
