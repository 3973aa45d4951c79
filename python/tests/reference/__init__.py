# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol's own validator and the reference implementation, as consumers; see README.md."""
