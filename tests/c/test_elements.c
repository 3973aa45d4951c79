// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements by index, ghosts, reductions and local copies, against what the global indices say.

#include "cells.h"

#include <math.h>

static void test_elements(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 9, .padding_low = 1, .padding_high = 1},
                                   {.kind = DISTVIEW_CYCLIC, .extent = 11}};
    distview_layout* const layout = make_layout(2, axes);
    distview_array* u = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &u));
    for_each_cell(u, set_pair, NULL);
    // Every rank has a list of its own: a point twice, and a box.
    distview_index_list* list = NULL;
    OK(distview_index_list_create(2, &list));
    OK(distview_index_list_add(list, 2, (int64_t[]){check_rank, 3, check_rank, 3}));
    OK(distview_index_list_add_box(list, (int64_t[]){0, 8}, (int64_t[]){9, 2}, (int64_t[]){4, -3}));
    int64_t size = 0;
    OK(distview_index_list_size(list, &size));
    CHECK(size == 2 + 3 * 2);
    double values[8];
    distview_gather_plan* plan = NULL;
    OK(distview_gather_plan_create(comm, layout, list, &plan));
    for (int turn = 0; turn < 3; ++turn) {
        memset(values, 0, sizeof values);
        // The second time by this rank alone: all owners are on this node.
        OK(turn == 1 ? distview_gather_plan_read(plan, u, 8, values)
                     : distview_gather_plan_execute(plan, u, 8, values));
        CHECK(values[0] == 100 * check_rank + 3 && values[1] == values[0]);
        for (int k = 0; k < 6; ++k) CHECK(values[2 + k] == 400 * (k / 2) + 8 - 3 * (k % 2));
    }
    // The same in two halves, of which the second may be tried once.
    distview_exchange* exchange = NULL;
    int can_finish = -1;
    memset(values, 0, sizeof values);
    OK(distview_gather_plan_start(plan, u, 8, values, &exchange));
    OK(distview_exchange_can_finish(exchange, &can_finish));
    CHECK(can_finish == 0 || can_finish == 1);
    OK(distview_exchange_finish(exchange));
    CHECK(values[0] == 100 * check_rank + 3 && values[7] == 400 * 2 + 8 - 3);
    CHECK(distview_exchange_finish(exchange) == DISTVIEW_USAGE_ERROR);
    distview_exchange_release(exchange);
    const int one = check_rank == check_size - 1;
    FAILS(DISTVIEW_SHAPE_ERROR, "expected 8 values, got 7",
          distview_gather_plan_execute(plan, u, one ? 7 : 8, values));
    // Ones are added wherever the lists say.
    for (int k = 0; k < 8; ++k) values[k] = 1;
    OK(distview_gather_plan_combine(plan, DISTVIEW_SUM, 8, values, u));
    OK(distview_get_elements(u, list, 8, values));
    CHECK(values[0] == 100 * check_rank + 3 + 2);
    for (int k = 0; k < 6; ++k)
        CHECK(values[2 + k] == 400 * (k / 2) + 8 - 3 * (k % 2) + check_size);
    // The last one stays.
    for (int k = 0; k < 8; ++k) values[k] = 1000 * check_rank + k;
    OK(distview_put_elements(u, list, 8, values));
    OK(distview_accumulate_elements(u, DISTVIEW_MAXIMUM, list, 8,
                                    (double[]){-1, 5, -1, -1, -1, -1, -1, -1}));
    OK(distview_get_elements(u, list, 8, values));
    CHECK(values[0] == 1000 * check_rank + 1 || check_rank == 0);
    CHECK(check_rank > 0 || values[0] == 5);
    for (int k = 2; k < 8; ++k) CHECK(values[k] == 1000 * (check_size - 1) + k);
    const double tens[2] = {10, 20};
    OK(distview_accumulate_box(u, DISTVIEW_SUM, (int64_t[]){1, 5}, (int64_t[]){2, 7}, 2, tens));
    double pair[2];
    OK(distview_get_box(u, (int64_t[]){1, 5}, (int64_t[]){2, 7}, 2, pair));
    CHECK(pair[0] == 105 + 10 * check_size && pair[1] == 106 + 20 * check_size);
    FAILS(DISTVIEW_USAGE_ERROR, "[0, 11) along axis 1, got 20",
          distview_get_box(u, (int64_t[]){0, one ? 20 : 0}, (int64_t[]){1, one ? 21 : 1}, 1, pair));
    distview_gather_plan_release(plan);
    distview_index_list_release(list);
    distview_array_release(u);
    distview_layout_release(layout);
}

