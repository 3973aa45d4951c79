// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.hpp"

#include <distview/algorithms.hpp>
#include <distview_testing/allocations.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

namespace distview::testing {

namespace {

struct AddOne {
    Array<double, 2>::view_type view;
    KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { view(i, j) += 1; }
};
struct Nothing {
    KOKKOS_FUNCTION void operator()(GlobalIndex, GlobalIndex) const {}
};
struct NothingOfBoth {
    KOKKOS_FUNCTION void operator()(int, int, GlobalIndex, GlobalIndex) const {}
};

struct First {
    KOKKOS_FUNCTION double operator()(double a, double) const { return a; }
};

struct BareKernel {
    KOKKOS_FUNCTION void operator()(int) const {}
};

/// Every algorithm by name, called on two arrays.
class AllAlgorithms {
public:
    using Call = std::function<void()>;

    std::vector<std::pair<std::string, Call>> local() const {
        return {
            {"for_each", [this] { for_each(exec, x, AddOne{x.view()}); }},
            {"for_each_global", [this] { for_each_global(exec, x, Nothing()); }},
            {"fill", [this] { fill(exec, x, 3.0); }},
            {"fill_with", [this] { fill_with(exec, x, Encoded<double>()); }},
            {"copy", [this] { copy(exec, x, y); }},
            {"axpby", [this] { axpby(exec, 2.0, x, 3.0, y); }},
            {"axpby", [this] { axpby(exec, 2.0, x, 0.0, y); }},
            {"scale", [this] { scale(exec, 2.0, x); }},
            {"transform", [this] { transform(exec, x, First(), y, row); }},
        };
    }
    std::vector<std::pair<std::string, Call>> reductions() const {
        return {
            {"sum", [this] { sum(exec, comm, x); }},
            {"dot", [this] { dot(exec, comm, x, y); }},
            {"norm1", [this] { norm1(exec, comm, x); }},
            {"norm2", [this] { norm2(exec, comm, x); }},
            {"norm_inf", [this] { norm_inf(exec, comm, x); }},
            {"min", [this] { min(exec, comm, x); }},
            {"max", [this] { max(exec, comm, x); }},
            {"min_location", [this] { min_location(exec, comm, x); }},
            {"max_location", [this] { max_location(exec, comm, x); }},
        };
    }

