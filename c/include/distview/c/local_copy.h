// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_LOCAL_COPY_H
#define DISTVIEW_C_LOCAL_COPY_H

#include <distview/c/array.h>
#include <distview/c/types.h>

/// How a function accesses the elements passed to it.
enum distview_intent {
    DISTVIEW_IN = 0,   ///< reads elements; must not write any
    DISTVIEW_OUT = 1,  ///< writes all or some elements; must not read an element before writing it
    DISTVIEW_INOUT = 2 ///< reads and writes elements
};

/// A plain array as C, Fortran and LAPACK expect it. Valid until the function that gets it returns.
typedef struct distview_plain_array {
    void* data;
    int32_t element; ///< distview_element
    int32_t rank;
    int64_t extents[DISTVIEW_MAX_RANK];
    int64_t leading_dimension; ///< distance in elements along the second fastest axis; at least 1
    int32_t order;             ///< DISTVIEW_ROW_MAJOR or DISTVIEW_COLUMN_MAJOR
    int32_t is_copy;           ///< 0 if this is the distributed array's own memory
} distview_plain_array;

typedef struct distview_local_copy_options {
    int32_t intent;                  ///< distview_intent
    int32_t order;                   ///< DISTVIEW_ROW_MAJOR or DISTVIEW_COLUMN_MAJOR
    int32_t cells;                   ///< distview_cells; of this process's cells
    int32_t takes_leading_dimension; ///< whether gaps after the fastest axis are allowed
    int32_t writes_all;              ///< with DISTVIEW_OUT: promises to write every element
    int32_t unused;
} distview_local_copy_options;

/// Bytes copied on this rank before and after the function's call.
typedef struct distview_local_copy_bytes {
    int64_t copied_in;
    int64_t copied_out;
} distview_local_copy_bytes;

/// A function of the program that works on a plain array. Returns 0 or an error: then nothing is written back.
typedef int (*distview_local_function)(const distview_plain_array* array, void* user);

DISTVIEW_BEGIN_C

/// Calls a function with the cells of this process as one plain array, for code that expects an address and extents.
/// The function gets the section's own memory if its order and gaps are as requested; else a copy, filled and written
/// back as the intent requires. Elements that the function does not write keep their values. `bytes` may be NULL.
///
/// Collective: no
/// Errors:     SHAPE_ERROR for strides that are negative or not of whole elements, and for elements of other sizes than
///             1, 2, 4, 8 or 16 bytes; the function's own error
DISTVIEW_API int distview_with_local_copy(distview_array* array,
                                          const distview_local_copy_options* options,
                                          distview_local_function function, void* user,
                                          distview_local_copy_bytes* bytes);
/// The same with the box [begin[d], end[d]) of cells of the whole array, held by any ranks. Each rank passes its own
/// box, which may be empty.
///
/// Collective: over the array's communicator; all ranks pass equal options
/// Errors:     also USAGE_ERROR if written boxes share cells, LAYOUT_ERROR if a box leaves the interior; the function's
///             own error (on all ranks)
DISTVIEW_API int distview_with_local_copy_of_box(distview_array* array, const int64_t* begin,
                                                 const int64_t* end,
                                                 const distview_local_copy_options* options,
                                                 distview_local_function function, void* user,
                                                 distview_local_copy_bytes* bytes);
/// The same with the whole array. Calls the function on rank `root` only, or for -1 on every rank.
///
/// Collective: over the array's communicator; all ranks pass equal options and roots
DISTVIEW_API int distview_with_local_copy_of_whole(distview_array* array, int root,
                                                   const distview_local_copy_options* options,
                                                   distview_local_function function, void* user,
                                                   distview_local_copy_bytes* bytes);

DISTVIEW_END_C

#endif
