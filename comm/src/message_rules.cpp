// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/message_rules.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>

namespace distview::impl {

namespace {

/// Bytes of the runs that a region of a section in C order without gaps consists of.
std::int64_t run_bytes(const PaddingRegion& region, const Extents& section, int rank,
                       std::int64_t element_size) {
    std::int64_t bytes = element_size;
    for (int d = rank - 1; d >= 0; --d) {
        const auto axis = static_cast<std::size_t>(d);
        bytes *= region.extents[axis];
        if (region.extents[axis] != section[axis]) break;
    }
    return bytes;
}

bool is_in_arena(const Field& field, const Arena& arena) {
    const Extents extents = field.layout->local_extents(field.process);
    std::int64_t bytes = field.element_size;
    for (std::size_t d = 0; d < static_cast<std::size_t>(field.layout->rank()); ++d) {
        if (extents[d] == 0) return true; // nothing is sent or received
        if (field.strides[d] < 0) return false;
        bytes += (extents[d] - 1) * field.strides[d];
    }
    return arena.owner_of(field.data, bytes) != nullptr;
}

} // namespace

bool MessageRules::is_alone(const PaddingRegion& region, const PaddingExchangeSchedule& schedule,
                            std::int64_t element_size) const {
    const std::int64_t bytes = region.elements * element_size;
    if (!in_arrays || region.peer == schedule.process() || bytes < long_run ||
        bytes > std::numeric_limits<int>::max())
        return false;
    const std::int64_t word = std::gcd(element_size, std::int64_t{8});
    const auto is_long = [&](int process) {
        const std::int64_t run = run_bytes(region, schedule.layout().local_extents(process),
                                           schedule.layout().rank(), element_size);
        return run == bytes || (by_datatypes && suits_datatypes(run, word));
    };
    return is_long(schedule.process()) && is_long(region.peer);
}

MessageOffer message_offer(const Arena& arena, std::span<const Field> fields,
                           const MessageRules& rules) {
    if (!std::all_of(fields.begin(), fields.end(),
                     [&](const Field& field) { return is_in_arena(field, arena); }))
        return {};
    // MPI packs with one thread, kernels with all.
    const bool one_thread = Kokkos::DefaultHostExecutionSpace().concurrency() == 1;
    return {true, rules.by_datatype.value_or(one_thread), rules.by_datatype.value_or(false),
            one_thread && !rules.by_datatype};
}

} // namespace distview::impl
