# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
whole = t.gather()
