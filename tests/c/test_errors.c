// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of every class, of one rank alone and agreed by all: all ranks get one class and one text, and stay usable.

#include "check.h"

#include <distview/dap.h>

#ifdef _OPENMP
#include <omp.h>
#endif

// The last error must be the same on all ranks.
static void check_alike(void) {
    char text[2][600] = {{0}, {0}};
    snprintf(text[0], sizeof text[0], "%d %s", distview_last_error()->status,
             distview_last_error()->message);
    memcpy(text[1], text[0], sizeof text[0]);
    MPI_Bcast(text[1], (int)sizeof text[1], MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(text[0], text[1]) == 0);
}

static distview_memory make_memory(distview_layout* layout, double* data) {
    distview_memory memory = {.data = data, .element = DISTVIEW_FLOAT64, .rank = 1};
    OK(distview_layout_local_extents(layout, check_rank, memory.extents));
    return memory;
}

static int twice_at_5(int64_t index, int* process, int64_t* position, void* user) {
    (void)user;
    *process = 0;
    *position = index == 6 ? 5 : index;
    return 0;
}
static int refuse(int64_t index, int* process, int64_t* position, void* user) {
    (void)process, (void)position, (void)user;
    return index < 3
               ? 0
               : distview_set_error(DISTVIEW_OTHER_ERROR, "TooFar", "refuse: three are enough");
}

static void test_layouts(void) {
    distview_layout* layout = NULL;
    const int grid[1] = {2};
    distview_axis axis = {.extent = -4};
    FAILS(DISTVIEW_LAYOUT_ERROR, "-4", distview_layout_create(1, grid, &axis, &layout));
    CHECK(layout == NULL);
    CHECK(strcmp(distview_last_error()->class_name, "LayoutError") == 0);
    axis.extent = 4;
    axis.kind = 99;
    FAILS(DISTVIEW_USAGE_ERROR, "kind of axis", distview_layout_create(1, grid, &axis, &layout));
    for (int kind = DISTVIEW_CYCLIC; kind <= DISTVIEW_USER; ++kind) {
        const char* const text = "expected padding only along axes of blocks, got a width of 2";
        axis = (distview_axis){.kind = kind, .extent = 4, .padding_high = 2};
        FAILS(DISTVIEW_LAYOUT_ERROR, text, distview_layout_create(1, grid, &axis, &layout));
        axis = (distview_axis){.kind = kind, .extent = 4, .boundary_low = 2, .own_boundary = 1};
        FAILS(DISTVIEW_LAYOUT_ERROR, text, distview_layout_create(1, grid, &axis, &layout));
    }
    axis = (distview_axis){.kind = DISTVIEW_BLOCK_BOUNDS, .extent = 4};
    FAILS(DISTVIEW_USAGE_ERROR,
          "distview_layout_create: expected the bounds of an axis, got a null pointer",
          distview_layout_create(1, grid, &axis, &layout));
    const int64_t bounds[] = {0, 5, 3};
    axis.bounds = bounds;
    FAILS(DISTVIEW_LAYOUT_ERROR, "ascend", distview_layout_create(1, grid, &axis, &layout));
    axis = (distview_axis){.kind = DISTVIEW_USER, .extent = 9, .distribution = twice_at_5};
    FAILS(DISTVIEW_LAYOUT_ERROR, "for index 6 of process 0, got 5 from the distribution",
          distview_layout_create(1, grid, &axis, &layout));
    axis.distribution = refuse;
    FAILS(DISTVIEW_LAYOUT_ERROR, "a process in [0, 2) for index 0",
          distview_layout_create(1, grid, &axis, &layout));
    axis.distribution = NULL;
    FAILS(DISTVIEW_USAGE_ERROR, "a distribution", distview_layout_create(1, grid, &axis, &layout));
    FAILS(DISTVIEW_LAYOUT_ERROR, "from 0 to 8 axes, got 9",
          distview_layout_create(9, grid, &axis, &layout));
    // The labels of process 1 along the second axis are unknown here: a call that fails must not write its outputs.
    const int64_t two = 2, labels[] = {3, 1};
    const distview_axis in_part[] = {
        {.extent = 5},
        {.kind = DISTVIEW_UNSTRUCTURED_LOCAL, .extent = 4, .counts = &two, .labels = labels}};
    int64_t extents[2] = {-7, -7}, begin[2] = {-7, -7}, end[2] = {-7, -7};
    OK(distview_layout_create(2, (int[]){1, 2}, in_part, &layout));
    FAILS(DISTVIEW_USAGE_ERROR, "of which this process knows no other labels, got 1",
          distview_layout_local_extents(layout, 1, extents));
    FAILS(DISTVIEW_USAGE_ERROR, "of which this process knows no other labels, got 1",
          distview_layout_interior(layout, 1, begin, end));
    CHECK(extents[0] == -7 && begin[0] == -7 && end[0] == -7);
    OK(distview_layout_local_extents(layout, 0, extents));
    CHECK(extents[0] == 5 && extents[1] == 2);
    distview_layout_release(layout);
    FAILS(DISTVIEW_USAGE_ERROR, "a process grid", distview_layout_create(1, NULL, &axis, &layout));
    FAILS(DISTVIEW_USAGE_ERROR, "a place for the result",
          distview_layout_create(1, grid, &axis, NULL));
    FAILS(DISTVIEW_USAGE_ERROR, "distview_layout_rank: expected a layout, got a null pointer",
          distview_layout_rank(NULL, grid[0] ? &(int){0} : NULL));

    axis = (distview_axis){.extent = 10, .padding_low = 1, .padding_high = 1};
    OK(distview_layout_create(1, grid, &axis, &layout));
    int64_t number = 0;
    int process = 0;
    FAILS(DISTVIEW_USAGE_ERROR, "process in [0, 2), got 2",
          distview_layout_local_extents(layout, 2, &number));
    FAILS(DISTVIEW_USAGE_ERROR, "axis in [0, 1), got 1",
          distview_layout_to_global(layout, 0, 1, 0, &number));
    FAILS(DISTVIEW_USAGE_ERROR, "position in [0, 7), got 7",
          distview_layout_to_global(layout, 0, 0, 7, &number));
    number = 11;
    FAILS(DISTVIEW_USAGE_ERROR, "index in [-1, 11) along axis 0, got 11",
          distview_layout_owner(layout, &number, &process));
    FAILS(DISTVIEW_USAGE_ERROR, "place for the length",
          distview_layout_describe(layout, NULL, 0, NULL));
    FAILS(DISTVIEW_USAGE_ERROR, "buffer", distview_layout_describe(layout, NULL, 5, &number));
    char few[8] = "xxxxxxx";
    OK(distview_layout_describe(layout, few, sizeof few, &number));
    CHECK(number > 40 && strlen(few) == 7 && strncmp(few, "1-d arr", 7) == 0);
    distview_layout_release(layout);
    distview_layout_release(NULL);
}

