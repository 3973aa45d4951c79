# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stand-in for the package that left Python in 3.12."""
