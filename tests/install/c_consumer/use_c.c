// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/dap.h>
#include <distview/distview.h>

#include <stdio.h>

int main(int argc, char** argv) {
    (void)argc, (void)argv;
    int status = distview_initialize(NULL); // starts MPI, too
    distview_communicator* comm = NULL;
    if (status == 0) status = distview_communicator_create(MPI_COMM_WORLD, &comm);
    int rank = 0, size = 1;
    distview_communicator_rank(comm, &rank);
    distview_communicator_size(comm, &size);
    const distview_axis axis = {.extent = 10, .padding_low = 1, .padding_high = 1, .periodic = 1};
    distview_layout* layout = NULL;
    if (status == 0) status = distview_layout_create(1, &size, &axis, &layout);
    double cells[12];
    distview_memory memory = {.data = cells, .element = DISTVIEW_FLOAT64, .rank = 1};
    if (status == 0) status = distview_layout_local_extents(layout, rank, memory.extents);
    for (int i = 0; i < 12; ++i) cells[i] = rank;
    distview_padding_plan* plan = NULL;
    if (status == 0) status = distview_padding_plan_create(comm, layout, NULL, &plan);
    if (status == 0) status = distview_padding_plan_exchange(plan, 1, &memory);
    if (status != 0) {
        fprintf(stderr, "use_c: %s\n", distview_last_error()->message);
        return 1;
    }
    const int is_right =
        cells[0] == (rank + size - 1) % size && cells[memory.extents[0] - 1] == (rank + 1) % size;
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
    distview_communicator_release(comm);
    return distview_finalize() == 0 && is_right ? 0 : 1;
}
