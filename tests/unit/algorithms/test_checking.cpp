// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checking mode: a program with one wrong exchange must be reported if, and only if, its values are wrong.
#include "checked_programs.hpp"

#include <distview/algorithms/axis_reduce.hpp>
#include <distview/algorithms/histogram.hpp>
#include <distview/algorithms/reduce.hpp>
#include <distview/algorithms/scan.hpp>
#include <distview/algorithms/sort.hpp>
#include <distview/algorithms/transform.hpp>
#include <distview/algorithms/transform_reduce.hpp>
#include <distview/comm/agreement.hpp>
#include <distview/comm/combine.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using programs::HostExec;
using programs::some;
using programs::some_of;

Communicator world() { return Communicator(MPI_COMM_WORLD); }

/// Switches the checking mode on during its lifetime.
struct Checking {
    explicit Checking(Check check = Check::padding) { set_check(check); }
    ~Checking() { set_check(Check::nothing); }
    Checking(const Checking&) = delete;
    Checking& operator=(const Checking&) = delete;
};

bool on_any_rank(bool value) {
    int all = value;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all != 0;
}

/// Brings ranks together that are in different calls, because some got an error alone.
void settle(const Communicator& comm) {
    for (;;) try {
            agree(comm, "settle", nullptr);
            return;
        } catch (const UsageError&) {
        }
}

struct Outcome {
    ProgramResult values;
    std::string error;
};

Outcome run(const CheckedProgram& program, const Communicator& comm, const Variant& variant,
            Check check) {
    const Checking checking(check);
    Outcome outcome;
    try {
        outcome.values = program.run(comm, variant);
    } catch (const UsageError& error) {
        outcome.error = error.what();
    }
    settle(comm);
    return outcome;
}

const char* const names[] = {"none", "deleted", "doubled", "early", "shallow"};

/// Whether the variant's values are wrong; checks that the mode reports exactly then.
bool check_variant(const CheckedProgram& program, const Communicator& comm, const Variant& variant,
                   const ProgramResult& right) {
    const auto fault = static_cast<std::size_t>(variant.fault);
    SCOPED_TRACE(program.name + ": exchange " + std::to_string(variant.site) + ' ' + names[fault] +
                 (variant.only_step < 0 ? "" : " in step " + std::to_string(variant.only_step)));
    const Outcome usual = run(program, comm, variant, Check::nothing);
    EXPECT_EQ(usual.error, "");
    const bool is_wrong = on_any_rank(comm.rank() == 0 && usual.values != right);
    const Outcome checked = run(program, comm, variant, Check::padding);
    const bool is_reported = on_any_rank(!checked.error.empty());
    EXPECT_EQ(is_reported, is_wrong) << checked.error;
    if (!is_reported) {
        EXPECT_EQ(checked.values, usual.values);
    } else if (is_wrong) {
        const ExchangeSite& site = program.sites[static_cast<std::size_t>(variant.site)];
        const auto says = [&](const std::string& part) {
            return checked.error.find(part) != std::string::npos;
        };
        const bool by_name = on_any_rank(says(site.kernel +
                                              "': expected to read padding that is "
                                              "valid, got '" +
                                              site.array + "' read "));
        const bool by_value = on_any_rank(says("invalid padding, got element "));
        EXPECT_EQ(by_name, site.is_named) << checked.error;
        EXPECT_EQ(by_value, !site.is_named) << checked.error;
    }
    return is_wrong;
}

/// A fault in every step (-1), or in one step; the data exchanged in the last step are not read.
struct Times {
    Fault fault;
    std::vector<int> steps;
};

/// The number of variants, and of those with wrong values.
struct Count {
    int variants = 0;
    int wrong = 0;
};

