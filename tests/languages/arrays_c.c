// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's implementation of arrays.h: addresses from strides in bytes.

#include "arrays.h"

#include <complex.h>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifndef CMPLX // of C11, which not all compilers have
#define CMPLXF(re, im) __builtin_complex((float)(re), (float)(im))
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

static alignas(16) char lent[LENT_BYTES];

static const int32_t elements[KINDS] = {DISTVIEW_BOOL,      DISTVIEW_CHAR,       DISTVIEW_INT32,
                                        DISTVIEW_INT64,     DISTVIEW_FLOAT32,    DISTVIEW_FLOAT64,
                                        DISTVIEW_COMPLEX64, DISTVIEW_COMPLEX128, DISTVIEW_OPAQUE(8),
                                        DISTVIEW_OPAQUE(8), DISTVIEW_INT32};

static void set_value(int kind, int rank, const int64_t* index, char* at) {
    static const int64_t primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
    static const enum colour colours[3] = {colour_red, colour_green, colour_blue};
    int64_t product = 1;
    int sum = 0;
    for (int d = 0; d < rank; ++d) {
        product *= index[d] + d + 1;
        sum += (int)index[d];
    }
    const int power = rank == 1 ? -sum : 2 * (int)index[0] - sum;
    char text[24];
    switch (kind) {
    case KIND_BOOL: *(bool*)at = sum % 2 == 0; break;
    case KIND_CHAR: *at = (char)('a' + sum % 26); break;
    case KIND_INT32: *(int32_t*)at = (int32_t)product; break;
    case KIND_INT64: *(int64_t*)at = rank == 1 ? primes[index[0]] : product; break;
    case KIND_FLOAT: *(float*)at = ldexpf(1, power); break;
    case KIND_DOUBLE: *(double*)at = ldexp(1, power); break;
    case KIND_FCOMPLEX: *(float _Complex*)at = CMPLXF(ldexpf(1, sum), ldexpf(1, -sum)); break;
    case KIND_DCOMPLEX: *(double _Complex*)at = CMPLX(ldexp(1, sum), ldexp(1, -sum)); break;
    case KIND_OPAQUE: *(void**)at = sum == 0 ? NULL : (void*)(intptr_t)(16 * product); break;
    case KIND_STRING:
        snprintf(text, sizeof text, "é%-6d", (int)product);
        memcpy(at, text, 8);
        break;
    default: *(enum colour*)at = colours[sum % 3]; break;
    }
}

static int described(const distview_array* array, int kind, distview_memory* memory) {
    const int status = distview_array_memory(array, memory);
    if (status) return status;
    if (memory->element == elements[kind]) return DISTVIEW_SUCCESS;
    return distview_set_error(DISTVIEW_SHAPE_ERROR, NULL, "C: expected another element type");
}

// Advances to the next index, the first axis fastest; false after the last.
static bool next(const distview_memory* memory, int64_t* index) {
    for (int d = 0; d < memory->rank; ++d) {
        if (++index[d] < memory->extents[d]) return true;
        index[d] = 0;
    }
    return false;
}
static int64_t count(const distview_memory* memory) {
    int64_t product = 1;
    for (int d = 0; d < memory->rank; ++d) product *= memory->extents[d];
    return product;
}
static char* address(const distview_memory* memory, const int64_t* index) {
    char* at = memory->data;
    for (int d = 0; d < memory->rank; ++d) at += index[d] * memory->strides[d];
    return at;
}

static int every_second(distview_array* parent, const distview_layout* layout,
                        distview_array** result) {
    int64_t extents[DISTVIEW_MAX_RANK] = {0};
    distview_slice slices[DISTVIEW_MAX_RANK];
    int status = distview_layout_extents(layout, extents);
    for (int d = 0; d < DISTVIEW_MAX_RANK; ++d) slices[d] = (distview_slice){1, extents[d] / 2, 2};
    if (!status) status = distview_array_slice(parent, slices, result);
    distview_array_release(parent);
    return status;
}

