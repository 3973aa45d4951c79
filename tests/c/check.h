// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_TESTS_C_CHECK_H
#define DISTVIEW_TESTS_C_CHECK_H

// Support for every test program in C: counted checks, and a success line from rank 0 when all ranks have passed.

#include <distview/distview.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_failures = 0;
static int check_rank = 0;
static int check_size = 1;

static void check_report(const char* file, int line, const char* what, const char* why) {
    if (++check_failures <= 20) printf("%s:%d: rank %d: %s%s\n", file, line, check_rank, what, why);
}

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) check_report(__FILE__, __LINE__, #condition, "");                        \
    } while (0)

// Requires that a call succeeds.
#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != DISTVIEW_SUCCESS)                                                            \
            check_report(__FILE__, __LINE__, #call ": ", distview_last_error()->message);          \
    } while (0)

// Requires that a call fails with this class and a message that contains `part`.
#define FAILS(class, part, call)                                                                   \
    do {                                                                                           \
        const int check_got = (call);                                                              \
        if (check_got != (class) || distview_last_error()->status != (class) ||                    \
            !strstr(distview_last_error()->message, part))                                         \
            check_report(__FILE__, __LINE__, #call ": ",                                           \
                         check_got ? distview_last_error()->message : "no error");                 \
    } while (0)

static inline void check_begin(int* argc, char*** argv, distview_communicator** comm) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    OK(distview_initialize(NULL));
    OK(distview_communicator_create(MPI_COMM_WORLD, comm));
}

static inline int check_end(distview_communicator* comm) {
    distview_communicator_release(comm);
    OK(distview_finalize());
    int all = 0;
    MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank == 0)
        printf(all == 0 ? "DISTVIEW-TEST-PASSED\n" : "DISTVIEW-TEST-FAILED: %d\n", all);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}

// Creates a layout for this test's ranks.
static inline distview_layout* make_layout(int rank, const distview_axis* axes) {
    int grid[DISTVIEW_MAX_RANK];
    distview_layout* layout = NULL;
    OK(distview_balanced_grid(check_size, rank, grid));
    OK(distview_layout_create(rank, grid, axes, &layout));
    return layout;
}

#endif