Count check_programs(std::size_t first, std::size_t last) {
    const Communicator comm = world();
    const Communicator alone(MPI_COMM_SELF);
    const std::vector<Times> all{{Fault::deleted, {-1, 1, programs::steps - 1}},
                                 {Fault::doubled, {-1}},
                                 {Fault::early, {-1, 1}},
                                 {Fault::shallow, {-1, 1}}};
    Count count;
    for (std::size_t i = first; i < last; ++i) {
        const CheckedProgram& program = checked_programs()[i];
        const ProgramResult right = program.run(alone, {});
        const Outcome unchanged = run(program, comm, {}, Check::padding);
        EXPECT_EQ(unchanged.error, "") << program.name;
        if (comm.rank() == 0) {
            EXPECT_EQ(unchanged.values, right) << program.name;
        }
        for (int site = 0; site < static_cast<int>(program.sites.size()); ++site)
            for (const Times& times : all)
                for (const int step : times.steps) {
                    const bool is_wrong =
                        check_variant(program, comm, {site, times.fault, step}, right);
                    if (times.fault == Fault::doubled) {
                        EXPECT_FALSE(is_wrong);
                    }
                    ++count.variants;
                    count.wrong += is_wrong;
                }
    }
    if (comm.rank() == 0)
        std::printf("%d variants, %d of them with wrong values\n", count.variants, count.wrong);
    return count;
}

TEST(CheckedPrograms, AreReportedIfTheirValuesAreWrong) {
    const Count count = check_programs(0, 5);
    EXPECT_EQ(count.variants, 56);
    EXPECT_EQ(count.wrong, world().size() == 1 ? 31 : 45);
}
TEST(CheckedPrograms, OfOtherShapesAreToo) {
    const Count count = check_programs(5, checked_programs().size());
    EXPECT_EQ(count.variants, 64);
    EXPECT_EQ(count.wrong, world().size() == 1 ? 35 : 42);
}

/// Expects `error` on all ranks from a statement in which any rank reads too deep.
#define EXPECT_READS_TOO_DEEP(statement, error)                                                    \
    EXPECT_THROW_ON_ALL_RANKS(agree_on(world(), "test", [&] { statement; }), UsageError, error)

/// A ring with deep padding; the plan `narrow` fills only one element of it.
struct Ring {
    explicit Ring(int n = 8)
        : layout(ProcessGrid{comm.size()},
                 {block(n * comm.size(), {.padding = 3, .periodic = true})}),
          plan(comm, layout), narrow(comm, layout, {.widths = std::vector<Widths>{1}}) {}

    template <class T = double>
    auto make(const char* label) const {
        return make_dist_view<T*, Kokkos::HostSpace>(HostExec(), label, comm, layout);
    }
    Communicator comm = world();
    ArrayLayout layout;
    PaddingExchangePlan plan;
    PaddingExchangePlan narrow;
};

/// Cells of a kernel that copies the element `distance` below.
template <class To, class From>
auto copy_from(int distance, const To& to, const From& from) {
    return [=, v = to.view(), u = from.view()](int i) { v(i) = u(i - distance); };
}

/// The bytes of all memory of the arrays.
template <class... Arrays>
std::string bytes_of(const Arrays&... arrays) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(arrays.view().data()),
                  arrays.view().span() * sizeof(typename Arrays::value_type)),
     ...);
    return bytes;
}

TEST(Checking, NamesArraySideDepthsAndKernel) {
    const Checking checking;
    Ring ring;
    const auto u = ring.make("u"), v = ring.make("v");
    fill_with(HostExec(), u, some_of);
    fill(HostExec(), v, 7.0);
    ring.narrow.execute(HostExec(), u);
    const auto before = bytes_of(u, v);
    EXPECT_THROW_ON_ALL_RANKS(
        apply_stencil(HostExec(), "far", ring.narrow, v, copy_from(2, v, u), u), UsageError,
        "apply_stencil 'far': expected to read padding that is valid, got 'u' read 2 deep on the "
        "low "
        "side of axis 0, where it is valid 1 deep (filled 2 times, the last time by "
        "PaddingExchangePlan #");
    EXPECT_READS_TOO_DEEP(for_each(HostExec(), "far", v, copy_from(-3, v, u), reading(u)),
                          "for_each 'far': expected to read padding that is valid, got 'u' "
                          "read 3 deep on the high side "
                          "of axis 0, where it is valid 1 deep (filled 2 times");
    EXPECT_EQ(bytes_of(u, v), before);
    u.mark_written();
    EXPECT_READS_TOO_DEEP(for_each(HostExec(), "near", v, copy_from(1, v, u), reading(u)),
                          "'u' read 1 deep on the low side of axis 0, where none is valid");
    const auto w = ring.make("w");
    fill_with(HostExec(), w, some_of);
    EXPECT_READS_TOO_DEEP(for_each(HostExec(), "near", v, copy_from(1, v, w), reading(w)),
                          "where none is valid (never filled)");
    // The failed call has written nothing.
    EXPECT_EQ(sum(HostExec(), ring.comm, v), 7.0 * static_cast<double>(ring.layout.size()));
    EXPECT_TRUE(ring.narrow.is_usable());
    ring.plan.execute(HostExec(), u);
    apply_stencil(HostExec(), "far", ring.narrow, v, copy_from(2, v, u), u);
    for_each(HostExec(), "far", v, copy_from(-3, v, u), reading(u));
}

