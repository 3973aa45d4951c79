// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of the libraries by different owners: test_c_environment ours | theirs | theirs_first. The exit status is
// the result, since at the end MPI no longer runs and cannot agree on one.

#include "check.h"

static int is_finalized(void) {
    int flag = 0;
    MPI_Finalized(&flag);
    return flag;
}

int main(int argc, char** argv) {
    const char* const mode = argc > 1 ? argv[1] : "";
    const int ours = strcmp(mode, "ours") == 0; // DistView starts MPI
    const int theirs_first = strcmp(mode, "theirs_first") == 0;

    // Before MPI and Kokkos run.
    distview_communicator* comm = NULL;
    CHECK(distview_is_initialized() == 0);
    FAILS(DISTVIEW_USAGE_ERROR, "MPI", distview_communicator_create(MPI_COMM_WORLD, &comm));
    FAILS(DISTVIEW_USAGE_ERROR, "MPI", distview_communicator_create_f(0, &comm));
    FAILS(DISTVIEW_USAGE_ERROR, "expected an initialised library, call distview_initialize() first",
          distview_finalize());
    FAILS(DISTVIEW_USAGE_ERROR, "1 thread, or 0, got -1",
          distview_initialize(&(distview_init_options){.threads = -1}));
    distview_layout* layout = NULL; // needs neither MPI nor Kokkos
    const distview_axis axis = {.extent = 30, .padding_low = 1, .padding_high = 1};

    if (!ours) MPI_Init(&argc, &argv);
    if (!ours) {
        OK(distview_communicator_create(MPI_COMM_WORLD, &comm));
        distview_padding_plan* plan = NULL;
        MPI_Comm_size(MPI_COMM_WORLD, &check_size);
        OK(distview_layout_create(1, &check_size, &axis, &layout));
        FAILS(DISTVIEW_USAGE_ERROR, "Kokkos does not run; call distview_initialize()",
              distview_padding_plan_create(comm, layout, NULL, &plan));
    }
    OK(distview_initialize(
        &(distview_init_options){.threads = 1, .thread_level = ours ? MPI_THREAD_MULTIPLE : 0}));
    OK(distview_initialize(NULL)); // initialize() calls are counted
    CHECK(distview_is_initialized() == 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    if (ours) {
        int level = -1;
        MPI_Query_thread(&level);
        CHECK(level == MPI_THREAD_MULTIPLE);
        OK(distview_communicator_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), &comm));
        OK(distview_layout_create(1, &check_size, &axis, &layout));
    }
    MPI_Comm duplicate = MPI_COMM_NULL;
    int rank = -1, size = -1, relation = -1;
    OK(distview_communicator_mpi(comm, &duplicate));
    OK(distview_communicator_rank(comm, &rank));
    OK(distview_communicator_size(comm, &size));
    MPI_Comm_compare(duplicate, MPI_COMM_WORLD, &relation);
    CHECK(rank == check_rank && size == check_size && relation == MPI_CONGRUENT);
    OK(distview_communicator_barrier(comm));
    CHECK(distview_version_number() >= 200 &&
          strstr(distview_build_info(), "kokkos_version: ") != NULL);
    CHECK(strncmp(distview_build_info(), "version: ", 9) == 0 &&
          strstr(distview_build_info(), distview_version()) == distview_build_info() + 9);

    // Objects that outlive the library: an allocated array, a plan, and an exchange that was never finished.
    distview_array* array = NULL;
    distview_padding_plan* plan = NULL;
    distview_exchange* exchange = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &array));
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    OK(distview_padding_plan_execute(plan, 1, &array));
    OK(distview_padding_plan_start(plan, 1, &array, &exchange));

    OK(distview_finalize());
    CHECK(distview_is_initialized() == 1); // one more finalize() to go
    if (theirs_first) MPI_Finalize();
    OK(distview_finalize());
    CHECK(distview_is_initialized() == 0 && is_finalized() == (ours || theirs_first));
    FAILS(DISTVIEW_USAGE_ERROR, "finalised; it cannot be started a second time",
          distview_initialize(NULL));
    FAILS(DISTVIEW_USAGE_ERROR, "Kokkos", distview_padding_plan_execute(plan, 1, &array));
    FAILS(DISTVIEW_USAGE_ERROR, "abandoned", distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
    distview_padding_plan_release(plan);
    distview_array_release(array);
    distview_layout_release(layout);
    distview_communicator_release(comm);
    if (!ours && !theirs_first) MPI_Finalize();
    if (check_failures == 0 && check_rank == 0) printf("DISTVIEW-TEST-PASSED\n");
    return check_failures == 0 ? 0 : 1;
}
