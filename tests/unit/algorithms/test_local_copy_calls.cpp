// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// with_local_copy() by example: the bytes copied, the memory passed to functions, and errors.
#include "matrices.hpp"

#include <distview/algorithms/sum.hpp>
#include <distview/algorithms/with_local_copy.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/kokkos_events.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

struct Seen {
    LocalCopyBytes bytes;
    bool is_copy = false;
    const double* data = nullptr;
    std::int64_t leading_dimension = 0;
};

template <class View>
Seen look(const View& x, Intent intent, MemoryOrder order, const LocalCopyOptions& options = {}) {
    Seen seen;
    seen.bytes = with_local_copy(
        Host(), x, intent, order,
        [&](const auto& a) {
            seen.is_copy = a.is_copy();
            seen.data = a.data();
            seen.leading_dimension = a.leading_dimension();
            if (intent == Intent::in) return;
            for (std::int64_t k = 0; seen.is_copy && k < a.size(); ++k) a.data()[k] = 5;
        },
        options);
    return seen;
}

} // namespace

TEST(LocalCopyBytes, follow_from_the_intent) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(3 * comm.size()), block(5)});
    const auto x = make_matrix(comm, layout);
    const std::int64_t all = 3 * 5 * 8;
    using Bytes = LocalCopyBytes;
    EXPECT_EQ(look(x, Intent::in, MemoryOrder::column_major).bytes, (Bytes{all, 0}));
    EXPECT_EQ(look(x, Intent::out, MemoryOrder::column_major).bytes, (Bytes{0, all}));
    EXPECT_EQ(look(x, Intent::inout, MemoryOrder::column_major).bytes, (Bytes{all, all}));
    EXPECT_EQ(x.view()(2, 4), 5);
    for (const Intent intent : {Intent::in, Intent::out, Intent::inout}) {
        const Seen seen = look(x, intent, MemoryOrder::row_major);
        EXPECT_EQ(seen.bytes, (Bytes{0, 0}));
        EXPECT_FALSE(seen.is_copy);
        EXPECT_EQ(seen.data, x.view().data());
        EXPECT_EQ(seen.leading_dimension, 5);
    }
}

// Integers have no value that marks untouched elements: unless the function writes all of them, they are copied in.
TEST(LocalCopyBytes, of_integers_that_are_written) {
    const Communicator comm = world();
    const auto x = make_dist_view<int**>(
        Host(), "x", comm, {ProcessGrid{comm.size(), 1}, {block(3 * comm.size()), block(5)}});
    Kokkos::deep_copy(x.view(), 4);
    const auto write_one = [](const auto& a) { a.view()(1, 2) = 7; };
    const auto write_all = [](const auto& a) { Kokkos::deep_copy(a.view(), 9); };
    EXPECT_EQ(with_local_copy(Host(), x, Intent::out, MemoryOrder::column_major, write_one),
              (LocalCopyBytes{60, 60}));
    EXPECT_EQ(x.view()(1, 2), 7);
    EXPECT_EQ(x.view()(1, 3), 4);
    EXPECT_EQ(with_local_copy(Host(), x, Intent::out, MemoryOrder::column_major, write_all,
                              {.writes_all = true}),
              (LocalCopyBytes{0, 60}));
    EXPECT_EQ(x.view()(1, 3), 9);
}

TEST(WithLocalCopy, gives_padded_memory_to_functions_that_take_a_leading_dimension) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{1, comm.size()},
                             {block(4, {.boundary = 1}), block(3 * comm.size(), {.padding = 2})});
    const auto x = make_matrix<Kokkos::LayoutLeft>(comm, layout);
    EXPECT_TRUE(look(x, Intent::in, MemoryOrder::column_major).is_copy);
    const Seen seen =
        look(x, Intent::in, MemoryOrder::column_major, {.takes_leading_dimension = true});
    EXPECT_FALSE(seen.is_copy);
    EXPECT_EQ(seen.leading_dimension, 6);
    EXPECT_EQ(seen.data, &x.view()(1, x.interior_range(1).begin.value()));
    EXPECT_TRUE(
        look(x, Intent::in, MemoryOrder::row_major, {.takes_leading_dimension = true}).is_copy);
}