static void test_arrays(distview_communicator* comm) {
    const distview_axis axis = {.extent = 30, .padding_low = 1, .padding_high = 1};
    distview_layout* const layout = make_layout(1, &axis);
    double data[40] = {0};
    const int one = check_rank == check_size - 1; // the rank that makes the error
    distview_memory memory = make_memory(layout, data);
    distview_array* array = NULL;

    memory.extents[0] += one;
    FAILS(DISTVIEW_SHAPE_ERROR, "elements along axis 0",
          distview_array_borrow(comm, layout, &memory, &array));
    check_alike();
    memory.extents[0] -= one;
    memory.data = one ? (char*)data + 1 : (char*)data;
    FAILS(DISTVIEW_SHAPE_ERROR, "multiples of 8 bytes",
          distview_array_borrow(comm, layout, &memory, &array));
    memory.data = one ? NULL : data;
    FAILS(DISTVIEW_USAGE_ERROR, "got a null pointer",
          distview_array_borrow(comm, layout, &memory, &array));
    check_alike();
    memory.data = data;
    memory.element = one ? 5 : DISTVIEW_FLOAT64; // an integer of 5 bytes
    FAILS(DISTVIEW_USAGE_ERROR, "an element type of types.h, got 5",
          distview_array_borrow(comm, layout, &memory, &array));
    memory.element = one ? -1 : DISTVIEW_FLOAT64;
    FAILS(DISTVIEW_USAGE_ERROR, "an element type of types.h, got -1",
          distview_array_borrow(comm, layout, &memory, &array));
    if (check_size > 1) {
        memory.element = one ? DISTVIEW_INT64 : DISTVIEW_FLOAT64;
        char told[200];
        snprintf(told, sizeof told, "element type is int64 on rank %d, float64 on rank 0",
                 check_size - 1);
        FAILS(DISTVIEW_USAGE_ERROR, told, distview_array_borrow(comm, layout, &memory, &array));
        check_alike();
        snprintf(told, sizeof told, "order is 1 on rank %d, 0 on rank 0", check_size - 1);
        FAILS(DISTVIEW_USAGE_ERROR, told,
              distview_array_create(comm, layout, DISTVIEW_FLOAT64, one, &array));
    }
    memory.element = DISTVIEW_FLOAT64;
    FAILS(DISTVIEW_USAGE_ERROR, "a layout, got a null pointer",
          distview_array_borrow(comm, one ? NULL : layout, &memory, &array));
    check_alike();
    FAILS(DISTVIEW_USAGE_ERROR, "a communicator, got a null pointer",
          distview_array_borrow(NULL, layout, &memory, &array));
    CHECK(array == NULL);
    FAILS(DISTVIEW_USAGE_ERROR, "order",
          distview_array_create(comm, layout, DISTVIEW_INT8, one ? 7 : 0, &array));
    distview_layout* const huge = make_layout(1, &(distview_axis){.extent = (int64_t)1 << 60});
    FAILS(DISTVIEW_SHAPE_ERROR, "distview_array_create: expected elements within 2^63-1 bytes",
          distview_array_create(comm, huge, DISTVIEW_OPAQUE(4096), DISTVIEW_ROW_MAJOR, &array));
    check_alike();
    distview_layout_release(huge);
    // The size must not wrap round: 2^25 + 8 bytes are not the 8 bytes of a complex number.
    const int32_t larger[] = {DISTVIEW_OPAQUE(33554440), DISTVIEW_OPAQUE(16777216),
                              DISTVIEW_OPAQUE(0)};
    for (int k = 0; k < 3; ++k)
        FAILS(DISTVIEW_USAGE_ERROR, "got -1 (opaque elements are smaller than 16 MiB)",
              distview_array_create(comm, layout, larger[k], DISTVIEW_ROW_MAJOR, &array));
    OK(distview_array_borrow(comm, layout, &memory, &array));
    const distview_slice beyond = {20, 20, 1};
    distview_array* part = NULL;
    FAILS(DISTVIEW_LAYOUT_ERROR, "slice", distview_array_slice(array, &beyond, &part));
    OK(distview_array_create(comm, layout, DISTVIEW_OPAQUE(24), DISTVIEW_ROW_MAJOR, &part));
    distview_value sum;
    FAILS(DISTVIEW_SHAPE_ERROR, "expected elements that are integers",
          distview_sum(part, NULL, &sum));
    distview_array_release(part);
    // Messages name the program's axes, although the algorithms see others.
    distview_memory backwards = memory;
    backwards.order = DISTVIEW_STRIDED;
    backwards.strides[0] = -(int64_t)sizeof(double);
    backwards.data = data + memory.extents[0] - 1;
    OK(distview_array_borrow(comm, layout, &backwards, &part));
    FAILS(DISTVIEW_SHAPE_ERROR, "multiples of the 8 bytes of an element, got -8 along axis 0",
          distview_sum(part, NULL, &sum));
    check_alike();
    FAILS(DISTVIEW_SHAPE_ERROR, "expected a target with 1 cells along axis 0, got 30",
          distview_axis_reduce(array, 0, DISTVIEW_SUM, NULL, array));
    FAILS(DISTVIEW_USAGE_ERROR, "expected a whole array, got a null pointer",
          distview_gather(array, 0, DISTVIEW_ROW_MAJOR, check_rank == 0 ? 0 : 1, NULL));
    check_alike();
    double whole[30]; // other ranks' numbers of elements are ignored
    OK(distview_gather(array, 0, DISTVIEW_ROW_MAJOR, check_rank == 0 ? 30 : INT64_MAX, whole));
    distview_array_release(part);
    distview_padding_plan* plan = NULL;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT32, DISTVIEW_ROW_MAJOR, &part));
    FAILS(DISTVIEW_SHAPE_ERROR, "expected fields of one element type, got float64 and float32",
          distview_padding_plan_combine(plan, DISTVIEW_SUM, 2, (distview_array*[]){array, part}));
    check_alike();
    distview_array_release(part);
    distview_padding_plan_release(plan);
    distview_array_release(array);
    distview_layout_release(layout);
}

