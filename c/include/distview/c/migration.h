// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_MIGRATION_H
#define DISTVIEW_C_MIGRATION_H

#include <distview/c/communicator.h>
#include <distview/c/padding.h>
#include <distview/c/types.h>

/// Moves elements of lists to other ranks, each to the one that it names: particles, or whatever changes its owner; C++'s
/// MigrationPlan.
///
///     distview_migration_plan_create(comm, n, targets, &plan);       // element k goes to rank targets[k]
///     distview_migration_plan_sizes(plan, NULL, &arriving, NULL);    // and room for as many
///     const distview_migrating_field fields[] = {
///         {.from = x, .to = x2, .from_count = n, .to_count = arriving, .element = DISTVIEW_FLOAT64},
///         {.from = p, .to = p2, .from_count = n, .to_count = arriving, .element = DISTVIEW_OPAQUE(sizeof *p)}};
///     distview_migration_plan_execute(plan, 2, fields);
///
/// Elements arrive by ascending rank that they come from, those of one rank in the order that they had there; a rank's own
/// are among them in its place. All fields of a call travel together. From the second time that a sequence of element
/// types comes nothing is allocated, whichever lists are passed.
typedef struct distview_migration_plan distview_migration_plan;

/// One list: elements to move, and room for those that arrive, one after the other in host memory. Null pointers are
/// allowed where there are none.
typedef struct distview_migrating_field {
    const void* from;
    void* to;
    int64_t from_count;
    int64_t to_count;
    int32_t element; ///< distview_element; DISTVIEW_OPAQUE of any size below 16 MiB
    int32_t unused;
} distview_migrating_field;

DISTVIEW_BEGIN_C

/// A plan for the `count` elements of this rank, any number of them; `targets` are copied.
///
/// Collective: over comm
/// Errors:     USAGE_ERROR if a target is no rank (on all ranks)
DISTVIEW_API int distview_migration_plan_create(const distview_communicator* comm, int64_t count,
                                                const int* targets,
                                                distview_migration_plan** result);
DISTVIEW_API distview_migration_plan* distview_migration_plan_retain(distview_migration_plan* plan);
DISTVIEW_API void distview_migration_plan_release(distview_migration_plan* plan);

/// Numbers of elements that this rank has in the beginning, that it has in the end, and, of both, that stay. Each may be
/// NULL.
DISTVIEW_API int distview_migration_plan_sizes(const distview_migration_plan* plan,
                                               int64_t* source_size, int64_t* size, int64_t* kept);

/// Moves the elements of `count` fields, from 1 to 16. What is moved stays in `from`, too.
///
/// Collective: over the plan's communicator; all ranks pass the same element types
/// Cost:       no allocation for element types that came before
/// Errors:     SHAPE_ERROR if a list has another number of elements than the plan; USAGE_ERROR if lists that are written
///             share memory with others, or there are not from 1 to 16: on that rank, and those that need it get one that
///             names the calls that did not meet; the plan is unusable then. With DISTVIEW_CONTRACTS_FULL all ranks get
///             it, and the plan is as it was, but for lists that share memory. USAGE_ERROR if ranks pass other element
///             types (on all ranks)
DISTVIEW_API int distview_migration_plan_execute(distview_migration_plan* plan, int count,
                                                 const distview_migrating_field* fields);
/// Begins what execute does, and returns what distview_exchange_finish() ends. Until then elements to move must not be
/// written, and those that arrive be neither read nor written.
///
/// Collective: over the plan's communicator; all ranks pass the same element types
DISTVIEW_API int distview_migration_plan_start(distview_migration_plan* plan, int count,
                                               const distview_migrating_field* fields,
                                               distview_exchange** result);
/// 0 if an execution has been abandoned or has failed, as far as this rank knows.
DISTVIEW_API int distview_migration_plan_is_usable(const distview_migration_plan* plan,
                                                   int* usable);
/// Bytes of the buffers and tables for the element types that came so far.
DISTVIEW_API int distview_migration_plan_workspace_bytes(const distview_migration_plan* plan,
                                                         int64_t* bytes);
/// Numbers of elements and transports of this process.
DISTVIEW_API int distview_migration_plan_describe(const distview_migration_plan* plan, char* text,
                                                  int64_t capacity, int64_t* length);

DISTVIEW_END_C

#endif
