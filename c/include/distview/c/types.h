// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_TYPES_H
#define DISTVIEW_C_TYPES_H

#include <stdint.h>

/// Conventions of all headers of the C face.
///
/// Status:     functions return DISTVIEW_SUCCESS (0) or the class of the error; distview_last_error() has its text. No
///             C++ exception leaves the library. A failed function leaves its results unchanged. If the program passes
///             or returns a status that is not a distview_status, the library reports DISTVIEW_OTHER_ERROR.
/// Null:       a null pointer is DISTVIEW_USAGE_ERROR unless the function allows it.
/// Collective: every rank of the communicator calls the function, in the same order; an error on one rank becomes the
///             error of all ranks, with the same class and text. All other functions are local.
/// Handles:    pointers to incomplete types. create, borrow and similar functions give one reference; retain adds one
///             and returns the handle; release drops one. retain and release allow NULL. A handle keeps alive the
///             objects that it needs: an array its layout, a plan its communicator. Reference counts are atomic; apart
///             from them only one thread at a time may use an object. release is local and does not wait. Plans,
///             communicators and exchanges in flight call MPI when they are released, for example to free requests: on
///             a thread other than that of their calls this needs MPI_THREAD_MULTIPLE.
/// Options:    an all-zero structure selects the defaults; so does NULL if the function accepts a pointer to options.
/// Indices:    from 0; ranges are half-open; sizes in elements unless named bytes. Global indices count from the first
///             interior element, local indices from the first element of a section, padding included.
/// Space:      work runs on the default host execution space of Kokkos, and has finished when a function returns
///             (elements are in transit between start and finish). Inside OpenMP parallel regions, where kernels of
///             Kokkos cannot run, work that needs kernels is DISTVIEW_USAGE_ERROR (docs/c.md).
/// Text:       functions that return text accept a buffer of `capacity` bytes, write as much as fits and a final 0, and
///             store the length without the 0 in `length`; the buffer may be NULL if capacity is 0, `length` always.

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

/// The greatest number of axes of an array.
#define DISTVIEW_MAX_RANK 8

/// Classes of errors, as in the C++ headers.
enum distview_status {
    DISTVIEW_SUCCESS = 0,
    DISTVIEW_LAYOUT_ERROR = 1,   ///< a layout cannot exist
    DISTVIEW_SHAPE_ERROR = 2,    ///< extents, ranks or element types do not fit
    DISTVIEW_USAGE_ERROR = 3,    ///< a call at the wrong time or with wrong arguments
    DISTVIEW_PROTOCOL_ERROR = 4, ///< a rule of the Distributed Array Protocol is broken
    DISTVIEW_MPI_ERROR = 5,      ///< a call of the MPI library failed
    DISTVIEW_OTHER_ERROR = 6,    ///< out of memory, or an error of a function of the program
    DISTVIEW_DEADLINE_ERROR = 7  ///< other ranks missed the deadline: DISTVIEW_DEADLINE
};

/// An element type as one number: kind * 2^24 + bytes. Kinds are DLPack's type codes.
#define DISTVIEW_ELEMENT(kind, bytes) ((int32_t)(kind) * 16777216 + (int32_t)(bytes))
/// Elements of a number of bytes that the library does not interpret: structures, strings of a fixed length, pointers
/// (meaningless to another process). Sizes must be below 16 MiB; for other sizes the result is -1, and calls refuse it.
#define DISTVIEW_OPAQUE(bytes) ((bytes) > 0 && (bytes) < 16777216 ? DISTVIEW_ELEMENT(3, bytes) : -1)

/// Element types. C's char is DISTVIEW_CHAR, an enum is DISTVIEW_INT32, bool is DISTVIEW_BOOL, float _Complex is
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

/// The order of elements in memory.
enum distview_order {
    DISTVIEW_ROW_MAJOR = 0,    ///< as in C: the last axis fastest
    DISTVIEW_COLUMN_MAJOR = 1, ///< as in Fortran: the first axis fastest
    DISTVIEW_STRIDED = 2       ///< by strides
};

/// Operations that combine two elements; numbers from distview_operation_create() are operations, too.
enum distview_operation {
    DISTVIEW_SUM = 1,
    DISTVIEW_MINIMUM = 2, ///< NaN if one operand is NaN
    DISTVIEW_MAXIMUM = 3
};

/// Cells of a section on which an algorithm works.
enum distview_cells {
    DISTVIEW_INTERIOR = 0, ///< without any padding
    DISTVIEW_OWNED = 1     ///< with boundary padding
};

/// Picks `count` interior cells of an axis: every step-th from `begin` on; count -1: all cells in the direction of
/// `step`. `step` must not be 0. On an unstructured axis cell i is the cell with the i-th smallest label.
typedef struct distview_slice {
    int64_t begin;
    int64_t count;
    int64_t step;
} distview_slice;
/// All cells of an axis.
#define DISTVIEW_ALL_CELLS {0, -1, 1}

/// The error of the last function that failed in this thread.
typedef struct distview_error {
    int32_t status;         ///< class of the error; DISTVIEW_SUCCESS: no error
    int32_t mpi_code;       ///< for DISTVIEW_MPI_ERROR: MPI's error code
    int32_t axis;           ///< for DISTVIEW_PROTOCOL_ERROR: the axis, or -1
    int32_t process;        ///< for DISTVIEW_PROTOCOL_ERROR: the process, or -1
    const char* class_name; ///< "LayoutError", ...; "" if none has failed
    const char* message;    ///< UTF-8, names the function
    const char*
        code; ///< for DISTVIEW_PROTOCOL_ERROR the reason code; else the code passed to distview_set_error()
    const char* key; ///< for DISTVIEW_PROTOCOL_ERROR the key of the dictionary, or ""
} distview_error;

DISTVIEW_BEGIN_C

/// The error of the last function that failed in this thread; successful functions do not change it. Never null; valid
/// until a function fails, or sets or clears the error, in this thread.
DISTVIEW_API const distview_error* distview_last_error(void);

/// Forgets this thread's error.
DISTVIEW_API void distview_clear_error(void);

/// Sets the error of a function of the program that the library has called; that function then returns the status:
///
///     return distview_set_error(DISTVIEW_OTHER_ERROR, "TooDeep", "fibonacci: more than 50 levels");
///
/// The library function that called it fails with this class, code and text (in a collective call, on all ranks).
/// `code` may be NULL: no code. Returns `status`.
DISTVIEW_API int distview_set_error(int status, const char* code, const char* message);

/// An operation of the program: *here = op(*here, *incoming) for elements of type `element`. Returns 0 or an error.
///
/// Several threads of the execution space run it concurrently: it must not call the library, except
/// distview_set_error().
typedef int (*distview_combine_function)(void* here, const void* incoming, int32_t element,
                                         void* user);

/// Makes a number for an operation of the program; functions accept it as an operation. `user` is passed to `function`.
///
/// Cost: one call of `function` for each combined element
DISTVIEW_API int distview_operation_create(distview_combine_function function, void* user,
                                           int* operation);
/// Frees the number, which must not be used any more. Ignores unknown numbers.
DISTVIEW_API void distview_operation_free(int operation);

DISTVIEW_END_C

#endif