// A box inside this rank's section is passed without a copy, whatever other ranks request.
TEST(WithLocalCopy, gives_a_box_of_own_memory) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {block(3 * comm.size()), block(5)});
    const auto x = make_matrix(comm, layout);
    const std::int64_t first = 3 * comm.rank();
    const bool asks_for_own = comm.rank() % 2 == 0;
    const GlobalRange rows = asks_for_own
                                 ? GlobalRange{GlobalIndex(first + 1), GlobalIndex(first + 3)}
                                 : GlobalRange{GlobalIndex(first - 2), GlobalIndex(first)};
    const auto bytes =
        with_local_copy(Host(), comm, x, Intent::in, MemoryOrder::row_major,
                        {rows, {GlobalIndex(0), GlobalIndex(5)}}, [&](const auto& a) {
                            EXPECT_EQ(a.is_copy(), !asks_for_own);
                            if (asks_for_own) {
                                EXPECT_EQ(a.data(), &x.view()(1, 0));
                            }
                            EXPECT_EQ(a.view()(1, 4), value(rows.begin + 1, 4));
                        });
    EXPECT_EQ(bytes, (LocalCopyBytes{asks_for_own ? 0 : 2 * 5 * 8, 0}));
}

// Any NaN that a function writes must count as written; so must half a complex number.
TEST(WithLocalCopy, takes_nan_for_written) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size()}, {block(4 * comm.size())});
    const auto x =
        make_dist_view<double*, Kokkos::LayoutRight, Kokkos::HostSpace>(Host(), "x", comm, layout);
    const auto z = make_dist_view<Kokkos::complex<double>*, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Host(), "z", comm, {ProcessGrid{comm.size()}, {cyclic(4 * comm.size())}});
    Kokkos::deep_copy(z.view(), Kokkos::complex<double>(1, 2));
    const auto write = [](const auto& a) {
        a.data()[0] = std::numeric_limits<double>::quiet_NaN();
        a.data()[1] = std::numeric_limits<double>::signaling_NaN();
        a.data()[2] = -a.data()[0];
    };
    // The whole array on the last rank: it is a copy if there are several ranks.
    with_local_copy(Host(), comm, x, Intent::out, MemoryOrder::row_major,
                    WholeArray{comm.size() - 1}, write);
    if (comm.rank() == 0) {
        EXPECT_TRUE(std::isnan(x.view()(0)) && std::isnan(x.view()(1)) && std::isnan(x.view()(2)));
        EXPECT_EQ(x.view()(3), 0);
    }
    const auto bytes =
        with_local_copy(Host(), comm, z, Intent::out, MemoryOrder::row_major, WholeArray{0},
                        [](const auto& a) { a.data()[1].imag() = 5; });
    EXPECT_EQ(bytes.bytes_copied_out, comm.rank() == 0 && comm.size() > 1 ? 16 : 0);
    if (comm.rank() == 1 % comm.size()) {
        EXPECT_EQ(z.view()(comm.size() == 1 ? 1 : 0), (Kokkos::complex<double>(1, 5)));
    }
    EXPECT_EQ(z.view()(2), (Kokkos::complex<double>(1, 2)));
}

