// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms/impl/whole_layout.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

using Labels = std::vector<std::int64_t>;

bool has_one_list(const AxisLayout& axis) {
    return axis.type() == DistType::unstructured && axis.as_unstructured().known_process() >= 0;
}

/// The process at coordinate `at` along an axis and 0 along the others; it sends the labels of all processes at `at`.
int speaker_of(const ArrayLayout& layout, int axis, int at) {
    GridCoordinates coordinates{};
    coordinates[static_cast<std::size_t>(axis)] = at;
    return layout.grid().process(coordinates);
}

/// The labels that the ranks send, in rank order.
struct GatheredLabels {
    std::vector<std::int64_t> bytes; ///< of each rank
    Labels labels{};
};

GatheredLabels gather_labels(const char* caller, const Communicator& comm,
                             const ArrayLayout& layout, int axis) {
    const UnstructuredLayout& known = layout.axis(axis).as_unstructured();
    const int me = known.known_process();
    std::span<const std::int64_t> mine;
    if (speaker_of(layout, axis, me) == comm.rank())
        mine = {known.labels(me), static_cast<std::size_t>(known.owned_local(me).size())};
    const auto bytes = std::as_bytes(mine);
    GatheredLabels all{all_gather(comm, std::ssize(bytes))};
    agree_on(comm, caller, [&] {
        all.labels.resize(
            static_cast<std::size_t>(std::reduce(all.bytes.begin(), all.bytes.end())) /
            sizeof(std::int64_t));
    });
    const auto all_bytes = std::as_writable_bytes(std::span(all.labels));
    gather_bytes(comm, 0, bytes, all.bytes, comm.rank() == 0 ? all_bytes : std::span<std::byte>());
    broadcast(comm, 0, all_bytes);
    return all;
}

/// The labels that the processes along an axis own, by coordinate.
std::vector<Labels> lists_of(const ArrayLayout& layout, int axis, const GatheredLabels& all) {
    std::vector<std::int64_t> begins(all.bytes.size() + 1);
    std::inclusive_scan(all.bytes.begin(), all.bytes.end(), begins.begin() + 1);
    std::vector<Labels> lists;
    for (int at = 0; at < layout.grid().extent(axis); ++at) {
        const auto rank = static_cast<std::size_t>(speaker_of(layout, axis, at));
        const auto label = [&](std::size_t r) {
            return all.labels.begin() + begins[r] / std::int64_t{sizeof(std::int64_t)};
        };
        lists.emplace_back(label(rank), label(rank + 1));
    }
    return lists;
}

} // namespace

ArrayLayout whole_layout(const char* caller, const Communicator& comm, const ArrayLayout& layout) {
    std::array<GatheredLabels, max_rank> found;
    bool any = false;
    for (int d = 0; d < layout.rank(); ++d) {
        if (!has_one_list(layout.axis(d))) continue;
        found[static_cast<std::size_t>(d)] = gather_labels(caller, comm, layout, d);
        any = true;
    }
    if (!any) return layout;
    return agree_on(comm, caller, [&] {
        std::vector<AxisSpec> axes;
        for (int d = 0; d < layout.rank(); ++d) {
            axes.push_back(axis_spec(layout.axis(d)));
            if (!has_one_list(layout.axis(d))) continue;
            std::vector<Labels> lists = lists_of(layout, d, found[static_cast<std::size_t>(d)]);
            const UnstructuredLayout& axis = layout.axis(d).as_unstructured();
            const int here = axis.known_process();
            const std::span mine(axis.labels(here),
                                 static_cast<std::size_t>(axis.owned_local(here).size()));
            require<LayoutError>(
                std::ranges::equal(mine, lists[static_cast<std::size_t>(here)]), [&] {
                    return text(caller, ": expected the same labels along axis ", d,
                                " on all processes with the same coordinate, got labels of rank ",
                                comm.rank(), " that differ from the labels of rank ",
                                speaker_of(layout, d, here));
                });
            axes.back() = unstructured(std::move(lists));
        }
        const ArrayLayout whole(layout.grid(), axes);
        for (int d = 0; d < layout.rank(); ++d)
            require<LayoutError>(whole.extent(d) == layout.extent(d), [&] {
                return text(caller, ": expected ", layout.extent(d),
                            " different labels along axis ", d,
                            " in the lists of all processes, got ", whole.extent(d));
            });
        return whole;
    });
}

} // namespace distview::impl