// A ring of 4 indices a rank, each of which needs both neighbours, with two components.
static void test_ghosts(distview_communicator* comm) {
    const int64_t n = 4, all = n * check_size;
    int64_t owned[4], needed[8], positions[8];
    for (int i = 0; i < n; ++i) {
        owned[i] = check_rank * n + i;
        needed[2 * i] = (owned[i] + all - 1) % all;
        needed[2 * i + 1] = (owned[i] + 1) % all;
    }
    const distview_axis components = {.extent = 2};
    distview_ghosted_layout* ghosted = NULL;
    OK(distview_ghosted_layout_create(comm, n, owned, 8, needed, 1, &components, &ghosted));
    int64_t own = 0, ghosts = -1;
    OK(distview_ghosted_layout_counts(ghosted, &own, &ghosts));
    CHECK(own == n && ghosts == (check_size == 1 ? 0 : 2));
    OK(distview_ghosted_layout_positions(ghosted, 8, positions));
    FAILS(DISTVIEW_SHAPE_ERROR, "8 positions, got 3",
          distview_ghosted_layout_positions(ghosted, 3, positions));
    distview_layout* layout = NULL;
    OK(distview_ghosted_layout_layout(ghosted, &layout));
    distview_memory memory = {.element = DISTVIEW_INT32, .rank = 2, .order = DISTVIEW_COLUMN_MAJOR};
    OK(distview_layout_local_extents(layout, check_rank, memory.extents));
    const int64_t length = memory.extents[0];
    CHECK(length == own + ghosts && memory.extents[1] == 2);
    int32_t data[2 * 6];
    memory.data = data;
    for (int64_t i = 0; i < length; ++i)
        for (int c = 0; c < 2; ++c)
            data[c * length + i] = i < n ? (int32_t)(10 * owned[i] + c) : -1;
    distview_array* u = NULL;
    distview_ghost_plan* plan = NULL;
    OK(distview_array_borrow(comm, layout, &memory, &u));
    OK(distview_ghost_plan_create(comm, ghosted, &plan));
    OK(distview_ghost_plan_execute(plan, u));
    for (int k = 0; k < 8; ++k)
        for (int c = 0; c < 2; ++c) CHECK(data[c * length + positions[k]] == 10 * needed[k] + c);
    for (int i = 0; i < 2 * length; ++i) data[i] = 1;
    OK(distview_ghost_plan_combine(plan, DISTVIEW_SUM, u));
    for (int64_t i = 0; i < n; ++i)
        CHECK(data[i] == (check_size == 1 ? 1 : i == 0 || i == n - 1 ? 2 : 1));
    int64_t text = 0;
    OK(distview_ghost_plan_describe(plan, NULL, 0, &text));
    CHECK(text > 10);
    distview_ghost_plan_release(plan);
    distview_array_release(u);
    distview_layout_release(layout);
    distview_ghosted_layout_release(ghosted);
}

