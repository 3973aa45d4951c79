// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ELEMENTS_H
#define DISTVIEW_C_ELEMENTS_H

#include <distview/c/array.h>
#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/padding.h>
#include <distview/c/types.h>

/// Elements named by global indices, in the caller's order. Each rank has its own list, which may be empty.
typedef struct distview_index_list distview_index_list;
/// Copies the elements of a list to this rank, or combines this rank's values with them: C++'s GatherPlan.
typedef struct distview_gather_plan distview_gather_plan;
/// A layout whose first axis has, on each process, the indices that the process owns, followed by ghosts: copies of
/// indices that other processes own.
typedef struct distview_ghosted_layout distview_ghosted_layout;
/// Fills the ghosts of arrays, or combines them with their owners' elements: C++'s GhostExchangePlan.
typedef struct distview_ghost_plan distview_ghost_plan;

DISTVIEW_BEGIN_C

/// An empty list of elements with `rank` indices each.
DISTVIEW_API int distview_index_list_create(int rank, distview_index_list** result);
DISTVIEW_API distview_index_list* distview_index_list_retain(distview_index_list* list);
DISTVIEW_API void distview_index_list_release(distview_index_list* list);
/// Appends `count` elements: `rank` indices for each, one element after the other.
DISTVIEW_API int distview_index_list_add(distview_index_list* list, int64_t count,
                                         const int64_t* indices);
/// Appends the elements of a box, the last axis fastest: begin[d], begin[d] + step[d], ... below end[d] (above it, if
/// the step is negative). `step` may be NULL: all 1.
DISTVIEW_API int distview_index_list_add_box(distview_index_list* list, const int64_t* begin,
                                             const int64_t* end, const int64_t* step);
DISTVIEW_API int distview_index_list_size(const distview_index_list* list, int64_t* size);

/// A plan for arrays of a layout. Copies the list.
///
/// Collective: over comm
/// Errors:     USAGE_ERROR if an element has no owner, or the list has another number of axes (on all ranks)
DISTVIEW_API int distview_gather_plan_create(const distview_communicator* comm,
                                             const distview_layout* layout,
                                             const distview_index_list* list,
                                             distview_gather_plan** result);
DISTVIEW_API distview_gather_plan* distview_gather_plan_retain(distview_gather_plan* plan);
DISTVIEW_API void distview_gather_plan_release(distview_gather_plan* plan);
/// Number of elements in this rank's list.
DISTVIEW_API int distview_gather_plan_size(const distview_gather_plan* plan, int64_t* size);
DISTVIEW_API int distview_gather_plan_describe(const distview_gather_plan* plan, char* text,
                                               int64_t capacity, int64_t* length);
/// values[k] = element k of this rank's list, for all `count` elements.
///
/// Collective: over the plan's communicator
/// Shapes:     elements of 1, 2, 4, 8 or 16 bytes, at strides of whole elements; contiguous values
/// Errors:     SHAPE_ERROR if `count` is not the list's size, or the array does not fit the plan; USAGE_ERROR if the
///             values share memory with the array; those of distview_padding_plan_execute() (on all ranks)
DISTVIEW_API int distview_gather_plan_execute(distview_gather_plan* plan,
                                              const distview_array* array, int64_t count,
                                              void* values);
/// Begins an execution; distview_exchange_finish() ends it. Until then the program must not write the array, nor access
/// `values`.
///
/// Collective: over the plan's communicator
/// Cost:       that of execute, and an allocation
/// Errors:     those of execute; USAGE_ERROR if an execution of the plan is in flight
DISTVIEW_API int distview_gather_plan_start(distview_gather_plan* plan, const distview_array* array,
                                            int64_t count, void* values,
                                            distview_exchange** result);
/// distview_gather_plan_execute() without other ranks, for an array that it was called with before and that
/// distview_array_create() made, if all owners are on this node. The program must ensure that no process writes these
/// elements meanwhile.
///
/// Collective: no
DISTVIEW_API int distview_gather_plan_read(distview_gather_plan* plan, const distview_array* array,
                                           int64_t count, void* values);