TEST(Checking, NamesCornersAndAllArrays) {
    const Checking checking;
    const Communicator comm = world();
    const AxisSpec axis = block(5 * comm.size(), {.padding = 1, .periodic = true});
    const ArrayLayout layout(ProcessGrid{1, comm.size()}, {axis, axis});
    const auto u = make_dist_view<int**, Kokkos::HostSpace>(HostExec(), "u", comm, layout);
    const auto k = make_dist_view<bool**, Kokkos::HostSpace>(HostExec(), "k", comm, layout);
    const auto v = make_dist_view<int**, Kokkos::HostSpace>(HostExec(), "v", comm, layout);
    PaddingExchangePlan faces(comm, layout, {.stencil = Stencil::faces});
    const auto choose = [&] {
        for_each(
            HostExec(), "choose", v,
            [uv = u.view(), kv = k.view(), vv = v.view()](int i, int j) {
                vv(i, j) = kv(i, j + 1) ? 1 : uv(i - 1, j + 1);
            },
            reading(u, k));
    };
    fill(HostExec(), u, 5);
    faces.execute(HostExec(), u);
    const char* const corner =
        "got 'u' read 1 deep on the low side of axis 0 and the high side of "
        "axis 1, where none is valid (filled 1 time, by PaddingExchangePlan #";
    EXPECT_READS_TOO_DEEP(choose(), corner);
    EXPECT_READS_TOO_DEEP(
        choose(),
        "; 'k' read 1 deep on the high side of axis 1, where none is valid (never filled)");
    // If both change, the condition hides the other array, which alone has no influence.
    fill(HostExec(), u, 1);
    u.mark_padding_valid(faces.schedule().filled());
    EXPECT_READS_TOO_DEEP(choose(), corner);
}

/// Whether the mode detects a kernel that reads invalid padding of an array of ones.
template <class T>
bool finds_ones_of(const Ring& ring) {
    const auto u = ring.make<T>("u"), v = ring.make<T>("v");
    fill(HostExec(), u, T(1));
    bool found = false;
    try {
        for_each(HostExec(), "copy", v, copy_from(1, v, u), reading(u));
    } catch (const UsageError&) {
        found = true;
    }
    return found;
}

TEST(Checking, FindsReadsWhereAllElementsAreAlike) {
    const Checking checking;
    const Ring ring;
    EXPECT_TRUE(finds_ones_of<bool>(ring));
    EXPECT_TRUE(finds_ones_of<signed char>(ring));
    EXPECT_TRUE(finds_ones_of<std::uint16_t>(ring));
    EXPECT_TRUE(finds_ones_of<std::int64_t>(ring));
    EXPECT_TRUE(finds_ones_of<float>(ring));
    EXPECT_TRUE(finds_ones_of<double>(ring));
    EXPECT_TRUE(finds_ones_of<Kokkos::complex<float>>(ring));
}

