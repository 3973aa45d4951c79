// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_DISTVIEW_H
#define DISTVIEW_DISTVIEW_H

/// The C face of DistView: distributed arrays over the program's own memory, and plans that move their elements.
///
///     distview_initialize(NULL);
///     distview_communicator* comm;
///     distview_communicator_create(MPI_COMM_WORLD, &comm);
///     const int grid[] = {2, 1};
///     const distview_axis axes[] = {{.extent = 180, .padding_low = 1, .padding_high = 1},
///                                   {.extent = 360, .padding_low = 1, .padding_high = 1, .periodic = 1}};
///     distview_layout* layout;
///     distview_layout_create(2, grid, axes, &layout);
///     distview_array* u;                                   // borrows `memory`: nothing is copied
///     distview_array_borrow(comm, layout, &memory, &u);
///     distview_padding_plan* plan;
///     distview_padding_plan_create(comm, layout, NULL, &plan);
///     distview_padding_plan_execute(plan, 1, &u);          // fills the padding of `memory`
///
/// docs/c.md explains initialisation and borrowed memory; the headers below document each function. If the C++ headers
/// have a class of the same name, they describe shapes, costs and errors in more detail.
///
/// Example: examples/c/heat.c

#include <distview/c/algorithms.h>
#include <distview/c/array.h>
#include <distview/c/communicator.h>
#include <distview/c/elements.h>
#include <distview/c/environment.h>
#include <distview/c/layout.h>
#include <distview/c/local_copy.h>
#include <distview/c/migration.h>
#include <distview/c/other_program.h>
#include <distview/c/padding.h>
#include <distview/c/redistribution.h>
#include <distview/c/types.h>

#endif