static int pass(const distview_plain_array* array, void* user) {
    (void)array, (void)user;
    return 0;
}

// Requires an error that names the value that the last rank passes differently, and both values.
#define DIFFERS(what, mine, others, call)                                                          \
    do {                                                                                           \
        char differs[200];                                                                         \
        snprintf(                                                                                  \
            differs, sizeof differs,                                                               \
            "those of rank %d differ from those of rank 0: %s is %d on rank %d, %d on rank 0",     \
            check_size - 1, what, mine, check_size - 1, others);                                   \
        FAILS(DISTVIEW_USAGE_ERROR, differs, call);                                                \
        check_alike();                                                                             \
    } while (0)

static void test_other_numbers(distview_communicator* comm) {
    if (check_size == 1) return;
    const distview_axis axes[2] = {{.extent = 12}, {.extent = 9}};
    distview_layout* const layout = make_layout(2, axes);
    const int one = check_rank == check_size - 1;
    distview_array *array = NULL, *target = NULL, *borrowed = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &array));
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &target));
    distview_value value;
    const distview_reduction_options owned = {.cells = one ? DISTVIEW_OWNED : DISTVIEW_INTERIOR};
    const distview_reduction_options same = {.reproducible = one};
    DIFFERS("cells", 1, 0, distview_min(array, &owned, &value, NULL));
    DIFFERS("cells", 1, 0, distview_sum(array, one ? &owned : NULL, &value));
    DIFFERS("reproducible", 1, 0, distview_dot(array, target, &same, &value));
    DIFFERS("order", 2, 1, distview_norm(array, one ? 2 : 1, NULL, &value.real));
    FAILS(DISTVIEW_USAGE_ERROR, "the same arrays, in the same order",
          distview_dot(array, one ? array : target, NULL, &value));
    check_alike();
    const distview_axis shorter[2] = {{.extent = 12}, {.extent = 8}};
    distview_layout* const other = make_layout(2, shorter);
    distview_array* unlike = NULL;
    OK(distview_array_create(comm, other, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &unlike));
    FAILS(DISTVIEW_SHAPE_ERROR,
          "distview_dot: expected a second array with 9 cells along axis 1, got 8",
          distview_dot(array, unlike, NULL, &value));
    check_alike();
    distview_array_release(unlike);
    distview_layout_release(other);
    double data[12 * 9] = {0};
    distview_memory memory = {.data = data, .element = DISTVIEW_FLOAT64, .rank = 2};
    OK(distview_layout_local_extents(layout, check_rank, memory.extents));
    memory.order = one ? DISTVIEW_COLUMN_MAJOR : DISTVIEW_ROW_MAJOR;
    OK(distview_array_borrow(comm, layout, &memory, &borrowed));
    DIFFERS("order of the array in memory", 1, 0, distview_max(borrowed, NULL, &value, NULL));
    memory.order = DISTVIEW_ROW_MAJOR;
    memory.read_only = 1;
    distview_array* constant = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &constant));
    FAILS(DISTVIEW_SHAPE_ERROR, "expected an array that may be written, got a read-only one",
          distview_inclusive_scan(array, 0, DISTVIEW_SUM, constant));
    check_alike();
    distview_array_release(constant);

    double all[12 * 9];
    DIFFERS("root", 1, 0, distview_gather(array, one ? 1 : 0, DISTVIEW_ROW_MAJOR, 12 * 9, all));
    DIFFERS("order", 0, 1, distview_scatter(array, 0, one ? 0 : 1, 12 * 9, all));
    const distview_local_copy_options options = {.writes_all = one};
    DIFFERS("writes_all", 1, 0,
            distview_with_local_copy_of_whole(array, 0, &options, pass, NULL, NULL));
    DIFFERS("root", 0, -1,
            distview_with_local_copy_of_whole(array, one ? 0 : -1, NULL, pass, NULL, NULL));
    DIFFERS("axis", 0, 1, distview_inclusive_scan(array, one ? 0 : 1, DISTVIEW_SUM, target));
    DIFFERS("operation", 3, 1,
            distview_inclusive_scan(array, 0, one ? DISTVIEW_MAXIMUM : DISTVIEW_SUM, target));
    DIFFERS("operation", 2, 1,
            distview_accumulate_box(array, one ? DISTVIEW_MINIMUM : DISTVIEW_SUM, (int64_t[]){0, 0},
                                    (int64_t[]){0, 0}, 0, NULL));
    distview_redistribution_plan* plan = NULL;
    OK(distview_redistribution_plan_create(comm, layout, layout, NULL, &plan));
    DIFFERS("operation", 3, 1,
            distview_redistribution_plan_combine(plan, one ? DISTVIEW_MAXIMUM : DISTVIEW_SUM, array,
                                                 target));
    OK(distview_redistribution_plan_combine(plan, DISTVIEW_SUM, array, target));
    distview_redistribution_plan_release(plan);
    distview_array_release(borrowed);
    distview_array_release(target);
    distview_array_release(array);
    distview_layout_release(layout);
}

