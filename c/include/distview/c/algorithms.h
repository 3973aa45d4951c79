// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ALGORITHMS_H
#define DISTVIEW_C_ALGORITHMS_H

#include <distview/c/array.h>
#include <distview/c/types.h>

/// Results of reductions, of whatever element type.
typedef struct distview_value {
    double real;      ///< the result, or its real part; of integers rounded
    double imaginary; ///< of complex arrays, else 0
    int64_t integer;  ///< of integer arrays, modulo 2^64 (unsigned ones: the same bits), else 0
} distview_value;

/// How reductions add up.
typedef struct distview_reduction_options {
    int32_t cells; ///< distview_cells
    int32_t
        reproducible; ///< the exact sum, rounded once: the same bits for any number of ranks and any layout
} distview_reduction_options;

DISTVIEW_BEGIN_C

// All of these: element types are integers and real numbers, for sums and norms also complex ones; strides of whole
// elements, none negative, in host memory. Sections of integers of less than 64 bits are copied (for norms, of all
// integers).

/// The sum of all cells, on every rank: of float in double, of integers modulo 2^64.
///
/// Collective: over the array's communicator
/// Errors:     SHAPE_ERROR for other element types or strides; USAGE_ERROR if ranks pass different arrays or options
///             (on all ranks)
DISTVIEW_API int distview_sum(const distview_array* array,
                              const distview_reduction_options* options, distview_value* result);
/// The sum of conj(x) * y over all cells of two arrays distributed alike, of one element type.
///
/// Collective: over the communicator of x
/// Errors:     those of distview_sum(); SHAPE_ERROR for arrays that are not alike (on all ranks)
DISTVIEW_API int distview_dot(const distview_array* x, const distview_array* y,
                              const distview_reduction_options* options, distview_value* result);
/// Norm 1 (sum of absolute values), 2 (Euclid's) or, for `order` 0, infinity (the greatest absolute value).
///
/// Collective: over the array's communicator
DISTVIEW_API int distview_norm(const distview_array* array, int order,
                               const distview_reduction_options* options, double* result);
/// The least and the greatest value; NaN if any cell is NaN. `index`, which may be NULL, gets the global indices of the
/// first such cell in C order, one for each axis.
///
/// Collective: over the array's communicator
/// Errors:     USAGE_ERROR if the array has no cells (on all ranks)
DISTVIEW_API int distview_min(const distview_array* array,
                              const distview_reduction_options* options, distview_value* result,
                              int64_t* index);
DISTVIEW_API int distview_max(const distview_array* array,
                              const distview_reduction_options* options, distview_value* result,
                              int64_t* index);

// Along an axis: element types are signed integers of 32 and 64 bits, floating-point numbers, and, but for DISTVIEW_MINIMUM and
// DISTVIEW_MAXIMUM, complex numbers; source and target have the same one. Operations of the program are associative; sums
// are computed in double, of integers modulo 2^64, before they are converted. NaN as of distview_min().

/// target(i, 0, k) = op over all j of source(i, j, k), for axis 1. The target has extent 1 along the axis and the source's
/// cells along all others: distview_layout_reduced() makes such a layout.
///
/// Collective: over the source's communicator; all ranks pass the same operation and options
/// Cost:       reads the source once; one value for each line of cells is exchanged, which takes plans and buffers made in
///             the call
/// Errors:     SHAPE_ERROR if the target's cells are others, or for other element types; USAGE_ERROR if there is no such
///             axis or operation, `cells` is not the interior, for other operations than DISTVIEW_SUM if `reproducible`,
///             or for the minimum and the like of no cells; what an operation of the program returns (on all ranks)
DISTVIEW_API int distview_axis_reduce(const distview_array* source, int axis, int operation,
                                      const distview_reduction_options* options,
                                      distview_array* target);
/// target(i, j, k) = op over all jj <= j of source(i, jj, k), for axis 1, in the order of global indices, on unstructured
/// axes of labels. Operations need not be commutative. The target may be the source.
///
/// Collective: over the source's communicator; all ranks pass the same operation
/// Cost:       as distview_axis_reduce(), along axes that are dealt out in turn, or in no order, also two redistributions
/// Errors:     those of distview_axis_reduce()
DISTVIEW_API int distview_inclusive_scan(const distview_array* source, int axis, int operation,
                                         distview_array* target);
/// The same up to, but not including, each cell: the first one gets the value at `start`, which is of the element type.
///
/// Collective: over the source's communicator; all ranks pass the same operation and value
DISTVIEW_API int distview_exclusive_scan(const distview_array* source, int axis, int operation,
                                         const void* start, distview_array* target);

/// The whole interior on rank `root`: `count` elements one after the other in the order given, DISTVIEW_ROW_MAJOR or
/// DISTVIEW_COLUMN_MAJOR. On other ranks count and `whole` are not looked at. Unstructured axes are ordered by
/// ascending label.
///
/// Collective: over the array's communicator
/// Errors:     SHAPE_ERROR if `count` is not the array's size; USAGE_ERROR if there is no such root (on all ranks)
DISTVIEW_API int distview_gather(const distview_array* array, int root, int order, int64_t count,
                                 void* whole);
/// The reverse: the cells of a whole array on `root` to all sections.
///
/// Collective: over the array's communicator
DISTVIEW_API int distview_scatter(distview_array* array, int root, int order, int64_t count,
                                  const void* whole);

DISTVIEW_END_C

#endif