TEST(WithLocalCopy, writes_nothing_back_if_the_function_throws) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {cyclic(3 * comm.size()), block(5)});
    const auto x = make_matrix(comm, layout);
    const auto expect_unchanged = [&] {
        for_each_cell<2>(layout, comm.rank(), Cells::interior, [&](const auto& l, const auto& g) {
            EXPECT_EQ(element(x.view(), l), value(g[0], g[1]));
        });
    };
    const auto overwrite = [](const auto& a) {
        for (std::int64_t k = 0; k < a.size(); ++k) a.data()[k] = 5;
    };
    for (int odd = 0; odd < comm.size(); ++odd) {
        const auto function = [&](const auto& a) {
            overwrite(a);
            if (comm.rank() == odd) throw std::domain_error("no solution");
        };
        EXPECT_THROW_ON_ALL_RANKS(with_local_copy(Host(), comm, x, Intent::inout,
                                                  MemoryOrder::column_major, WholeArray{},
                                                  function),
                                  Error, "no solution");
        EXPECT_THROW_ON_ALL_RANKS(with_local_copy(Host(), comm, x, Intent::out,
                                                  MemoryOrder::column_major, WholeArray{odd},
                                                  function),
                                  Error, "no solution");
        const GlobalRange rows{GlobalIndex(3 * comm.rank()), GlobalIndex(3 * comm.rank() + 3)};
        const GlobalRange columns{GlobalIndex(1), GlobalIndex(4)};
        EXPECT_THROW_ON_ALL_RANKS(with_local_copy(Host(), comm, x, Intent::out,
                                                  MemoryOrder::column_major, {rows, columns},
                                                  function),
                                  Error, "no solution");
        expect_unchanged();
    }
    // A call for this rank's part affects no other rank.
    if (comm.rank() == 0) {
        EXPECT_THROW(with_local_copy(Host(), x, Intent::out, MemoryOrder::column_major,
                                     [&](const auto& a) {
                                         overwrite(a);
                                         throw std::domain_error("no solution");
                                     }),
                     std::domain_error);
    }
    expect_unchanged();
}

TEST(WithLocalCopy, lets_functions_make_collective_calls) {
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1}, {cyclic(3 * comm.size()), block(5)});
    const auto x = make_matrix(comm, layout);
    const double before = sum(Host(), comm, x);
    double inside = 0;
    with_local_copy(Host(), comm, x, Intent::in, MemoryOrder::column_major, WholeArray{},
                    [&](const auto&) { inside = sum(Host(), comm, x); });
    EXPECT_EQ(inside, before);
}

TEST(WithLocalCopy, wrong_use_throws_on_all_ranks) {
    const Communicator comm = world();
    const int n = comm.size();
    const ArrayLayout layout(ProcessGrid{n, 1}, {block(3 * n), block(5)});
    const auto x = make_matrix(comm, layout);
    const DistView<const double**, Kokkos::LayoutRight, Kokkos::HostSpace> fixed = x;
    const auto nothing = [](const auto&) {};
    const auto call = [&](const auto& array, Intent intent, const auto& part) {
        with_local_copy(Host(), comm, array, intent, MemoryOrder::row_major, part, nothing);
    };
    using Box = std::array<GlobalRange, 2>;
    const auto box = [](std::int64_t a, std::int64_t b) {
        return Box{GlobalRange{GlobalIndex(a), GlobalIndex(b)}, {GlobalIndex(0), GlobalIndex(5)}};
    };
    EXPECT_THROW_ON_ALL_RANKS(call(x, Intent::in, WholeArray{n}), UsageError,
                              "with_local_copy: expected a root in [0, ");
    EXPECT_THROW_ON_ALL_RANKS(call(fixed, Intent::out, WholeArray{}), UsageError,
                              "with_local_copy: expected Intent::in for ");
    EXPECT_THROW(with_local_copy(Host(), fixed, Intent::inout, MemoryOrder::row_major, nothing),
                 UsageError);
    call(fixed, Intent::in, WholeArray{});
    // A wrong box on one rank only.
    EXPECT_THROW_ON_ALL_RANKS(
        call(x, Intent::in, comm.rank() == n - 1 ? box(1, 3 * n + 1) : box(0, 1)), LayoutError,
        "with_local_copy: expected a box within the interior, got [1, ");
    call(x, Intent::out,
         comm.rank() == n - 1 ? box(3, 3) : box(9, 2)); // empty boxes may lie anywhere
    if (n == 1) return;
    EXPECT_THROW_ON_ALL_RANKS(call(x, Intent::out, box(1, 2)), UsageError,
                              "expected disjoint boxes, since they are written, got boxes of ranks "
                              "0 and 1 that share cells");
    call(x, Intent::in, box(1, 2));
    const bool last = comm.rank() == n - 1;
    EXPECT_THROW_ON_ALL_RANKS(call(x, last ? Intent::in : Intent::out, WholeArray{}), UsageError,
                              ": intent is Intent::in on rank ");
    EXPECT_THROW_ON_ALL_RANKS(call(x, Intent::in, last ? WholeArray{0} : WholeArray{1}), UsageError,
                              "root");
    EXPECT_THROW_ON_ALL_RANKS(
        last ? call(x, Intent::in, WholeArray{}) : call(x, Intent::in, box(0, 1)), UsageError, "");
    const std::vector<std::int64_t> own{10 * comm.rank()};
    const auto u =
        make_section<double, 1>({ProcessGrid{n}, {unstructured_local(n, comm.rank(), own)}});
    EXPECT_THROW_ON_ALL_RANKS(call(u, Intent::in, WholeArray{}), UsageError,
                              "with_local_copy: expected the labels of all processes along axis 0");
    EXPECT_EQ(sum(Host(), comm, x), sum(Host(), comm, fixed)); // the communicator still works
}

