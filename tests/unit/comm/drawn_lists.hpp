// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/index_list.hpp>
#include <distview/core/array_layout.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace distview::testing {

using Index = std::vector<std::int64_t>;

/// A list for the plan, and its indices written out.
struct DrawnList {
    IndexList list;
    std::vector<Index> elements;
};

/// All indices of an axis that have an owner.
inline Index valid_indices(const AxisLayout& axis) {
    Index result;
    if (axis.type() == DistType::unstructured) {
        const auto& lists = axis.as_unstructured();
        result.assign(lists.all_labels(), lists.all_labels() + lists.size());
        return result;
    }
    const GlobalRange range = axis.global_range();
    for (std::int64_t i = range.begin.value(); i < range.end.value(); ++i)
        if (axis.owner(GlobalIndex(i)) >= 0) result.push_back(i);
    return result;
}

inline void append_product(std::vector<Index>& elements, const std::vector<Index>& lists) {
    std::vector<Index> product{{}};
    for (const Index& list : lists) {
        std::vector<Index> longer;
        for (const Index& begun : product)
            for (const std::int64_t index : list) {
                longer.push_back(begun);
                longer.back().push_back(index);
            }
        product = std::move(longer);
    }
    elements.insert(elements.end(), product.begin(), product.end());
}

inline DrawnList draw_list(Random& random, const ArrayLayout& layout) {
    const int rank = layout.rank();
    DrawnList drawn{IndexList(rank), {}};
    std::vector<Index> valid;
    for (int d = 0; d < rank; ++d) valid.push_back(valid_indices(layout.axis(d)));
    for (const Index& indices : valid)
        if (indices.empty()) return drawn;
    for (std::int64_t parts = random.integer(0, 4); parts > 0; --parts) {
        const double kind = random.unit();
        if (kind < 0.5) {
            for (std::int64_t count = random.integer(0, 30); count > 0; --count) {
                Index element;
                for (const Index& indices : valid) element.push_back(random.pick(indices));
                drawn.list.add_element(element);
                drawn.elements.push_back(element);
            }
        } else if (kind < 0.8) {
            std::vector<Index> lists;
            for (const Index& indices : valid) {
                Index list;
                for (std::int64_t count = random.integer(0, 5); count > 0; --count)
                    list.push_back(random.pick(indices));
                lists.push_back(std::move(list));
            }
            drawn.list.add_product(lists);
            append_product(drawn.elements, lists);
        } else {
            std::vector<IndexRange> ranges;
            std::vector<Index> lists;
            for (int d = 0; d < rank; ++d) {
                const Index& indices = valid[static_cast<std::size_t>(d)];
                // Labels have gaps: draw one of them.
                const std::int64_t at = random.pick(indices);
                std::int64_t step = random.chance(0.5) ? 1 : random.integer(1, 4);
                std::int64_t count = random.integer(0, 6);
                if (layout.axis(d).type() == DistType::unstructured)
                    count = std::min<std::int64_t>(count, 1);
                if (random.chance(0.3)) step = -step;
                Index list;
                for (std::int64_t i = at; count > 0 && i >= indices.front() && i <= indices.back();
                     i += step, --count)
                    list.push_back(i);
                ranges.push_back({at, list.empty() ? at : list.back() + (step > 0 ? 1 : -1), step});
                lists.push_back(std::move(list));
            }
            drawn.list.add_box(ranges);
            append_product(drawn.elements, lists);
        }
    }
    return drawn;
}

/// Calls visit(global indices, whether this process owns the element along all axes, number in C
/// order) for all positions of a section.
template <class Visit>
void for_each_position(const ArrayLayout& layout, int process, Visit&& visit) {
    const Extents extents = layout.local_extents(process);
    const GridCoordinates at = layout.coordinates(process);
    std::int64_t count = 1;
    for (int d = 0; d < layout.rank(); ++d) count *= extents[static_cast<std::size_t>(d)];
    for (std::int64_t number = 0; number < count; ++number) {
        std::int64_t rest = number;
        Index global(static_cast<std::size_t>(layout.rank()));
        bool owned = true;
        for (auto d = static_cast<std::size_t>(layout.rank()); d-- > 0;) {
            const AxisLayout& axis = layout.axis(static_cast<int>(d));
            const LocalIndex local(rest % extents[d]);
            rest /= extents[d];
            const LocalRange range = axis.owned_local(at[d]);
            const bool inside = range.begin <= local && local < range.end;
            global[d] = inside ? axis.to_global(at[d], local).value() : -1;
            owned = owned && inside && axis.owner(GlobalIndex(global[d])) == at[d];
        }
        visit(global, owned, number);
    }
}

} // namespace distview::testing
