// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_TESTS_C_CELLS_H
#define DISTVIEW_TESTS_C_CELLS_H

// Helpers for arrays whose cell (i, j) holds 100 i + j.

#include "check.h"

// Calls visit(address, global indices, user) for every interior cell of this rank.
typedef void (*cell_visitor)(void* element, const int64_t* index, void* user);
static inline void for_each_cell(distview_array* array, cell_visitor visit, void* user) {
    distview_memory memory;
    distview_layout* layout;
    int process;
    int64_t begin[DISTVIEW_MAX_RANK], end[DISTVIEW_MAX_RANK], at[DISTVIEW_MAX_RANK],
        index[DISTVIEW_MAX_RANK];
    OK(distview_array_memory(array, &memory));
    OK(distview_array_layout(array, &layout));
    OK(distview_array_process(array, &process));
    OK(distview_layout_interior(layout, process, begin, end));
    int64_t count = 1;
    for (int d = 0; d < memory.rank; ++d) count *= end[d] - begin[d];
    for (int64_t cell = 0; cell < count; ++cell) {
        int64_t rest = cell;
        char* element = memory.data;
        for (int d = memory.rank - 1; d >= 0; --d) {
            at[d] = begin[d] + rest % (end[d] - begin[d]);
            rest /= end[d] - begin[d];
            element += at[d] * memory.strides[d];
            OK(distview_layout_to_global(layout, process, d, at[d], &index[d]));
            int64_t back = -7;
            OK(distview_layout_to_local(layout, process, d, index[d], &back));
            CHECK(back == at[d]);
        }
        visit(element, index, user);
    }
    distview_layout_release(layout);
}
static inline void set_pair(void* element, const int64_t* index, void* user) {
    (void)user;
    *(double*)element = (double)(100 * index[0] + index[1]);
}

#endif
