// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain Fortran arrays as memory of the C face. Compilers differ in what their descriptors hold, so that this file is
// compiled by the C compiler that goes with the Fortran compiler.

#include <ISO_Fortran_binding.h>

#define DISTVIEW_WITHOUT_MPI_H
#include <distview/c/array.h>

#include <stdbool.h>

static int32_t element_of(const CFI_cdesc_t* a) {
    const int32_t bytes = (int32_t)a->elem_len;
    switch (a->type) {
    case CFI_type_int8_t: return DISTVIEW_INT8;
    case CFI_type_int16_t: return DISTVIEW_INT16;
    case CFI_type_int32_t: return DISTVIEW_INT32;
    case CFI_type_int64_t: return DISTVIEW_INT64;
    case CFI_type_float: return DISTVIEW_FLOAT32;
    case CFI_type_double: return DISTVIEW_FLOAT64;
    case CFI_type_float_Complex: return DISTVIEW_COMPLEX64;
    case CFI_type_double_Complex: return DISTVIEW_COMPLEX128;
    case CFI_type_Bool: return bytes == 1 ? DISTVIEW_BOOL : DISTVIEW_OPAQUE(bytes);
    default: return DISTVIEW_OPAQUE(bytes); // other logicals, characters, derived types
    }
}

// Axes in C's order: Fortran's first axis, the fastest, is the last one.
void distview_fortran_describe(const CFI_cdesc_t* a, distview_memory* memory) {
    const int rank = a->rank;
    memory->data = a->base_addr;
    memory->element = element_of(a);
    memory->rank = rank;
    // Arrays of more axes are refused by their rank. Of what is not allocated compilers define no extents.
    for (int d = 0; d < rank && rank <= DISTVIEW_MAX_RANK; ++d) {
        memory->extents[rank - 1 - d] = a->base_addr ? a->dim[d].extent : 0;
        memory->strides[rank - 1 - d] = a->base_addr ? a->dim[d].sm : 0;
    }
    memory->order = DISTVIEW_STRIDED;
    memory->read_only = 0;
    memory->device_type = DISTVIEW_HOST;
    memory->device_id = 0;
}

// As is_same() of distview_memories.f90 compares descriptions.
static bool is_described(const CFI_cdesc_t* a, const distview_memory* memory) {
    const int rank = a->rank;
    if (memory->data != a->base_addr || memory->rank != rank || rank > DISTVIEW_MAX_RANK || !a->base_addr) return false;
    for (int d = 0; d < rank; ++d)
        if (memory->extents[rank - 1 - d] != a->dim[d].extent || memory->strides[rank - 1 - d] != a->dim[d].sm) return false;
    return memory->order == DISTVIEW_STRIDED && !memory->read_only && memory->device_type == DISTVIEW_HOST &&
           memory->device_id == 0 && memory->element == element_of(a);
}

enum { most_fields = 16 };

// The fields of a call; those that the program leaves out are null. `fields` and `count` are those of the call before: most
// calls pass the same ones, and then `are_resolved` stays as it is, and is false after any others.
void distview_fortran_describe_fields(distview_memory* fields, int* count, bool* has_gap, bool* are_resolved,
                                      const CFI_cdesc_t* f1, const CFI_cdesc_t* f2, const CFI_cdesc_t* f3,
                                      const CFI_cdesc_t* f4, const CFI_cdesc_t* f5, const CFI_cdesc_t* f6,
                                      const CFI_cdesc_t* f7, const CFI_cdesc_t* f8, const CFI_cdesc_t* f9,
                                      const CFI_cdesc_t* f10, const CFI_cdesc_t* f11, const CFI_cdesc_t* f12,
                                      const CFI_cdesc_t* f13, const CFI_cdesc_t* f14, const CFI_cdesc_t* f15,
                                      const CFI_cdesc_t* f16) {
    const CFI_cdesc_t* const given[most_fields] = {f1, f2,  f3,  f4,  f5,  f6,  f7,  f8,
                                                   f9, f10, f11, f12, f13, f14, f15, f16};
    int n = most_fields;
    while (n > 1 && !given[n - 1]) --n;
    bool gap = false;
    bool same = *are_resolved && n == *count;
    for (int i = 0; i < n; ++i) {
        if (!given[i]) {
            gap = true;
        } else if (!same || !is_described(given[i], &fields[i])) {
            same = false;
            distview_fortran_describe(given[i], &fields[i]);
        }
    }
    *count = n;
    *has_gap = gap;
    *are_resolved = same && !gap;
}
