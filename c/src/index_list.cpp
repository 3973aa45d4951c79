// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index_list.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace distview::c {

namespace {

/// `count` elements with `rank` indices each, extended to max_rank indices by zeros.
std::vector<std::int64_t> widened_indices(int rank, std::int64_t count,
                                          const std::int64_t* indices) {
    const auto all = static_cast<std::size_t>(count) * max_rank;
    std::vector<std::int64_t> result(all, 0);
    const auto own = static_cast<std::size_t>(rank);
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k)
        for (std::size_t d = 0; d < own; ++d) result[k * max_rank + d] = indices[k * own + d];
    return result;
}

} // namespace

void add_box(IndexList& list, int rank, const std::int64_t* begin, const std::int64_t* end,
             const std::int64_t* step, const char* function) {
    if (rank > 0) {
        checked(begin, function, "the begin of a box");
        checked(end, function, "the end of a box");
    }
    std::vector<IndexRange> ranges(max_rank, IndexRange{0, 1, 1});
    for (int d = 0; d < rank; ++d)
        ranges[static_cast<std::size_t>(d)] = {begin[d], end[d], step ? step[d] : 1};
    list.add_box(ranges);
}

void add_elements(distview_index_list& list, std::int64_t count, const std::int64_t* indices,
                  const char* function) {
    require<UsageError>(
        count >= 0, [&] { return text(function, ": expected at least 0 elements, got ", count); });
    if (count > 0 && list.rank > 0) checked(indices, function, "indices");
    list.value.add_elements(widened_indices(list.rank, count, indices));
}

} // namespace distview::c

using namespace distview::c;

int distview_index_list_create(int rank, distview_index_list** result) {
    return guard(__func__, [&](const char* function) {
        distview::require<distview::UsageError>(rank >= 0 && rank <= distview::max_rank, [&] {
            return distview::text(function, ": expected from 0 to ", distview::max_rank,
                                  " axes, got ", rank);
        });
        give(result, function, rank);
    });
}

distview_index_list* distview_index_list_retain(distview_index_list* list) { return retain(list); }
void distview_index_list_release(distview_index_list* list) { release(list); }

int distview_index_list_add(distview_index_list* list, int64_t count, const int64_t* indices) {
    return guard(__func__, [&](const char* function) {
        add_elements(checked(list, function, "a list"), count, indices, function);
    });
}

int distview_index_list_add_box(distview_index_list* list, const int64_t* begin, const int64_t* end,
                                const int64_t* step) {
    return guard(__func__, [&](const char* function) {
        distview_index_list& extended = checked(list, function, "a list");
        add_box(extended.value, extended.rank, begin, end, step, function);
    });
}

int distview_index_list_size(const distview_index_list* list, int64_t* size) {
    return guard(__func__, [&](const char* function) {
        checked(size, function, "a place for the size") =
            checked(list, function, "a list").value.size();
    });
}
