// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traffic.hpp"

#include <set>

namespace ptrans {

distview::ArrayLayout layout_of_a(const Shape& shape) {
    return distview::ArrayLayout(
        distview::ProcessGrid{shape.p, shape.q},
        {distview::block_cyclic(shape.m, shape.mb), distview::block_cyclic(shape.n, shape.nb)});
}

distview::ArrayLayout layout_of_c(const Shape& shape) {
    return distview::ArrayLayout(
        distview::ProcessGrid{shape.p, shape.q},
        {distview::block_cyclic(shape.n, shape.nb), distview::block_cyclic(shape.m, shape.mb)});
}

Traffic traffic_of(const distview::RedistributionSchedule& schedule) {
    Traffic traffic;
    for (int process = 0; process < schedule.to_layout().process_count(); ++process) {
        std::set<int> partners;
        for (const auto& message : schedule.receives(process)) partners.insert(message.peer);
        for (const auto& message : schedule.sends(process)) partners.insert(message.peer);
        traffic.partners.push_back(static_cast<int>(partners.size()));
    }
    traffic.wire_bytes = 8 * schedule.wire_elements();
    return traffic;
}

} // namespace ptrans