TEST(Checking, LeavesAloneWhatDoesNotDependOnPadding) {
    const Checking checking;
    Ring ring;
    const auto u = ring.make("u"), v = ring.make("v"), w = ring.make("w");
    fill_with(HostExec(), u, some_of);
    for_each(
        HostExec(), "times zero", v,
        [vv = v.view(), uv = u.view()](int i) { vv(i) = uv(i) + 0 * uv(i - 1); }, reading(u));
    EXPECT_EQ(sum(HostExec(), ring.comm, v), sum(HostExec(), ring.comm, u));
    // A kernel that writes a new value in each run cannot be compared.
    int calls = 0;
    for_each(
        HostExec(), "counts", v,
        [&calls, vv = v.view(), uv = u.view()](int i) { vv(i) = ++calls + 0 * uv(i - 1); },
        reading(u));
    EXPECT_GT(calls, 8);
    // If padding is valid, the kernel runs once.
    u.mark_padding_valid(ring.plan.schedule().filled());
    calls = 0;
    for_each(
        HostExec(), "counts", v,
        [&calls, vv = v.view(), uv = u.view()](int i) { vv(i) = uv(i - 1) + ++calls; }, reading(u));
    EXPECT_EQ(calls, 8);
    // In place, and with a second written array.
    fill(HostExec(), v, 1.0);
    fill(HostExec(), w, 2.0);
    ring.narrow.execute(HostExec(), v, w);
    for_each(
        HostExec(), "add", v,
        [vv = v.view(), wv = w.view()](int i) {
            vv(i) += 1;
            wv(i) += 1;
        },
        reading(v).writing(w));
    EXPECT_EQ(sum(HostExec(), ring.comm, v), 2.0 * static_cast<double>(ring.layout.size()));
    EXPECT_EQ(sum(HostExec(), ring.comm, w), 3.0 * static_cast<double>(ring.layout.size()));
    EXPECT_EQ(v.valid_padding(), ValidPadding());
    EXPECT_EQ(w.valid_padding(), ValidPadding());
}

/// An array whose first and last element in each section were computed from poison.
template <class T = double>
auto poisoned(Ring& ring) {
    const auto u = ring.make<T>("u"), v = ring.make<T>("v");
    fill(HostExec(), u, T(1));
    ring.plan.execute(HostExec(), u);
    fill(HostExec(), u, T(2));
    for (int i = 3; i < 11; ++i) v.view()(i) = i < 7 ? u.view()(i - 1) : u.view()(i + 1);
    v.mark_written();
    return v;
}

