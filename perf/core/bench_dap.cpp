// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of exchanging a section through dap.h, against a plain copy of the same structs; and the cost of checking
// the dimension data of a hundred thousand processes, against one comparison of all of the data.

#include "perf.hpp"

#include <distview/core/any_dist_view.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/protocol/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using protocol::from_dap;
using protocol::SectionDescription;
using protocol::to_dap;

/// The number of calls timed together: one call is shorter than the clock's resolution and the barrier.
int batch() { return perf::smoke() ? 10 : 1000; }

/// Adds nanoseconds per call to the counters of contest(), which times whole batches.
void add_per_call(benchmark::State& state, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        state.counters[name + "_ns_per_call"] = state.counters[name + "_us"] * 1e3 / batch();
}

/// The lower bound: memory for the structs, and a copy of each.
struct PlainCopy {
    distview_dap_dim dims[2];
    std::int64_t extents[2];
    std::int64_t strides[2];
};
std::unique_ptr<PlainCopy> copy_structs(const distview_dap_section& from,
                                        distview_dap_section& to) {
    auto copy = std::make_unique<PlainCopy>();
    for (int d = 0; d < 2; ++d) {
        copy->dims[d] = from.dims[d];
        copy->extents[d] = from.extents[d];
        copy->strides[d] = from.strides[d];
    }
    to = from;
    to.dims = copy->dims;
    to.extents = copy->extents;
    to.strides = copy->strides;
    to.private_data = copy.get();
    return copy;
}

/// Exports a section of a padded 2-D block array to C and imports it again.
void exchange_of_a_section(benchmark::State& state) {
    const Exec exec;
    const BlockOptions options{.padding = 1};
    const ArrayLayout layout(ProcessGrid{4, 4}, {block(64, options), block(64, options)});
    const DistView<double**, Exec::memory_space> array(exec, "array", layout, 5);
    const AnyDistView view(array);

    distview_dap_section checked{};
    to_dap(view, &checked);
    {
        const protocol::ExportedSection back = from_dap(&checked);
        if (!perf::verify(state,
                          back.section.data == array.view().data() &&
                              back.dim_data == export_dim_data(layout, 5, protocol::v0_10_0) &&
                              back.section.extents == view.section().extents &&
                              back.section.strides == view.section().strides,
                          "the section that came back"))
            return;
    }
    distview_dap_section model{};
    to_dap(view, &model);
    std::vector<distview_dap_section> sections(static_cast<std::size_t>(batch()));
    const auto release_all = [&] {
        for (auto& section : sections)
            if (section.release) section.release(&section);
    };
    perf::contest(state, exec,
                  {{"both",
                    [&] {
                        for (auto& section : sections) {
                            to_dap(view, &section);
                            benchmark::DoNotOptimize(from_dap(&section));
                        }
                    }},
                   {"to_dap",
                    [&] {
                        for (auto& section : sections) {
                            to_dap(view, &section);
                            section.release(&section);
                        }
                    }},
                   {"from_dap",
                    [&] {
                        for (auto& section : sections) benchmark::DoNotOptimize(from_dap(&section));
                    },
                    [&] {
                        for (auto& section : sections) to_dap(view, &section);
                    }},
                   {"struct_copy", [&] {
                        for (auto& section : sections) {
                            const auto copy = copy_structs(model, section);
                            benchmark::DoNotOptimize(section);
                            section = {};
                        }
                    }}});
    add_per_call(state, {"both", "to_dap", "from_dap", "struct_copy"});
    release_all();
    model.release(&model);
}
BENCHMARK(exchange_of_a_section)->Iterations(50)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// Checks the exports of all processes, against a comparison with a copy of them.
void check_array(benchmark::State& state, const ArrayLayout& layout) {
    std::vector<SectionDescription> sections;
    sections.reserve(static_cast<std::size_t>(layout.process_count()));
    for (int p = 0; p < layout.process_count(); ++p)
        sections.push_back(export_section(layout, p, protocol::v0_10_0));
    const std::vector<SectionDescription> copy = sections;

    std::vector<SectionDescription> broken = sections;
    broken.back().extents[0] += 1;
    const auto verdict = check_all(protocol::v0_10_0, broken);
    if (!perf::verify(state,
                      !check_all(protocol::v0_10_0, sections) && verdict &&
                          verdict->code == "shape_mismatch" &&
                          verdict->process == layout.process_count() - 1,
                      "the verdict"))
        return;
    broken = {};

    bool conforms = false;
    bool equal = false;
    perf::contest(state, Exec(),
                  {{"check_all", [&] { conforms = !check_all(protocol::v0_10_0, sections); }},
                   {"compare", [&] { equal = sections == copy; }}});
    perf::verify(state, conforms && equal, "the timed verdict");
    state.counters["processes"] = layout.process_count();
}

void check_blocks(benchmark::State& state) {
    const BlockOptions options{.padding = 2, .periodic = true};
    const int rows = perf::smoke() ? 4 : 250;
    const int columns = perf::smoke() ? 5 : 400;
    check_array(state, ArrayLayout(ProcessGrid{rows, columns}, {block(10L * rows + 3, options),
                                                                block(12L * columns, options)}));
}
BENCHMARK(check_blocks)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

void check_labels(benchmark::State& state) {
    const int processes = perf::smoke() ? 20 : 100'000;
    constexpr int labels_per_process = 16;
    std::vector<std::vector<std::int64_t>> labels(static_cast<std::size_t>(processes));
    // Like a partitioned mesh: indices of a process are neighbours in space but scattered in number.
    for (std::int64_t i = 0; i < std::int64_t{labels_per_process} * processes; ++i)
        labels[static_cast<std::size_t>(i * 7919 % processes)].push_back(i);
    check_array(state,
                ArrayLayout(ProcessGrid{processes}, {unstructured(std::move(labels), true)}));
    state.counters["labels"] = labels_per_process * processes;
}
BENCHMARK(check_labels)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
