// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/gather_role.hpp>

#include "plan/label_lookup.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/comm/impl/mpi/sparse_exchange.hpp>
#include <distview/comm/impl/schedule/axis_run.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace distview::impl {

namespace {

using IndexPlaces = std::vector<IndexPlace>; ///< places of indices along one axis

class Finder {
public:
    Finder(const Communicator& comm, const char* caller, const ArrayLayout& layout,
           const IndexList& list, std::optional<int> unique_axis)
        : m_comm(comm), m_caller(caller), m_layout(layout), m_list(list),
          m_unique_axis(unique_axis) {}

    GatherRole find() {
        require_same_labels(m_comm, m_caller, m_layout);
        std::array<IndexPlaces, max_rank> found;
        for (int d = 0; d < m_layout.rank(); ++d)
            if (asks(d)) found[static_cast<std::size_t>(d)] = look_up(d);
        agree_on(m_comm, m_caller, [&] {
            m_places.resize(m_list.parts().size());
            for (int d = 0; d < m_layout.rank(); ++d)
                find_axis(d, found[static_cast<std::size_t>(d)]);
            for (std::size_t p = 0; p < m_list.parts().size(); ++p) check(p);
            sort_by_owner();
        });
        tell_owners();
        return std::move(m_role);
    }

private:
    /// Whether this process must ask others for the places of indices along an axis.
    bool asks(int d) const { return is_partly_known(m_layout.axis(d)) || m_unique_axis == d; }

    /// Adds the places of all parts' indices along an axis; `found` are the answers if processes were asked.
    void find_axis(int d, const IndexPlaces& found) {
        std::size_t next = 0;
        for (std::size_t p = 0; p < m_list.parts().size(); ++p) {
            const auto& indices = m_list.parts()[p].axes[static_cast<std::size_t>(d)];
            IndexPlaces places;
            places.reserve(indices.size());
            for (const std::int64_t index : indices)
                places.push_back(asks(d) ? found[next++] : place_of(m_layout.axis(d), index));
            m_places[p].push_back(std::move(places));
        }
    }

    static IndexPlace place_of(const AxisLayout& axis, std::int64_t index) {
        IndexPlace place;
        // owner() detects missing indices of unstructured axes only; other axes need a check of the range.
        if (axis.type() != DistType::unstructured) {
            const GlobalRange range = axis.global_range();
            if (index < range.begin.value() || index >= range.end.value()) return place;
        }
        place.coordinate = axis.owner(GlobalIndex(index));
        if (place.coordinate < 0) return place;
        place.local = axis.to_local(place.coordinate, GlobalIndex(index)).value();
        place.extent = axis.local_extent(place.coordinate);
        return place;
    }

    /// Asks for each different label once. Collective.
    IndexPlaces look_up(int d) {
        const AxisLayout& axis = m_layout.axis(d);
        const GridCoordinates mine = m_layout.coordinates(m_comm.rank());
        const int coordinate = mine[static_cast<std::size_t>(d)];
        OwnedLabels owned;
        std::vector<std::int64_t> wanted, different;
        agree_on(m_comm, m_caller, [&] {
            owned.coordinate = coordinate;
            owned.extent = axis.local_extent(coordinate);
            owned.is_unique = m_unique_axis == d;
            // Of the processes with the same coordinate, only the first registers labels.
            if (first_beside(m_layout, m_comm.rank(), d) == m_comm.rank())
                owned.labels = owned_labels(axis, coordinate);
            for (const IndexList::Part& part : m_list.parts()) {
                const auto& indices = part.axes[static_cast<std::size_t>(d)];
                wanted.insert(wanted.end(), indices.begin(), indices.end());
            }
            different = wanted;
            std::sort(different.begin(), different.end());
            different.erase(std::unique(different.begin(), different.end()), different.end());
        });
        const IndexPlaces found = look_up_labels(m_comm, m_caller, owned, different);
        return agree_on(m_comm, m_caller, [&] {
            IndexPlaces result;
            result.reserve(wanted.size());
            for (const std::int64_t label : wanted) {
                const auto at = std::lower_bound(different.begin(), different.end(), label);
                result.push_back(found[static_cast<std::size_t>(at - different.begin())]);
            }
            return result;
        });
    }