TEST(Checking, IsReportedByWhatTakesTheElements) {
    const Checking checking;
    Ring ring;
    const HostExec exec;
    const auto ones = ring.make("ones");
    fill(exec, ones, 1.0);
    const auto v = poisoned(ring);
    const char* const text =
        "expected elements that were not computed from invalid padding, got "
        "element (0) of 'v' and 1 other of this rank (its padding was never filled)";
    double total = 0;
    EXPECT_THROW_ON_ALL_RANKS(sum(exec, ring.comm, v), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(sum(exec, ring.comm, v, {.reproducible = true}), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(dot(exec, ring.comm, ones, v), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(dot(exec, ring.comm, ones, v, {.reproducible = true}), UsageError,
                              text);
    EXPECT_THROW_ON_ALL_RANKS(norm2(exec, ring.comm, v), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(max(exec, ring.comm, v), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(gather(exec, ring.comm, v, 0), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(
        reduce(exec, ring.comm, v, [](int, double& sum) { sum += 1; }, total), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(
        transform_reduce(
            exec, ring.comm, total, [](double, double) { return 1.0; }, ones, v),
        UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(histogram(exec, ring.comm, v, 4, 0.0, 1.0), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(inclusive_scan(exec, ring.comm, v, 0, ones), UsageError, text);
    const auto least = make_dist_view<double*>(exec, "least", ring.comm,
                                               reduced_layout(ring.layout, 0, AxisResult::first));
    EXPECT_THROW_ON_ALL_RANKS(axis_reduce(exec, ring.comm, Minimum{}, v, 0, least), UsageError,
                              text);
    EXPECT_THROW_ON_ALL_RANKS(sort(exec, ring.comm, v), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(ring.plan.execute(exec, v), UsageError, text);
    EXPECT_THROW_ON_ALL_RANKS(ring.plan.combine(exec, Sum{}, v), UsageError, text);
    EXPECT_TRUE(ring.plan.is_usable());
    fill(exec, v, 1.0);
    ring.plan.execute(exec, v);
    EXPECT_EQ(sum(exec, ring.comm, v), static_cast<double>(ring.layout.size()));
}

TEST(Checking, PoisonsFloatsComplexNumbersAndLongIntegers) {
    const Checking checking;
    Ring ring;
    const auto finds = [&]<class T>(T) {
        const auto v = poisoned<T>(ring);
        bool found = false;
        try {
            gather(HostExec(), ring.comm, v, 0);
        } catch (const UsageError&) {
            found = true;
        }
        return found;
    };
    EXPECT_TRUE(finds(float()));
    EXPECT_TRUE(finds(double()));
    EXPECT_TRUE(finds(Kokkos::complex<float>()));
    EXPECT_TRUE(finds(Kokkos::complex<double>()));
    EXPECT_TRUE(finds(std::int32_t()));
    EXPECT_TRUE(finds(std::uint64_t()));
    EXPECT_FALSE(finds(std::int16_t()));
    EXPECT_FALSE(finds(bool()));
    // Results of arithmetic and conversions on poison are reported, too.
    const auto v = poisoned<double>(ring);
    const auto single = ring.make<float>("single");
    for (int i = 3; i < 11; ++i) single.view()(i) = static_cast<float>(-2 * v.view()(i) + 1);
    EXPECT_THROW_ON_ALL_RANKS(sum(HostExec(), ring.comm, single), UsageError,
                              "got element (0) of 'single'");
}

TEST(Checking, LeavesAloneWhatIsNoCopy) {
    const Checking checking;
    const Communicator comm = world();
    // Padding is wider than sections: near walls some positions lie beyond the array's end.
    const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                             {block(2 * comm.size(), {.padding = 5, .boundary = 2}),
                              block(5, {.padding = 1, .boundary = 1})});
    const auto u = make_dist_view<double**, Kokkos::HostSpace>(HostExec(), "u", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    Kokkos::deep_copy(u.view(), -1.0);
    fill_with(HostExec(), u, some_of, Cells::owned);
    plan.execute(HostExec(), u);
    const auto poisoned_of = [&] {
        int poisoned = 0;
        int others = 0;
        for (std::size_t i = 0; i < u.view().extent(0); ++i)
            for (std::size_t j = 0; j < u.view().extent(1); ++j) {
                const std::int64_t g = u.global_index(0, LocalIndex(i));
                const std::int64_t h = u.global_index(1, LocalIndex(j));
                const double value = u.view()(i, j);
                if (value == value)
                    others += value != (g < -2 || g >= layout.extent(0) + 2 ? -1.0 : some(g, h));
                else
                    poisoned += 1;
            }
        EXPECT_EQ(others, 0);
        return poisoned;
    };
    EXPECT_EQ(poisoned_of(), 0);
    const auto copies = [&](Cells cells) {
        int count = 0;
        for (std::size_t i = 0; i < u.view().extent(0); ++i) {
            const std::int64_t g = u.global_index(0, LocalIndex(i));
            const bool is_own = u.owned_range(0).contains(LocalIndex(i));
            const std::int64_t around = cells == Cells::owned ? 2 : 0;
            if (!is_own && g >= -around && g < layout.extent(0) + around)
                count += cells == Cells::owned ? 7 : 5;
        }
        return count;
    };
    // The walls' boundary padding is unchanged, and so are the neighbours' copies of it.
    fill_with(HostExec(), u, some_of);
    EXPECT_EQ(poisoned_of(), copies(Cells::interior));
    u.mark_written();
    EXPECT_EQ(poisoned_of(), copies(Cells::owned));
    plan.execute(HostExec(), u);
    EXPECT_EQ(poisoned_of(), 0);
    set_check(Check::nothing);
    u.mark_written();
    EXPECT_EQ(poisoned_of(), 0);
}

TEST(Checking, LeavesAloneWhatIsCollectedInPadding) {
    const Checking checking;
    Ring ring;
    const auto f = ring.make("f"), zero = ring.make("zero");
    for (int step = 0; step < 2; ++step) {
        Kokkos::deep_copy(f.view(), 1.0);
        f.mark_written();
        Kokkos::deep_copy(zero.view(), 0.0);
        zero.mark_written();
        ring.narrow.combine(HostExec(), Sum{}, f, zero);
        EXPECT_EQ(sum(HostExec(), ring.comm, zero), 0.0);
        EXPECT_EQ(sum(HostExec(), ring.comm, f), 10.0 * ring.comm.size());
        ring.narrow.execute(HostExec(), f, zero);
    }
}

TEST(Checking, TellsApartWhatItCannotKnow) {
    const Checking checking;
    Ring ring;
    const auto u = ring.make("u"), v = ring.make("v");
    // The program computes the padding itself, and marks it valid.
    fill(HostExec(), u, 1.0);
    Kokkos::deep_copy(u.view(), 1.0);
    u.mark_padding_valid(ring.plan.schedule().filled());
    for_each(HostExec(), "copy", v, copy_from(3, v, u), reading(u));
    EXPECT_EQ(sum(HostExec(), ring.comm, v), 8.0 * ring.comm.size());
    // A handle of another type refers to the same array.
    const AnyDistView any = u;
    dist_view_cast<DistView<double*, Kokkos::HostSpace>>(any).mark_written();
    EXPECT_READS_TOO_DEEP(for_each(HostExec(), "copy", v, copy_from(3, v, u), reading(u)),
                          "got 'u' read 3 deep");
    const DistView<const double*, Kokkos::HostSpace> read_only = u;
    EXPECT_READS_TOO_DEEP(
        for_each(HostExec(), "copy", v, copy_from(3, v, read_only), reading(read_only)),
        "got 'u' read 3 deep");
}

TEST(Checking, ClearedPaddingTakesContributions) {
    const Checking checking;
    const HostExec exec;
    Ring ring;
    const auto f = ring.make("f");
    const auto contribute = [&] {
        for (int i = 3; i < 11; ++i) {
            f.view()(i - 1) += 1;
            f.view()(i + 1) += 1;
        }
        f.mark_written();
        ring.plan.combine(exec, Sum{}, f);
    };
    for (int turn = 0; turn < 3; ++turn) {
        Kokkos::deep_copy(exec, f.view(), 0.0);
        f.mark_written();
        contribute();
        EXPECT_EQ(sum(exec, ring.comm, f), 16.0 * ring.comm.size());
        // The elements that the next turn sets to 0 are already 0.
        fill(exec, f, 0.0);
        ring.plan.execute(exec, f);
    }
    // The interior has values, too: the program marks the padding, which it has set, as valid.
    fill(exec, f, 1.0);
    Kokkos::deep_copy(exec, f.view(), 0.0);
    fill(exec, f, 1.0);
    f.mark_padding_valid(ring.plan.schedule().filled());
    contribute();
    EXPECT_EQ(sum(exec, ring.comm, f), 24.0 * ring.comm.size());
    fill(exec, f, 1.0);
    ring.plan.execute(exec, f);
    fill(exec, f, 0.0); // leaves the padding unchanged
    EXPECT_THROW_ON_ALL_RANKS(
        contribute(), UsageError,
        "expected no contributions from invalid padding, got some in the padding of");
}

TEST(Checking, PaddingThatTheProgramFillsWithWhatWasThere) {
    const Checking checking;
    const HostExec exec;
    Ring ring;
    const auto u = ring.make("u"), v = ring.make("v");
    fill(exec, u, 1.0);
    ring.plan.execute(exec, u);
    Kokkos::deep_copy(exec, u.view(), 1.0);
    u.mark_written();
    u.mark_padding_valid(ring.plan.schedule().filled());
    for (int i = 3; i < 11; ++i) v.view()(i) = u.view()(i - 3) + u.view()(i + 3);
    v.mark_written();
    EXPECT_EQ(sum(exec, ring.comm, v), 16.0 * ring.comm.size());
}

// start() fills padding from the section itself, and inner_cells() read that padding.
TEST(Checking, InnerCellsOfAnExchangeInFlight) {
    const Checking checking;
    const HostExec exec;
    const Communicator comm = world();
    const ArrayLayout layout(
        ProcessGrid{comm.size(), 1},
        {block(4 * comm.size(), {.padding = 1}), block(6, {.padding = 1, .periodic = true})});
    const auto make = [&](const char* label) {
        return make_dist_view<double**, Kokkos::HostSpace>(exec, label, comm, layout);
    };
    const auto u = make("u"), v = make("v");
    fill(exec, u, 1.0);
    PaddingExchangePlan plan(comm, layout);
    const auto from = u.view(), to = v.view();
    const auto read = [=](int i, int j) { to(i, j) = from(i, j - 1) + from(i, j + 1); };
    auto exchange = plan.start(exec, u);
    for_each(exec, "inner", v, read, reading(u), plan.inner_cells());
    exchange.finish();
    for (const LocalBox& cells : plan.outer_cells())
        for_each(exec, "outer", v, read, reading(u), cells);
    EXPECT_EQ(sum(exec, comm, v), 48.0 * comm.size());
}

// Along a cyclic axis a scan reads the array through another one, which does not know that the padding is valid.
TEST(Checking, LeavesThePaddingOfWhatIsScannedAlone) {
    const Checking checking;
    const HostExec exec;
    const Communicator comm = world();
    const ArrayLayout layout(ProcessGrid{comm.size(), 1},
                             {cyclic(3 * comm.size()), block(6, {.padding = 1, .periodic = true})});
    const auto make = [&](const char* label) {
        return make_dist_view<double**, Kokkos::HostSpace>(exec, label, comm, layout);
    };
    const auto u = make("u"), v = make("v"), w = make("w");
    // The padding is filled with zeros, as if it had never been filled.
    fill_with(exec, u, [](GlobalIndex, GlobalIndex j) { return j.value() % 5 == 0 ? 0.0 : 1.0; });
    PaddingExchangePlan plan(comm, layout);
    plan.execute(exec, u);
    inclusive_scan(exec, comm, u, 0, v);
    EXPECT_FALSE(plan.require(exec, 1, u));
    for_each(
        exec, "mean", w,
        [from = u.view(), to = w.view()](int i, int j) {
            to(i, j) = from(i, j - 1) + from(i, j + 1);
        },
        reading(u));
    EXPECT_EQ(sum(exec, comm, w), 24.0 * comm.size());
}

TEST(Checking, IsSwitchedOnAtRunTime) {
    EXPECT_EQ(current_check(), Check::nothing);
    Ring ring;
    const auto u = ring.make("u"), v = ring.make("v");
    fill(HostExec(), u, 1.0);
    int calls = 0;
    const auto count = [&] {
        calls = 0;
        for_each(
            HostExec(), "counts", v,
            [&calls, vv = v.view(), uv = u.view()](int i) {
                vv(i) = uv(i - 1);
                ++calls;
            },
            reading(u));
        return calls;
    };
    EXPECT_EQ(count(), 8);
    {
        const Checking checking;
        EXPECT_EQ(current_check(), Check::padding);
        EXPECT_READS_TOO_DEEP(count(), "got 'u' read 1 deep");
    }
    EXPECT_EQ(count(), 8);
}

// Otherwise the other ranks would wait for the rank whose call fails.
TEST(Checking, RefusesCellsOfOneRankOnAll) {
    const Checking checking;
    Ring ring;
    const auto u = ring.make("u"), v = ring.make("v");
    const ArrayLayout other(ProcessGrid{ring.comm.size()}, {block(8 * ring.comm.size())});
    const DistView<double*, Kokkos::HostSpace> refused(HostExec(), "refused", other,
                                                       ring.comm.rank());
    const auto& to = ring.comm.rank() == ring.comm.size() - 1 ? refused : v;
    const auto nothing = [](int) {};
    EXPECT_THROW_ON_ALL_RANKS(apply_stencil(HostExec(), "nothing", ring.plan, to, nothing, u),
                              ShapeError,
                              "apply_stencil: expected an array of the plan's layout, got a ");
    EXPECT_THROW_ON_ALL_RANKS(
        apply_stencil(HostExec(), "nothing", ring.plan, Reach{1}, to, nothing, u), ShapeError,
        "apply_stencil: expected an array of the plan's layout, got a ");
    EXPECT_TRUE(ring.plan.is_usable());
}

TEST(Checking, RefusesWhatTheVariableMayNotBe) {
    ::setenv("DISTVIEW_CHECK", "halo", 1);
    MPI_Comm mpi = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi);
    EXPECT_THROW_ON_ALL_RANKS(Communicator{mpi}, UsageError,
                              "DISTVIEW_CHECK: expected 0 or padding, got 'halo'");
    ::unsetenv("DISTVIEW_CHECK");
    MPI_Comm_free(&mpi);
}

} // namespace

} // namespace distview::testing
