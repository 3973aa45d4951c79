// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// What a page's main calls: a program's own work.

#include <distview/comm.hpp>

#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>

inline void run(const distview::Communicator& comm) {
    if (comm.rank() == 0) std::printf("%d ranks run\n", comm.size());
}