    Exec exec = separate_instance<Exec>();
    Communicator comm = world();
    ArrayLayout layout{ProcessGrid{comm.size(), 1},
                       {block(4 * comm.size(), {.padding = 1}), block(6, {.padding = 2})}};
    Array<double, 2> x = make_section<double, 2>(layout);
    Array<double, 2> y = make_section<double, 2>(layout);
    /// One cell per row of the other arrays, which transform() broadcasts.
    Array<double, 2> row = make_section<double, 2>(reduced_layout(layout, 1));
};

/// Counts fences, except those that Kokkos adds because a tool records.
std::int64_t fence_count(const KokkosEvents& events) {
    std::int64_t count = 0;
    for (const std::string& label : labels(events.fences()))
        count += !label.starts_with("Kokkos::Tools::");
    return count;
}

std::vector<std::string> foreign_labels(const KokkosEvents& events) {
    return labels(labelled_otherwise(events.all(), {"distview::", "Kokkos::"}));
}

} // namespace

TEST(Behaviour, one_labelled_kernel_on_the_given_instance_and_no_fence) {
    const AllAlgorithms all;
    fill(all.exec, all.x, 1.0, Cells::owned);
    fill(all.exec, all.y, 1.0, Cells::owned);
    all.exec.fence("distview::testing: before recording");
    for (const auto& [name, call] : all.local()) {
        KokkosEvents events;
        call();
        events.stop();
        const auto kernels = events.kernels();
        ASSERT_EQ(kernels.size(), 1u) << name;
        EXPECT_EQ(kernels[0].label, "distview::" + name);
        EXPECT_EQ(labels(escapes_from(all.exec, events)), std::vector<std::string>()) << name;
        EXPECT_EQ(fence_count(events), 0) << name << ": " << describe(events.all());
        EXPECT_EQ(events.allocations().size(), 0u) << name;
        EXPECT_EQ(foreign_labels(events), std::vector<std::string>()) << name;
    }
    for (const auto& [name, call] : all.reductions()) {
        KokkosEvents events;
        call();
        events.stop();
        const auto kernels = events.kernels();
        ASSERT_EQ(kernels.size(), 1u) << name;
        EXPECT_EQ(kernels[0].kind, KokkosEventKind::parallel_reduce) << name;
        EXPECT_EQ(kernels[0].label, "distview::" + name);
        EXPECT_EQ(labels(escapes_from(all.exec, events)), std::vector<std::string>()) << name;
        EXPECT_EQ(foreign_labels(events), std::vector<std::string>()) << name;
    }
}

// On the host Kokkos does not number instances, so the test passes an instance with fewer threads than the default one.
TEST(Behaviour, kernels_are_on_the_threads_of_the_given_instance) {
    if (!shows_threads<Exec>() || Exec{}.concurrency() < 2)
        GTEST_SKIP() << "kernels of " << Exec::name()
                     << " do not show their threads, or are on one";
    AllAlgorithms all;
    fill(all.exec, all.x, 1.0, Cells::owned);
    fill(all.exec, all.y, 1.0, Cells::owned);
    all.exec.fence("distview::testing: before recording");
    all.exec = half_instance<Exec>();
    auto calls = all.local();
    for (const auto& call : all.reductions()) calls.push_back(call);
    for (const auto& [name, call] : calls) {
        KokkosEvents events;
        call();
        events.stop();
        ASSERT_EQ(events.kernels().size(), 1u) << name;
        EXPECT_GT(events.kernels()[0].threads, 0u) << name;
        EXPECT_EQ(labels(kernels_on_other_threads(all.exec, events)), std::vector<std::string>())
            << name;
    }
}

TEST(Behaviour, a_kernel_has_the_label_that_the_program_gives) {
    const AllAlgorithms all;
    const Exec& exec = all.exec;
    const std::string label("program::step");
    ValidPadding filled;
    filled.set_depth(0, 1);
    const std::pair<const char*, AllAlgorithms::Call> calls[] = {
        {"for_each", [&] { for_each(exec, label, all.x, AddOne{all.x.view()}); }},
        {"for_each_global", [&] { for_each_global(exec, label, all.x, Nothing()); }},
        {"for_each_global, owned",
         [&] { for_each_global(exec, label, all.x, Nothing(), Cells::owned); }},
        {"for_each_with_global",
         [&] { for_each_with_global(exec, label, all.x, NothingOfBoth()); }},
        {"fill_with", [&] { fill_with(exec, label, all.x, Encoded<double>()); }},
    };
    for (const auto& [name, call] : calls) {
        all.x.mark_padding_valid(filled);
        KokkosEvents events;
        call();
        events.stop();
        EXPECT_EQ(labels(events.kernels()), std::vector<std::string>{label}) << name;
        EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>()) << name;
        EXPECT_TRUE(all.x.valid_padding() == ValidPadding()) << name;
    }
    auto other = make_section<double, 2>(all.layout);
    fill_with(exec, other, Encoded<double>());
    fill_with(exec, label, all.x, Encoded<double>());
    EXPECT_EQ(max(exec, all.comm, all.x), max(exec, all.comm, other));
    EXPECT_EQ(sum(exec, all.comm, all.x), sum(exec, all.comm, other));
}

TEST(Behaviour, gather_and_scatter_label_what_they_do) {
    const AllAlgorithms all;
    fill(all.exec, all.x, 1.0, Cells::owned);
    KokkosEvents events;
    const auto whole = gather(all.exec, all.comm, all.x, 0);
    scatter(all.exec, all.comm, whole, 0, all.y);
    events.stop();
    EXPECT_EQ(foreign_labels(events), std::vector<std::string>()) << describe(events.all());
    std::vector<std::string> ours;
    for (const std::string& label : labels(events.kernels()))
        if (label.starts_with("distview::")) ours.push_back(label);
    EXPECT_EQ(ours, (std::vector<std::string>{"distview::gather", "distview::scatter"}));
    EXPECT_EQ(labels(escapes_from(all.exec, events)), std::vector<std::string>());
}

TEST(Behaviour, local_algorithms_allocate_no_more_than_a_bare_kernel) {
    const AllAlgorithms all;
    fill(all.exec, all.x, 1.0, Cells::owned);
    fill(all.exec, all.y, 1.0, Cells::owned);
    // Kokkos and the OpenMP runtime allocate for every kernel while allocations are counted.
    const Kokkos::RangePolicy<Exec> policy(all.exec, 0, 2);
    const auto bare = [&] {
        const std::string label("distview::testing::bare_kernel");
        Kokkos::parallel_for(label, policy, BareKernel());
    };
    bare();
    const AllocationCounts least = count_allocations(bare);
    for (const auto& [name, call] : all.local()) {
        call();
        const AllocationCounts counts = count_allocations([&] { call(); });
        EXPECT_LE(counts.heap, least.heap) << name << ": " << counts.description;
        EXPECT_EQ(counts.kokkos, 0) << name << ": " << counts.description;
    }
}

TEST(Behaviour, local_algorithms_allocate_nothing_for_their_labels) {
    const AllAlgorithms all;
    fill(all.exec, all.x, 1.0, Cells::owned);
    fill(all.exec, all.y, 1.0, Cells::owned);
    const std::string no_label;
    const Kokkos::RangePolicy<Exec> policy(all.exec, 0, 2);
    const auto bare = [&] { Kokkos::parallel_for(no_label, policy, BareKernel()); };
    bare();
    const AllocationCounts least = count_heap_allocations(bare);
    for (const auto& [name, call] : all.local()) {
        call();
        const AllocationCounts counts = count_heap_allocations([&] { call(); });
        EXPECT_LE(counts.heap, least.heap) << name << ": " << counts.description;
    }
}