static void test_reductions(distview_communicator* comm) {
    const distview_axis axes[3] = {{.extent = 6, .padding_low = 1, .padding_high = 1},
                                   {.extent = 5},
                                   {.kind = DISTVIEW_CYCLIC, .extent = 4}};
    distview_layout* const layout = make_layout(3, axes);
    const int32_t elements[] = {
        DISTVIEW_FLOAT64, DISTVIEW_FLOAT32, DISTVIEW_INT64,  DISTVIEW_INT32,  DISTVIEW_INT16,
        DISTVIEW_INT8,    DISTVIEW_UINT64,  DISTVIEW_UINT32, DISTVIEW_UINT16, DISTVIEW_UINT8};
    for (size_t k = 0; k < sizeof elements / sizeof *elements; ++k) {
        distview_array* u = NULL;
        OK(distview_array_create(comm, layout, elements[k],
                                 k % 2 ? DISTVIEW_COLUMN_MAJOR : DISTVIEW_ROW_MAJOR, &u));
        // 120 cells; 3 at (4, 2, 1) and 100 at (2, 3, 3), 2 elsewhere.
        unsigned char all[120 * 8];
        const int bytes = elements[k] % 16777216;
        for (int i = 0; i < 120; ++i) {
            const int number = i == 4 * 20 + 2 * 4 + 1 ? 1 : i == 2 * 20 + 3 * 4 + 3 ? 100 : 2;
            void* const at = all + i * bytes;
            if (elements[k] == DISTVIEW_FLOAT64)
                *(double*)at = number;
            else if (elements[k] == DISTVIEW_FLOAT32)
                *(float*)at = (float)number;
            else
                memset(at, 0, (size_t)bytes),
                    *(unsigned char*)at = (unsigned char)number; // little-endian
        }
        OK(distview_scatter(u, 0, DISTVIEW_ROW_MAJOR, 120, all));
        distview_value value;
        const distview_reduction_options exact = {.reproducible = 1};
        for (int way = 0; way < 2; ++way) {
            OK(distview_sum(u, way ? &exact : NULL, &value));
            CHECK(value.real == 118 * 2 + 101 && (k < 2 || value.integer == 118 * 2 + 101));
            OK(distview_dot(u, u, way ? &exact : NULL, &value));
            CHECK(value.real == 118 * 4 + 10001);
            double norm = 0;
            OK(distview_norm(u, 1, way ? &exact : NULL, &norm));
            CHECK(norm == 118 * 2 + 101);
            OK(distview_norm(u, 2, way ? &exact : NULL, &norm));
            CHECK(norm == sqrt(118 * 4 + 10001));
            OK(distview_norm(u, 0, way ? &exact : NULL, &norm));
            CHECK(norm == 100);
        }
        int64_t index[3] = {-1, -1, -1};
        OK(distview_max(u, NULL, &value, index));
        CHECK(value.real == 100 && index[0] == 2 && index[1] == 3 && index[2] == 3);
        OK(distview_min(u, NULL, &value, index));
        CHECK(value.real == 1 && index[0] == 4 && index[1] == 2 && index[2] == 1);
        unsigned char again[120 * 8];
        OK(distview_gather(u, check_size - 1, DISTVIEW_ROW_MAJOR,
                           check_rank == check_size - 1 ? 120 : 0, again));
        if (check_rank == check_size - 1) CHECK(memcmp(all, again, (size_t)(120 * bytes)) == 0);
        distview_array_release(u);
    }
    // Column-major: the first axis fastest.
    distview_array* u = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_INT32, DISTVIEW_ROW_MAJOR, &u));
    int32_t all[120];
    for (int i = 0; i < 120; ++i) all[i] = i;
    OK(distview_scatter(u, 0, DISTVIEW_COLUMN_MAJOR, 120, all));
    int32_t some[4];
    OK(distview_get_box(u, (int64_t[]){1, 2, 0}, (int64_t[]){2, 3, 4}, 4, some));
    for (int k = 0; k < 4; ++k) CHECK(some[k] == 1 + 6 * (2 + 5 * k));
    const int one = check_rank == check_size - 1;
    FAILS(DISTVIEW_USAGE_ERROR, "a root in [0,", distview_gather(u, one ? 99 : 0, 0, 120, all));
    FAILS(DISTVIEW_USAGE_ERROR, "norm 1, 2 or 0",
          distview_norm(u, one ? 3 : 1, NULL, &(double){0}));
    FAILS(DISTVIEW_USAGE_ERROR, "a place for the result",
          distview_sum(u, NULL, one ? NULL : &(distview_value){0}));
    distview_array_release(u);
    distview_layout_release(layout);
}

typedef struct {
    int calls;
    int fails;
    distview_plain_array seen;
} tripled;
// As a routine of Fortran 77 would: subroutine triple(a, lda, m, n).
static int triple(const distview_plain_array* a, void* user) {
    tripled* const t = user;
    ++t->calls;
    t->seen = *a;
    if (t->fails)
        return distview_set_error(DISTVIEW_OTHER_ERROR, "TooDeep", "triple: more than 50 levels");
    double* const data = a->data;
    for (int64_t j = 0; j < a->extents[1]; ++j)
        for (int64_t i = 0; i < a->extents[0]; ++i) data[j * a->leading_dimension + i] *= 3;
    return 0;
}
static void check_times(void* element, const int64_t* index, void* user) {
    CHECK(*(double*)element == *(double*)user * (double)(100 * index[0] + index[1]));
}

