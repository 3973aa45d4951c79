// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that checks each status and goes on: test_c_refused_calls STEPS SEED. Every rank makes the same calls; in a
// third of them one rank refuses, for a null pointer or a depth that no plan has. No rank may wait for ever, and a call
// that no rank refuses must give the right result if nothing before it in the step was refused.

#include "check.h"

static unsigned long long state = 1;
// Random numbers, the same on all ranks.
static int below(int count) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((state >> 33) % (unsigned long long)count);
}

struct field {
    distview_array* array;
    double* cells;
    int64_t count, rows, columns;
};

static struct field make_field(distview_communicator* comm, distview_layout* layout) {
    struct field field = {NULL, NULL, 1, 1, 1};
    int64_t extents[2];
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &field.array));
    OK(distview_array_data(field.array, (void**)&field.cells));
    OK(distview_layout_local_extents(layout, check_rank, extents));
    field.rows = extents[0];
    field.columns = extents[1];
    field.count = extents[0] * extents[1];
    return field;
}

static void fill(struct field* field, double value) {
    for (int64_t i = 0; i < field->count; ++i) field->cells[i] = value;
    OK(distview_array_mark_written(field->array));
}

// The same without the padding, which an exchange fills. The interior keeps one value during a step: ranks that are
// still in an earlier call may read it.
static void fill_interior(struct field* field, double value) {
    for (int64_t i = 0; i < field->rows; ++i)
        for (int64_t j = 0; j < field->columns; ++j) {
            const int is_padding =
                i == 0 || j == 0 || i + 1 == field->rows || j + 1 == field->columns;
            field->cells[i * field->columns + j] = is_padding ? -1 : value;
        }
    OK(distview_array_mark_written(field->array));
}

static void check_filled(const struct field* field, double value) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < field->count; ++i) wrong += field->cells[i] != value;
    CHECK(wrong == 0);
}

// Makes one random call; this rank refuses it if `refuses`. Kinds that cannot be refused before they begin are made.
static int make_call(distview_communicator* comm, distview_padding_plan* plan, struct field* field,
                     int refuses, int step) {
    distview_array* const arrays[1] = {refuses ? NULL : field->array};
    distview_array* const right[1] = {field->array};
    distview_exchange* exchange = NULL;
    distview_value sum;
    int status = DISTVIEW_SUCCESS;
    switch (below(7)) {
    case 0:
        fill_interior(field, step);
        status = distview_padding_plan_execute(plan, 1, arrays);
        if (status == DISTVIEW_SUCCESS) check_filled(field, step);
        return status;
    case 1: return distview_padding_plan_require(plan, refuses ? 99 : 1, 1, 1, right, NULL);
    case 2:
        fill_interior(field, step);
        status = distview_padding_plan_start(plan, 1, arrays, &exchange);
        if (status != DISTVIEW_SUCCESS) return status;
        status = distview_exchange_finish(exchange);
        distview_exchange_release(exchange);
        if (status == DISTVIEW_SUCCESS) check_filled(field, step);
        return status;
    case 3: return distview_padding_plan_combine(plan, refuses ? 77 : DISTVIEW_MAXIMUM, 1, right);
    case 4:
        if (refuses)
            return distview_communicator_refuse(
                comm, "sum", distview_set_error(DISTVIEW_USAGE_ERROR, "", "not today"));
        fill(field, step);
        status = distview_sum(field->array, NULL, &sum);
        if (status == DISTVIEW_SUCCESS) CHECK(sum.real == 48.0 * step);
        return status;
    case 5: return distview_communicator_agree(comm, "part", refuses ? DISTVIEW_OTHER_ERROR : 0);
    default: return distview_communicator_barrier(comm);
    }
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    state = argc > 2 ? (unsigned long long)atoi(argv[2]) : 1;
    const distview_axis axes[2] = {
        {.extent = 8, .padding_low = 1, .padding_high = 1, .periodic = 1},
        {.extent = 6, .padding_low = 1, .padding_high = 1, .periodic = 1}};
    distview_layout* const layout = make_layout(2, axes);
    struct field field = make_field(comm, layout);
    struct field other = make_field(comm, layout);
    int failures = 0;
    for (int step = 1; step <= steps && check_failures == 0; ++step) {
        distview_padding_plan* plan = NULL;
        OK(distview_padding_plan_create(comm, layout, NULL, &plan));
        for (int call = 0; call < 6; ++call) {
            const int one_refuses = below(3) == 0;
            const int who = below(check_size);
            failures += make_call(comm, plan, &field, one_refuses && who == check_rank, step) !=
                        DISTVIEW_SUCCESS;
        }
        // Whatever was refused, all ranks are in the same call again.
        distview_value sum = {0};
        fill(&other, step + 0.5);
        OK(distview_sum(other.array, NULL, &sum));
        CHECK(sum.real == 48.0 * (step + 0.5));
        distview_padding_plan_release(plan);
    }
    CHECK(failures > 0 || steps < 10);
    distview_array_release(field.array);
    distview_array_release(other.array);
    distview_layout_release(layout);
    return check_end(comm);
}
