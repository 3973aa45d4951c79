// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_REDISTRIBUTION_H
#define DISTVIEW_C_REDISTRIBUTION_H

#include <distview/c/array.h>
#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/padding.h>
#include <distview/c/types.h>

/// A reusable plan that moves elements from one layout to any other: C++'s RedistributionPlan.
typedef struct distview_redistribution_plan distview_redistribution_plan;

/// By default every interior cell moves to the cell with the same global index. See also C++'s RedistributionOptions.
typedef struct distview_redistribution_options {
    const int*
        permutation; ///< axis d of the target is axis permutation[d] of the source; NULL: axis d
    const distview_slice* from_slice; ///< by axis of the source; NULL: everything
    const distview_slice* to_slice;   ///< by axis of the target
    /// The ranks of processes 0, 1, ... of the source's and of the target's grid; NULL: process p is rank p.
    const int* from_ranks;
    const int* to_ranks;
    /// In place: upper limit for a rank's buffers (some memory is needed); 0: the library chooses.
    int64_t buffer_bytes;
    int32_t allow_missing_indices;
    int32_t fill_padding; ///< whether to write also target padding that mirrors cells
    int32_t conjugate;    ///< whether to conjugate complex elements on the way
    int32_t in_place;     ///< whether source and target may share memory
} distview_redistribution_options;

DISTVIEW_BEGIN_C

/// Collective: over comm
/// Errors:     LAYOUT_ERROR if numbers of axes differ, `permutation` is not a permutation, slices do not fit, or an index
///             of the target is not in the source; USAGE_ERROR if a grid has more processes than comm has ranks, or
///             ranks pass different arguments (on all ranks)
DISTVIEW_API int distview_redistribution_plan_create(const distview_communicator* comm,
                                                     const distview_layout* from,
                                                     const distview_layout* to,
                                                     const distview_redistribution_options* options,
                                                     distview_redistribution_plan** result);
DISTVIEW_API distview_redistribution_plan*
distview_redistribution_plan_retain(distview_redistribution_plan* plan);
DISTVIEW_API void distview_redistribution_plan_release(distview_redistribution_plan* plan);

/// target = source. Both have the same element type, of 1, 2, 4, 8 or 16 bytes. A rank that is not a process of a grid
/// passes NULL for its section.
///
/// Collective: over the plan's communicator
/// Cost:       no allocation for arrays used before
/// Errors:     SHAPE_ERROR if an array is not of the plan's layout, or element types differ; USAGE_ERROR if source and
///             target share memory and the plan is not in place, or has fewer buffer_bytes than it needs (on all ranks)
DISTVIEW_API int distview_redistribution_plan_execute(distview_redistribution_plan* plan,
                                                      const distview_array* source,
                                                      distview_array* target);
/// Begins an execution; distview_exchange_finish() ends it. Until then the program must not write the source, nor read or
/// write the target.
///
/// Collective: over the plan's communicator
/// Cost:       no allocation for arrays used before
/// Errors:     those of execute; USAGE_ERROR if an execution of the plan is in flight or was abandoned (on all ranks)
DISTVIEW_API int distview_redistribution_plan_start(distview_redistribution_plan* plan,
                                                    const distview_array* source,
                                                    distview_array* target,
                                                    distview_exchange** result);
/// target = beta * target + alpha * source; alpha and beta point to values of the element type: integers, real or
/// complex numbers. With beta = 0 the target is not read.
///
/// Collective: over the plan's communicator; all ranks pass the same values
DISTVIEW_API int distview_redistribution_plan_execute_scaled(distview_redistribution_plan* plan,
                                                             const void* alpha,
                                                             const distview_array* source,
                                                             const void* beta,
                                                             distview_array* target);
/// target = op(target, source). If several processes of the source hold an index, every copy counts.
///
/// Collective: over the plan's communicator; all ranks pass the same operation
/// Errors:     those of execute and of distview_padding_plan_combine() (on all ranks)
DISTVIEW_API int distview_redistribution_plan_combine(distview_redistribution_plan* plan,
                                                      int operation, const distview_array* source,
                                                      distview_array* target);
/// Bytes of buffers for the arrays used so far.
DISTVIEW_API int
distview_redistribution_plan_workspace_bytes(const distview_redistribution_plan* plan,
                                             int64_t* bytes);
DISTVIEW_API int distview_redistribution_plan_describe(const distview_redistribution_plan* plan,
                                                       char* text, int64_t capacity,
                                                       int64_t* length);

DISTVIEW_END_C

#endif
