// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/schedule/writes_in_place.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

namespace {

/// Whether runs of an axis go to several processes, and are short.
bool is_dealt_out(const std::vector<AxisRun>& runs) {
    std::int64_t elements = 0;
    std::int64_t pieces = 0;
    for (const AxisRun& run : runs) {
        elements += run.elements();
        pieces += run.my_step == 1 ? run.repeats : run.elements();
    }
    return !runs.empty() && runs.front().peer != runs.back().peer &&
           elements < pieces * tuning::long_read_run;
}

} // namespace

bool writes_in_place(const RedistributionSchedule& schedule) {
    const int last = schedule.rank() - 1;
    // Where axes are permuted, whole lines of both sides are met once as it is.
    if (last < 0 || schedule.permutation(last) != last) return false;
    const AxisLayout& from = schedule.from_layout().axis(last);
    const AxisLayout& to = schedule.to_layout().axis(last);
    // Runs of unstructured axes are found in tables, and all processes would have to look at the same ones.
    if (from.type() == DistType::unstructured || to.type() == DistType::unstructured) return false;
    for (int c = 0; c < from.grid_size(); ++c)
        if (const auto runs = schedule.axis_runs_from(last, c); !runs.empty())
            return is_dealt_out(runs);
    return false;
}

} // namespace distview::impl
