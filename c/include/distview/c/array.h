// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ARRAY_H
#define DISTVIEW_C_ARRAY_H

#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/types.h>

/// One process's section of a distributed array. Its memory belongs to the program (borrowed) or to the array.
typedef struct distview_array distview_array;

struct distview_dap_section;

/// Devices of memory: the DLPack device types that the library supports.
enum distview_device {
    DISTVIEW_HOST = 0, ///< the same as DLPack's 1
    DISTVIEW_CUDA = 2,
    DISTVIEW_CUDA_HOST = 3,
    DISTVIEW_CUDA_MANAGED = 13
};

/// Description of a section's memory, padding included.
typedef struct distview_memory {
    void*
        data; ///< the element with position 0 along every axis; may be NULL if there are no elements
    int32_t element; ///< distview_element
    int32_t rank;
    int64_t extents[DISTVIEW_MAX_RANK];
    int64_t strides[DISTVIEW_MAX_RANK]; ///< in bytes, may be negative; for DISTVIEW_STRIDED
    int32_t order;                      ///< distview_order; the first two have no gaps
    int32_t read_only;                  ///< whether writing is forbidden
    int32_t device_type;                ///< distview_device
    int32_t device_id;
} distview_memory;

DISTVIEW_BEGIN_C

/// Makes an array whose section on this rank is the program's memory: rank r of the communicator is process r of the
/// grid. Copies nothing; the memory must stay valid until the array and all exchanges with it are gone.
///
/// Neighbours do not read borrowed memory in place: elements for them are packed into memory that the node shares.
///
/// Collective: over comm; all ranks pass equal layouts and the same element type
/// Shapes:     rank and extents are those of the section: distview_layout_local_extents()
/// Cost:       one agreement
/// Errors:     SHAPE_ERROR for other extents, and for elements that are not aligned or not addressable; USAGE_ERROR if
///             the grid's number of processes is not comm's number of ranks, or if ranks differ (on all ranks)
DISTVIEW_API int distview_array_borrow(const distview_communicator* comm,
                                       const distview_layout* layout, const distview_memory* memory,
                                       distview_array** result);
/// The same without communication, for the section of any process. The plan that uses the array compares the ranks'
/// arrays later.
///
/// Collective: no
DISTVIEW_API int distview_array_borrow_local(const distview_communicator* comm,
                                             const distview_layout* layout, int process,
                                             const distview_memory* memory,
                                             distview_array** result);
/// A new array filled with zeros, in host memory that the processes of a node share if possible, so that neighbours
/// read it in place. `order`: DISTVIEW_ROW_MAJOR or DISTVIEW_COLUMN_MAJOR.
///
/// Collective: over comm; all ranks pass equal layouts, element types and orders
DISTVIEW_API int distview_array_create(const distview_communicator* comm,
                                       const distview_layout* layout, int32_t element, int order,
                                       distview_array** result);
/// An array over the sections that another library exports as structs of distview/dap.h, one per rank, without a copy.
/// Checks every rule of the Distributed Array Protocol, on each section and between sections. The call takes over the
/// rank's section and sets its `release` to NULL: the library releases it with the array, or if another rank's section
/// is refused. A refused section stays with its caller. Calls do not wait for work pending on the section's `stream`:
/// the program must wait for it before.
///
/// Collective: over comm; rank r of the communicator is process r of the array's grid
/// Errors:     PROTOCOL_ERROR with the reason code of the broken rule; USAGE_ERROR if a section is null or released, has
///             impossible members, or has another major version of dap.h (then it is released) (on all ranks)
DISTVIEW_API int distview_array_import(const distview_communicator* comm,
                                       struct distview_dap_section* section,
                                       distview_array** result);
/// Fills in a struct of distview/dap.h, version 0.10 of the protocol; the struct keeps the array alive until it is
/// released.
DISTVIEW_API int distview_array_export(const distview_array* array,
                                       struct distview_dap_section* section);
/// The interior cells that the slices pick, one slice for each axis: a distributed array over the same memory. If the
/// memory belongs to the array, the slice keeps it alive.
///
/// Errors: LAYOUT_ERROR if a slice leaves the interior, has a negative step, or picks cells that no layout describes
DISTVIEW_API int distview_array_slice(const distview_array* array, const distview_slice* slices,
                                      distview_array** result);
DISTVIEW_API distview_array* distview_array_retain(distview_array* array);
DISTVIEW_API void distview_array_release(distview_array* array);

/// The memory of the section; strides are always filled in.
DISTVIEW_API int distview_array_memory(const distview_array* array, distview_memory* memory);
/// Address of position 0 along every axis; null if the section has no elements and no memory.
DISTVIEW_API int distview_array_data(const distview_array* array, void** data);
/// The layout, with a new reference.
DISTVIEW_API int distview_array_layout(const distview_array* array, distview_layout** layout);
/// The process that the section belongs to.
DISTVIEW_API int distview_array_process(const distview_array* array, int* process);
/// The depth to which padding holds its owners' current elements, as far as the library knows, the same on all ranks:
/// `depths` gets 2 * rank numbers, the low and the high side of each axis. `has_corners`, which may be NULL: whether
/// positions in the padding of several axes are valid, too. docs/valid_padding.md lists the calls that change it.
///
/// Collective: no
DISTVIEW_API int distview_array_valid_padding(const distview_array* array, int64_t* depths,
                                              int* has_corners);
/// Reports that the program has written elements through the memory, which the library does not see: no padding is
/// valid any more. Other arrays over the same memory need the call, too.
///
/// Collective: no, but ranks that do not all call it get an error in the next distview_padding_plan_require()
DISTVIEW_API int distview_array_mark_written(distview_array* array);
/// Reports that the program has filled padding itself: it is valid to these depths, at most 65535, in the order of
/// distview_array_valid_padding(). A rank at a wall passes the other ranks' depth for that side.
///
/// Collective: as distview_array_mark_written()
/// Errors:     USAGE_ERROR for negative depths, and for depths that no process's padding has
DISTVIEW_API int distview_array_mark_padding_valid(distview_array* array, const int64_t* depths,
                                                   int has_corners);

/// Sets a name for the array in messages of the checking mode (distview_set_check()), in place of a number. Has no
/// effect on an array made while the mode was off.
///
/// Collective: no
DISTVIEW_API int distview_array_set_label(distview_array* array, const char* label);

/// Layout, element type and memory, as text.
DISTVIEW_API int distview_array_describe(const distview_array* array, char* text, int64_t capacity,
                                         int64_t* length);

DISTVIEW_END_C

#endif