/// Element k of the list = op(element, values[k]), for all values of all ranks, by ascending rank and within a rank in
/// the list's order. The order does not depend on the transport, so the bits of the result do not, either.
///
/// Collective: over the plan's communicator
/// Errors:     those of execute and of distview_padding_plan_combine() (on all ranks)
DISTVIEW_API int distview_gather_plan_combine(distview_gather_plan* plan, int operation,
                                              int64_t count, const void* values,
                                              distview_array* array);

/// Make a plan, execute it once and drop it. put writes: if an element gets several values, the last one stays, from the
/// highest rank.
///
/// Collective: over the array's communicator; lists may differ
DISTVIEW_API int distview_get_elements(const distview_array* array, const distview_index_list* list,
                                       int64_t count, void* values);
DISTVIEW_API int distview_put_elements(distview_array* array, const distview_index_list* list,
                                       int64_t count, const void* values);
DISTVIEW_API int distview_accumulate_elements(distview_array* array, int operation,
                                              const distview_index_list* list, int64_t count,
                                              const void* values);
/// The same for the box [begin[d], end[d]); its values are contiguous, the last axis fastest.
///
/// Collective: over the array's communicator; boxes may differ, and be empty
DISTVIEW_API int distview_get_box(const distview_array* array, const int64_t* begin,
                                  const int64_t* end, int64_t count, void* values);
DISTVIEW_API int distview_put_box(distview_array* array, const int64_t* begin, const int64_t* end,
                                  int64_t count, const void* values);
DISTVIEW_API int distview_accumulate_box(distview_array* array, int operation, const int64_t* begin,
                                         const int64_t* end, int64_t count, const void* values);

/// The layout in which this process owns the indices `owned` and has as ghosts the indices of `needed` that it does not
/// own, each once, ascending. `more_axes`: further axes of arrays, each on one process; may be NULL for none.
///
/// Collective: over comm
/// Errors:     LAYOUT_ERROR if an index occurs twice in `owned` (on all ranks). An index with two owners or none is an
///             error only when a plan is made
DISTVIEW_API int distview_ghosted_layout_create(const distview_communicator* comm,
                                                int64_t owned_count, const int64_t* owned,
                                                int64_t needed_count, const int64_t* needed,
                                                int more_axes_count, const distview_axis* more_axes,
                                                distview_ghosted_layout** result);
DISTVIEW_API distview_ghosted_layout*
distview_ghosted_layout_retain(distview_ghosted_layout* ghosted);
DISTVIEW_API void distview_ghosted_layout_release(distview_ghosted_layout* ghosted);
/// The layout of arrays, with a new reference.
DISTVIEW_API int distview_ghosted_layout_layout(const distview_ghosted_layout* ghosted,
                                                distview_layout** layout);
/// Positions [0, owned) of the section are owned, [owned, owned + ghosts) are ghosts.
DISTVIEW_API int distview_ghosted_layout_counts(const distview_ghosted_layout* ghosted,
                                                int64_t* owned, int64_t* ghosts);
/// The position of each of the `count` needed indices.
///
/// Errors: SHAPE_ERROR if `count` is not the number of needed indices
DISTVIEW_API int distview_ghosted_layout_positions(const distview_ghosted_layout* ghosted,
                                                   int64_t count, int64_t* positions);

/// Collective: over comm
/// Errors:     USAGE_ERROR if a ghost has no owner, or an index has several owners (on all ranks)
DISTVIEW_API int distview_ghost_plan_create(const distview_communicator* comm,
                                            const distview_ghosted_layout* ghosted,
                                            distview_ghost_plan** result);
DISTVIEW_API distview_ghost_plan* distview_ghost_plan_retain(distview_ghost_plan* plan);
DISTVIEW_API void distview_ghost_plan_release(distview_ghost_plan* plan);
DISTVIEW_API int distview_ghost_plan_describe(const distview_ghost_plan* plan, char* text,
                                              int64_t capacity, int64_t* length);
/// Ghosts = their owners' elements.
///
/// Collective: over the plan's communicator
DISTVIEW_API int distview_ghost_plan_execute(distview_ghost_plan* plan, distview_array* array);
/// Owners' elements = op(...op(element, ghost), ghost...), ghosts by ascending rank. Ghosts keep their values.
///
/// Collective: over the plan's communicator
DISTVIEW_API int distview_ghost_plan_combine(distview_ghost_plan* plan, int operation,
                                             distview_array* array);

DISTVIEW_END_C

#endif
