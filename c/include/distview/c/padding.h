// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_PADDING_H
#define DISTVIEW_C_PADDING_H

#include <distview/c/array.h>
#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/types.h>

/// A reusable plan that fills the padding of arrays from their owners' sections: C++'s PaddingExchangePlan.
///
/// At the first use of a set of arrays, the ranks agree that they pass the same arrays, and the plan makes buffers; later
/// uses allocate nothing. The plan keeps the last 32 sets. A plan has at most one exchange in flight.
typedef struct distview_padding_plan distview_padding_plan;

/// An execution of a plan in flight. Until a padding exchange is finished, the program must not write the fields' owned
/// elements, nor read or write the padding. Releasing it without finish does not wait, and makes the plan unusable.
typedef struct distview_exchange distview_exchange;

/// Neighbours that a padding exchange reads from.
enum distview_stencil {
    DISTVIEW_BOX = 0,  ///< all neighbours, corners included
    DISTVIEW_FACES = 1 ///< neighbours along one axis only, without corners
};

typedef struct distview_padding_options {
    /// Low and high width to fill along each axis, next to the owned elements: 2 * rank numbers. NULL: all padding.
    const int64_t* widths;
    int32_t stencil; ///< distview_stencil
    int32_t unused;
} distview_padding_options;

/// Result of distview_place_on_nodes().
typedef struct distview_grid_placement {
    int grid[DISTVIEW_MAX_RANK]; ///< processes along each axis
    int64_t between_nodes;       ///< elements of one exchange that move between nodes
    /// The same for distview_balanced_grid() with process p on rank p; -1 if that grid does not suit the axes.
    int64_t between_nodes_of_balanced;
} distview_grid_placement;

/// Computes cells of a section: the box [begin[d], end[d]) of positions along each axis, padding included in the count.
/// Returns 0 or an error. Called on the calling thread, once or several times, for disjoint boxes.
typedef int (*distview_kernel)(int rank, const int64_t* begin, const int64_t* end, void* user);

DISTVIEW_BEGIN_C

/// Finds the process grid and the order of `count` ranks with which padding exchanges of an array move the fewest
/// elements between nodes. Rank r is on node nodes[r]: any number that is the same for all ranks of a node.
///
///     distview_communicator_nodes(comm, nodes);
///     distview_place_on_nodes(size, nodes, 2, axes, DISTVIEW_BOX, &placed, ranks);
///     distview_communicator_order_ranks(comm, ranks, &ordered);      // then a communicator of `ordered`
///     distview_layout_create(2, placed.grid, axes, &layout);
///
/// `ranks` gets the rank of each process. Axes are blocks, regular blocks or cyclic. If nothing is gained, for example on
/// a single node, the grid is that of distview_balanced_grid(), and process p is rank p.
///
/// Collective: no; equal arguments give equal results on all ranks
/// Errors:     LAYOUT_ERROR if `count` is 0, no grid suits the axes, or an axis is of another kind
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
/// A plan for `count` fields, each with its own layout and options; `options` may be NULL.
///
/// Collective: over comm
DISTVIEW_API int distview_padding_plan_create_fields(const distview_communicator* comm, int count,
                                                     const distview_layout* const* layouts,
                                                     const distview_padding_options* options,
                                                     distview_padding_plan** result);
DISTVIEW_API distview_padding_plan* distview_padding_plan_retain(distview_padding_plan* plan);
DISTVIEW_API void distview_padding_plan_release(distview_padding_plan* plan);

/// Fills the padding of all fields together, with one message per neighbour. Element types may differ.
///
/// Collective: over the plan's communicator; all ranks pass the same arrays
/// Touches:    reads owned elements near the section's border, writes padding
/// Cost:       that of the C++ call and some 50 ns; no allocation for a set used before
/// Errors:     SHAPE_ERROR if an array's layout or process is not the plan's, or it is read-only, or the host cannot
///             read it; USAGE_ERROR if an exchange of the plan is in flight or was abandoned (on all ranks); MPI_ERROR.
///             USAGE_ERROR for a null pointer on one rank, or a set used before on some ranks only: on that rank and
///             ranks that need it, and the plan is unusable. With DISTVIEW_CONTRACTS_FULL all ranks get that error and
///             the plan stays usable
DISTVIEW_API int distview_padding_plan_execute(distview_padding_plan* plan, int count,
                                               distview_array* const* arrays);