static void test_local_copies(distview_communicator* comm) {
    const distview_axis axes[2] = {{.extent = 8, .padding_low = 1, .padding_high = 1},
                                   {.extent = 6, .padding_low = 1, .padding_high = 1}};
    distview_layout* const layout = make_layout(2, axes);
    const distview_local_copy_options options = {
        .intent = DISTVIEW_INOUT, .order = DISTVIEW_COLUMN_MAJOR, .takes_leading_dimension = 1};
    for (int order = 0; order < 2; ++order) {
        distview_array* u = NULL;
        OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, order, &u));
        for_each_cell(u, set_pair, NULL);
        tripled t = {0};
        distview_local_copy_bytes bytes = {-1, -1};
        OK(distview_with_local_copy(u, &options, triple, &t, &bytes));
        const int64_t cells = t.seen.extents[0] * t.seen.extents[1];
        CHECK(t.calls == 1 && t.seen.rank == 2 && t.seen.element == DISTVIEW_FLOAT64);
        // A column-major section has padding between its columns, which a leading dimension allows for.
        CHECK(t.seen.is_copy == (order == DISTVIEW_ROW_MAJOR) || t.seen.extents[1] == 1 ||
              t.seen.extents[0] == 1);
        if (t.seen.is_copy)
            CHECK(bytes.copied_in == 8 * cells && bytes.copied_out == 8 * cells);
        else
            CHECK(bytes.copied_in == 0 && bytes.copied_out == 0 &&
                  t.seen.leading_dimension >= t.seen.extents[0]);
        double factor = 3;
        for_each_cell(u, check_times, &factor);
        // A box that only the last rank asks for, and the whole on rank 0, then on all ranks.
        const int one = check_rank == check_size - 1;
        const int64_t end[2] = {one ? 8 : 0, one ? 6 : 0};
        OK(distview_with_local_copy_of_box(u, (int64_t[]){0, 0}, end, &options, triple, &t,
                                           &bytes));
        factor = 9;
        for_each_cell(u, check_times, &factor);
        t.calls = 0;
        OK(distview_with_local_copy_of_whole(u, 0, &options, triple, &t, &bytes));
        CHECK(t.calls == (check_rank == 0));
        OK(distview_with_local_copy_of_whole(u, -1, &options, triple, &t, NULL));
        CHECK(t.seen.extents[0] == 8 && t.seen.extents[1] == 6);
        factor = 81;
        for_each_cell(u, check_times, &factor);
        // What fails on one rank fails on all, and nothing is written back.
        t.fails = one;
        FAILS(DISTVIEW_OTHER_ERROR, "triple: more than 50 levels",
              distview_with_local_copy_of_whole(u, -1, &options, triple, &t, NULL));
        CHECK(strcmp(distview_last_error()->class_name, "Error") == 0);
        for_each_cell(u, check_times, &factor);
        if (one) {
            FAILS(DISTVIEW_OTHER_ERROR, "triple: more than 50 levels",
                  distview_with_local_copy(u, &options, triple, &t, NULL));
            CHECK(strcmp(distview_last_error()->code, "TooDeep") == 0);
        }
        FAILS(DISTVIEW_LAYOUT_ERROR, "[0, 6) along axis 1, got [0, 7)",
              distview_with_local_copy_of_box(u, (int64_t[]){0, 0}, (int64_t[]){one ? 1 : 0, 7},
                                              &options, triple, &t, NULL));
        FAILS(DISTVIEW_USAGE_ERROR, "a function, got a null pointer",
              distview_with_local_copy(u, &options, NULL, NULL, NULL));
        distview_array_release(u);
    }
    distview_layout_release(layout);
}

typedef struct {
    float place[3];
    int16_t kind;
} particle;

// Element k of rank r goes to rank (r + k) mod ranks; rank 1 has none.
static int64_t particles_of(int rank) { return rank == 1 ? 0 : 3 * rank + 4; }
static particle particle_of(int rank, int64_t k) {
    const float number = (float)(1000 * rank + (int)k);
    return (particle){{number, -number, 0.5f * number}, (int16_t)k};
}

