// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ARRAY_H
#define DISTVIEW_C_ARRAY_H

#include <distview/c/communicator.h>
#include <distview/c/layout.h>
#include <distview/c/types.h>

/// One process's section of a distributed array. Its memory is the program's (borrowed) or its own.
typedef struct distview_array distview_array;

struct distview_dap_section;

/// Where memory lies: DLPack's device types, those known here.
enum distview_device {
    DISTVIEW_HOST = 0, ///< the same as DLPack's 1
    DISTVIEW_CUDA = 2,
    DISTVIEW_CUDA_HOST = 3,
    DISTVIEW_CUDA_MANAGED = 13
};

/// Plain memory of a section, padding included.
typedef struct distview_memory {
    void*
        data; ///< the element with position 0 along every axis; may be NULL if there are no elements
    int32_t element; ///< distview_element
    int32_t rank;
    int64_t extents[DISTVIEW_MAX_RANK];
    int64_t strides[DISTVIEW_MAX_RANK]; ///< bytes, negative ones too; of DISTVIEW_STRIDED
    int32_t order;                      ///< distview_order; the first two have no gaps
    int32_t read_only;                  ///< whether nothing may write it
    int32_t device_type;                ///< distview_device
    int32_t device_id;
} distview_memory;

DISTVIEW_BEGIN_C

/// The memory as this rank's section of an array: rank r of the communicator is process r of the grid. Nothing is
/// copied; the memory must stay until the array, and all exchanges with it, are gone.
///
/// Neighbours do not read borrowed memory in place: what they need of it is packed into memory that the node shares.
///
/// Collective: over comm; all ranks pass equal layouts and the same element type
/// Shapes:     rank and extents are those of the section: distview_layout_local_extents()
/// Cost:       one agreement
/// Errors:     SHAPE_ERROR for other extents, elements that are not aligned or not addressable; USAGE_ERROR if the grid
///             has not as many processes as comm ranks, or ranks differ (on all ranks)
DISTVIEW_API int distview_array_borrow(const distview_communicator* comm,
                                       const distview_layout* layout, const distview_memory* memory,
                                       distview_array** result);
/// The same without asking the others, for the section of any process: it is for the plan that takes it to compare
/// them.
///
/// Collective: no
DISTVIEW_API int distview_array_borrow_local(const distview_communicator* comm,
                                             const distview_layout* layout, int process,
                                             const distview_memory* memory,
                                             distview_array** result);
/// A new array filled with zeros, in host memory that the processes of a node share where they can, so that neighbours
/// read it in place. `order`: DISTVIEW_ROW_MAJOR or DISTVIEW_COLUMN_MAJOR.
///
/// Collective: over comm; all ranks pass equal layouts, element types and orders
DISTVIEW_API int distview_array_create(const distview_communicator* comm,
                                       const distview_layout* layout, int32_t element, int order,
                                       distview_array** result);
/// An array of what every rank was given by somebody else as a struct of distview/dap.h, without a copy: checked by
/// every rule of the Distributed Array Protocol, on every section and between all of them. A section is taken over, its
/// `release` is then NULL: it is released with the array, or when another rank's is refused. That which is refused
/// stays with its caller. Calls do not wait for work that is pending on its `stream`: wait for it before.
///
/// Collective: over comm; rank r of the communicator is process r of the array's grid
/// Errors:     PROTOCOL_ERROR with the reason code of the broken rule; USAGE_ERROR if a section is null or released, its
///             members cannot be, or it is of another major version of dap.h, which is released (on all ranks)
DISTVIEW_API int distview_array_import(const distview_communicator* comm,
                                       struct distview_dap_section* section,
                                       distview_array** result);
/// Fills in a struct of distview/dap.h, version 0.10 of the protocol; its release keeps the array until then.
DISTVIEW_API int distview_array_export(const distview_array* array,
                                       struct distview_dap_section* section);
/// The cells of the interior that the slices pick, one for each axis: a distributed array itself, of the same memory,
/// which it keeps alive if the array has its own.
///
/// Errors: LAYOUT_ERROR if a slice leaves the interior or has a negative step, or no layout deals out what it picks
DISTVIEW_API int distview_array_slice(const distview_array* array, const distview_slice* slices,
                                      distview_array** result);
DISTVIEW_API distview_array* distview_array_retain(distview_array* array);
DISTVIEW_API void distview_array_release(distview_array* array);

/// The memory of the section with its strides, which are always filled in.
DISTVIEW_API int distview_array_memory(const distview_array* array, distview_memory* memory);
/// Address of position 0 along every axis; null if there are no elements and no memory.
DISTVIEW_API int distview_array_data(const distview_array* array, void** data);
/// The layout, with a reference of its own.
DISTVIEW_API int distview_array_layout(const distview_array* array, distview_layout** layout);
/// The process whose section it is.
DISTVIEW_API int distview_array_process(const distview_array* array, int* process);
/// How deep padding holds what the owners of its elements have, as far as the library can tell, the same on all ranks:
/// `depths` gets 2 rank numbers, for each axis on its low and on its high side. `has_corners`, which may be NULL: whether that is true of
/// positions in the padding of several axes at once. docs/valid_padding.md says what changes it.
///
/// Collective: no
DISTVIEW_API int distview_array_valid_padding(const distview_array* array, int64_t* depths,
                                              int* has_corners);
/// Says that elements were written in a way that the library does not see, through the memory: no padding is valid.
/// Other arrays of the same memory have to be told, too.
///
/// Collective: no, but ranks that do not all call it get an error in the next distview_padding_plan_require()
DISTVIEW_API int distview_array_mark_written(distview_array* array);
/// Says that the program has filled padding itself: it is valid that deep, `depths` as above, at most 65535. A rank at a
/// wall says of that side what the others say.
///
/// Collective: as distview_array_mark_written()
/// Errors:     USAGE_ERROR for depths that are negative
DISTVIEW_API int distview_array_mark_padding_valid(distview_array* array, const int64_t* depths,
                                                   int has_corners);

/// The name by which messages of the checking mode (distview_set_check()) call the array, instead of by a number. Has no effect on an
/// array that was made while the mode was off.
///
/// Collective: no
DISTVIEW_API int distview_array_set_label(distview_array* array, const char* label);

/// Layout, element type and memory, in words.
DISTVIEW_API int distview_array_describe(const distview_array* array, char* text, int64_t capacity,
                                         int64_t* length);

DISTVIEW_END_C

#endif
