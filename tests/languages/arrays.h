// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_TESTS_LANGUAGES_ARRAYS_H
#define DISTVIEW_TESTS_LANGUAGES_ARRAYS_H

// The functions that C, C++ and Fortran each implement for arrays, which they get as handles of the C face.

#include <distview/distview.h>

enum element_kind {
    KIND_BOOL,
    KIND_CHAR,
    KIND_INT32,
    KIND_INT64,
    KIND_FLOAT,
    KIND_DOUBLE,
    KIND_FCOMPLEX,
    KIND_DCOMPLEX,
    KIND_OPAQUE,
    KIND_STRING, // 8 bytes of UTF-8, blank-padded
    KIND_ENUM,
    KINDS
};
enum colour { colour_red = 7, colour_green = -3, colour_blue = 100000 };

// The order of elements in memory: DISTVIEW_ROW_MAJOR, DISTVIEW_COLUMN_MAJOR, or
enum {
    ORDER_GENERAL =
        DISTVIEW_STRIDED, // with gaps, the second axis fastest and the first one slowest
    ORDER_SLICE = 3       // every second element along each axis, of an array in column-major order
};
enum { LENT_BYTES = 1 << 21 };

// The functions of a language:
// borrow       makes an array of memory that the language owns; for ORDER_SLICE the layout is the whole array's
// create       makes an array that owns its memory
// memory       the address of the memory that borrow lends
// fill         sets element (i, j, ...) to Babel's pattern
// reverse      reverses the array along the first axis, in place
// count_wrong  the number of elements that differ from the pattern, plus 1 if the first one is not at `address`
#define DECLARE_LANGUAGE(L)                                                                        \
    int L##_borrow(const distview_communicator* comm, const distview_layout* layout, int kind,     \
                   int order, distview_array** result);                                            \
    int L##_create(const distview_communicator* comm, const distview_layout* layout, int kind,     \
                   int order, distview_array** result);                                            \
    void* L##_memory(void);                                                                        \
    int L##_fill(const distview_array* array, int kind);                                           \
    int L##_reverse(const distview_array* array, int kind);                                        \
    int64_t L##_count_wrong(const distview_array* array, int kind, int reversed,                   \
                            const void* address);                                                  \
    distview_array* L##_retain(distview_array* array);                                             \
    void L##_release(distview_array* array);

DISTVIEW_BEGIN_C
DECLARE_LANGUAGE(c)
DECLARE_LANGUAGE(cpp)
DECLARE_LANGUAGE(fortran)
// DISTVIEW_CHAR depends on the sign of char; this passes its value to Fortran.
extern int32_t char_element;
// For Python, which lacks C's MPI_COMM_WORLD.
int world_communicator(distview_communicator** comm);
DISTVIEW_END_C

#endif