static void test_migration(distview_communicator* comm) {
    enum { most = 200 };
    const int64_t n = particles_of(check_rank);
    int targets[most];
    double number[most], number2[most];
    particle whole[most], whole2[most];
    char letter[most], letter2[most];
    for (int64_t k = 0; k < n; ++k) {
        targets[k] = (check_rank + (int)k) % check_size;
        number[k] = 1000.0 * check_rank + (double)k;
        whole[k] = particle_of(check_rank, k);
        letter[k] = (char)('a' + k % 26);
    }
    distview_migration_plan* plan = NULL;
    OK(distview_migration_plan_create(comm, n, targets, &plan));
    int64_t source_size = -1, size = -1, kept = -1, expected = 0, staying = 0;
    OK(distview_migration_plan_sizes(plan, &source_size, &size, &kept));
    for (int r = 0; r < check_size; ++r)
        for (int64_t k = 0; k < particles_of(r); ++k)
            expected += (r + k) % check_size == check_rank;
    for (int64_t k = 0; k < n; ++k) staying += targets[k] == check_rank;
    CHECK(source_size == n && size == expected && kept == staying);
    distview_migrating_field fields[3] = {
        {number, number2, n, size, DISTVIEW_FLOAT64, 0},
        {whole, whole2, n, size, DISTVIEW_OPAQUE(sizeof(particle)), 0},
        {n > 0 ? letter : NULL, letter2, n, size, DISTVIEW_CHAR, 0}};
    for (int turn = 0; turn < 4; ++turn) {
        for (int64_t k = 0; k < size; ++k) number2[k] = -1, letter2[k] = '?';
        memset(whole2, 0, sizeof whole2);
        if (turn % 2 == 0) {
            OK(distview_migration_plan_execute(plan, 3, fields));
        } else {
            distview_exchange* exchange = NULL;
            OK(distview_migration_plan_start(plan, 3, fields, &exchange));
            OK(distview_exchange_finish(exchange));
            distview_exchange_release(exchange);
        }
        int64_t at = 0;
        for (int r = 0; r < check_size; ++r)
            for (int64_t k = 0; k < particles_of(r); ++k) {
                if ((r + k) % check_size != check_rank) continue;
                const particle p = particle_of(r, k);
                CHECK(number2[at] == 1000.0 * r + (double)k && letter2[at] == 'a' + k % 26);
                CHECK(whole2[at].kind == p.kind &&
                      memcmp(whole2[at].place, p.place, sizeof p.place) == 0);
                ++at;
            }
    }
    int usable = -1;
    int64_t bytes = -1, length = 0;
    OK(distview_migration_plan_is_usable(plan, &usable));
    OK(distview_migration_plan_workspace_bytes(plan, &bytes));
    OK(distview_migration_plan_describe(plan, NULL, 0, &length));
    CHECK(usable == 1 && bytes >= 0 && length > 10);

    // Wrong on all ranks.
    FAILS(DISTVIEW_USAGE_ERROR, "from 1 to 16 fields, got 0",
          distview_migration_plan_execute(plan, 0, fields));
    fields[1].to_count = size + 1;
    FAILS(DISTVIEW_SHAPE_ERROR, "elements to write of field 1",
          distview_migration_plan_execute(plan, 3, fields));
    fields[1].to_count = size;
    fields[0].to = fields[0].from == NULL ? NULL : number;
    if (check_size == 1)
        FAILS(DISTVIEW_USAGE_ERROR, "shares memory",
              distview_migration_plan_execute(plan, 3, fields));
    fields[0].to = number2;
    // Wrong on the last one: it has other types.
    const int one = check_rank == check_size - 1;
    if (check_size > 1) {
        fields[0].element = one ? DISTVIEW_FLOAT32 : DISTVIEW_FLOAT64;
        FAILS(DISTVIEW_USAGE_ERROR, "MigrationPlan",
              distview_migration_plan_execute(plan, 1, fields));
    }
    distview_migration_plan_release(plan);
    plan = NULL;
    if (one) targets[0] = check_size;
    FAILS(DISTVIEW_USAGE_ERROR, "for element 0 of rank",
          distview_migration_plan_create(comm, one ? 1 : n, targets, &plan));
    FAILS(DISTVIEW_USAGE_ERROR, "at least 0 elements, got -1",
          distview_migration_plan_create(comm, one ? -1 : n, targets, &plan));
    FAILS(DISTVIEW_USAGE_ERROR, "a plan, got a null pointer",
          distview_migration_plan_sizes(plan, NULL, NULL, NULL));
    CHECK(plan == NULL);
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    test_elements(comm);
    test_ghosts(comm);
    test_reductions(comm);
    test_local_copies(comm);
    test_migration(comm);
    return check_end(comm);
}