/// The same with the program's memory in place of arrays: this rank's sections of the plan's layouts.
///
/// The plan identifies memory by address, element type, extents and strides, as arrays of distview_array_borrow_local().
/// All ranks must agree on whether memory is new to the plan: if the program frees and allocates memory between calls,
/// all ranks call distview_padding_plan_forget(), which makes all memory new. Memory of a section without cells may have
/// a null address. If a plan gets such memory for several arrays, give each a different address (the plan never reads
/// it), or let all ranks forget between the calls.
///
/// Collective: over the plan's communicator
/// Cost:       as distview_padding_plan_execute(), and a search among the known memory
/// Errors:     also those of distview_array_borrow_local(), on all ranks with DISTVIEW_CONTRACTS_FULL; USAGE_ERROR if
///             memory is new on some ranks only (on these ranks and ranks that need them; the plan is then unusable)
DISTVIEW_API int distview_padding_plan_exchange(distview_padding_plan* plan, int count,
                                                const distview_memory* fields);
/// Forgets the memory passed to distview_padding_plan_exchange().
///
/// Collective: no, but all ranks forget at the same place between exchanges
DISTVIEW_API int distview_padding_plan_forget(distview_padding_plan* plan);

/// Exchanges the fields whose padding, along any axis, is not valid `low` deep on the low side and `high` deep on the high
/// side. The decision needs no communication: it uses distview_array_valid_padding(). `exchanged`, which may be NULL,
/// gets 1 if a field was exchanged, else 0. docs/valid_padding.md lists the writes that the library sees; report others
/// with distview_array_mark_written().
///
/// If the fields have separate layouts, one outdated field causes all of them to be exchanged. If the plan fills a side
/// less deep, that side only has to be valid as deep as the plan fills it.
///
/// Collective: over the plan's communicator; all ranks pass the same arrays and depths, and have marked them alike
/// Cost:       that of execute with these fields, or some 50 ns; no allocation for a set used before
/// Errors:     USAGE_ERROR if the plan fills no side so deep (on the ranks concerned); those of execute
DISTVIEW_API int distview_padding_plan_require(distview_padding_plan* plan, int64_t low,
                                               int64_t high, int count,
                                               distview_array* const* arrays, int* exchanged);

/// Begins an execution; distview_exchange_finish() ends it.
///
/// Collective: over the plan's communicator
DISTVIEW_API int distview_padding_plan_start(distview_padding_plan* plan, int count,
                                             distview_array* const* arrays,
                                             distview_exchange** result);
/// Waits for elements of other ranks, writes the padding, and waits until the other ranks have read this section.
///
/// Collective: over the plan's communicator; all ranks finish exchanges of several plans in the same order
/// Errors:     USAGE_ERROR if called twice, or if another rank has abandoned the exchange; MPI_ERROR
DISTVIEW_API int distview_exchange_finish(distview_exchange* exchange);
/// 1 if finish can write the padding without waiting, else 0.
DISTVIEW_API int distview_exchange_can_finish(const distview_exchange* exchange, int* can_finish);
DISTVIEW_API distview_exchange* distview_exchange_retain(distview_exchange* exchange);
DISTVIEW_API void distview_exchange_release(distview_exchange* exchange);

/// Combines owned elements with their copies in padding: the adjoint of execute. Padding keeps its values.
///
/// Collective: over the plan's communicator; all ranks pass the same operation
/// Shapes:     fields of one element type: integers, real numbers, or, for DISTVIEW_SUM and operations of the program,
///             complex numbers
/// Errors:     those of execute; SHAPE_ERROR for other element types; USAGE_ERROR for an unknown operation; the first
///             error that an operation of the program returns: then only some elements may be combined (on all ranks)
DISTVIEW_API int distview_padding_plan_combine(distview_padding_plan* plan, int operation,
                                               int count, distview_array* const* arrays);

/// Fills the padding of `from` and calls the kernel for all interior cells. Cells that need no padding are computed while
/// elements of other ranks are in transit.
///
/// Collective: over the plan's communicator
/// Shapes:     the kernel reads around a cell no further than the plan's widths; it writes none of the arrays in `from`
/// Errors:     those of execute; the kernel's own error (on all ranks)
/// Cost:       that of the plan's execution, and one agreement
DISTVIEW_API int distview_padding_plan_apply(distview_padding_plan* plan, int count,
                                             distview_array* const* from, distview_kernel kernel,
                                             void* user);

/// Bytes of buffers for the sets of arrays used so far.
DISTVIEW_API int distview_padding_plan_workspace_bytes(const distview_padding_plan* plan,
                                                       int64_t* bytes);
/// 0 if an exchange was abandoned or failed, as far as this rank knows.
DISTVIEW_API int distview_padding_plan_is_usable(const distview_padding_plan* plan, int* usable);
/// Geometry, partners and transports of this process, as text.
DISTVIEW_API int distview_padding_plan_describe(const distview_padding_plan* plan, char* text,
                                                int64_t capacity, int64_t* length);

DISTVIEW_END_C

#endif