static void test_plans(distview_communicator* comm) {
    const distview_axis axis = {.extent = 30, .padding_low = 1, .padding_high = 1};
    const distview_axis other = {.extent = 30, .padding_low = 2, .padding_high = 1};
    distview_layout* const layout = make_layout(1, &axis);
    distview_layout* const of_other = make_layout(1, &other);
    double data[40] = {0};
    distview_memory memory = make_memory(layout, data);
    const int one = check_rank == check_size - 1;
    distview_padding_plan* plan = NULL;
    distview_array* array = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &array));
    const int64_t wider[2] = {1, 2};
    const distview_padding_options too_wide = {.widths = wider};
    if (check_size > 1)
        FAILS(DISTVIEW_LAYOUT_ERROR, "padding",
              distview_padding_plan_create(comm, layout, &too_wide, &plan));
    const distview_padding_options strange = {.stencil = one ? 5 : 0};
    FAILS(DISTVIEW_USAGE_ERROR, "stencil",
          distview_padding_plan_create(comm, layout, &strange, &plan));
    check_alike();
    FAILS(DISTVIEW_USAGE_ERROR, "a layout, got a null pointer",
          distview_padding_plan_create(comm, one ? NULL : layout, NULL, &plan));
    check_alike();
    if (check_size > 1) {
        FAILS(DISTVIEW_USAGE_ERROR, "differ",
              distview_padding_plan_create(comm, one ? of_other : layout, NULL, &plan));
        check_alike();
    }
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    distview_array* wrong = NULL;
    OK(distview_array_create(comm, of_other, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &wrong));
    FAILS(DISTVIEW_SHAPE_ERROR, "the plan is for a",
          distview_padding_plan_execute(plan, 1, one ? &wrong : &array));
    check_alike();
    FAILS(DISTVIEW_USAGE_ERROR, "at least 1 field", distview_padding_plan_execute(plan, 0, NULL));
    memory.read_only = one;
    distview_array* constant = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &constant));
    FAILS(DISTVIEW_SHAPE_ERROR, "read-only", distview_padding_plan_execute(plan, 1, &constant));
    check_alike();

    // A plan has one execution in flight at a time.
    distview_exchange* exchange = NULL;
    OK(distview_padding_plan_start(plan, 1, &array, &exchange));
    FAILS(DISTVIEW_USAGE_ERROR, "in flight", distview_padding_plan_execute(plan, 1, &array));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
    OK(distview_padding_plan_execute(plan, 1, &array));

    // No array on one rank: with full contracts all ranks report it, and the exchange has not begun.
    distview_array* none = NULL;
    OK(distview_set_contracts(DISTVIEW_CONTRACTS_FULL));
    for (int turn = 0; turn < 2; ++turn) {
        FAILS(DISTVIEW_USAGE_ERROR, "an array, got a null pointer",
              distview_padding_plan_execute(plan, 1, one ? &none : &array));
        check_alike();
        OK(distview_padding_plan_execute(plan, 1, &array));
    }
    if (check_size > 1) {
        FAILS(DISTVIEW_USAGE_ERROR, "differ from those of rank 0: count is 2 on rank",
              distview_padding_plan_execute(plan, one ? 2 : 1, (distview_array*[]){array, array}));
        check_alike();
        FAILS(
            DISTVIEW_USAGE_ERROR, "differ from those of rank 0: count is 2 on rank",
            distview_padding_plan_exchange(plan, one ? 2 : 1, (distview_memory[]){memory, memory}));
        check_alike();
    }
    memory.data = one ? NULL : data;
    memory.read_only = 0;
    FAILS(DISTVIEW_USAGE_ERROR, "elements, got a null pointer",
          distview_padding_plan_exchange(plan, 1, &memory));
    check_alike();
    memory.data = data;
    OK(distview_padding_plan_exchange(plan, 1, &memory));
    OK(distview_set_contracts(DISTVIEW_CONTRACTS_CHEAP));
    OK(distview_padding_plan_execute(plan, 1, &array));
    FAILS(DISTVIEW_USAGE_ERROR, "[0, 3), got 3", distview_set_contracts(3));
    CHECK(distview_contracts() == DISTVIEW_CONTRACTS_CHEAP);

    // An exchange released without finish: the next use fails here and on the ranks that depend on this one.
    OK(distview_padding_plan_start(plan, 1, &array, &exchange));
    if (one) {
        distview_exchange_release(exchange);
        int usable = 1;
        OK(distview_padding_plan_is_usable(plan, &usable));
        CHECK(usable == 0);
        FAILS(DISTVIEW_USAGE_ERROR, "cannot be used again",
              distview_padding_plan_execute(plan, 1, &array));
    } else {
        const int status = distview_exchange_finish(exchange);
        distview_exchange_release(exchange);
        const int again = distview_padding_plan_execute(plan, 1, &array);
        if (status == 0 && check_rank == check_size - 2) CHECK(again == DISTVIEW_USAGE_ERROR);
    }
    distview_array_release(constant);
    distview_array_release(wrong);
    distview_array_release(array);
    distview_padding_plan_release(plan);
    distview_padding_plan_release(NULL);
    distview_layout_release(layout);
    distview_layout_release(of_other);
}

