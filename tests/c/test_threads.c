// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four threads, each with a communicator and a plan of its own, under MPI_THREAD_MULTIPLE; each thread has its own last
// error. Then one thread releases the exchanges that another one has finished.

#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { threads = 4, turns = 200, plans = 10 };

typedef struct {
    int number;
    MPI_Comm comm;
    int wrong;
} task;

static void* run(void* argument) {
    task* const t = argument;
    distview_communicator* comm = NULL;
    distview_layout* layout = NULL;
    distview_array* array = NULL;
    distview_padding_plan* plan = NULL;
    distview_memory memory = {.element = DISTVIEW_INT64, .rank = 1};
    const distview_axis axis = {
        .extent = 10 * check_size, .padding_low = 1, .padding_high = 1, .periodic = 1};
    int64_t data[12];
    memory.data = data;
    int failed = distview_communicator_create(t->comm, &comm) ||
                 distview_layout_create(1, &check_size, &axis, &layout) ||
                 distview_layout_local_extents(layout, check_rank, memory.extents) ||
                 distview_array_borrow(comm, layout, &memory, &array) ||
                 distview_padding_plan_create(comm, layout, NULL, &plan);
    for (int turn = 0; turn < turns && !failed; ++turn) {
        for (int i = 0; i < 12; ++i) data[i] = 1000 * turn + 100 * t->number + check_rank;
        failed = distview_padding_plan_execute(plan, 1, &array);
        t->wrong +=
            data[0] != 1000 * turn + 100 * t->number + (check_rank + check_size - 1) % check_size;
        t->wrong += data[11] != 1000 * turn + 100 * t->number + (check_rank + 1) % check_size;
        if (turn % 20 == 0) { // an error of this thread, with its own text
            char code[20];
            snprintf(code, sizeof code, "code %d", t->number);
            distview_set_error(DISTVIEW_OTHER_ERROR, code, code);
        }
        char expected[20];
        snprintf(expected, sizeof expected, "code %d", t->number);
        t->wrong += strcmp(distview_last_error()->message, expected) != 0;
    }
    if (failed) t->wrong += 1000;
    distview_padding_plan_release(plan);
    distview_array_release(array);
    distview_layout_release(layout);
    distview_communicator_release(comm);
    return NULL;
}

typedef struct {
    _Atomic(distview_exchange*) finished; // NULL: none
    atomic_int ended;
} released;

static void* release(void* argument) {
    released* const shared = argument;
    while (!atomic_load(&shared->ended)) {
        distview_exchange* const exchange = atomic_exchange(&shared->finished, NULL);
        if (exchange)
            distview_exchange_release(exchange);
        else
            sched_yield();
    }
    return NULL;
}

// The plan starts the next exchange, or is released, while the other thread releases the previous exchange.
static void test_released_elsewhere(void) {
    const distview_axis axis = {
        .extent = 10 * check_size, .padding_low = 1, .padding_high = 1, .periodic = 1};
    distview_communicator* comm = NULL;
    distview_array* array = NULL;
    OK(distview_communicator_create(MPI_COMM_WORLD, &comm));
    distview_layout* const layout = make_layout(1, &axis);
    OK(distview_array_create(comm, layout, DISTVIEW_INT64, DISTVIEW_ROW_MAJOR, &array));
    released shared = {NULL, 0};
    pthread_t thread;
    pthread_create(&thread, NULL, release, &shared);
    for (int number = 0; number < plans; ++number) {
        distview_padding_plan* plan = NULL;
        int failed = 0;
        OK(distview_padding_plan_create(comm, layout, NULL, &plan));
        for (int turn = 0; turn < turns && !failed; ++turn) {
            distview_exchange* exchange = NULL;
            failed = distview_padding_plan_start(plan, 1, &array, &exchange) ||
                     distview_exchange_finish(exchange);
            if (failed)
                check_report(__FILE__, __LINE__, "exchange: ", distview_last_error()->message);
            while (atomic_load(&shared.finished)) sched_yield();
            atomic_store(&shared.finished, exchange);
        }
        distview_padding_plan_release(plan);
    }
    while (atomic_load(&shared.finished)) sched_yield();
    atomic_store(&shared.ended, 1);
    pthread_join(thread, NULL);
    distview_array_release(array);
    distview_layout_release(layout);
    distview_communicator_release(comm);
}

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    OK(distview_initialize(&(distview_init_options){.threads = 1}));
    CHECK(level == MPI_THREAD_MULTIPLE);
    if (level == MPI_THREAD_MULTIPLE) {
        task tasks[threads] = {{0}};
        pthread_t handles[threads];
        for (int i = 0; i < threads; ++i) {
            tasks[i].number = i;
            MPI_Comm_dup(MPI_COMM_WORLD, &tasks[i].comm);
        }
        for (int i = 0; i < threads; ++i) pthread_create(&handles[i], NULL, run, &tasks[i]);
        for (int i = 0; i < threads; ++i) {
            pthread_join(handles[i], NULL);
            CHECK(tasks[i].wrong == 0);
            MPI_Comm_free(&tasks[i].comm);
        }
        test_released_elsewhere();
    }
    OK(distview_finalize());
    int all = 0;
    MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (check_rank == 0 && all == 0) printf("DISTVIEW-TEST-PASSED\n");
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
