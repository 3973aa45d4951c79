// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview_testing/allocations.hpp>
#include <distview_testing/mpi_counters.hpp>

#include <mpi.h>

namespace distview::testing::impl {

/// Declared at the beginning of every wrapper: allocations inside MPI are not counted.
using InsideMpi = UncountedScope;

enum class Direction { send, receive };

/// Counts one message from now on, or never if `peer` is MPI_PROC_NULL.
void note_message(Direction direction, int count, MPI_Datatype type, int peer, MPI_Comm comm);

/// Remembers what each start of a persistent request will add to the counts.
void note_persistent(Direction direction, int count, MPI_Datatype type, int peer, MPI_Comm comm,
                     MPI_Request request);
void forget_persistent(MPI_Request request);
void note_start(MPI_Request request);

void note_collective(const char* name);
void note_one_sided(const char* name);

/// Adds to one of the numbers of live objects.
void add_handles(std::int64_t MpiHandles::* kind, std::int64_t n);

/// Makes the linker include all wrappers in the program.
void link_mpi_wrappers();
void link_message_wrappers();
void link_request_wrappers();
void link_collective_wrappers();
void link_object_wrappers();
void link_other_wrappers();

} // namespace distview::testing::impl