// An error of one rank in an execution that the other ranks have entered: that rank and the ranks that need its elements
// report it, and no rank waits for ever. The plan is unusable afterwards.
static void test_executions(distview_communicator* comm) {
    const distview_axis axis = {.extent = 30, .padding_low = 1, .padding_high = 1};
    distview_layout* const layout = make_layout(1, &axis);
    double data[40] = {0};
    double more[40] = {0};
    distview_memory memory = make_memory(layout, data);
    const int one = check_rank == check_size - 1;
    const int is_neighbour = check_rank == check_size - 2;
    for (int test = 0; test < 3; ++test) {
        distview_padding_plan* plan = NULL;
        distview_array* array = NULL;
        OK(distview_padding_plan_create(comm, layout, NULL, &plan));
        memory.data = data;
        OK(distview_array_borrow(comm, layout, &memory, &array));
        if (test > 0) OK(distview_padding_plan_execute(plan, 1, &array));
        OK(distview_padding_plan_exchange(plan, 1, &memory));
        int status = 0;
        if (test < 2) { // no array, in the first or a later execution
            distview_array* none = NULL;
            status = distview_padding_plan_execute(plan, 1, one ? &none : &array);
            if (one) CHECK(strstr(distview_last_error()->message, "an array, got a null pointer"));
        } else if (check_size > 1) { // memory that is new on one rank
            if (one) memory.data = more;
            status = distview_padding_plan_exchange(plan, 1, &memory);
            if (one)
                CHECK(strstr(distview_last_error()->message, "distview_padding_plan_forget()"));
        }
        if (test < 2 || check_size > 1)
            CHECK(status == DISTVIEW_USAGE_ERROR || (!one && !is_neighbour));
        MPI_Barrier(MPI_COMM_WORLD);
        distview_array_release(array);
        distview_padding_plan_release(plan);
    }
    // If all ranks have called forget, any memory is accepted.
    distview_padding_plan* plan = NULL;
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    for (int turn = 0; turn < 4; ++turn) {
        memory.data = one && turn % 2 ? more : data;
        OK(distview_padding_plan_exchange(plan, 1, &memory));
        OK(distview_padding_plan_forget(plan));
    }
    distview_padding_plan_release(plan);
    distview_layout_release(layout);
}

