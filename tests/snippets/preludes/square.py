# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
q = distview.ones((40, 40), "bb", MPI.COMM_WORLD)
