// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations that the fragments of a page share; each fragment is a block.
#include <distview/distview.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Stands for a solver such as LAPACK's; only the arguments matter here.
static int solve_in_place(void* data, int64_t extent, int64_t leading_dimension, void* user) {
    (void)user;
    return data != NULL && leading_dimension >= extent ? DISTVIEW_SUCCESS : DISTVIEW_OTHER_ERROR;
}

static double u[42][34], v[42][34];

// scope=file
int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    distview_initialize(NULL);
    distview_communicator* comm = NULL;
    distview_communicator_create(MPI_COMM_WORLD, &comm);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // 40 x 32 cells on each rank.
    const int grid[2] = {size, 1};
    const distview_axis axes[2] = {{.extent = 40 * size, .padding_low = 1, .padding_high = 1},
                                   {.extent = 32, .padding_low = 1, .padding_high = 1}};
    distview_layout* layout = NULL;
    distview_layout_create(2, grid, axes, &layout);
    distview_padding_plan* plan = NULL;
    distview_padding_plan_create(comm, layout, NULL, &plan);
    distview_array* arrays[2] = {NULL, NULL};
    distview_memory memory_of_u = {.data = u, .element = DISTVIEW_FLOAT64, .rank = 2, .extents = {42, 34}};
    distview_memory memory_of_v = memory_of_u;
    memory_of_v.data = v;
    distview_array_borrow(comm, layout, &memory_of_u, &arrays[0]);
    distview_array_borrow(comm, layout, &memory_of_v, &arrays[1]);

    // Elements for the next rank.
    int64_t n = 5;
    int targets[5];
    double* x = calloc(5, sizeof *x);
    for (int i = 0; i < n; ++i) targets[i] = (rank + 1) % size;

    // Names used by blocks that are compiled only.
    MPI_Comm intercommunicator = MPI_COMM_NULL;
    distview_layout *rows = layout, *columns = layout;
    distview_array *a = arrays[0], *b = arrays[1];
    (void)intercommunicator, (void)rows, (void)columns, (void)a, (void)b, (void)x;
// fragments
    free(x);
    distview_array_release(arrays[0]);
    distview_array_release(arrays[1]);
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    distview_communicator_release(comm);
    const distview_error* error = distview_last_error(); // a success does not change it
    const int failed = error->status != DISTVIEW_SUCCESS;
    if (failed) fprintf(stderr, "%s: %s\n", error->class_name, error->message);
    distview_finalize();
    MPI_Finalize();
    return failed;
}