#ifdef _OPENMP
// Calls from a parallel region, where a Kokkos kernel would end the process: exchanges run none there, sums are refused.
static void test_parallel_regions(distview_communicator* comm) {
    const char* const info = distview_build_info();
    // Kokkos 4 may run kernels there on one thread, and every version does where regions are nested.
    if (!strstr(info, "OpenMP") || strstr(info, "kokkos_version: 4")) return;
    if (omp_get_max_active_levels() > 1) return;
    // Rows of more than a MiB: outside a region Kokkos' threads would copy them.
    const distview_axis axes[] = {
        {.extent = 12, .padding_low = 1, .padding_high = 1, .periodic = 1}, {.extent = 200000}};
    const int grid[] = {check_size, 1};
    const char* const text = "expected a call outside of OpenMP's parallel regions";
    distview_layout* layout = NULL;
    OK(distview_layout_create(2, grid, axes, &layout));
    double* const data = calloc(14 * 200000, sizeof *data);
    distview_memory memory = make_memory(layout, data);
    memory.rank = 2;
    distview_array* array = NULL;
    distview_padding_plan* plan = NULL;
    distview_exchange* exchange = NULL;
    distview_value sum;
    OK(distview_array_borrow(comm, layout, &memory, &array));
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    const int64_t last = memory.extents[0] - 1;
    for (int64_t i = 200000; i < last * 200000; ++i) data[i] = check_rank + 1;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        OK(distview_padding_plan_exchange(plan, 1, &memory));
        CHECK(data[199999] == (check_rank + check_size - 1) % check_size + 1);
        CHECK(data[last * 200000] == (check_rank + 1) % check_size + 1);
        OK(distview_padding_plan_start(plan, 1, &array, &exchange));
        OK(distview_exchange_finish(exchange));
        FAILS(DISTVIEW_USAGE_ERROR, text, distview_sum(array, NULL, &sum));
        FAILS(DISTVIEW_USAGE_ERROR, text, distview_inclusive_scan(array, 0, DISTVIEW_SUM, array));
    }
    check_alike();
    distview_exchange_release(exchange);
    OK(distview_sum(array, NULL, &sum)); // outside the region sums work
    distview_padding_plan_release(plan);
    distview_array_release(array);
    distview_layout_release(layout);
    free(data);
}
#endif