    void check(std::size_t p) const {
        for (std::size_t d = 0; d < m_places[p].size(); ++d)
            for (std::size_t i = 0; i < m_places[p][d].size(); ++i)
                require<UsageError>(m_places[p][d][i].coordinate >= 0, [&] {
                    const AxisLayout& axis = m_layout.axis(static_cast<int>(d));
                    const std::string index = text(m_list.parts()[p].axes[d][i]);
                    if (axis.type() == DistType::unstructured)
                        return text(m_caller, ": expected indices that a process owns along axis ",
                                    d, ", got ", index);
                    const GlobalRange range = axis.global_range();
                    return text(m_caller, ": expected indices in [", range.begin.value(), ", ",
                                range.end.value(), ") along axis ", d, ", got ", index);
                });
    }

    /// Calls visit(process, position) for the elements of the list, in order.
    template <class Visit>
    void for_each_element(Visit&& visit) const {
        const auto axes = static_cast<std::size_t>(m_layout.rank());
        for (std::size_t p = 0; p < m_places.size(); ++p) {
            const std::vector<IndexPlaces>& places = m_places[p];
            const bool is_product = m_list.parts()[p].is_product;
            std::vector<std::size_t> at(axes, 0);
            for (std::int64_t left = m_list.parts()[p].size(); left > 0; --left) {
                int process = 0;
                std::int64_t position = 0;
                for (std::size_t d = 0; d < axes; ++d) {
                    const IndexPlace& place = places[d][at[d]];
                    process =
                        process * m_layout.grid().extent(static_cast<int>(d)) + place.coordinate;
                    position = position * place.extent + place.local;
                }
                visit(process, position);
                if (is_product)
                    next_choice(at, axes, [&](std::size_t d) { return places[d].size(); });
                else
                    for (std::size_t& number : at) ++number;
            }
        }
    }

    void sort_by_owner() {
        m_role.size = m_list.size();
        m_role.extents = m_layout.local_extents(m_comm.rank());
        std::map<int, GatherRole::Wanted> wanted;
        GatherRole::Wanted* latest = nullptr;
        std::int64_t number = 0;
        for_each_element([&](int process, std::int64_t position) {
            if (!latest || latest->rank != process) {
                latest = &wanted[process];
                latest->rank = process;
            }
            latest->positions.push_back(position);
            latest->places.push_back(number++);
        });
        for (auto& [process, each] : wanted) m_role.wanted.push_back(std::move(each));
    }

    void tell_owners() {
        std::map<int, GatherRole::Given> given;
        exchange_records<std::int64_t>(
            m_comm, m_caller,
            [&] {
                std::vector<Parcel<std::int64_t>> parcels;
                for (const GatherRole::Wanted& each : m_role.wanted)
                    if (each.rank != m_comm.rank()) parcels.push_back({each.rank, each.positions});
                return parcels;
            },
            [&](int rank, std::int64_t position) {
                GatherRole::Given& each = given[rank];
                each.rank = rank;
                each.positions.push_back(position);
            });
        for (auto& [rank, each] : given) m_role.given.push_back(std::move(each));
    }

    const Communicator& m_comm;
    const char* m_caller;
    const ArrayLayout& m_layout;
    const IndexList& m_list;
    std::optional<int> m_unique_axis;
    std::vector<std::vector<IndexPlaces>> m_places; ///< by part, by axis
    GatherRole m_role;
};

} // namespace

std::vector<int> GatherRole::wanted_ranks(int self) const {
    std::vector<int> result;
    for (const Wanted& each : wanted)
        if (each.rank != self) result.push_back(each.rank);
    return result;
}

std::vector<int> GatherRole::given_ranks() const {
    std::vector<int> result;
    for (const Given& each : given) result.push_back(each.rank);
    return result;
}

GatherRole find_gather_role(const Communicator& comm, const char* caller, const ArrayLayout& layout,
                            const IndexList& list, std::optional<int> unique_axis) {
    return Finder(comm, caller, layout, list, unique_axis).find();
}

} // namespace distview::impl
