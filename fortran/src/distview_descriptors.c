// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes plain Fortran arrays as memory of the C face. Descriptors differ between compilers: compile this file with the
// C compiler that belongs to the Fortran compiler.

#include <ISO_Fortran_binding.h>

#define DISTVIEW_WITHOUT_MPI_H
#include <distview/c/array.h>

static int32_t element_of(const CFI_cdesc_t* a) {
    switch (a->type) {
    case CFI_type_int8_t: return DISTVIEW_INT8;
    case CFI_type_int16_t: return DISTVIEW_INT16;
    case CFI_type_int32_t: return DISTVIEW_INT32;
    case CFI_type_int64_t: return DISTVIEW_INT64;
    case CFI_type_float: return DISTVIEW_FLOAT32;
    case CFI_type_double: return DISTVIEW_FLOAT64;
    case CFI_type_float_Complex: return DISTVIEW_COMPLEX64;
    case CFI_type_double_Complex: return DISTVIEW_COMPLEX128;
    case CFI_type_Bool: return a->elem_len == 1 ? DISTVIEW_BOOL : DISTVIEW_OPAQUE(a->elem_len);
    default: return DISTVIEW_OPAQUE(a->elem_len); // other logicals, characters, derived types
    }
}

// Axes in C's order: Fortran's first axis, the fastest, is the last one.
void distview_fortran_describe(const CFI_cdesc_t* a, distview_memory* memory) {
    const int rank = a->rank;
    memory->data = a->base_addr;
    memory->element = element_of(a);
    memory->rank = rank;
    // Arrays with more axes are refused later by their rank. The extents of unallocated arrays are undefined.
    for (int d = 0; d < rank && rank <= DISTVIEW_MAX_RANK; ++d) {
        memory->extents[rank - 1 - d] = a->base_addr ? a->dim[d].extent : 0;
        memory->strides[rank - 1 - d] = a->base_addr ? a->dim[d].sm : 0;
    }
    memory->order = DISTVIEW_STRIDED;
    memory->read_only = 0;
    memory->device_type = DISTVIEW_HOST;
    memory->device_id = 0;
}
