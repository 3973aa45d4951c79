// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat spreads over a plate that is periodic from west to east and has cold edges in the north and south.
// DistView borrows memory of calloc(). Run it on any number of ranks: mpirun -n 4 c_heat

#include <distview/distview.h>

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program with the text of an error.
static void check(int status) {
    if (status == DISTVIEW_SUCCESS) return;
    const distview_error* error = distview_last_error();
    fprintf(stderr, "c_heat: %s: %s\n", error->class_name, error->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// One step from `now` to `next`, with rows of `pitch` cells, padding included.
typedef struct {
    const double* now;
    double* next;
    int64_t pitch;
} plate;

static int spread(int rank, const int64_t* begin, const int64_t* end, void* user) {
    (void)rank;
    const plate* p = user;
    for (int64_t i = begin[0]; i < end[0]; ++i)
        for (int64_t j = begin[1]; j < end[1]; ++j) {
            const double* t = p->now + i * p->pitch + j;
            const double around = t[-1] + t[1] + t[-p->pitch] + t[p->pitch];
            p->next[i * p->pitch + j] = *t + 0.2 * (around - 4.0 * *t);
        }
    return DISTVIEW_SUCCESS;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv); // the program's MPI: DistView finds it running and does not end it
    check(distview_initialize(NULL));
    distview_communicator* comm;
    check(distview_communicator_create(MPI_COMM_WORLD, &comm));
    int rank, size;
    check(distview_communicator_rank(comm, &rank));
    check(distview_communicator_size(comm, &size));

    // 200 x 300 cells; each section has one additional cell on each side.
    int grid[2];
    check(distview_balanced_grid(size, 2, grid));
    const distview_axis axes[2] = {
        {.extent = 200, .padding_low = 1, .padding_high = 1},
        {.extent = 300, .padding_low = 1, .padding_high = 1, .periodic = 1}};
    distview_layout* layout;
    check(distview_layout_create(2, grid, axes, &layout));

    // The program's own memory, with the extents of the section, and DistView's handles for it.
    distview_memory memory = {.element = DISTVIEW_FLOAT64, .rank = 2};
    check(distview_layout_local_extents(layout, rank, memory.extents));
    const size_t cells = (size_t)(memory.extents[0] * memory.extents[1]);
    double* now = calloc(cells, sizeof(double));
    double* next = calloc(cells, sizeof(double));
    distview_array* of_now;
    distview_array* of_next;
    memory.data = now;
    check(distview_array_borrow(comm, layout, &memory, &of_now));
    memory.data = next;
    check(distview_array_borrow(comm, layout, &memory, &of_next));

    for (int64_t i = 0; i < memory.extents[0]; ++i)
        for (int64_t j = 0; j < memory.extents[1]; ++j) {
            int64_t y, x;
            check(distview_layout_to_global(layout, rank, 0, i, &y));
            check(distview_layout_to_global(layout, rank, 1, j, &x));
            const int is_hot = hypot((double)y - 100.0, (double)x - 150.0) < 30.0;
            now[i * memory.extents[1] + j] = is_hot ? 100.0 : 0.0;
        }

    const distview_padding_options faces = {.stencil = DISTVIEW_FACES};
    distview_padding_plan* plan;
    check(distview_padding_plan_create(comm, layout, &faces, &plan));
    for (int step = 0; step <= 500; ++step) {
        if (step % 100 == 0) {
            distview_value heat, hottest;
            check(distview_sum(of_now, NULL, &heat));
            check(distview_max(of_now, NULL, &hottest, NULL));
            if (rank == 0)
                printf("step %3d   heat %12.3f   hottest %8.4f\n", step, heat.real, hottest.real);
        }
        plate p = {now, next, memory.extents[1]};
        check(distview_padding_plan_apply(plan, 1, &of_now, spread, &p));
        double* const was = now;
        now = next;
        next = was;
        distview_array* const of_was = of_now;
        of_now = of_next;
        of_next = of_was;
    }

    distview_padding_plan_release(plan);
    distview_array_release(of_now);
    distview_array_release(of_next);
    distview_layout_release(layout);
    free(now);
    free(next);
    distview_communicator_release(comm);
    check(distview_finalize());
    MPI_Finalize();
    return 0;
}
