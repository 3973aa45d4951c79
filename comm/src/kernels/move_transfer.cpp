// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/move_transfer.hpp>
#include <distview/comm/impl/schedule/redistribution_role.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace distview::impl {

namespace {

using Peers = RedistributionSchedule::PeerRuns;

/// Bytes from one element to the next along each axis of the target in a packed box.
Extents packed_strides(const RedistributionSchedule& schedule, const Peers& runs,
                       std::int64_t element_size) {
    std::array<std::size_t, max_rank> target_axis{};
    for (int d = 0; d < schedule.rank(); ++d)
        target_axis[static_cast<std::size_t>(schedule.permutation(d))] =
            static_cast<std::size_t>(d);
    Extents result{};
    std::int64_t stride = element_size;
    for (int a = schedule.rank() - 1; a >= 0; --a) {
        const std::size_t d = target_axis[static_cast<std::size_t>(a)];
        result[d] = stride;
        stride *= count_elements(runs[d]);
    }
    return result;
}

} // namespace

MoveTransfer::MoveTransfer(const RedistributionSchedule& schedule, const RedistributionRuns& runs,
                           int peer, const End& from, const End& to)
    : m_from(from.data), m_to(to.data), m_element_size(to.element_size) {
    const Peers with_peer = schedule.runs_with(runs, peer);
    const auto strides = [&](const End& end, bool is_source) {
        if (end.packed) return packed_strides(schedule, with_peer, end.element_size);
        Extents result{};
        for (int d = 0; d < schedule.rank(); ++d)
            result[static_cast<std::size_t>(d)] =
                end.strides[static_cast<std::size_t>(is_source ? schedule.permutation(d) : d)];
        return result;
    };
    const Extents from_strides = strides(from, true);
    const Extents to_strides = strides(to, false);

    m_axes.resize(static_cast<std::size_t>(schedule.rank()));
    for (std::size_t d = 0; d < m_axes.size(); ++d) {
        std::int64_t packed = 0;
        for (const AxisRun& run : with_peer[d]) {
            // Begin, step and period of an end's elements along this axis.
            const auto place = [&](const End& end, bool is_source) {
                if (end.packed) return std::array{packed, std::int64_t{1}, run.length};
                if (runs.receives == is_source)
                    return std::array{run.theirs, run.their_step, run.their_period};
                return std::array{run.mine, run.my_step, run.my_period};
            };
            const auto [from_begin, from_step, from_period] = place(from, true);
            const auto [to_begin, to_step, to_period] = place(to, false);
            const std::int64_t f = from_strides[d];
            const std::int64_t t = to_strides[d];
            m_axes[d].runs.push_back({from_begin * f,
                                      to_begin * t,
                                      {run.repeats, from_period * f, to_period * t},
                                      {run.length, from_step * f, to_step * t}});
            packed += run.elements();
        }
        const std::int64_t count = m_axes[d].choices();
        if (count > tuning::few_runs && packed < count * tuning::long_run_elements)
            m_axes[d].make_tables();
        m_nest_count *= m_axes[d].choices();
    }
    while (m_nest_count > tuning::most_nests) {
        Axis& longest =
            *std::max_element(m_axes.begin(), m_axes.end(), [](const Axis& a, const Axis& b) {
                return a.choices() < b.choices();
            });
        m_nest_count /= longest.choices();
        longest.make_tables();
    }
}

void MoveTransfer::Axis::make_tables() {
    for (const Run& run : runs)
        for (std::int64_t i = 0; i < run.repeats.count; ++i)
            for (std::int64_t j = 0; j < run.elements.count; ++j) {
                from_table.push_back(run.from + run.repeats.from(i) + run.elements.from(j));
                to_table.push_back(run.to + run.repeats.to(i) + run.elements.to(j));
            }
    runs = {};
}

bool MoveTransfer::is_fixed() const noexcept {
    const auto is_same = [](const MoveLoop& loop) {
        return loop.count <= 1 || loop.from_stride == loop.to_stride;
    };
    return m_from == m_to && std::all_of(m_axes.begin(), m_axes.end(), [&](const Axis& axis) {
               return axis.from_table == axis.to_table &&
                      std::all_of(axis.runs.begin(), axis.runs.end(), [&](const Run& run) {
                          return run.from == run.to && is_same(run.repeats) &&
                                 is_same(run.elements);
                      });
           });
}

MoveNest MoveTransfer::nest(std::int64_t n) const {
    const char* from = m_from;
    char* to = m_to;
    const Run* chosen[max_rank] = {};
    for (std::size_t d = m_axes.size(); d-- > 0;) {
        const Axis& axis = m_axes[d];
        if (!axis.from_table.empty()) continue;
        const std::int64_t choices = axis.choices();
        chosen[d] = &axis.runs[static_cast<std::size_t>(n % choices)];
        n /= choices;
        from += chosen[d]->from;
        to += chosen[d]->to;
    }
    MoveNest nest(from, to);
    for (std::size_t d = 0; d < m_axes.size(); ++d) {
        const Axis& axis = m_axes[d];
        if (chosen[d]) {
            nest.add(chosen[d]->repeats);
            nest.add(chosen[d]->elements);
        } else {
            nest.add({static_cast<std::int64_t>(axis.from_table.size()), 0, 0,
                      axis.from_table.data(), axis.to_table.data()});
        }
    }
    nest.arrange(m_element_size);
    return nest;
}

void MoveUnits::append(MoveTransfer transfer, std::int64_t unit_elements) {
    const auto number = static_cast<int>(transfers.size());
    for (std::int64_t n = 0; n < transfer.nest_count(); ++n) {
        const MoveNest nest = transfer.nest(n);
        elements += nest.elements();
        const std::int64_t blocks = nest.block_count();
        const std::int64_t step = std::max<std::int64_t>(1, unit_elements / nest.block_elements());
        for (std::int64_t first = 0; first < blocks; first += step)
            units.push_back({number, static_cast<int>(std::min(step, blocks - first)), n, first});
    }
    transfers.push_back(std::move(transfer));
}

void MoveUnits::order_by_source(int begin, int end) {
    std::vector<std::pair<const char*, MoveUnit>> ordered;
    for (int i = begin; i < end; ++i) {
        const MoveUnit& unit = units[static_cast<std::size_t>(i)];
        const MoveNest nest = transfers[static_cast<std::size_t>(unit.transfer)].nest(unit.nest);
        MoveBlock block;
        MoveNest::Blocks(nest, unit.first_block, 1).next(block);
        ordered.emplace_back(block.from, unit);
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return std::less<>()(a.first, b.first); });
    for (std::size_t i = 0; i < ordered.size(); ++i)
        units[static_cast<std::size_t>(begin) + i] = ordered[i].second;
}

} // namespace distview::impl
