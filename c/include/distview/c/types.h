// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_TYPES_H
#define DISTVIEW_C_TYPES_H

#include <stdint.h>

/// Conventions of all headers here.
///
/// Status:     functions return DISTVIEW_SUCCESS (0) or the class of the error; distview_last_error() has its text. No
///             C++ exception leaves the library. What a failed function would have given is left as it was. A status of
///             the program's that is no distview_status is told as DISTVIEW_OTHER_ERROR.
/// Null:       a null pointer is DISTVIEW_USAGE_ERROR where it is not said to be allowed.
/// Collective: every rank of the communicator calls it, in the same order; an error of one rank is then the error of
///             all, of one class and text. Everything else is local.
/// Handles:    pointers to incomplete types. create, borrow and the like give one reference, retain adds one and returns
///             the handle, release takes one; both allow NULL. Handles keep alive what they are made of: an array its
///             layout, a plan its communicator. Counts are atomic; apart from these an object is used by one thread at a
///             time. Releasing is local and waits for nobody. Plans, communicators and exchanges in flight call MPI
///             when they are released, to free requests for instance: on other threads than that of their calls that needs
///             MPI_THREAD_MULTIPLE.
/// Options:    structures that are all zero stand for the defaults; where a pointer to one is taken, so does NULL.
/// Indices:    from 0; ranges are half-open; sizes in elements unless named bytes. Global indices count from the first
///             interior element, local ones from the first element of a section, padding included.
/// Space:      work runs on the default host execution space of Kokkos, and has finished when a function returns
///             (between start and finish elements are on their way). Within parallel regions of OpenMP, where kernels of
///             Kokkos cannot run, it is DISTVIEW_USAGE_ERROR (docs/c.md).
/// Text:       functions that give text take a buffer of `capacity` bytes, write what fits and a final 0, and tell the
///             length without the 0 in `length`; the buffer may be NULL if capacity is 0, `length` always.

#if defined(__GNUC__)
#define DISTVIEW_API __attribute__((visibility("default")))
#else
#define DISTVIEW_API
#endif

#ifdef __cplusplus
#define DISTVIEW_BEGIN_C extern "C" {
#define DISTVIEW_END_C }
#else
#define DISTVIEW_BEGIN_C
#define DISTVIEW_END_C
#endif

/// Most axes that an array can have.
#define DISTVIEW_MAX_RANK 8

/// Classes of errors, those of the C++ headers.
enum distview_status {
    DISTVIEW_SUCCESS = 0,
    DISTVIEW_LAYOUT_ERROR = 1,   ///< a layout cannot exist
    DISTVIEW_SHAPE_ERROR = 2,    ///< extents, ranks or element types do not fit
    DISTVIEW_USAGE_ERROR = 3,    ///< a call at the wrong time or with arguments that are none
    DISTVIEW_PROTOCOL_ERROR = 4, ///< a rule of the Distributed Array Protocol is broken
    DISTVIEW_MPI_ERROR = 5,      ///< a call of the MPI library failed
    DISTVIEW_OTHER_ERROR = 6,    ///< out of memory, or what a function of the program came to
    DISTVIEW_DEADLINE_ERROR = 7  ///< other ranks did not come in time: DISTVIEW_DEADLINE
};

/// An element type as one number: kind * 2^24 + bytes, kinds being DLPack's type codes.
#define DISTVIEW_ELEMENT(kind, bytes) ((int32_t)(kind) * 16777216 + (int32_t)(bytes))
/// Elements of so many bytes that nobody here interprets: structures, strings of a fixed length, pointers (which mean
/// nothing to another process). They are smaller than 16 MiB; of other sizes it is no element type, and calls refuse it.
#define DISTVIEW_OPAQUE(bytes) ((bytes) > 0 && (bytes) < 16777216 ? DISTVIEW_ELEMENT(3, bytes) : -1)

