// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles made and released repeatedly: test_c_cycles LOCAL COLLECTIVE [leaks], the numbers of cycles. The memory of the
// process must not grow. With "leaks" the sanitizer's leak report at the end decides instead, since its own memory grows.

#include "check.h"

#include <sys/resource.h>

static long resident_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static int nothing(void* here, const void* incoming, int32_t element, void* user) {
    (void)here, (void)incoming, (void)element, (void)user;
    return 0;
}

static void local_cycle(distview_communicator* comm, distview_layout* known,
                        distview_memory* memory) {
    const int grid[2] = {2, 1};
    const int64_t counts[2] = {2, 3}, labels[5] = {4, 0, 1, 3, 2};
    const distview_axis axes[2] = {
        {.kind = DISTVIEW_UNSTRUCTURED, .counts = counts, .labels = labels}, {.extent = 8}};
    distview_layout *layout = NULL, *turned = NULL;
    distview_array *array = NULL, *part = NULL;
    distview_index_list* list = NULL;
    int operation = 0;
    OK(distview_layout_create(2, grid, axes, &layout));
    OK(distview_layout_permute(layout, (int[]){1, 0}, &turned));
    CHECK(distview_layout_retain(layout) == layout);
    distview_layout_release(layout);
    OK(distview_array_borrow_local(comm, known, check_rank, memory, &array));
    OK(distview_array_slice(array, (distview_slice[]){{0, 4, 1}}, &part));
    OK(distview_index_list_create(1, &list));
    OK(distview_index_list_add(list, 3, labels));
    OK(distview_operation_create(nothing, NULL, &operation));
    distview_operation_free(operation);
    CHECK(distview_layout_create(1, grid, &(distview_axis){.extent = -1}, &layout) ==
          DISTVIEW_LAYOUT_ERROR);
    distview_communicator_retain(comm);
    distview_communicator_release(comm);
    distview_index_list_release(list);
    distview_array_release(part);
    distview_array_release(array);
    distview_layout_release(turned);
    distview_layout_release(layout);
}

static void collective_cycle(distview_communicator* comm, distview_layout* layout,
                             distview_memory* memory) {
    distview_array *array = NULL, *own = NULL;
    distview_padding_plan* plan = NULL;
    distview_exchange* exchange = NULL;
    distview_redistribution_plan* move = NULL;
    distview_gather_plan* gather = NULL;
    distview_index_list* list = NULL;
    double value = 0;
    OK(distview_array_borrow(comm, layout, memory, &array));
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &own));
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    OK(distview_padding_plan_start(plan, 1, &array, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
    OK(distview_padding_plan_exchange(plan, 1, memory));
    OK(distview_redistribution_plan_create(comm, layout, layout, NULL, &move));
    OK(distview_redistribution_plan_execute(move, array, own));
    OK(distview_index_list_create(1, &list));
    OK(distview_index_list_add(list, 1, (int64_t[]){check_rank}));
    OK(distview_gather_plan_create(comm, layout, list, &gather));
    OK(distview_gather_plan_execute(gather, own, 1, &value));
    CHECK(value == 1.0);
    distview_gather_plan_release(gather);
    distview_index_list_release(list);
    distview_redistribution_plan_release(move);
    distview_padding_plan_release(plan);
    distview_array_release(own);
    distview_array_release(array);
}

int main(int argc, char** argv) {
    const long local = argc > 1 ? atol(argv[1]) : 1000;
    const long collective = argc > 2 ? atol(argv[2]) : 50;
    const int is_measured = argc < 4;
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    distview_layout* const layout =
        make_layout(1, &(distview_axis){.extent = 40, .padding_low = 1, .padding_high = 1});
    distview_memory memory = {.element = DISTVIEW_FLOAT64, .rank = 1};
    OK(distview_layout_local_extents(layout, check_rank, memory.extents));
    double data[50];
    for (int i = 0; i < 50; ++i) data[i] = 1.0;
    memory.data = data;
    long before = 0;
    for (long cycle = 0; cycle < local && check_failures == 0; ++cycle) {
        if (cycle == local / 10) before = resident_kib();
        local_cycle(comm, layout, &memory);
    }
    const long after = resident_kib();
    printf("rank %d: %ld local cycles, %ld KiB more from the first tenth on\n", check_rank, local,
           after - before);
    CHECK(!is_measured || after - before < 4096);
    for (long cycle = 0; cycle < collective && check_failures == 0; ++cycle) {
        if (cycle == collective / 10) before = resident_kib();
        collective_cycle(comm, layout, &memory);
    }
    printf("rank %d: %ld collective cycles, %ld KiB more\n", check_rank, collective,
           resident_kib() - before);
    CHECK(!is_measured || resident_kib() - before < 16384);
    distview_layout_release(layout);
    return check_end(comm);
}
