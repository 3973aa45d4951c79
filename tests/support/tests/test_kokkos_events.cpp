// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/kokkos_events.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using HostView = Kokkos::View<double*, Kokkos::HostSpace>;
using Labels = std::vector<std::string>;

TEST(KokkosEvents, RecordsKernelsInOrder) {
    const Exec exec;
    KokkosEvents events;
    double sum = 0;
    int total = 0;
    const Kokkos::RangePolicy<Exec> policy(exec, 0, 10);
    Kokkos::parallel_for("first", policy, [](int) {});
    Kokkos::parallel_reduce("second", policy, [](int i, double& s) { s += i; }, sum);
    Kokkos::parallel_scan("third", policy, [](int i, int& s, bool) { s += i; }, total);
    events.stop();
    Kokkos::parallel_for("after the end", policy, [](int) {});

    EXPECT_EQ(labels(events.kernels()), (Labels{"first", "second", "third"}));
    EXPECT_EQ(events.of_kind(KokkosEventKind::parallel_reduce).size(), 1U);
    for (const KokkosEvent& kernel : events.kernels()) {
        EXPECT_EQ(kernel.device_id, device_id_of(exec)) << describe({kernel});
    }
}

TEST(KokkosEvents, RecordsFencesWithTheirReason) {
    const Exec exec;
    KokkosEvents events;
    exec.fence("the reason");
    events.stop();
    ASSERT_EQ(labels(events.fences()), (Labels{"the reason"}));
    EXPECT_EQ(events.fences()[0].device_id, device_id_of(exec));
}

TEST(KokkosEvents, TellsInstancesApart) {
    const auto instances = Kokkos::Experimental::partition_space(Exec{}, 1, 1);
    if (device_id_of(instances[0]) == device_id_of(instances[1])) {
        GTEST_SKIP() << "this Kokkos gives instances of " << Exec::name() << " no numbers";
    }
    KokkosEvents events;
    instances[1].fence("of the second instance");
    events.stop();
    ASSERT_EQ(events.fences().size(), 1U);
    EXPECT_EQ(events.fences()[0].device_id, device_id_of(instances[1]));
}

TEST(KokkosEvents, FindsWorkThatEscapesFromAnInstance) {
    const Exec exec = separate_instance<Exec>();
    // Kokkos 5.2 gives all instances of OpenMP the same number: then only fences of all instances are seen.
    const bool has_number = device_id_of(exec) != device_id_of(Exec{});
    const auto nothing = [](int) {};
    KokkosEvents events;
    Kokkos::parallel_for("stays", Kokkos::RangePolicy<Exec>(exec, 0, 1), nothing);
    exec.fence("stays too");
    Kokkos::parallel_for("on the default instance", Kokkos::RangePolicy<Exec>(0, 1), nothing);
    Exec{}.fence("of the default instance");
    Kokkos::fence("of all instances");
    events.stop();
    const Labels escaped = labels(escapes_from(exec, events));
    const auto has = [&](const char* label) {
        return std::find(escaped.begin(), escaped.end(), label) != escaped.end();
    };
    EXPECT_TRUE(has("of all instances")) << describe(events.all());
    EXPECT_EQ(has("on the default instance"), has_number) << describe(events.all());
    EXPECT_EQ(has("of the default instance"), has_number) << describe(events.all());
    EXPECT_FALSE(has("stays") || has("stays too")) << describe(events.all());
}

TEST(KokkosEvents, FindsKernelsOnOtherThreads) {
    if (!shows_threads<Exec>() || Exec{}.concurrency() < 2) {
        GTEST_SKIP() << "kernels of " << Exec::name()
                     << " do not show their threads, or are on one";
    }
    const Exec exec = half_instance<Exec>();
    ASSERT_LT(exec.concurrency(), Exec{}.concurrency());
    const auto nothing = [](int) {};
    const auto add = [](int, int& sum) { sum += 1; };
    int sum = 0;
    KokkosEvents events;
    Kokkos::parallel_for("stays", Kokkos::RangePolicy<Exec>(exec, 0, 4), nothing);
    Kokkos::parallel_for("escapes", Kokkos::RangePolicy<Exec>(0, 4), nothing);
    Kokkos::parallel_reduce("stays too", Kokkos::RangePolicy<Exec>(exec, 0, 4), add, sum);
    Kokkos::parallel_reduce("escapes too", Kokkos::RangePolicy<Exec>(0, 4), add, sum);
    events.stop();
    EXPECT_EQ(labels(kernels_on_other_threads(exec, events)), (Labels{"escapes", "escapes too"}));
    for (const KokkosEvent& kernel : events.kernels()) {
        EXPECT_GT(kernel.threads, 0U) << kernel.label;
    }
}