/// Element types. Those of C: char is DISTVIEW_CHAR, an enum DISTVIEW_INT32, bool DISTVIEW_BOOL, float _Complex
/// DISTVIEW_COMPLEX64.
enum distview_element {
    DISTVIEW_INT8 = 0x0000001,
    DISTVIEW_INT16 = 0x0000002,
    DISTVIEW_INT32 = 0x0000004,
    DISTVIEW_INT64 = 0x0000008,
    DISTVIEW_UINT8 = 0x1000001,
    DISTVIEW_UINT16 = 0x1000002,
    DISTVIEW_UINT32 = 0x1000004,
    DISTVIEW_UINT64 = 0x1000008,
    DISTVIEW_FLOAT32 = 0x2000004,
    DISTVIEW_FLOAT64 = 0x2000008,
    DISTVIEW_COMPLEX64 = 0x5000008,  ///< two floats
    DISTVIEW_COMPLEX128 = 0x5000010, ///< two doubles
    DISTVIEW_BOOL = 0x6000001,
    DISTVIEW_CHAR = ((char)-1 < 0) ? 0x0000001 : 0x1000001
};

/// In which order elements follow each other in memory.
enum distview_order {
    DISTVIEW_ROW_MAJOR = 0,    ///< as in C: the last axis fastest
    DISTVIEW_COLUMN_MAJOR = 1, ///< as in Fortran: the first axis fastest
    DISTVIEW_STRIDED = 2       ///< as the strides say
};

/// Operations that combine an element with another; numbers of distview_operation_create() are operations, too.
enum distview_operation {
    DISTVIEW_SUM = 1,
    DISTVIEW_MINIMUM = 2, ///< NaN if one of the two is
    DISTVIEW_MAXIMUM = 3
};

/// Cells of a section on which an algorithm works.
enum distview_cells {
    DISTVIEW_INTERIOR = 0, ///< without any padding
    DISTVIEW_OWNED = 1     ///< with boundary padding
};

/// Every step-th of the interior cells of an axis from `begin` on, `count` of them; -1: as many as there are in the
/// direction of `step`, which is not 0. On an unstructured axis cell i is that with the i-th smallest label.
typedef struct distview_slice {
    int64_t begin;
    int64_t count;
    int64_t step;
} distview_slice;
/// All cells of an axis.
#define DISTVIEW_ALL_CELLS {0, -1, 1}

/// What the last function that failed in this thread said.
typedef struct distview_error {
    int32_t status;         ///< its class; DISTVIEW_SUCCESS if none has failed
    int32_t mpi_code;       ///< of DISTVIEW_MPI_ERROR: what MPI returned
    int32_t axis;           ///< of DISTVIEW_PROTOCOL_ERROR: the axis, or -1
    int32_t process;        ///< of DISTVIEW_PROTOCOL_ERROR: the process, or -1
    const char* class_name; ///< "LayoutError", ...; "" if none has failed
    const char* message;    ///< UTF-8, names the function
    const char*
        code; ///< of DISTVIEW_PROTOCOL_ERROR the reason code; else what distview_set_error() was given
    const char* key; ///< of DISTVIEW_PROTOCOL_ERROR the key of the dictionary, or ""
} distview_error;

DISTVIEW_BEGIN_C

/// The error of the last function that failed in this thread; functions that succeed leave it alone. Never null; valid
/// until a function fails, or sets or clears it, in this thread.
DISTVIEW_API const distview_error* distview_last_error(void);

/// Forgets this thread's error.
DISTVIEW_API void distview_clear_error(void);

/// Says what went wrong in a function of the program that the library has called, which then returns the status given:
///
///     return distview_set_error(DISTVIEW_OTHER_ERROR, "TooDeep", "fibonacci: more than 50 levels");
///
/// The library's function that called it fails with that class, code and text (in a collective call, on all ranks).
/// `code` may be NULL: none. Returns `status`.
DISTVIEW_API int distview_set_error(int status, const char* code, const char* message);

/// An operation of the program: *here = op(*here, *incoming) for elements of type `element`. Returns 0 or an error.
///
/// Runs on the threads of the execution space, several at a time, so it must not call the library, but for
/// distview_set_error().
typedef int (*distview_combine_function)(void* here, const void* incoming, int32_t element,
                                         void* user);

/// Makes a number that stands for an operation of the program wherever one is taken. `user` is passed to the function.
///
/// Cost: of an element that is combined, one call
DISTVIEW_API int distview_operation_create(distview_combine_function function, void* user,
                                           int* operation);
/// The number is not used any more. Unknown numbers are left alone.
DISTVIEW_API void distview_operation_free(int operation);

DISTVIEW_END_C

#endif
