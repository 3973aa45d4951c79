// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of handle: made, used through a second reference after the first was released, and destroyed with the last
// one; or released after the library, Kokkos and MPI have ended. This program's free(), which the libraries call, too,
// detects the destruction; sanitizers replace free(), and detect leaks themselves.

#include "check.h"

#include <stdatomic.h>

static atomic_uintptr_t watched;
static atomic_int is_gone;

#ifdef WATCHES_FREE
enum { watches_free = 1 };
extern void __libc_free(void* memory);
void free(void* memory) {
    if (memory && (uintptr_t)memory == watched) is_gone = 1;
    __libc_free(memory);
}
#else
enum { watches_free = 0 };
#endif

static void watch(void* object) {
    is_gone = 0;
    watched = (uintptr_t)object;
}

static distview_communicator* comm;
static MPI_Comm between = MPI_COMM_NULL; // between the first rank and the others, as two programs
static distview_padding_plan* used_plan; // of the exchange in flight
static distview_array* used_array;

static int next_rank(void) { return (check_rank + 1) % check_size; }
static int last_rank(void) { return (check_rank + check_size - 1) % check_size; }

// A ring of 4 cells a rank with padding 1; rank r's cells hold r + 1. Objects made of a layout retain it.
static distview_layout* ring(int kind) {
    const int64_t width = kind == DISTVIEW_BLOCK;
    return make_layout(1, &(distview_axis){.kind = kind,
                                           .extent = 4 * (int64_t)check_size,
                                           .padding_low = width,
                                           .padding_high = width,
                                           .periodic = 1});
}
static distview_array* array_of(distview_layout* layout) {
    distview_array* array = NULL;
    OK(distview_array_create(comm, layout, DISTVIEW_FLOAT64, DISTVIEW_ROW_MAJOR, &array));
    distview_layout_release(layout);
    return array;
}
static double* cells_of(distview_array* array) {
    void* cells = NULL;
    OK(distview_array_data(array, &cells));
    return cells;
}
static distview_array* filled_ring(void) {
    distview_array* const array = array_of(ring(DISTVIEW_BLOCK));
    double* const cells = cells_of(array);
    for (int i = 0; i < 6; ++i) cells[i] = i == 0 || i == 5 ? -1 : check_rank + 1;
    return array;
}
static void check_padding(distview_array* array) {
    const double* const cells = cells_of(array);
    CHECK(cells[0] == last_rank() + 1 && cells[5] == next_rank() + 1);
}

static void* new_communicator(void) {
    distview_communicator* made = NULL;
    OK(distview_communicator_create(MPI_COMM_WORLD, &made));
    return made;
}
static void use_communicator(void* object) {
    int size = 0;
    OK(distview_communicator_size(object, &size));
    CHECK(size == check_size);
    OK(distview_communicator_barrier(object));
}

static void* new_layout(void) { return ring(DISTVIEW_BLOCK); }
static void use_layout(void* object) {
    int64_t extent = 0;
    OK(distview_layout_local_extents(object, check_rank, &extent));
    CHECK(extent == 6);
}

static void* new_array(void) { return filled_ring(); }
static void use_array(void* object) {
    distview_value sum = {0};
    OK(distview_sum(object, NULL, &sum));
    CHECK(sum.real == 2.0 * check_size * (check_size + 1));
}

static void* new_padding_plan(void) {
    distview_padding_plan* plan = NULL;
    distview_layout* const layout = ring(DISTVIEW_BLOCK);
    OK(distview_padding_plan_create(comm, layout, NULL, &plan));
    distview_layout_release(layout);
    return plan;
}
static void use_padding_plan(void* object) {
    distview_array* array = filled_ring();
    OK(distview_padding_plan_execute(object, 1, &array));
    check_padding(array);
    distview_array_release(array);
}

static void release_used(void) {
    distview_padding_plan_release(used_plan);
    distview_array_release(used_array);
}
static void* new_exchange(void) {
    distview_exchange* exchange = NULL;
    used_plan = new_padding_plan();
    used_array = filled_ring();
    OK(distview_padding_plan_start(used_plan, 1, &used_array, &exchange));
    return exchange;
}
static void use_exchange(void* object) {
    OK(distview_exchange_finish(object));
    check_padding(used_array);
    release_used(); // the plan has a reference, too
}

static void* new_redistribution_plan(void) {
    distview_redistribution_plan* plan = NULL;
    distview_layout* const from = ring(DISTVIEW_BLOCK);
    distview_layout* const to = ring(DISTVIEW_CYCLIC);
    OK(distview_redistribution_plan_create(comm, from, to, NULL, &plan));
    distview_layout_release(from);
    distview_layout_release(to);
    return plan;
}
static void use_redistribution_plan(void* object) {
    distview_array* const source = filled_ring();
    distview_array* const target = array_of(ring(DISTVIEW_CYCLIC));
    OK(distview_redistribution_plan_execute(object, source, target));
    const double* const cells = cells_of(target);
    for (int i = 0; i < 4; ++i) CHECK(cells[i] == (check_rank + i * check_size) / 4 + 1);
    distview_array_release(source);
    distview_array_release(target);
}

static void* new_index_list(void) {
    distview_index_list* list = NULL;
    OK(distview_index_list_create(1, &list));
    OK(distview_index_list_add(list, 1, &(int64_t){4 * next_rank()}));
    return list;
}
static void use_index_list(void* object) {
    int64_t size = 0;
    OK(distview_index_list_add(object, 1, &(int64_t){0}));
    OK(distview_index_list_size(object, &size));
    CHECK(size == 2);
}