// A protocol error of one rank, and the program's own errors: each has its class on all ranks.
static void test_classes(distview_communicator* comm) {
    const distview_axis axis = {.extent = 30};
    distview_layout* const layout = make_layout(1, &axis);
    const int one = check_rank == check_size - 1;
    distview_array* array = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &array));
    struct distview_dap_section section;
    OK(distview_array_export(array, &section));
    const struct distview_dap_dim whole = section.dims[0];
    struct distview_dap_dim broken = whole;
    if (one) broken.stop = 31;
    section.dims = &broken;
    distview_array* imported = NULL;
    FAILS(DISTVIEW_PROTOCOL_ERROR, "stop", distview_array_import(comm, &section, &imported));
    check_alike();
    CHECK(strcmp(distview_last_error()->code, "stop_gt_size") == 0 &&
          distview_last_error()->axis == 0);
    CHECK(strcmp(distview_last_error()->class_name, "ProtocolError") == 0);
    // One rank passes the error to agree(): all ranks get it with all details of its class.
    char key[40];
    snprintf(key, sizeof key, "%s", distview_last_error()->key);
    const int process = distview_last_error()->process;
    CHECK(strcmp(key, "stop") == 0);
    if (!one) distview_clear_error();
    FAILS(DISTVIEW_PROTOCOL_ERROR, "stop",
          distview_communicator_agree(comm, "test", one ? DISTVIEW_PROTOCOL_ERROR : 0));
    CHECK(strcmp(distview_last_error()->code, "stop_gt_size") == 0 &&
          strcmp(distview_last_error()->key, key) == 0 && distview_last_error()->axis == 0 &&
          distview_last_error()->process == process);
    // The failing rank still owns its section; import has consumed and released the others.
    CHECK((section.release != NULL) == one);
    if (one) section.release(&section);
    OK(distview_array_export(array, &section));
    OK(distview_array_import(comm, &section, &imported));
    void* addresses[2] = {NULL, NULL};
    OK(distview_array_data(array, &addresses[0]));
    OK(distview_array_data(imported, &addresses[1]));
    CHECK(addresses[0] == addresses[1]);
    distview_array_release(imported);

    const char* const names[] = {
        "", "LayoutError", "ShapeError", "UsageError", "ProtocolError", "MpiError", "Error"};
    for (int status = 1; status <= 6; ++status) {
        char text[40];
        snprintf(text, sizeof text, "number %d went wrong", status);
        const int mine = one ? distview_set_error(status, "its_code", text) : 0;
        CHECK(!one || strcmp(distview_last_error()->code, "its_code") == 0);
        FAILS(status, text, distview_communicator_agree(comm, "test", mine));
        check_alike();
        CHECK(strcmp(distview_last_error()->class_name, names[status]) == 0);
        CHECK(strcmp(distview_last_error()->code, "its_code") == 0);
    }
    FAILS(DISTVIEW_OTHER_ERROR, "number 42",
          distview_communicator_agree(comm, "test",
                                      one ? distview_set_error(42, NULL, "number 42") : 0));
    check_alike();
    OK(distview_communicator_agree(comm, "test", 0));
    // any() is true if a rank says so; a rank that passes no place for the answer fails, and the others do not wait for it.
    for (int flag = 0; flag < 2; ++flag) {
        int any = -1;
        OK(distview_communicator_any(comm, flag ? "test" : NULL, one ? -flag : 0, &any));
        CHECK(any == flag);
    }
    int any = -1;
    FAILS(DISTVIEW_USAGE_ERROR, "test",
          distview_communicator_any(comm, "test", 1, one ? NULL : &any));
    OK(distview_communicator_any(comm, "test", 1, &any));
    CHECK(any == 1);
    FAILS(DISTVIEW_USAGE_ERROR, "a communicator, got a null pointer",
          distview_communicator_any(NULL, "test", 1, &any));
    distview_clear_error();
    CHECK(distview_last_error()->status == 0 && distview_last_error()->message[0] == '\0');
    distview_array_release(array);
    distview_layout_release(layout);
}

