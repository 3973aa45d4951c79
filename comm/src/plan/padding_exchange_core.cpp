// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/plan/padding_exchange_core.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/core/checked_events.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace distview::impl {

namespace {

using Messages = std::vector<PaddingExchangeSchedule::Message>;

/// Peers of all schedules together, ascending; `messages` are sends() or receives().
std::vector<int> all_peers(const std::vector<PaddingExchangeSchedule>& schedules,
                           Messages (PaddingExchangeSchedule::*messages)() const) {
    std::vector<int> result;
    for (const PaddingExchangeSchedule& schedule : schedules)
        for (const auto& message : (schedule.*messages)()) result.push_back(message.peer);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

/// Boxes of padding that an exchange fills: all boxes, or only those with elements of this section itself.
std::vector<LocalBox> filled_boxes(const PaddingExchangeSchedule& schedule, bool only_local) {
    std::vector<LocalBox> boxes;
    schedule.for_each_incoming([&](const PaddingRegion& region) {
        if (only_local && region.peer != schedule.process()) return;
        LocalBox& box = boxes.emplace_back();
        for (std::size_t d = 0; d < box.size(); ++d)
            box[d] = {region.begin[d], region.begin[d] + region.extents[d]};
    });
    return boxes;
}

} // namespace

PaddingExchangeCore::PaddingExchangeCore(const Communicator& comm, std::uint64_t number,
                                         std::vector<PaddingExchangeSchedule> schedules,
                                         std::vector<PaddingExchangeOptions> options,
                                         bool one_geometry, std::optional<Transport> required)
    : PlanCore(comm, plan_names::padding_exchange, number,
               Labels(plan_names::padding_exchange, "copy_local", "unpack"), required, false),
      m_schedules(std::move(schedules)), m_options(std::move(options)),
      m_inner_cells(m_schedules.front().inner_cells()),
      m_outer_cells(m_schedules.front().outer_cells()), m_one_geometry(one_geometry) {
    Hash key;
    std::int64_t deepest = 0;
    for (const PaddingExchangeSchedule& schedule : m_schedules)
        key.add(schedule.layout().fingerprint());
    record(key.value(), [this] { return m_schedules.front().layout().describe(); });
    if (!recorder()) return;
    for (const PaddingExchangeSchedule& schedule : m_schedules) {
        const Widths filled = schedule.filled().deepest();
        deepest = std::max({deepest, filled.low, filled.high});
    }
    recorder()->set_filled_depth(static_cast<int>(deepest));
}

std::vector<int> PaddingExchangeCore::send_peers() const {
    return all_peers(m_schedules, &PaddingExchangeSchedule::sends);
}

std::vector<int> PaddingExchangeCore::receive_peers() const {
    return all_peers(m_schedules, &PaddingExchangeSchedule::receives);
}

void PaddingExchangeCore::check(const ArraySet& arrays) const {
    const std::span<const Field> fields = arrays.sources;
    const bool combines = arrays.kind() == ExchangeKind::combine;
    require<UsageError>(
        m_one_geometry ? !fields.empty() : fields.size() == m_schedules.size(), [&] {
            const std::string expected =
                m_one_geometry ? "at least 1 field" : text(m_schedules.size(), " fields");
            return text(name(), ": expected ", expected, ", got ", fields.size());
        });
    require<ShapeError>(arrays.are_of_that_type(), [&] {
        return text(name(), ": expected fields with the element type of combine_as()");
    });
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const PaddingExchangeSchedule& schedule = schedule_of(i);
        Field field = fields[i];
        if (!combines) field.alignment = 1; // copied in units of any size
        check_array("field", i, field, schedule.layout(), schedule.process(), arrays.layer);
        require<ShapeError>(!fields[i].read_only, [&] {
            return text(name(), ": field ", i, " is read-only: an exchange writes its padding");
        });
        // Filling padding twice is harmless; combining it twice is not.
        for (std::size_t j = 0; combines && j < i; ++j)
            require<UsageError>(!overlap(fields[j], fields[i]), [&] {
                return text(name(), ": fields ", j, " and ", i,
                            " share memory: their padding would be combined twice");
            });
    }
}