static void* new_gather_plan(void) {
    distview_gather_plan* plan = NULL;
    distview_index_list* const list = new_index_list();
    distview_layout* const layout = ring(DISTVIEW_BLOCK);
    OK(distview_gather_plan_create(comm, layout, list, &plan));
    distview_index_list_release(list);
    distview_layout_release(layout);
    return plan;
}
static void use_gather_plan(void* object) {
    distview_array* const array = filled_ring();
    double value = 0;
    OK(distview_gather_plan_execute(object, array, 1, &value));
    CHECK(value == next_rank() + 1);
    distview_array_release(array);
}

// The 4 cells of this rank and, if there are several ranks, the first cell of the next.
static void* new_ghosted_layout(void) {
    distview_ghosted_layout* ghosted = NULL;
    int64_t owned[4];
    const int64_t needed = 4 * next_rank();
    for (int i = 0; i < 4; ++i) owned[i] = 4 * check_rank + i;
    OK(distview_ghosted_layout_create(comm, 4, owned, 1, &needed, 0, NULL, &ghosted));
    return ghosted;
}
static void use_ghosted_layout(void* object) {
    int64_t owned = 0, ghosts = -1;
    OK(distview_ghosted_layout_counts(object, &owned, &ghosts));
    CHECK(owned == 4 && ghosts == (check_size > 1));
}

static void* new_ghost_plan(void) {
    distview_ghost_plan* plan = NULL;
    distview_ghosted_layout* const ghosted = new_ghosted_layout();
    OK(distview_ghost_plan_create(comm, ghosted, &plan));
    distview_ghosted_layout_release(ghosted);
    return plan;
}
static void use_ghost_plan(void* object) {
    distview_layout* layout = NULL;
    distview_ghosted_layout* const ghosted = new_ghosted_layout();
    OK(distview_ghosted_layout_layout(ghosted, &layout));
    distview_ghosted_layout_release(ghosted);
    distview_array* const array = array_of(layout);
    double* const cells = cells_of(array);
    for (int i = 0; i < 4; ++i) cells[i] = check_rank + 1;
    OK(distview_ghost_plan_execute(object, array));
    CHECK(check_size == 1 || cells[4] == next_rank() + 1);
    distview_array_release(array);
}

static void* new_migration_plan(void) {
    distview_migration_plan* plan = NULL;
    OK(distview_migration_plan_create(comm, 1, &(int){next_rank()}, &plan));
    return plan;
}
static void use_migration_plan(void* object) {
    const double from = check_rank + 1;
    double to = 0;
    OK(distview_migration_plan_execute(
        object, 1, &(distview_migrating_field){&from, &to, 1, 1, DISTVIEW_FLOAT64, 0}));
    CHECK(to == last_rank() + 1);
}

static void* new_other_program(void) {
    distview_other_program* other = NULL;
    if (between != MPI_COMM_NULL) OK(distview_other_program_create(between, &other));
    return other;
}
static void use_other_program(void* object) {
    int own = 0, others = 0;
    OK(distview_other_program_sizes(object, &own, NULL, &others));
    CHECK(own == (check_rank == 0 ? 1 : check_size - 1) && own + others == check_size);
    distview_communicator* both = NULL;
    OK(distview_other_program_communicator(object, &both));
    OK(distview_communicator_barrier(both));
    distview_communicator_release(both);
}

// The exchange is last: other kinds make collective calls, which must precede the one in flight.
#define KINDS(of)                                                                                  \
    of(communicator) of(layout) of(array) of(padding_plan) of(redistribution_plan) of(index_list)  \
        of(gather_plan) of(ghosted_layout) of(ghost_plan) of(migration_plan) of(other_program)     \
            of(exchange)

#define FUNCTIONS(kind)                                                                            \
    static void* retain_##kind(void* object) { return distview_##kind##_retain(object); }          \
    static void release_##kind(void* object) { distview_##kind##_release(object); }
KINDS(FUNCTIONS)

#define ROW(kind) {#kind, new_##kind, retain_##kind, use_##kind, release_##kind},
static const struct {
    const char* name;
    void* (*make)(void);
    void* (*retain)(void* object);
    void (*use)(void* object);
    void (*release)(void* object);
} kinds[] = {KINDS(ROW)};
enum { kind_count = sizeof kinds / sizeof *kinds };

static void release_last(int kind, void* object) {
    watch(object);
    kinds[kind].release(object);
    if (watches_free && object && !is_gone)
        check_report(__FILE__, __LINE__, kinds[kind].name, ": not freed with its last reference");
}

static void test_references(void) {
    for (int k = 0; k < kind_count; ++k) {
        CHECK(kinds[k].retain(NULL) == NULL);
        kinds[k].release(NULL);
        void* const object = kinds[k].make();
        if (!object) continue;
        CHECK(kinds[k].retain(object) == object);
        watch(object);
        kinds[k].release(object);
        if (is_gone) {
            check_report(__FILE__, __LINE__, kinds[k].name, ": gone, though it was retained");
            continue;
        }
        kinds[k].use(object);
        release_last(k, object);
    }
}

int main(int argc, char** argv) {
    check_begin(&argc, &argv, &comm);
    MPI_Comm own = MPI_COMM_NULL;
    if (check_size > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, check_rank > 0, 0, &own);
        MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, check_rank > 0 ? 0 : 1, 1, &between);
    }
    test_references();
    // One object of each kind outlives the library, Kokkos and MPI; the exchange is in flight.
    void* left[kind_count];
    for (int k = 0; k < kind_count; ++k) {
        left[k] = kinds[k].make();
        if (left[k] && k + 1 < kind_count) kinds[k].use(left[k]);
    }
    if (check_size > 1) {
        MPI_Comm_free(&between);
        MPI_Comm_free(&own);
    }
    const int status = check_end(comm);
    release_used();
    for (int k = 0; k < kind_count; ++k) release_last(k, left[k]);
    return status || check_failures > 0;
}