TEST(KokkosEvents, ExpectsKernelsOnTheThreadsOfTheGivenInstance) {
    const auto nothing = [](int) {};
    expect_threads_of_given_instance<Exec>({"stays"}, [&](const Exec& exec) {
        Kokkos::parallel_for("stays", Kokkos::RangePolicy<Exec>(exec, 0, 4), nothing);
    });
    if (IsSkipped()) {
        return;
    }
    const auto escape = [&](const Exec&) {
        Kokkos::parallel_for("escapes", Kokkos::RangePolicy<Exec>(0, 4), nothing);
    };
    EXPECT_NONFATAL_FAILURE(expect_threads_of_given_instance<Exec>({"escapes"}, escape),
                            "not on the ");
}

TEST(KokkosEvents, RecordsAllocationsAndDeepCopies) {
    const Exec exec;
    KokkosEvents events;
    {
        const HostView a("a", 100);
        const HostView b(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "b"), 100);
        Kokkos::deep_copy(exec, b, a);
    }
    events.stop();
    EXPECT_EQ(labels(events.allocations()), (Labels{"a", "b"}));
    EXPECT_EQ(events.of_kind(KokkosEventKind::deallocation).size(), 2U);
    ASSERT_EQ(events.deep_copies().size(), 1U) << describe(events.all());
    EXPECT_EQ(events.deep_copies()[0].label, "b");
    EXPECT_EQ(events.deep_copies()[0].source_label, "a");
    EXPECT_EQ(events.deep_copies()[0].bytes, 800U);
    EXPECT_EQ(events.allocations()[0].space, "Host");
    EXPECT_GE(events.allocations()[0].bytes, 800U);
}

TEST(KokkosEvents, RecordsRegions) {
    KokkosEvents events;
    Kokkos::Profiling::pushRegion("outer");
    Kokkos::Profiling::popRegion();
    events.stop();
    EXPECT_EQ(labels(events.regions()), (Labels{"outer"}));
}

TEST(KokkosEvents, FindsWhatIsLabelledOtherwise) {
    const Exec exec;
    KokkosEvents events;
    exec.fence("distview::Plan::done");
    exec.fence("no prefix");
    events.stop();
    EXPECT_EQ(labels(labelled_otherwise(events.all(), {"distview::", "Kokkos::"})),
              (Labels{"no prefix"}));
}

TEST(KokkosEvents, Nest) {
    const Exec exec;
    KokkosEvents outer;
    exec.fence("one");
    {
        KokkosEvents inner;
        exec.fence("two");
        EXPECT_EQ(labels(inner.all()), (Labels{"two"}));
    }
    exec.fence("three");
    outer.stop();
    EXPECT_EQ(labels(outer.all()), (Labels{"one", "two", "three"}));
}

int g_tool_fences = 0;

TEST(KokkosEvents, LeavesAToolItsCallbacks) {
    namespace tools = Kokkos::Tools::Experimental;
    const tools::EventSet before = tools::get_callbacks();
    tools::set_begin_fence_callback(
        [](const char*, std::uint32_t, std::uint64_t*) { ++g_tool_fences; });
    {
        KokkosEvents events;
        Exec{}.fence("seen by both");
        EXPECT_EQ(events.fences().size(), 1U);
    }
    Exec{}.fence("seen by the tool");
    tools::set_callbacks(before);
    EXPECT_EQ(g_tool_fences, 2);
}

} // namespace

} // namespace distview::testing