PlanCore::Maker PaddingExchangeCore::prepare(const ArraySet& arrays) {
    const ExchangeKind kind = arrays.kind();
    check(arrays);
    const DeviceSetting device = device_setting(arrays.layer, required(), name());
    const PlanLines& readers = lines(static_cast<std::size_t>(arrays.variant),
                                     kind == ExchangeKind::fill ? send_peers() : receive_peers());
    // Allocates here: a rank without memory is detected by agreement before any rank waits for a neighbour.
    ExchangeParts parts = make_parts(kind, m_schedules, arrays.sources, arrays.layer != nullptr);
    SharedPack pack;
    if (!arrays.layer && required() != Transport::message)
        pack = SharedPack(state(), kind, parts, arrays.sources);
    TransportSearch search(state(),
                           {.caller = name(),
                            .fields = arrays.sources,
                            .sources = kind == ExchangeKind::fill ? receive_peers() : send_peers(),
                            .lines = &readers,
                            .required = required(),
                            .layer = arrays.layer},
                           pack.offer(readers.readers()));
    return [this, &arrays, kind, device, &readers, parts = std::move(parts), pack = std::move(pack),
            search = std::move(search)](const Tags& tags) mutable {
        return agree_on(communicator(), name(), [&] {
            PeerTransports transports = search.run(tags.messages);
            ExchangeProgram program = padding_program(kind, communicator().rank(), parts,
                                                      arrays.sources, transports, pack, device);
            auto binding = std::make_shared<ExchangeBinding>(
                ExchangeBinding::Setting{name(), readers.ready(), oversubscribed(), device},
                std::move(transports), std::move(program));
            complete(binding, arrays, tags);
            return binding;
        });
    };
}

std::vector<PaddingEffect> PaddingExchangeCore::effects_of(const ArraySet& arrays) const {
    if (arrays.kind() == ExchangeKind::combine) return all_written(arrays.sources);
    std::vector<PaddingEffect> effects;
    for (std::size_t i = 0; i < arrays.sources.size(); ++i) {
        const std::shared_ptr<ArrayState>& array = *arrays.sources[i].state;
        if (!array) continue;
        PaddingEffect& effect = effects.emplace_back();
        effect.array = array;
        effect.after = schedule_of(i).filled();
        effect.fills = array->checked != nullptr;
        if (effect.fills) effect.filled = filled_boxes(schedule_of(i), false);
    }
    return effects;
}

void PaddingExchangeCore::check_elements(const ArraySet& arrays) const {
    const bool combines = arrays.kind() == ExchangeKind::combine;
    agree_on(communicator(), name(), [&] {
        for (const Field& field : arrays.sources) {
            const std::shared_ptr<ArrayState>& state = *field.state;
            if (!state || !state->checked) continue;
            // Contributions that the program collected may equal the old values of padding.
            if (combines) {
                require_own_contributions(name(), *state->checked);
                restore(*state->checked);
            }
            require_no_poison(name(), *state->checked);
        }
    });
    // Local copies are made when the execution begins: kernels over inner_cells() may read this padding.
    for (std::size_t i = 0; !combines && i < arrays.sources.size(); ++i)
        if (const auto& state = *arrays.sources[i].state; state && state->checked)
            note_filled_first(*state->checked, filled_boxes(schedule_of(i), true));
}

std::vector<ExchangeShape> PaddingExchangeCore::shapes_of(const ArraySet& arrays) const {
    if (!m_one_geometry || arrays.layer || arrays.kind() != ExchangeKind::fill) return {};
    return exchange_shapes(m_schedules.front().layout(), m_options.front(), arrays.sources,
                           borrowed_fields(*state().arena(), arrays.sources));
}

std::span<const Field> PaddingExchangeCore::stale(const ArraySet& arrays, Widths depth) {
    check(arrays);
    if (recorder()) recorder()->note_require(static_cast<int>(std::max(depth.low, depth.high)));
    m_stale.clear();
    for (std::size_t i = 0; i < arrays.sources.size(); ++i) {
        const Field& field = arrays.sources[i];
        const ValidPadding filled = schedule_of(i).filled();
        const Widths deepest = schedule_of(i).greatest_depth();
        const auto is_within = [](std::int64_t asked, std::int64_t most) {
            return 0 <= asked && (asked <= most || most == 0); // 0: that side is not filled
        };
        require<UsageError>(
            is_within(depth.low, deepest.low) && is_within(depth.high, deepest.high), [&] {
                return text(name(), "::require: expected depths in [0, ", deepest.low, "] and [0, ",
                            deepest.high,
                            "], the depths to which this plan fills the low and high sides of "
                            "field ",
                            i, ", got (", depth.low, ", ", depth.high, ')');
            });
        const ValidPadding needed = filled.limited_to(depth);
        if (needed.deepest() == Widths(0)) continue; // no padding, and no corners
        if (*field.state && !(*field.state)->valid_padding.reaches(needed))
            m_stale.push_back(field);
    }
    return m_one_geometry || m_stale.empty() ? std::span<const Field>(m_stale) : arrays.sources;
}

std::string PaddingExchangeCore::describe() const {
    std::ostringstream out;
    out << "padding exchange; transports allowed: " << allowed_transports(required());
    for (std::size_t i = 0; i < m_schedules.size(); ++i) {
        out << '\n' << (m_one_geometry ? "every field: " : text("field ", i, ": "));
        out << m_schedules[i].layout().describe() << '\n' << m_schedules[i].describe();
    }
    return out.str() + describe_bound_sets();
}

} // namespace distview::impl
