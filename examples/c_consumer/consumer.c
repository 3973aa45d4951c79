/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A C library that knows distributed arrays only through dap.h: any array is a pointer, strides, and one
 * small struct per axis with the position of the section in the whole array. */

#include "consumer.h"

#include <inttypes.h>
#include <stdio.h>

struct range {
    int64_t begin, end;
};

/* The local positions that the process owns: all positions except copies of its neighbours' elements. These
 * are the padding on sides with a neighbour. */
static struct range owned(const struct distview_dap_dim* dim, int64_t extent) {
    struct range range = {0, extent};
    if (dim->keys & DISTVIEW_DAP_PADDING) {
        if (dim->proc_grid_rank > 0) range.begin += dim->padding[0];
        if (dim->proc_grid_rank < dim->proc_grid_size - 1) range.end -= dim->padding[1];
    }
    return range;
}

static void print_axis(int axis, const struct distview_dap_dim* dim, int64_t extent) {
    const struct range mine = owned(dim, extent);
    if (dim->keys == 0) {
        printf("  axis %d: %" PRId64 " elements, not distributed\n", axis, extent);
        return;
    }
    printf("  axis %d: %" PRId64 " of %" PRId64 " elements", axis, mine.end - mine.begin,
           dim->size);
    if (dim->dist_type == 'b')
        printf(", %" PRId64 " to %" PRId64, dim->start + mine.begin, dim->start + mine.end - 1);
    if (dim->dist_type == 'c')
        printf(", blocks of %" PRId64 " from %" PRId64 " on",
               dim->keys & DISTVIEW_DAP_BLOCK_SIZE ? dim->block_size : 1, dim->start);
    if (dim->dist_type == 'u')
        for (int64_t i = 0; i < dim->indices_count; ++i)
            printf("%s %" PRId64, i ? "" : ",", dim->indices[i]);
    printf("\n");
}

/* Sums over the owned part of the axes from `axis` on; strides are in bytes. */
static double sum_owned(const struct distview_dap_section* section, int axis, const char* element) {
    double sum = 0;
    if (axis == section->ndim) return *(const double*)(const void*)element;
    const struct range range = owned(&section->dims[axis], section->extents[axis]);
    for (int64_t i = range.begin; i < range.end; ++i)
        sum += sum_owned(section, axis + 1, element + i * section->strides[axis]);
    return sum;
}

int consume(struct distview_dap_section* section, double* sum) {
    const int understood = section->abi_major == DISTVIEW_DAP_ABI_MAJOR &&
                           section->version[0] == 0 && section->version[1] == 10 &&
                           section->element.kind == DISTVIEW_DAP_FLOAT &&
                           section->element.bytes == sizeof(double) &&
                           section->device_type == DISTVIEW_DAP_CPU && section->strides;
    if (understood) {
        printf("process %" PRId32 " of %" PRId32 "\n", section->process, section->process_count);
        for (int axis = 0; axis < section->ndim; ++axis)
            print_axis(axis, &section->dims[axis], section->extents[axis]);
        *sum = sum_owned(section, 0, section->data);
        printf("  sum of what it owns: %g\n", *sum);
    }
    section->release(section);
    return understood ? 0 : 1;
}
