// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ALGORITHMS_H
#define DISTVIEW_C_ALGORITHMS_H

#include <distview/c/array.h>
#include <distview/c/types.h>

/// The result of a reduction, for any element type.
typedef struct distview_value {
    double real;      ///< the result, or its real part; rounded for integers
    double imaginary; ///< for complex arrays, else 0
    int64_t integer;  ///< for integer arrays, modulo 2^64 (unsigned: the same bits), else 0
} distview_value;

/// Options of reductions.
typedef struct distview_reduction_options {
    int32_t cells; ///< distview_cells
    int32_t
        reproducible; ///< exact sums, rounded once: the same bits for any number of ranks and any layout
} distview_reduction_options;

DISTVIEW_BEGIN_C

// Reductions accept integers and real numbers, for sums and norms also complex numbers, in host memory, with strides of
// whole elements that are not negative. Sections of integers of less than 64 bits are copied (for norms, of all
// integers).

/// The sum of all cells, on every rank: float elements are added in double, integers modulo 2^64.
///
/// Collective: over the array's communicator
/// Errors:     SHAPE_ERROR for other element types or strides; USAGE_ERROR if ranks pass different arrays or options
///             (on all ranks)
DISTVIEW_API int distview_sum(const distview_array* array,
                              const distview_reduction_options* options, distview_value* result);
/// The sum of conj(x) * y over all cells of two arrays with the same distribution and element type.
///
/// Collective: over the communicator of x
/// Errors:     those of distview_sum(); SHAPE_ERROR if the arrays differ in distribution or element type (on all ranks)
DISTVIEW_API int distview_dot(const distview_array* x, const distview_array* y,
                              const distview_reduction_options* options, distview_value* result);
/// The norm of `order` 1 (sum of absolute values), 2 (Euclidean) or 0: infinity (the greatest absolute value).
///
/// Collective: over the array's communicator
DISTVIEW_API int distview_norm(const distview_array* array, int order,
                               const distview_reduction_options* options, double* result);
/// The least and the greatest value; NaN if any cell is NaN. `index`, which may be NULL, gets the global indices, one for
/// each axis, of the first cell with that value in C order.
///
/// Collective: over the array's communicator
/// Errors:     USAGE_ERROR if the array has no cells (on all ranks)
DISTVIEW_API int distview_min(const distview_array* array,
                              const distview_reduction_options* options, distview_value* result,
                              int64_t* index);
DISTVIEW_API int distview_max(const distview_array* array,
                              const distview_reduction_options* options, distview_value* result,
                              int64_t* index);

// Functions along an axis accept signed integers of 32 and 64 bits, floating-point numbers and, except for
// DISTVIEW_MINIMUM and DISTVIEW_MAXIMUM, complex numbers; source and target have the same type. Operations of the program
// must be associative. Sums are computed in double (integers modulo 2^64) and then converted. NaN as in distview_min().

/// target(i, 0, k) = op over all j of source(i, j, k), for axis 1. The target has extent 1 along the axis and the source's
/// cells along all other axes: distview_layout_reduced() makes such a layout.
///
/// Collective: over the source's communicator; all ranks pass the same operation and options
/// Cost:       reads the source once; exchanges one value for each line of cells, with plans and buffers made in the call
/// Errors:     SHAPE_ERROR if the target has other cells, or for other element types; USAGE_ERROR for an unknown axis or
///             operation, if `cells` is not the interior, if `reproducible` with an operation other than DISTVIEW_SUM,
///             or for a minimum, maximum or operation of the program over no cells; an error that an operation of the
///             program returns (on all ranks)
DISTVIEW_API int distview_axis_reduce(const distview_array* source, int axis, int operation,
                                      const distview_reduction_options* options,
                                      distview_array* target);
/// target(i, j, k) = op over all jj <= j of source(i, jj, k), for axis 1, in the order of global indices (unstructured
/// axes: of labels). Operations need not be commutative. The target may be the source.
///
/// Collective: over the source's communicator; all ranks pass the same operation
/// Cost:       as distview_axis_reduce(); along distributed cyclic axes and unstructured axes also two redistributions
/// Errors:     those of distview_axis_reduce()
DISTVIEW_API int distview_inclusive_scan(const distview_array* source, int axis, int operation,
                                         distview_array* target);
/// The same over all jj < j: the first cell gets the value at `start`, which has the element type.
///
/// Collective: over the source's communicator; all ranks pass the same operation and value
DISTVIEW_API int distview_exclusive_scan(const distview_array* source, int axis, int operation,
                                         const void* start, distview_array* target);

/// Gathers the whole interior to rank `root`: `count` contiguous elements in `order`, DISTVIEW_ROW_MAJOR or
/// DISTVIEW_COLUMN_MAJOR. Other ranks ignore `count` and `whole`. Unstructured axes are ordered by ascending label.
///
/// Collective: over the array's communicator
/// Errors:     SHAPE_ERROR if `count` is not the array's size; USAGE_ERROR if `root` is not a rank (on all ranks)
DISTVIEW_API int distview_gather(const distview_array* array, int root, int order, int64_t count,
                                 void* whole);
/// Scatters the cells of a whole array on `root` to all sections: the reverse of distview_gather().
///
/// Collective: over the array's communicator
DISTVIEW_API int distview_scatter(distview_array* array, int root, int order, int64_t count,
                                  const void* whole);

DISTVIEW_END_C

#endif
