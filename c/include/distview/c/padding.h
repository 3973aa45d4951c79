// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_PADDING_H
#define DISTVIEW_C_PADDING_H

#include <distview/c/array.h>
#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/types.h>

/// Fills the padding of arrays from the sections of their owners, again and again: C++'s PaddingExchangePlan.
///
/// The first time a set of arrays comes, ranks agree that they pass the same, and buffers are made; from the second
/// time on nothing is allocated. The last 32 sets are kept. One exchange at a time is in flight per plan.
typedef struct distview_padding_plan distview_padding_plan;

/// An execution of a plan in flight. Until finish, of a padding exchange, the fields' owned elements must not be written,
/// nor the padding be read or written. Released without finish, it waits for nobody, and the plan is unusable.
typedef struct distview_exchange distview_exchange;

/// Neighbours that a padding exchange reads from.
enum distview_stencil {
    DISTVIEW_BOX = 0,  ///< all, corners included
    DISTVIEW_FACES = 1 ///< those that differ along one axis only
};

typedef struct distview_padding_options {
    /// Low and high width to fill along each axis, next to the owned elements: 2 rank numbers. NULL: all padding.
    const int64_t* widths;
    int32_t stencil; ///< distview_stencil
    int32_t unused;
} distview_padding_options;

/// What distview_place_on_nodes() finds.
typedef struct distview_grid_placement {
    int grid[DISTVIEW_MAX_RANK]; ///< processes along each axis
    int64_t between_nodes;       ///< elements of one exchange that go from one node to another one
    /// The same for distview_balanced_grid() with process p on rank p; -1 if that grid does not suit the axes.
    int64_t between_nodes_of_balanced;
} distview_grid_placement;

/// Computes cells of a section: the box [begin[d], end[d]) of positions along each axis, padding counted. Returns 0 or
/// an error. Called on the calling thread, once or several times, for boxes that have no cell in common.
typedef int (*distview_kernel)(int rank, const int64_t* begin, const int64_t* end, void* user);

DISTVIEW_BEGIN_C

/// Looks for the process grid and the order of ranks with which padding exchanges of an array move least between nodes:
/// of `count` ranks, of which rank r is on node nodes[r], any number that ranks of the node have in common.
///
///     distview_communicator_nodes(comm, nodes);
///     distview_place_on_nodes(size, nodes, 2, axes, DISTVIEW_BOX, &placed, ranks);
///     distview_communicator_order_ranks(comm, ranks, &ordered);      // then a communicator of `ordered`
///     distview_layout_create(2, placed.grid, axes, &layout);
///
/// `ranks` gets the rank of each process. Axes are blocks, regular blocks or cyclic ones. Where nothing is gained, as on a
/// single node, the grid is that of distview_balanced_grid(), and process p is rank p.
///
/// Collective: no; the same result on all ranks that pass the same
/// Errors:     LAYOUT_ERROR if there is no rank, no grid suits the axes, or they are of another kind
DISTVIEW_API int distview_place_on_nodes(int count, const int* nodes, int rank,
                                         const distview_axis* axes, int stencil,
                                         distview_grid_placement* result, int* ranks);

/// A plan for any number of fields that share a layout.
///
/// Collective: over comm
/// Errors:     LAYOUT_ERROR if the options' widths do not fit the layout; USAGE_ERROR if the grid is not the
///             communicator's or ranks pass different arguments (on all ranks)
DISTVIEW_API int distview_padding_plan_create(const distview_communicator* comm,
                                              const distview_layout* layout,
                                              const distview_padding_options* options,
                                              distview_padding_plan** result);
/// A plan for `count` fields, each with a layout and options of its own; `options` may be NULL.
///
/// Collective: over comm
DISTVIEW_API int distview_padding_plan_create_fields(const distview_communicator* comm, int count,
                                                     const distview_layout* const* layouts,
                                                     const distview_padding_options* options,
                                                     distview_padding_plan** result);
DISTVIEW_API distview_padding_plan* distview_padding_plan_retain(distview_padding_plan* plan);
DISTVIEW_API void distview_padding_plan_release(distview_padding_plan* plan);

/// Fills the padding of the fields, all of them together: one message a neighbour. Element types may differ.
///
/// Collective: over the plan's communicator; all ranks pass the same arrays
/// Touches:    reads owned elements near the section's border, writes padding
/// Cost:       as of the C++ call and some 50 ns; no allocation for a set that came before
/// Errors:     SHAPE_ERROR if an array's layout or process is not the plan's, or it is read-only, or the host cannot
///             read it; USAGE_ERROR if an exchange of the plan is in flight or was abandoned (on all ranks); MPI_ERROR.
///             USAGE_ERROR for a null pointer of one rank, or a set that came before on some ranks only: on that rank
///             and those that need it, and the plan is unusable; with DISTVIEW_CONTRACTS_FULL on all ranks, and it is
///             not
DISTVIEW_API int distview_padding_plan_execute(distview_padding_plan* plan, int count,
                                               distview_array* const* arrays);
