// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the second execution on, plans must not allocate: malloc() of this program, which the libraries call, too,
// counts. Executions must not copy arrays either: functions see the program's own addresses.

#include "check.h"

#include <stdatomic.h>

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* memory, size_t bytes);

static atomic_long allocations;

void* malloc(size_t bytes) {
    ++allocations;
    return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
    ++allocations;
    return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
    ++allocations;
    return __libc_realloc(memory, bytes);
}

typedef struct {
    distview_padding_plan* plan;
    distview_redistribution_plan* move;
    distview_migration_plan* migration;
    distview_migrating_field fields[2];
    distview_array* arrays[3];
    distview_array* other;
    distview_memory memory;
} work;

static void one(work* w) { OK(distview_padding_plan_execute(w->plan, 1, w->arrays)); }
static void three(work* w) { OK(distview_padding_plan_execute(w->plan, 3, w->arrays)); }
static void by_memory(work* w) { OK(distview_padding_plan_exchange(w->plan, 1, &w->memory)); }
static void start_and_finish(work* w) {
    distview_exchange* exchange = NULL;
    OK(distview_padding_plan_start(w->plan, 1, w->arrays, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
}
static void move(work* w) {
    OK(distview_redistribution_plan_execute(w->move, w->arrays[0], w->other));
}
static void start_move(work* w) {
    distview_exchange* exchange = NULL;
    OK(distview_redistribution_plan_start(w->move, w->arrays[0], w->other, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
}
static void migrate(work* w) { OK(distview_migration_plan_execute(w->migration, 2, w->fields)); }
static void start_migration(work* w) {
    distview_exchange* exchange = NULL;
    OK(distview_migration_plan_start(w->migration, 2, w->fields, &exchange));
    OK(distview_exchange_finish(exchange));
    distview_exchange_release(exchange);
}
static void require_none(work* w) {
    int exchanged = 1;
    OK(distview_padding_plan_require(w->plan, 1, 1, 3, w->arrays, &exchanged));
    CHECK(exchanged == 0);
}
static void require_one(work* w) {
    int exchanged = 0;
    OK(distview_array_mark_written(w->arrays[1]));
    OK(distview_padding_plan_require(w->plan, 1, 1, 3, w->arrays, &exchanged));
    CHECK(exchanged == 1);
}

int main(int argc, char** argv) {
    distview_communicator* comm;
    check_begin(&argc, &argv, &comm);
    const distview_axis axes[2] = {
        {.extent = 20, .padding_low = 1, .padding_high = 1},
        {.extent = 16, .padding_low = 1, .padding_high = 1, .periodic = 1}};
    distview_layout* const layout = make_layout(2, axes);
    distview_layout* const dealt =
        make_layout(2, (distview_axis[]){{.kind = DISTVIEW_CYCLIC, .extent = 20}, {.extent = 16}});
    work w = {.memory = {.element = DISTVIEW_FLOAT64, .rank = 2}};
    OK(distview_layout_local_extents(layout, check_rank, w.memory.extents));
    static double data[3][22 * 18];
    for (int i = 0; i < 3; ++i) {
        w.memory.data = data[i];
        OK(distview_array_borrow(comm, layout, &w.memory, &w.arrays[i]));
        void* address = NULL;
        OK(distview_array_data(w.arrays[i], &address));
        CHECK(address == (void*)data[i]);
    }
    OK(distview_array_create(comm, dealt, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &w.other));
    OK(distview_padding_plan_create(comm, layout, NULL, &w.plan));
    OK(distview_redistribution_plan_create(comm, layout, dealt, NULL, &w.move));
    int targets[5];
    double numbers[5], numbers2[40];
    char letters[6] = "moves", letters2[40];
    for (int k = 0; k < 5; ++k) targets[k] = (check_rank + k) % check_size, numbers[k] = k;
    int64_t arriving = 0;
    OK(distview_migration_plan_create(comm, 5, targets, &w.migration));
    OK(distview_migration_plan_sizes(w.migration, NULL, &arriving, NULL));
    CHECK(arriving <= 40);
    w.fields[0] = (distview_migrating_field){numbers, numbers2, 5, arriving, DISTVIEW_FLOAT64, 0};
    w.fields[1] = (distview_migrating_field){letters, letters2, 5, arriving, DISTVIEW_CHAR, 0};
    // Each of the first works binds in its first call.
    enum { binding = 6 };
    void (*const works[])(work*) = {
        one,        three,           by_memory,       move, require_one, migrate, require_none,
        start_move, start_migration, start_and_finish};
    for (size_t k = 0; k < sizeof works / sizeof *works; ++k) {
        const long before = allocations;
        works[k](&w);
        const long first = allocations - before;
        for (int turn = 0; turn < 100; ++turn) works[k](&w);
        if (k < binding) CHECK(first > 0); // they are counted
        if (allocations - before != first)
            printf("work %d: %ld allocations\n", (int)k, allocations - before - first);
        CHECK(allocations - before == first);
    }
    for (int i = 0; i < 3; ++i) distview_array_release(w.arrays[i]);
    distview_array_release(w.other);
    distview_padding_plan_release(w.plan);
    distview_redistribution_plan_release(w.move);
    distview_migration_plan_release(w.migration);
    distview_layout_release(layout);
    distview_layout_release(dealt);
    return check_end(comm);
}
