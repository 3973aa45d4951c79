# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
other = distview.ones((20, 30), "bb", MPI.COMM_WORLD)