int c_borrow(const distview_communicator* comm, const distview_layout* layout, int kind, int order,
             distview_array** result) {
    distview_memory memory = {.data = lent, .element = elements[kind]};
    int status = distview_layout_rank(layout, &memory.rank);
    if (!status) status = distview_layout_local_extents(layout, 0, memory.extents);
    if (status) return status;
    memory.order = order == ORDER_SLICE ? DISTVIEW_COLUMN_MAJOR : order;
    int64_t stride = 2 * (elements[kind] % 16777216);
    for (int k = 1; k <= memory.rank; ++k) {
        memory.strides[k % memory.rank] = stride;
        stride *= memory.extents[k % memory.rank] + 1;
    }
    if (count(&memory) == 0) memory.data = NULL;
    memset(lent, 0x5a, sizeof lent);
    if (order != ORDER_SLICE) return distview_array_borrow(comm, layout, &memory, result);
    distview_array* parent = NULL;
    status = distview_array_borrow(comm, layout, &memory, &parent);
    return status ? status : every_second(parent, layout, result);
}

int c_create(const distview_communicator* comm, const distview_layout* layout, int kind, int order,
             distview_array** result) {
    if (order != ORDER_SLICE)
        return distview_array_create(comm, layout, elements[kind], order, result);
    distview_array* parent = NULL;
    const int status =
        distview_array_create(comm, layout, elements[kind], DISTVIEW_COLUMN_MAJOR, &parent);
    return status ? status : every_second(parent, layout, result);
}

void* c_memory(void) { return lent; }

int c_fill(const distview_array* array, int kind) {
    distview_memory memory;
    const int status = described(array, kind, &memory);
    if (status || count(&memory) == 0) return status;
    int64_t index[DISTVIEW_MAX_RANK] = {0};
    do set_value(kind, memory.rank, index, address(&memory, index));
    while (next(&memory, index));
    return DISTVIEW_SUCCESS;
}

int c_reverse(const distview_array* array, int kind) {
    distview_memory memory;
    const int status = described(array, kind, &memory);
    if (status || count(&memory) == 0) return status;
    const size_t bytes = (size_t)(memory.element % 16777216);
    int64_t index[DISTVIEW_MAX_RANK] = {0};
    do {
        if (2 * index[0] + 1 >= memory.extents[0]) continue;
        char kept[16];
        char* const here = address(&memory, index);
        char* const there = here + (memory.extents[0] - 1 - 2 * index[0]) * memory.strides[0];
        memcpy(kept, here, bytes);
        memcpy(here, there, bytes);
        memcpy(there, kept, bytes);
    } while (next(&memory, index));
    return DISTVIEW_SUCCESS;
}

int64_t c_count_wrong(const distview_array* array, int kind, int reversed, const void* expected) {
    distview_memory memory;
    if (described(array, kind, &memory)) return -1;
    if (count(&memory) == 0) return 0;
    int64_t wrong = memory.data != expected;
    int64_t index[DISTVIEW_MAX_RANK] = {0};
    do {
        alignas(16) char value[16] = {0};
        int64_t of[DISTVIEW_MAX_RANK];
        memcpy(of, index, sizeof of);
        if (reversed) of[0] = memory.extents[0] - 1 - index[0];
        set_value(kind, memory.rank, of, value);
        wrong += memcmp(address(&memory, index), value, (size_t)(memory.element % 16777216)) != 0;
    } while (next(&memory, index));
    return wrong;
}

distview_array* c_retain(distview_array* array) { return distview_array_retain(array); }
void c_release(distview_array* array) { distview_array_release(array); }

int32_t char_element = DISTVIEW_CHAR;

int world_communicator(distview_communicator** comm) {
    return distview_communicator_create(MPI_COMM_WORLD, comm);
}