// On a host the array's own tables suffice; a DeviceLayout has tables for all processes.
TEST(Behaviour, indices_of_any_layout_take_no_memory_on_a_host) {
    if (!std::is_same_v<Exec::memory_space, Kokkos::HostSpace>)
        GTEST_SKIP() << "a device has a DeviceLayout";
    const Exec exec;
    const Communicator comm = world();
    std::vector<std::vector<std::int64_t>> labels;
    for (std::int64_t p = 0; p < comm.size(); ++p) labels.push_back({p, p + comm.size()});
    const auto x = make_section<double, 2>(
        {ProcessGrid{comm.size(), 1}, {unstructured(labels), block_cyclic(7, 2)}});
    const std::string no_label;
    const Kokkos::RangePolicy<Exec> policy(exec, 0, 2);
    const auto bare = [&] { Kokkos::parallel_for(no_label, policy, BareKernel()); };
    const std::vector<std::pair<std::string, std::function<void()>>> calls{
        {"for_each_global", [&] { for_each_global(exec, x, Nothing()); }},
        {"for_each_with_global", [&] { for_each_with_global(exec, x, NothingOfBoth()); }},
        {"fill_with", [&] { fill_with(exec, x, Encoded<double>()); }},
        {"fill_random", [&] { fill_random(exec, x, {.seed = 42}); }},
    };
    bare();
    const AllocationCounts least = count_heap_allocations(bare);
    for (const auto& [name, call] : calls) {
        call();
        const AllocationCounts counts = count_heap_allocations([&] { call(); });
        EXPECT_LE(counts.heap, least.heap) << name << ": " << counts.description;
        KokkosEvents events;
        call();
        events.stop();
        EXPECT_EQ(fence_count(events), 0) << name << ": " << describe(events.all());
    }
}

TEST(Behaviour, sections_without_cells_launch_nothing) {
    const Exec exec;
    const auto x = make_section<double, 1>({ProcessGrid{1}, {block(0, {.boundary = Widths(2)})}});
    KokkosEvents events;
    fill(exec, x, 1.0);
    scale(exec, 2.0, x);
    events.stop();
    EXPECT_EQ(events.kernels().size(), 0u);
    fill(exec, x, 1.0, Cells::owned);
    const auto on_host = to_host(exec, x);
    EXPECT_EQ(on_host.view()(3), 1.0);
}

TEST(Behaviour, reductions_repeat_to_the_bit) {
    const Exec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{1, comm.size()},
                             {block(37), block(101 * comm.size() + 5, {.padding = 1})});
    const auto x = make_section<double, 2>(layout);
    const auto y = make_section<float, 2>(layout);
    const auto value = [](const auto& g) {
        const std::int64_t j = g[1] + 1;
        return std::ldexp(std::sin(double(g[0] * 1009 + j)), static_cast<int>(j % 40));
    };
    set_cells(exec, x, Cells::interior, value, 0.0);
    set_cells(exec, y, Cells::interior, [&](const auto& g) { return float(value(g)); }, 0.f);
    const auto all = [&] {
        return std::array{sum(exec, comm, x),   dot(exec, comm, x, x),   norm1(exec, comm, x),
                          norm2(exec, comm, x), norm_inf(exec, comm, x), sum(exec, comm, y),
                          norm2(exec, comm, y)};
    };
    const auto first = all();
    // The order of these values matters: adding them in reverse order gives other bits.
    double forwards = 0;
    double backwards = 0;
    std::vector<double> values;
    for_each_cell_of_all<2>(layout, Cells::interior,
                            [&](int, const auto& g) { values.push_back(value(g)); });
    for (std::size_t i = 0; i < values.size(); ++i) {
        forwards += values[i];
        backwards += values[values.size() - 1 - i];
    }
    EXPECT_NE(forwards, backwards);
    double magnitudes = 0;
    for (const double v : values) magnitudes += std::abs(v);
    EXPECT_NEAR(first[0], forwards, 1e-13 * magnitudes);

    int n_different = 0;
    for (int repeat = 0; repeat < 1000; ++repeat) {
        const auto again = all();
        for (std::size_t i = 0; i < first.size(); ++i)
            n_different += !bits_equal(first[i], again[i]);
    }
    EXPECT_EQ(n_different, 0);

    // The bits are equal on all ranks.
    const auto bits = std::bit_cast<std::uint64_t>(first[0]);
    for (const std::uint64_t other : all_gather(comm, bits)) EXPECT_EQ(other, bits);
}

} // namespace distview::testing