// If ranks had different states of the padding, they would exchange it in different calls.
TEST(WithLocalCopy, refused_calls_leave_all_ranks_in_step) {
    const Communicator comm = world();
    if (comm.size() == 1) GTEST_SKIP() << "one rank differs from nobody";
    const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                             {block(3 * comm.size(), {.padding = 1, .periodic = true}), block(5)});
    const auto x = make_matrix(comm, layout);
    PaddingExchangePlan plan(comm, layout);
    plan.execute(Host(), x);
    const bool last = comm.rank() == comm.size() - 1;
    const auto call = [&](Intent intent) {
        with_local_copy(Host(), comm, x, intent, MemoryOrder::row_major, WholeArray{},
                        [](const auto&) {});
    };
    EXPECT_THROW_ON_ALL_RANKS(call(last ? Intent::in : Intent::out), UsageError,
                              ": intent is Intent::in on rank ");
    EXPECT_EQ(x.valid_padding().depth(0), Widths(1));
    EXPECT_FALSE(plan.require(Host(), 1, x));
    call(Intent::inout);
    EXPECT_EQ(x.valid_padding(), ValidPadding());
    EXPECT_TRUE(plan.require(Host(), 1, x));
}

TEST(WithLocalCopy, labels_what_it_does_and_stays_on_the_instance) {
    const Host exec = separate_instance<Host>();
    const Communicator comm = world();
    const auto x =
        make_matrix(comm, {ProcessGrid{comm.size(), 1}, {block(3 * comm.size()), block(5)}});
    const auto write = [](const auto& a) { a.data()[0] = 1; };
    KokkosEvents events;
    with_local_copy(exec, x, Intent::inout, MemoryOrder::column_major, write);
    with_local_copy(exec, x, Intent::out, MemoryOrder::column_major, write);
    with_local_copy(exec, comm, x, Intent::out, MemoryOrder::column_major, WholeArray{}, write);
    with_local_copy(exec, comm, x, Intent::inout, MemoryOrder::column_major, WholeArray{0}, write);
    events.stop();
    EXPECT_EQ(labels(labelled_otherwise(events.all(), {"distview::", "Kokkos::"})),
              std::vector<std::string>())
        << describe(events.all());
    EXPECT_EQ(labels(escapes_from(exec, events)), std::vector<std::string>());
}

TEST(WithLocalCopy, is_on_the_threads_of_the_given_instance) {
    expect_threads_of_given_instance<Host>({"distview::with_local_copy"}, [](const Host& exec) {
        const Communicator comm = world();
        // Sections of 1.2 MB, for which a redistribution uses several threads.
        const auto x = make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
            exec, "x", comm, {ProcessGrid{comm.size(), 1}, {block(300 * comm.size()), block(500)}});
        const auto write = [](const auto& a) { a.data()[0] = 1; };
        for (const Intent intent : {Intent::inout, Intent::out}) {
            with_local_copy(exec, x, intent, MemoryOrder::column_major, write);
            for (const int root : {WholeArray::every_rank, 0})
                with_local_copy(exec, comm, x, intent, MemoryOrder::column_major, WholeArray{root},
                                write);
        }
    });
}

} // namespace distview::testing