/// The same with the program's memory, without arrays: of the plan's layouts, and of this rank.
///
/// The plan remembers memory by address, element type, extents and strides, as of an array that
/// distview_array_borrow_local() makes. So ranks must not differ in whether memory is new to the plan: where memory is
/// freed and allocated between calls, distview_padding_plan_forget() on all ranks makes all of it new. Memory of a section
/// without cells may have no address: if a plan gets such memory of several arrays, each has an address of its own, which
/// nobody reads, or all ranks forget in between.
///
/// Collective: over the plan's communicator
/// Cost:       as distview_padding_plan_execute(), and a search among the memory that came before
/// Errors:     also those of distview_array_borrow_local(), on all ranks with DISTVIEW_CONTRACTS_FULL; USAGE_ERROR if
///             memory is new on some ranks only (on those and those that need them; the plan is unusable then)
DISTVIEW_API int distview_padding_plan_exchange(distview_padding_plan* plan, int count,
                                                const distview_memory* fields);
/// Forgets the memory that distview_padding_plan_exchange() was given.
///
/// Collective: no, but all ranks forget at the same place between exchanges
DISTVIEW_API int distview_padding_plan_forget(distview_padding_plan* plan);

/// Fills the padding of those fields where it is not valid `low` deep on low sides and `high` deep on high ones, of all
/// axes: decided without communication, from what distview_array_valid_padding() tells. `exchanged`, which may be NULL,
/// gets 1 if there were any, else 0. docs/valid_padding.md says which writes the library sees;
/// distview_array_mark_written() tells it of others.
///
/// Of fields with a layout each, all are exchanged if one has to be. A side that the plan fills less deep has to be valid
/// as deep as the plan fills it.
///
/// Collective: over the plan's communicator; all ranks pass the same arrays and depths, and have marked them alike
/// Cost:       of execute with these fields, or some 50 ns; no allocation for a set that came before
/// Errors:     USAGE_ERROR if the plan fills no side so deep (on the ranks concerned); those of execute
DISTVIEW_API int distview_padding_plan_require(distview_padding_plan* plan, int64_t low,
                                               int64_t high, int count,
                                               distview_array* const* arrays, int* exchanged);

/// Begins what execute does, and returns what finish ends.
///
/// Collective: over the plan's communicator
DISTVIEW_API int distview_padding_plan_start(distview_padding_plan* plan, int count,
                                             distview_array* const* arrays,
                                             distview_exchange** result);
/// Waits for elements of other ranks, writes the padding, and waits until the others have read this section.
///
/// Collective: over the plan's communicator; of several plans in the same order
/// Errors:     USAGE_ERROR if called twice, or if another rank has abandoned the exchange; MPI_ERROR
DISTVIEW_API int distview_exchange_finish(distview_exchange* exchange);
/// 1 if finish has nothing to wait for before it writes the padding, else 0.
DISTVIEW_API int distview_exchange_can_finish(const distview_exchange* exchange, int* can_finish);
DISTVIEW_API distview_exchange* distview_exchange_retain(distview_exchange* exchange);
DISTVIEW_API void distview_exchange_release(distview_exchange* exchange);

/// Combines padding with the elements that it copies, at their owners: the adjoint of execute. Padding keeps its
/// values.
///
/// Collective: over the plan's communicator; all ranks pass the same operation
/// Shapes:     fields of one element type: integers, real numbers, or, for DISTVIEW_SUM and operations of the program,
///             complex numbers
/// Errors:     those of execute; SHAPE_ERROR for other element types; USAGE_ERROR if there is no such operation; what
///             an operation of the program returns first: elements may be combined in part then (on all ranks)
DISTVIEW_API int distview_padding_plan_combine(distview_padding_plan* plan, int operation,
                                               int count, distview_array* const* arrays);

/// Fills the padding of `from` and calls the kernel for all interior cells, those that need no padding while elements
/// of other ranks are on their way.
///
/// Collective: over the plan's communicator
/// Shapes:     the kernel reads around a cell no further than the plan's widths; it writes none of the arrays in `from`
/// Errors:     those of execute; what the kernel returns (on all ranks)
/// Cost:       of the plan's execution, and one agreement
DISTVIEW_API int distview_padding_plan_apply(distview_padding_plan* plan, int count,
                                             distview_array* const* from, distview_kernel kernel,
                                             void* user);

/// Bytes of buffers of the sets that came so far.
DISTVIEW_API int distview_padding_plan_workspace_bytes(const distview_padding_plan* plan,
                                                       int64_t* bytes);
/// 0 if an exchange has been abandoned or has failed, as far as this rank knows.
DISTVIEW_API int distview_padding_plan_is_usable(const distview_padding_plan* plan, int* usable);
/// Geometry, partners and transports of this process.
DISTVIEW_API int distview_padding_plan_describe(const distview_padding_plan* plan, char* text,
                                                int64_t capacity, int64_t* length);

DISTVIEW_END_C

#endif
