// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// between_cpp.cpp in C: sends or receives.

#include <distview/distview.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 30, columns = 22 };
static int wrong = 0;

static void check(int is_right, const char* what) {
    if (is_right) return;
    fprintf(stderr, "between_c: wrong: %s\n", what);
    wrong = 1;
}

static void ok(int status) {
    check(status == 0, status == 0 ? "" : distview_last_error()->message);
}

// Sets elements to the factor times their value, or compares them with it.
static void each(const distview_layout* layout, int process, double* data, double factor,
                 int sets) {
    int64_t extents[2], i, j;
    ok(distview_layout_local_extents(layout, process, extents));
    for (int64_t k = 0; k < extents[0]; ++k)
        for (int64_t l = 0; l < extents[1]; ++l, ++data) {
            ok(distview_layout_to_global(layout, process, 0, k, &i));
            ok(distview_layout_to_global(layout, process, 1, l, &j));
            const double value = factor * (1000.0 * (double)i + (double)j + 1);
            if (sets)
                *data = value;
            else
                check(*data == value, "an element");
        }
}

static void meet(MPI_Comm intercommunicator, int begins) {
    distview_other_program* other;
    ok(distview_other_program_create(intercommunicator, &other));
    int size, rank, others, axes, grid[2];
    ok(distview_other_program_sizes(other, &size, &rank, &others));
    ok(distview_balanced_grid(size, 2, grid));
    const int kind = begins ? DISTVIEW_BLOCK : DISTVIEW_CYCLIC;
    const distview_axis both[] = {{.kind = kind, .extent = rows, .block_size = 4},
                                  {.kind = kind, .extent = columns, .block_size = 3}};
    distview_layout *mine, *theirs;
    ok(distview_layout_create(2, grid, both, &mine));
    ok(distview_other_program_exchange(other, begins ? mine : NULL, &theirs));
    ok(distview_layout_rank(theirs, &axes));
    check(axes == (begins ? 0 : 2), "the other program's layout");
    distview_layout_release(theirs);

    int64_t extents[2];
    ok(distview_layout_local_extents(mine, rank, extents));
    double* const data = malloc(sizeof(double) * (size_t)(extents[0] * extents[1] + 1));
    distview_memory memory = {
        .data = data, .element = DISTVIEW_FLOAT64, .rank = 2, .extents = {extents[0], extents[1]}};
    distview_communicator* all;
    ok(distview_other_program_communicator(other, &all));
    distview_array* array;
    ok(distview_array_borrow_local(all, mine, rank, &memory, &array));
    distview_redistribution_plan *there, *back;
    ok(distview_other_program_plan(other, begins, mine, NULL, &there));
    ok(distview_other_program_plan(other, !begins, mine, NULL, &back));
    for (int turn = 1; turn <= 3; ++turn) {
        if (begins) {
            each(mine, rank, data, turn, 1);
            ok(distview_redistribution_plan_execute(there, array, NULL));
            each(mine, rank, data, -1, 1);
            ok(distview_redistribution_plan_execute(back, NULL, array));
            each(mine, rank, data, 2 * turn, 0);
        } else {
            ok(distview_redistribution_plan_execute(there, NULL, array));
            each(mine, rank, data, turn, 0);
            each(mine, rank, data, 2 * turn, 1);
            ok(distview_redistribution_plan_execute(back, array, NULL));
        }
    }
    distview_redistribution_plan_release(there);
    distview_redistribution_plan_release(back);
    distview_array_release(array);
    free(data);
    distview_communicator_release(all);
    distview_layout_release(mine);
    distview_other_program_release(other);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    ok(distview_initialize(NULL));
    const int begins = argc > 1 && strcmp(argv[1], "sends") == 0;
    distview_other_program* none;
    check(distview_other_program_create(MPI_COMM_WORLD, &none) == DISTVIEW_USAGE_ERROR,
          "one group");
    MPI_Comm own, other;
    int size, rank;
    MPI_Comm_split(MPI_COMM_WORLD, begins ? 0 : 1, 0, &own);
    MPI_Comm_size(own, &size);
    MPI_Comm_rank(own, &rank);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, begins ? size : 0, 1, &other);
    meet(other, begins);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&other);
    MPI_Comm_free(&own);
    if (begins && rank == 0) puts(wrong ? "DISTVIEW-TEST-FAILED" : "DISTVIEW-TEST-PASSED");
    distview_finalize();
    MPI_Finalize();
    return wrong;
}
