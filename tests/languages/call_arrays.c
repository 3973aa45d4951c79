// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays between C, C++ and Fortran: the first language makes or lends an array, the second fills it and reverses it in
// place, the third must find the values at the same address. Every element type, 1 to 7 axes.

#include "../c/check.h"
#include "arrays.h"

#include <stdbool.h>

struct language {
    const char* name;
    int (*borrow)(const distview_communicator*, const distview_layout*, int, int, distview_array**);
    int (*create)(const distview_communicator*, const distview_layout*, int, int, distview_array**);
    void* (*memory)(void);
    int (*fill)(const distview_array*, int);
    int (*reverse)(const distview_array*, int);
    int64_t (*count_wrong)(const distview_array*, int, int, const void*);
    distview_array* (*retain)(distview_array*);
    void (*release)(distview_array*);
};
#define LANGUAGE(L)                                                                                \
    {#L,          L##_borrow,      L##_create, L##_memory, L##_fill,                               \
     L##_reverse, L##_count_wrong, L##_retain, L##_release}
static const struct language languages[3] = {LANGUAGE(c), LANGUAGE(cpp), LANGUAGE(fortran)};
static const char* const orders[4] = {"row", "column", "general", "slice"};

static distview_layout* layout_of(int rank, int order, int64_t empty) {
    static const int64_t extents[7] = {3, 2, 2, 3, 2, 2, 2};
    distview_axis axes[7] = {{0}};
    for (int d = 0; d < rank; ++d)
        axes[d].extent = (rank == 1 ? 8 : extents[d]) * (order == ORDER_SLICE ? 2 : 1);
    if (empty) axes[rank - 1].extent = 0;
    return make_layout(rank, axes);
}

// Bytes from the beginning of lent memory to the first element: a slice begins at index 1 along each axis.
static int64_t offset_of(const distview_layout* layout, int order, int rank, int64_t bytes) {
    int64_t extents[DISTVIEW_MAX_RANK], offset = 0;
    OK(distview_layout_extents(layout, extents));
    for (int d = 0; d < rank && order == ORDER_SLICE; ++d) {
        offset += bytes;
        bytes *= extents[d];
    }
    return offset;
}

static void test_kind(const distview_communicator* comm, const distview_layout* layout, int kind,
                      int order, bool owned, const struct language* maker,
                      const struct language* filler, const struct language* checker) {
    distview_array* array = NULL;
    OK((owned ? maker->create : maker->borrow)(comm, layout, kind, order, &array));
    if (!array) return;
    distview_memory memory;
    OK(distview_array_memory(array, &memory));
    if (!owned) {
        const int64_t offset = offset_of(layout, order, memory.rank, memory.element % 16777216);
        CHECK((char*)memory.data == (char*)maker->memory() + offset);
    }
    // The maker releases the array; it lives as long as the others hold references.
    distview_array* const second = filler->retain(array);
    distview_array* const third = checker->retain(array);
    CHECK(second == array && third == array);
    if (owned) maker->release(array);
    OK(filler->fill(second, kind));
    CHECK(checker->count_wrong(third, kind, 0, memory.data) == 0);
    OK(filler->reverse(second, kind));
    filler->release(second);
    CHECK(checker->count_wrong(third, kind, 1, memory.data) == 0);
    if (!owned) {
        CHECK(maker->count_wrong(array, kind, 1, memory.data) == 0);
        maker->release(array);
    }
    // Proves that the check detects a wrong value.
    char* const first = memory.data;
    *first = (char)(*first ^ 1);
    CHECK(checker->count_wrong(third, kind, 1, memory.data) == 1);
    CHECK(checker->count_wrong(third, kind, 1, &memory) == 2);
    checker->release(third);
}

static void report(const char* what, const char* axes, const char* names, int failures_before) {
    printf("languages %s %s %s %s\n", what, axes, names,
           check_failures == failures_before ? "ok" : "failed");
}

static void test_arrays(const distview_communicator* comm, int rank, int order, bool owned) {
    distview_layout* const layout = layout_of(rank, order, 0);
    for (int m = 0; m < 3; ++m)
        for (int f = 0; f < 3; ++f) {
            const int before = check_failures;
            if (m == f) continue;
            const struct language *const maker = &languages[m], *const filler = &languages[f];
            const struct language* const checker = &languages[3 - m - f];
            for (int kind = 0; kind < KINDS; ++kind)
                test_kind(comm, layout, kind, order, owned, maker, filler, checker);
            char what[40], axes[8], names[40];
            snprintf(what, sizeof what, "%s_%s", owned ? "owned" : "borrowed", orders[order]);
            snprintf(axes, sizeof axes, "%d", rank);
            snprintf(names, sizeof names, "%s %s %s", maker->name, filler->name, checker->name);
            report(what, axes, names, before);
        }
    distview_layout_release(layout);
}

// Arrays without elements and memory; and a null handle, for which every language must report an error.
static void test_null(const distview_communicator* comm, const struct language* language) {
    const int before = check_failures;
    for (int rank = 1; rank <= 7; ++rank) {
        distview_layout* const layout = layout_of(rank, DISTVIEW_ROW_MAJOR, 1);
        for (int kind = 0; kind < KINDS; ++kind) {
            distview_array* array = NULL;
            void* data = &array;
            OK(language->borrow(comm, layout, kind, DISTVIEW_ROW_MAJOR, &array));
            OK(distview_array_data(array, &data));
            CHECK(data == NULL);
            OK(language->fill(array, kind));
            OK(language->reverse(array, kind));
            CHECK(language->count_wrong(array, kind, 0, NULL) == 0);
            language->release(array);
            FAILS(DISTVIEW_USAGE_ERROR, "null pointer", language->fill(NULL, kind));
            FAILS(DISTVIEW_USAGE_ERROR, "null pointer", language->reverse(NULL, kind));
            CHECK(language->count_wrong(NULL, kind, 0, NULL) == -1);
        }
        distview_layout_release(layout);
    }
    language->release(NULL);
    report("null", "1-7", language->name, before);
}

int main(int argc, char** argv) {
    distview_communicator* comm = NULL;
    check_begin(&argc, &argv, &comm);
    for (int rank = 1; rank <= 7; ++rank)
        for (int order = 0; order < 4; ++order) {
            test_arrays(comm, rank, order, false);
            if (order != ORDER_GENERAL) test_arrays(comm, rank, order, true);
        }
    for (int i = 0; i < 3; ++i) test_null(comm, &languages[i]);
    return check_end(comm);
}
