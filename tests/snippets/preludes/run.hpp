// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Called by a page's main: the program's own work.

#include <distview/comm.hpp>

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>

inline void run(const distview::Communicator& comm) {
    if (comm.rank() == 0) std::printf("%d ranks run\n", comm.size());
}
