// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.hpp"

#include <distview/comm/padding_exchange_plan.hpp>

#include <limits>
#include <tuple>
#include <utility>

namespace shallow_water {

/// Fills every element that an exchange may write with NaN, so that reading a cell without an exchange
/// becomes visible. Walls keep their values.
template <class Real, class Space>
void poison_padding(const Space& exec, const Array<Real, Space>& array,
                    const distview::PaddingExchangeSchedule& schedule) {
    const auto view = array.view();
    const distview::LocalRange rows = schedule.unwritten_range(0);
    const distview::LocalRange columns = schedule.unwritten_range(1);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>>;
    Kokkos::parallel_for(
        "shallow_water::poison_padding",
        Policy(
            exec, {0, 0},
            {static_cast<std::int64_t>(view.extent(0)), static_cast<std::int64_t>(view.extent(1))}),
        KOKKOS_LAMBDA(std::int64_t j, std::int64_t i) {
            if (!rows.contains(distview::LocalIndex(j)) ||
                !columns.contains(distview::LocalIndex(i)))
                view(j, i) = nan;
        });
}

/// A padding exchange of fixed arrays, whose padding is poisoned before if requested.
template <class Real, std::size_t n_fields, class Space = Exec>
class Exchange {
public:
    Exchange(distview::PaddingExchangePlan plan, std::array<Array<Real, Space>, n_fields> arrays,
             bool poison, bool one_geometry)
        : m_plan(std::move(plan)), m_arrays(std::move(arrays)), m_poison(poison),
          m_one_geometry(one_geometry) {}

    void operator()(const Space& exec) {
        if (m_poison)
            for (std::size_t i = 0; i < n_fields; ++i)
                poison_padding<Real>(exec, m_arrays[i],
                                     m_plan.schedule(m_one_geometry ? 0 : static_cast<int>(i)));
        std::apply([&](const auto&... arrays) { m_plan.execute(exec, arrays...); }, m_arrays);
    }

    int messages() const { return static_cast<int>(m_plan.send_peers().size()); }

private:
    distview::PaddingExchangePlan m_plan;
    std::array<Array<Real, Space>, n_fields> m_arrays;
    bool m_poison;
    bool m_one_geometry;
};

/// One geometry for all fields. Collective.
template <class Real, class Space = Exec, class... Arrays>
auto make_exchange(const distview::Communicator& comm, const distview::ArrayLayout& layout,
                   const distview::PaddingExchangeOptions& options, bool poison,
                   const Arrays&... arrays) {
    return Exchange<Real, sizeof...(Arrays), Space>(
        distview::PaddingExchangePlan(comm, layout, options), {arrays...}, poison, true);
}

/// A geometry for each field. Collective.
template <class Real, class Space = Exec, class... Arrays>
auto make_exchange(const distview::Communicator& comm,
                   const std::vector<distview::FieldExchange>& fields, bool poison,
                   const Arrays&... arrays) {
    return Exchange<Real, sizeof...(Arrays), Space>(distview::PaddingExchangePlan(comm, fields),
                                                    {arrays...}, poison, false);
}

} // namespace shallow_water
