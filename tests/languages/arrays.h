// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_TESTS_LANGUAGES_ARRAYS_H
#define DISTVIEW_TESTS_LANGUAGES_ARRAYS_H

// What C, C++ and Fortran do with an array of which they know the handle of the C face.

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

// How elements lie in memory: as DISTVIEW_ROW_MAJOR and DISTVIEW_COLUMN_MAJOR, or
enum {
    ORDER_GENERAL =
        DISTVIEW_STRIDED, // with gaps, the second axis fastest and the first one slowest
    ORDER_SLICE = 3       // every second element along each axis, of an array in column-major order
};
enum { LENT_BYTES = 1 << 21 };

// The functions of a language:
// borrow       an array of memory that the language has; of ORDER_SLICE the layout is that of the whole array
// create       one that owns its memory
// memory       where the memory is that borrow lends
// fill         sets element (i, j, ...) to Babel's pattern
// reverse      reverses it along the first axis, in place
// count_wrong  elements that are not the pattern, and 1 more if the first one does not lie at `address`
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
// DISTVIEW_CHAR, which is another one where char has no sign, for a language that does not know.
extern int32_t char_element;
// For a language that has no MPI_COMM_WORLD.
int world_communicator(distview_communicator** comm);
DISTVIEW_END_C

#endif
