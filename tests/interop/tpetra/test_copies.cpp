// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tpetra's vectors copy no array. The tests count memory copies, whichever code makes them.
#include "../copy_counter.hpp"
#include "flow_problem.hpp"

#include <distview/interop/solver_memory.hpp>
#include <distview/tpetra/trilinos.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace distview::testing {

namespace {

std::size_t bytes_of(const Plane& plane) { return plane.view().size() * sizeof(double); }

FlowProblem make_problem() {
    return FlowProblem({{31, 27}, {Sides::walls, Sides::walls}}, {1, rank_count()},
                       {block(31, {.padding = 1}), block(27, {.padding = 1})});
}

/// Number of deep copies of at least `bytes` bytes.
std::size_t long_copies(const KokkosEvents& events, std::size_t bytes) {
    std::size_t count = 0;
    for (const KokkosEvent& event : events.deep_copies()) count += event.bytes >= bytes;
    return count;
}

} // namespace

// The counter sees copies by Tpetra.
TEST(TpetraCopies, AreSeenWhereTheyAre) {
    FlowProblem problem = make_problem();
    const Plane u = problem.make("u");
    problem.fill(u);
    const tpetra::MultiVector x(problem.map, u);
    KokkosEvents events;
    const CopyCounter counter(u.view().data(), bytes_of(u));
    const Tpetra::MultiVector<double> copy(*tpetra::rcp(x), Teuchos::Copy);
    events.stop();
    EXPECT_TRUE(counter.bytes() >= static_cast<std::int64_t>(bytes_of(u)) ||
                long_copies(events, bytes_of(u)) > 0);
}

TEST(TpetraCopies, NoneAtTheDoor) {
    FlowProblem problem = make_problem();
    const Plane u = problem.make("u");
    problem.fill(u);
    const std::int64_t told = bytes_copied_at_the_door();
    KokkosEvents events;
    const CopyCounter counter(u.view().data(), bytes_of(u));
    {
        const tpetra::MultiVector x(problem.map, u);
        EXPECT_EQ(tpetra::rcp(x)->getLocalViewHost(Tpetra::Access::ReadOnly).data(),
                  u.view().data());
        EXPECT_EQ(tpetra::rcp(x)->getLocalViewHost(Tpetra::Access::ReadWrite).data(),
                  u.view().data());
        EXPECT_EQ(tpetra::rcp(x)->getLocalViewDevice(Tpetra::Access::OverwriteAll).data(),
                  u.view().data());
    }
    events.stop();
    EXPECT_EQ(counter.bytes(), 0);
    EXPECT_EQ(bytes_copied_at_the_door(), told);
    EXPECT_TRUE(events.deep_copies().empty()) << describe(events.deep_copies());
    for (const KokkosEvent& kernel : events.kernels()) // of the DualView's two flags
        EXPECT_NE(kernel.label.find("DualView::modified_flags"), std::string::npos) << kernel.label;
}

} // namespace distview::testing
