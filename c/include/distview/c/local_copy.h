// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_LOCAL_COPY_H
#define DISTVIEW_C_LOCAL_COPY_H

#include <distview/c/array.h>
#include <distview/c/types.h>

/// What a function does with elements that it is given.
enum distview_intent {
    DISTVIEW_IN = 0,   ///< reads them; must not write any
    DISTVIEW_OUT = 1,  ///< writes all or some of them; must not read any before it has written it
    DISTVIEW_INOUT = 2 ///< reads and writes them
};

/// A plain array as C, Fortran and LAPACK take it. Valid until the function that gets it returns.
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
    int32_t takes_leading_dimension; ///< whether gaps after the fastest axis will do
    int32_t writes_all;              ///< promises of DISTVIEW_OUT that every element is written
    int32_t unused;
} distview_local_copy_options;

/// Bytes that were copied on this rank, before and after the call.
typedef struct distview_local_copy_bytes {
    int64_t copied_in;
    int64_t copied_out;
} distview_local_copy_bytes;

/// A function of the program that works on a plain array. Returns 0 or an error: then nothing is written back.
typedef int (*distview_local_function)(const distview_plain_array* array, void* user);

DISTVIEW_BEGIN_C

/// Calls a function with the cells of this process as one plain array, for code that takes an address and extents. It
/// gets the section's own memory if the cells lie there as asked for; else a copy, of which is copied what the intent
/// needs. Elements that the function does not write stay as they were. `bytes` may be NULL.
///
/// Collective: no
/// Errors:     SHAPE_ERROR for strides that are not of whole elements or negative, and elements that have not 1, 2, 4, 8
///             or 16 bytes; what the function returns
DISTVIEW_API int distview_with_local_copy(distview_array* array,
                                          const distview_local_copy_options* options,
                                          distview_local_function function, void* user,
                                          distview_local_copy_bytes* bytes);
/// The same with the box [begin[d], end[d]) of cells of the whole array, whichever ranks hold them; each rank passes a
/// box of its own, which may be empty.
///
/// Collective: over the array's communicator; all ranks pass equal options
/// Errors:     also USAGE_ERROR if boxes that are written share cells, LAYOUT_ERROR if a box leaves the interior; what
///             the function returns (on all ranks)
DISTVIEW_API int distview_with_local_copy_of_box(distview_array* array, const int64_t* begin,
                                                 const int64_t* end,
                                                 const distview_local_copy_options* options,
                                                 distview_local_function function, void* user,
                                                 distview_local_copy_bytes* bytes);
/// The same with the whole array on rank `root`, whose function alone is called, or, for -1, on every rank.
///
/// Collective: over the array's communicator; all ranks pass equal options and roots
DISTVIEW_API int distview_with_local_copy_of_whole(distview_array* array, int root,
                                                   const distview_local_copy_options* options,
                                                   distview_local_function function, void* user,
                                                   distview_local_copy_bytes* bytes);

DISTVIEW_END_C

#endif
