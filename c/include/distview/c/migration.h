// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_MIGRATION_H
#define DISTVIEW_C_MIGRATION_H

#include <distview/c/communicator.h>
#include <distview/c/padding.h>
#include <distview/c/types.h>

/// A plan that moves each element of a list to the rank named for it: particles, or other elements that change their
/// owner; C++'s MigrationPlan.
///
///     distview_migration_plan_create(comm, n, targets, &plan);       // element k goes to rank targets[k]
///     distview_migration_plan_sizes(plan, NULL, &arriving, NULL);    // then allocate room for them
///     const distview_migrating_field fields[] = {
///         {.from = x, .to = x2, .from_count = n, .to_count = arriving, .element = DISTVIEW_FLOAT64},
///         {.from = p, .to = p2, .from_count = n, .to_count = arriving, .element = DISTVIEW_OPAQUE(sizeof *p)}};
///     distview_migration_plan_execute(plan, 2, fields);
///
/// Elements arrive by ascending source rank, in the order that they had there; a rank's own elements take its place in
/// that order. All fields of a call travel together. The first call with a sequence of element types allocates buffers;
/// later calls with that sequence allocate nothing, for any lists.
typedef struct distview_migration_plan distview_migration_plan;

/// One list: contiguous elements to move, and room for arriving elements, in host memory. A pointer may be null if its
/// count is 0.
typedef struct distview_migrating_field {
    const void* from;
    void* to;
    int64_t from_count;
    int64_t to_count;
    int32_t element; ///< distview_element; DISTVIEW_OPAQUE of any size below 16 MiB
    int32_t unused;
} distview_migrating_field;

DISTVIEW_BEGIN_C

/// A plan for the `count` elements of this rank, which may be 0. Copies `targets`.
///
/// Collective: over comm
/// Errors:     USAGE_ERROR if a target is not a rank (on all ranks)
DISTVIEW_API int distview_migration_plan_create(const distview_communicator* comm, int64_t count,
                                                const int* targets,
                                                distview_migration_plan** result);
DISTVIEW_API distview_migration_plan* distview_migration_plan_retain(distview_migration_plan* plan);
DISTVIEW_API void distview_migration_plan_release(distview_migration_plan* plan);

/// Numbers of elements on this rank before the move, after it, and of elements that stay. Each pointer may be NULL.
DISTVIEW_API int distview_migration_plan_sizes(const distview_migration_plan* plan,
                                               int64_t* source_size, int64_t* size, int64_t* kept);

/// Copies the elements of `count` fields, from 1 to 16, to their target ranks; `from` keeps its elements.
///
/// Collective: over the plan's communicator; all ranks pass the same element types
/// Cost:       no allocation for element types used before
/// Errors:     SHAPE_ERROR if a list has another number of elements than the plan; USAGE_ERROR if written lists share
///             memory with others, or `count` is not from 1 to 16: on that rank. Ranks that need it get an error that
///             names the calls that did not match, and the plan is unusable. With DISTVIEW_CONTRACTS_FULL all ranks get
///             the error and the plan stays usable, except for lists that share memory. USAGE_ERROR if ranks pass
///             different element types (on all ranks)
DISTVIEW_API int distview_migration_plan_execute(distview_migration_plan* plan, int count,
                                                 const distview_migrating_field* fields);
/// Begins an execution; distview_exchange_finish() ends it. Until then the program must not write elements to move, nor
/// read or write the room for arriving elements.
///
/// Collective: over the plan's communicator; all ranks pass the same element types
DISTVIEW_API int distview_migration_plan_start(distview_migration_plan* plan, int count,
                                               const distview_migrating_field* fields,
                                               distview_exchange** result);
/// 0 if an execution was abandoned or failed, as far as this rank knows.
DISTVIEW_API int distview_migration_plan_is_usable(const distview_migration_plan* plan,
                                                   int* usable);
/// Bytes of buffers and tables for the element types used so far.
DISTVIEW_API int distview_migration_plan_workspace_bytes(const distview_migration_plan* plan,
                                                         int64_t* bytes);
/// Numbers of elements and transports of this process, as text.
DISTVIEW_API int distview_migration_plan_describe(const distview_migration_plan* plan, char* text,
                                                  int64_t capacity, int64_t* length);

DISTVIEW_END_C

#endif
