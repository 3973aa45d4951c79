// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_LAYOUT_H
#define DISTVIEW_C_LAYOUT_H

#include <distview/c/types.h>

/// The distribution of a whole array over a process grid: one axis layout per axis. A layout never changes, many threads
/// may read it, and it is the same for all processes. Ranks that share an array create equal layouts.
typedef struct distview_layout distview_layout;

/// Kinds of axis layouts.
enum distview_axis_kind {
    DISTVIEW_BLOCK = 0,         ///< blocks whose sizes differ by at most 1, larger ones first
    DISTVIEW_REGULAR_BLOCK = 1, ///< blocks of ceil(extent / P); the last ones may be empty
    DISTVIEW_BLOCK_BOUNDS = 2,  ///< process p has [bounds[p], bounds[p + 1])
    DISTVIEW_CYCLIC = 3,        ///< dealt out in blocks of block_size elements; 0: of one element
    DISTVIEW_UNSTRUCTURED = 4,  ///< process p has the next counts[p] of `labels`
    DISTVIEW_UNSTRUCTURED_LOCAL =
        5,            ///< only the labels of process `known_process` are known: counts[0] of them
    DISTVIEW_USER = 6 ///< by a function of the program
};

/// A distribution function of the program: stores the process and the position in its section of element `index` of an
/// axis, all from 0. Returns 0 or an error.
typedef int (*distview_distribution)(int64_t index, int* process, int64_t* position, void* user);

/// Description of one axis for distview_layout_create(). Fields that are not named for a kind below are
/// ignored, except padding along axes without blocks, which is an error.
typedef struct distview_axis {
    int32_t kind;     ///< distview_axis_kind
    int32_t periodic; ///< whether exchanges fill boundary padding from the other end
    /// Interior elements. Ignored for BLOCK_BOUNDS and UNSTRUCTURED, where bounds and distinct labels determine it.
    /// UNSTRUCTURED_LOCAL: elements of the whole axis.
    int64_t extent;
    int64_t padding_low; ///< communication padding of every section; blocks only
    int64_t padding_high;
    int64_t
        boundary_low; ///< if own_boundary: boundary padding at the ends of the array; else as wide as the padding
    int64_t boundary_high;
    int32_t own_boundary;
    int32_t one_to_one; ///< UNSTRUCTURED: promises that no label occurs twice
    int64_t block_size; ///< CYCLIC
    /// BLOCK_BOUNDS: P + 1 bounds, ascending from 0, for P processes along the axis.
    const int64_t* bounds;
    /// BLOCK_BOUNDS: low and high padding of process 0, of process 1, ...; 2 * P numbers. NULL: padding_low and
    /// padding_high for all processes.
    const int64_t* paddings;
    const int64_t*
        counts; ///< UNSTRUCTURED: labels of each process, P numbers; UNSTRUCTURED_LOCAL: one
    const int64_t* labels; ///< one process after the other
    const int64_t*
        ghosts; ///< number of ghosts at the end of each process's labels, as `counts`; NULL: none
    int32_t known_process; ///< UNSTRUCTURED_LOCAL: coordinate along this axis
    int32_t unused;
    distview_distribution distribution; ///< USER
    void* user;                         ///< USER: passed to `distribution`
} distview_axis;

DISTVIEW_BEGIN_C

/// A layout of `rank` axes, from 0 to DISTVIEW_MAX_RANK, over a process grid with grid[d] processes along axis d.
/// Ranks number the grid in C order, the last axis fastest. Lists are copied.
///
/// Errors: LAYOUT_ERROR if the layout is impossible: negative sizes or widths, bounds that do not ascend from 0, a label
///         that occurs twice where it must not, ghosts without an owner, a program's distribution that leaves out
///         positions; the error that a program's distribution returns
DISTVIEW_API int distview_layout_create(int rank, const int* grid, const distview_axis* axes,
                                        distview_layout** result);
/// A grid of `processes` processes, grid[d] of them along axis d, as close to a cube as possible.
DISTVIEW_API int distview_balanced_grid(int processes, int rank, int* grid);
/// The layout whose axis d is axis permutation[d] of `layout`, on the permuted grid.
DISTVIEW_API int distview_layout_permute(const distview_layout* layout, const int* permutation,
                                         distview_layout** result);
/// The layout of a reduction's result: the axis has extent 1, on the processes with coordinate 0 along it or, if
/// `everywhere` is not 0, on all processes.
DISTVIEW_API int distview_layout_reduced(const distview_layout* layout, int axis, int everywhere,
                                         distview_layout** result);
DISTVIEW_API distview_layout* distview_layout_retain(distview_layout* layout);
DISTVIEW_API void distview_layout_release(distview_layout* layout);

/// Number of axes.
DISTVIEW_API int distview_layout_rank(const distview_layout* layout, int* rank);
/// Processes along each axis, and in total.
DISTVIEW_API int distview_layout_grid(const distview_layout* layout, int* grid);
DISTVIEW_API int distview_layout_process_count(const distview_layout* layout, int* processes);
/// Interior elements of the whole array along each axis, and in total.
DISTVIEW_API int distview_layout_extents(const distview_layout* layout, int64_t* extents);
DISTVIEW_API int distview_layout_size(const distview_layout* layout, int64_t* size);
/// Coordinates of a process in the grid. Errors, also of all functions below that take a process: USAGE_ERROR if the
/// layout does not have this process
DISTVIEW_API int distview_layout_coordinates(const distview_layout* layout, int process,
                                             int* coordinates);
/// Extents of the section of a process, all padding and ghosts included.
DISTVIEW_API int distview_layout_local_extents(const distview_layout* layout, int process,
                                               int64_t* extents);
/// Positions in the section of the elements that the process owns: without communication padding and ghosts.
DISTVIEW_API int distview_layout_owned(const distview_layout* layout, int process, int64_t* begin,
                                       int64_t* end);
/// Positions in the section of the cells that the process computes: without any padding and ghosts.
DISTVIEW_API int distview_layout_interior(const distview_layout* layout, int process,
                                          int64_t* begin, int64_t* end);

/// The process that owns the element with these global indices; -1 if a label has no owner or, for
/// UNSTRUCTURED_LOCAL, an owner other than the known process.
///
/// Errors: USAGE_ERROR for indices outside of the array with its boundary padding
DISTVIEW_API int distview_layout_owner(const distview_layout* layout, const int64_t* index,
                                       int* process);
/// Global index of a position along an axis of a section, and the position of a global index; -1 if the section does
/// not hold it.
DISTVIEW_API int distview_layout_to_global(const distview_layout* layout, int process, int axis,
                                           int64_t position, int64_t* index);
DISTVIEW_API int distview_layout_to_local(const distview_layout* layout, int process, int axis,
                                          int64_t index, int64_t* position);

/// 1 if the two layouts are equal, else 0; equal layouts have equal fingerprints, also on other ranks.
DISTVIEW_API int distview_layout_equal(const distview_layout* a, const distview_layout* b,
                                       int* equal);
DISTVIEW_API int distview_layout_fingerprint(const distview_layout* layout, uint64_t* fingerprint);
/// A text picture: the owner of each element, and the section of every process.
DISTVIEW_API int distview_layout_describe(const distview_layout* layout, char* text,
                                          int64_t capacity, int64_t* length);

DISTVIEW_END_C

#endif