// The last rank does not arrive: the others report it, and so does the last rank later. Only `lost` becomes unusable.
static void test_deadline(distview_communicator* comm) {
    MPI_Comm mpi;
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi);
    distview_communicator* lost;
    OK(distview_communicator_create(mpi, &lost));
    FAILS(DISTVIEW_USAGE_ERROR, "expected a number of seconds >= 0, got -1",
          distview_communicator_set_deadline(lost, -1.0));
    FAILS(DISTVIEW_USAGE_ERROR, "a communicator, got a null pointer",
          distview_communicator_set_deadline(NULL, 1.0));
    OK(distview_communicator_set_deadline(lost, 60.0));
    OK(distview_communicator_barrier(lost));
    MPI_Barrier(MPI_COMM_WORLD); // all ranks have left that barrier
    OK(distview_communicator_set_deadline(lost, 0.2));
    const int one = check_size > 1 && check_rank == check_size - 1;
    char missing[40];
    snprintf(missing, sizeof missing, "rank %d is missing", check_size - 1);
    if (one) MPI_Barrier(MPI_COMM_WORLD);
    if (check_size > 1) {
        FAILS(DISTVIEW_DEADLINE_ERROR, one ? "cannot be used any more" : missing,
              distview_communicator_barrier(lost));
        CHECK(strcmp(distview_last_error()->class_name, "DeadlineError") == 0);
    }
    if (!one) MPI_Barrier(MPI_COMM_WORLD);
    OK(distview_communicator_barrier(comm));
    distview_communicator_release(lost);
}

// One rank passes no place for the communicator: the others get theirs.
static void test_no_place_on_one_rank(void) {
    MPI_Comm mpi;
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi);
    distview_communicator* made = NULL;
    const int one = check_rank == check_size - 1;
    const int status = distview_communicator_create(mpi, one ? NULL : &made);
    CHECK(status == (one ? DISTVIEW_USAGE_ERROR : 0));
    if (!one) distview_communicator_release(made);
    MPI_Comm_free(&mpi);
}

// Two programs, the second consists of the last rank: a call that it refuses counts as made, and the others report it.
static void test_between_programs(void) {
    if (check_size == 1) return;
    const int one = check_rank == check_size - 1;
    MPI_Comm own, between;
    MPI_Comm_split(MPI_COMM_WORLD, one, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, one ? 0 : check_size - 1, 1, &between);
    distview_other_program* other = NULL;
    distview_communicator* both = NULL;
    distview_layout* const mine = make_layout(1, &(distview_axis){.extent = 12});
    distview_layout* theirs = NULL;
    OK(distview_other_program_create(between, &other));
    OK(distview_other_program_communicator(other, &both));
    FAILS(DISTVIEW_USAGE_ERROR, one ? "a place for the result, got a null pointer" : "OtherProgram",
          distview_other_program_exchange(other, mine, one ? NULL : &theirs));
    CHECK(theirs == NULL);
    OK(distview_communicator_barrier(both));
    int equal = 0;
    OK(distview_other_program_exchange(other, mine, &theirs));
    OK(distview_layout_equal(mine, theirs, &equal));
    CHECK(equal == 1);
    distview_layout_release(theirs);
    distview_layout_release(mine);
    distview_communicator_release(both);
    distview_other_program_release(other);
    MPI_Comm_free(&between);
    MPI_Comm_free(&own);
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    test_layouts();
    test_arrays(comm);
    test_other_numbers(comm);
    test_plans(comm);
    test_executions(comm);
#ifdef _OPENMP
    test_parallel_regions(comm);
#endif
    test_classes(comm);
    test_between_programs();
    test_no_place_on_one_rank();
    test_deadline(comm);
    return check_end(comm);
}
