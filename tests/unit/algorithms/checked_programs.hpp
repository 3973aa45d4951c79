// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten stencil programs in which one exchange at a time can be omitted, doubled, too early or too shallow.
#pragma once

#include <distview/algorithms/fill.hpp>
#include <distview/algorithms/gather.hpp>
#include <distview/algorithms/stencil.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

enum class Fault {
    none,
    deleted,
    doubled,
    early,  ///< before the program writes the elements to exchange
    shallow ///< by a plan that fills fewer cells
};

/// The fault in one exchange of a program, in every step or in one.
struct Variant {
    int site = -1;
    Fault fault = Fault::none;
    int only_step = -1;

    Fault at(int its_site, int step) const {
        const bool is_meant = site == its_site && (only_step < 0 || only_step == step);
        return is_meant ? fault : Fault::none;
    }
    /// Writes elements and exchanges them, with the variant's fault.
    template <class Write, class Fill, class FillLess>
    void exchange(int its_site, int step, const Write& write, const Fill& fill,
                  const FillLess& fill_less) const {
        const Fault what = at(its_site, step);
        if (what == Fault::early) fill();
        write();
        if (what == Fault::none || what == Fault::doubled) fill();
        if (what == Fault::doubled) fill();
        if (what == Fault::shallow) fill_less();
    }
};

/// An exchange of a program: the array that it fills and the kernel that reads it, if errors name them.
struct ExchangeSite {
    std::string array;
    std::string kernel;
    bool is_named = true;
};

using ProgramResult = std::vector<double>; ///< on rank 0

struct CheckedProgram {
    std::string name;
    std::vector<ExchangeSite> sites;
    ProgramResult (*run)(const Communicator& comm, const Variant& variant);
};

namespace programs {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;

/// Values in [1, 2) without any pattern.
inline double some(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) {
    const auto n = static_cast<std::uint64_t>(i * 7919 + j * 104729 + k * 1299709 + 12345);
    return 1.0 + static_cast<double>((n * 0x9e3779b97f4a7c15u) >> 40) / double(1 << 24);
}
inline auto some_of = [](auto... g) { return some(g.value()...); };

template <class... Arrays>
ProgramResult collect(const Communicator& comm, const Arrays&... arrays) {
    ProgramResult result;
    const auto append = [&](const auto& array) {
        const auto global = gather(HostExec(), comm, array, 0);
        for (std::size_t i = 0; i < global.span(); ++i)
            result.push_back(static_cast<double>(global.data()[i]));
    };
    (append(arrays), ...);
    return result;
}

constexpr int steps = 4;

/// One axis, two alternating arrays.
inline ProgramResult heat_1d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(23, {.padding = 1, .periodic = true})});
    auto now = make_dist_view<double*, Host>(exec, "u", comm, layout);
    auto next = make_dist_view<double*, Host>(exec, "u", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan less(comm, layout, {.widths = std::vector{Widths(1, 0)}});
    fill_with(exec, now, some_of);
    plan.execute(exec, now);
    for (int step = 0; step < steps; ++step) {
        const auto u = now.view(), v = next.view();
        variant.exchange(
            0, step,
            [&] {
                for_each(
                    exec, "heat", next,
                    [=](int i) { v(i) = 0.5 * u(i) + 0.3 * u(i - 1) + 0.2 * u(i + 1); },
                    reading(now));
            },
            [&] { plan.execute(exec, next); }, [&] { less.execute(exec, next); });
        std::swap(now, next);
    }
    return collect(comm, now);
}

/// Two axes with walls, faces only: apply_stencil(), whose functor also reads a coefficient.
inline ProgramResult conduct_2d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const ArrayLayout layout(
        ProcessGrid::balanced(comm.size(), 2),
        {block(13, {.padding = 1, .boundary = 1}), block(11, {.padding = 1, .boundary = 1})});
    auto now = make_dist_view<float**, Host>(exec, "t", comm, layout);
    auto next = make_dist_view<float**, Host>(exec, "t", comm, layout);
    auto k = make_dist_view<float**, Host>(exec, "k", comm, layout);
    PaddingExchangePlan plan(comm, layout, {.stencil = Stencil::faces});
    const bool split_rows = layout.grid().extent(0) > 1;
    PaddingExchangePlan less(comm, layout,
                             {.stencil = Stencil::faces,
                              .widths = split_rows ? std::vector{Widths(0), Widths(1)}
                                                   : std::vector{Widths(1), Widths(0)}});
    for (const auto& array : {now, next, k}) fill_with(exec, array, some_of, Cells::owned);
    for (int step = 0; step < steps; ++step) {
        const auto t = now.view(), v = next.view(), c = k.view();
        variant.exchange(
            0, step,
            [&] { for_each(exec, "conductivity", k, [=](int i, int j) { c(i, j) *= t(i, j); }); },
            [&] { plan.execute(exec, k); }, [&] { less.execute(exec, k); });
        const auto conduct = [=](int i, int j) {
            v(i, j) = 0.5f * t(i, j) + 0.1f * (t(i - 1, j) + t(i + 1, j) + t(i, j - 1)) +
                      0.1f * c(i + 1, j) * t(i, j + 1) - 0.01f * c(i, j - 1);
        };
        const Fault fault = variant.at(1, step);
        if (fault == Fault::doubled) plan.execute(exec, now);
        if (fault == Fault::deleted || fault == Fault::early)
            for_each(exec, "conduct", next, conduct, reading(now));
        else
            apply_stencil(exec, "conduct", fault == Fault::shallow ? less : plan, next, conduct,
                          now);
        std::swap(now, next);
    }
    return collect(comm, now, k);
}

/// Two periodic axes and corners, integers.
inline ProgramResult mix_2d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const AxisSpec axis = block(10, {.padding = 1, .periodic = true});
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2), {axis, axis});
    auto now = make_dist_view<std::int64_t**, Host>(exec, "numbers", comm, layout);
    auto next = make_dist_view<std::int64_t**, Host>(exec, "numbers", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan less(comm, layout, {.stencil = Stencil::faces});
    fill_with(exec, now, [](GlobalIndex i, GlobalIndex j) {
        return static_cast<std::int64_t>(1e6 * some(i.value(), j.value()));
    });
    plan.execute(exec, now);
    for (int step = 0; step < steps; ++step) {
        const auto u = now.view(), v = next.view();
        variant.exchange(
            0, step,
            [&] {
                for_each(
                    exec, "mix", next,
                    [=](int i, int j) {
                        std::int64_t sum = 3 * u(i, j);
                        for (int a = -1; a <= 1; ++a)
                            for (int b = -1; b <= 1; ++b) sum += (5 + a + 3 * b) * u(i + a, j + b);
                        v(i, j) = sum % 1000003;
                    },
                    reading(now));
            },
            [&] { plan.execute(exec, next); }, [&] { less.execute(exec, next); });
        std::swap(now, next);
    }
    return collect(comm, now);
}

/// Three axes, with walls and a periodic axis, two cells to each side, three time levels.
inline ProgramResult wave_3d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const BlockOptions walls{.padding = 2, .boundary = 2};
    const ArrayLayout layout(
        ProcessGrid::balanced(comm.size(), 3),
        {block(9, {.padding = 2, .periodic = true}), block(8, walls), block(7, walls)});
    auto last = make_dist_view<double***, Host>(exec, "level", comm, layout);
    auto now = make_dist_view<double***, Host>(exec, "level", comm, layout);
    auto next = make_dist_view<double***, Host>(exec, "level", comm, layout);
    PaddingExchangePlan plan(comm, layout, {.stencil = Stencil::faces});
    PaddingExchangePlan less(comm, layout,
                             {.stencil = Stencil::faces, .widths = std::vector<Widths>{1, 1, 1}});
    for (const auto& array : {last, now, next}) fill_with(exec, array, some_of, Cells::owned);
    plan.execute(exec, now);
    for (int step = 0; step < steps; ++step) {
        const auto w = last.view(), u = now.view(), v = next.view();
        variant.exchange(
            0, step,
            [&] {
                for_each(
                    exec, "wave", next,
                    [=](int i, int j, int k) {
                        const double near = u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) +
                                            u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1);
                        const double far = u(i - 2, j, k) + u(i + 2, j, k) + u(i, j - 2, k) +
                                           u(i, j + 2, k) + u(i, j, k - 2) + u(i, j, k + 2);
                        v(i, j, k) = 2 * u(i, j, k) - w(i, j, k) +
                                     0.1 * (16 * near - far - 90 * u(i, j, k)) / 12;
                    },
                    reading(now, last));
            },
            [&] { plan.execute(exec, next); }, [&] { less.execute(exec, next); });
        std::swap(last, now);
        std::swap(now, next);
    }
    return collect(comm, now);
}

/// Staggered fields: pressure in the cells, velocities on their low sides; updated in place.
inline ProgramResult acoustics_2d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const AxisSpec axis = block(11, {.padding = 1, .periodic = true});
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2), {axis, axis});
    const auto p = make_dist_view<double**, Host>(exec, "p", comm, layout);
    const auto u = make_dist_view<double**, Host>(exec, "u", comm, layout);
    const auto v = make_dist_view<double**, Host>(exec, "v", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    // Kernels read pressure on the low side and velocities on the high side.
    PaddingExchangePlan above(comm, layout,
                              {.widths = std::vector<Widths>{Widths(0, 1), Widths(0, 1)}});
    PaddingExchangePlan below(comm, layout,
                              {.widths = std::vector<Widths>{Widths(1, 0), Widths(1, 0)}});
    for (const auto& array : {p, u, v}) fill_with(exec, array, some_of);
    plan.execute(exec, p);
    const auto pv = p.view(), uv = u.view(), vv = v.view();
    for (int step = 0; step < steps; ++step) {
        variant.exchange(
            0, step,
            [&] {
                for_each(
                    exec, "velocities", u,
                    [=](int i, int j) {
                        uv(i, j) -= 0.2 * (pv(i, j) - pv(i - 1, j));
                        vv(i, j) -= 0.2 * (pv(i, j) - pv(i, j - 1));
                    },
                    reading(p).writing(v));
            },
            [&] { plan.execute(exec, u, v); }, [&] { below.execute(exec, u, v); });
        variant.exchange(
            1, step,
            [&] {
                for_each(
                    exec, "pressure", p,
                    [=](int i, int j) {
                        pv(i, j) -= 0.2 * (uv(i + 1, j) - uv(i, j) + vv(i, j + 1) - vv(i, j));
                    },
                    reading(u, v));
            },
            [&] { plan.execute(exec, p); }, [&] { above.execute(exec, p); });
    }
    return collect(comm, p, u, v);
}

/// Fields of three types; one never changes and holds indices.
inline ProgramResult materials_1d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const ArrayLayout layout(ProcessGrid{comm.size()},
                             {block(25, {.padding = 1, .periodic = true})});
    const auto material = make_dist_view<int*, Host>(exec, "material", comm, layout);
    const auto k = make_dist_view<float*, Host>(exec, "k", comm, layout);
    const auto t = make_dist_view<double*, Host>(exec, "t", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan less(comm, layout, {.widths = std::vector{Widths(1, 0)}});
    variant.exchange(
        0, 0,
        [&] {
            fill_with(exec, material,
                      [](GlobalIndex i) { return static_cast<int>(4 * (some(i.value()) - 1)); });
        },
        [&] { plan.execute(exec, material); }, [&] { less.execute(exec, material); });
    fill_with(exec, t, some_of);
    plan.execute(exec, t);
    const Kokkos::View<double[4], Host> table("table");
    for (int m = 0; m < 4; ++m) table(static_cast<std::size_t>(m)) = some(m);
    const auto mv = material.view();
    const auto kv = k.view();
    const auto tv = t.view();
    for (int step = 0; step < steps; ++step) {
        variant.exchange(
            1, step,
            [&] {
                for_each(
                    exec, "conductivity", k,
                    [=](int i) {
                        kv(i) = static_cast<float>(table(mv(i)) * table(mv(i + 1)) * tv(i - 1));
                    },
                    reading(material, t));
            },
            [&] { plan.execute(exec, k); }, [&] { less.execute(exec, k); });
        variant.exchange(
            2, step,
            [&] {
                for_each(
                    exec, "conduct", t,
                    [=](int i) { tv(i) += 0.1 * (kv(i + 1) - 1.5 * kv(i) + 0.5 * kv(i - 1)); },
                    reading(k));
            },
            [&] { plan.execute(exec, t); },
            [&] {
                // The kernel reads the low side of this array.
                PaddingExchangePlan(comm, layout, {.widths = std::vector{Widths(0, 1)}})
                    .execute(exec, t);
            });
    }
    return collect(comm, t, k);
}

/// Contributions collected in padding and combined, then a stencil on the result.
inline ProgramResult scatter_2d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const AxisSpec axis = block(9, {.padding = 1, .periodic = true});
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2), {axis, axis});
    const auto charge = make_dist_view<double**, Host>(exec, "charge", comm, layout);
    const auto density = make_dist_view<double**, Host>(exec, "density", comm, layout);
    const auto field = make_dist_view<double**, Host>(exec, "field", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan less(comm, layout, {.stencil = Stencil::faces});
    fill_with(exec, field, some_of);
    const auto c = charge.view(), d = density.view(), f = field.view();
    const int begin_i = static_cast<int>(charge.interior_range(0).begin.value());
    const int begin_j = static_cast<int>(charge.interior_range(1).begin.value());
    const int end_i = static_cast<int>(charge.interior_range(0).end.value());
    const int end_j = static_cast<int>(charge.interior_range(1).end.value());
    for (int step = 0; step < steps; ++step) {
        // Two parts: contributions collected in the first one must survive the second one.
        Kokkos::deep_copy(c, 0.0);
        for (int part = 0; part < 2; ++part) {
            for (int i = begin_i; i < end_i; ++i)
                for (int j = begin_j; j < end_j; ++j)
                    c(i + part, j + 1) += 0.25 * f(i, j) * (1 + part);
            charge.mark_written();
        }
        plan.combine(exec, Sum{}, charge);
        variant.exchange(
            0, step,
            [&] {
                for_each(exec, "density", density, [=](int i, int j) { d(i, j) = c(i, j) - 0.5; });
            },
            [&] { plan.execute(exec, density); }, [&] { less.execute(exec, density); });
        for_each(
            exec, "field", field,
            [=](int i, int j) {
                f(i, j) += 0.1 * (d(i - 1, j - 1) + d(i + 1, j + 1) - d(i - 1, j + 1));
            },
            reading(density));
    }
    return collect(comm, field, density);
}

/// Counts this process's elements in padding that counts as valid but differs from the owners'
/// elements.
template <class Array>
std::int64_t count_wrong_padding(const Communicator& comm, PaddingExchangePlan& plan,
                                 const Array& array) {
    const auto right = make_dist_view<double**, Host>(HostExec(), "right", comm, array.layout());
    Kokkos::deep_copy(right.view(), array.view());
    const LocalBox valid = valid_cells(array);
    right.mark_padding_valid(array.valid_padding());
    plan.execute(HostExec(), right);
    std::int64_t wrong = 0;
    for (auto i = valid[0].begin.value(); i < valid[0].end; ++i)
        for (auto j = valid[1].begin.value(); j < valid[1].end; ++j)
            wrong += right.view()(i, j) != array.view()(i, j);
    return wrong;
}

/// Padding for two steps, two cells below and one above, constant walls. The arrays have more
/// padding than the plan fills, so a read that is too deep finds memory.
inline ProgramResult deep_2d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const BlockOptions options{.padding = 6, .boundary = Widths(2, 1)};
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2),
                             {block(14, options), block(13, options)});
    auto now = make_dist_view<double**, Host>(exec, "u", comm, layout);
    auto next = make_dist_view<double**, Host>(exec, "u", comm, layout);
    PaddingExchangePlan plan(comm, layout, {.widths = std::vector{Widths(4), Widths(4)}});
    PaddingExchangePlan less(comm, layout, {.widths = std::vector{Widths(1), Widths(1)}});
    variant.exchange(
        0, 0,
        [&] {
            for (const auto& array : {now, next}) fill_with(exec, array, some_of, Cells::owned);
        },
        [&] { plan.execute(exec, now, next); },
        [&] {
            plan.execute(exec, now);
            less.execute(exec, next);
        });
    std::int64_t wrong_padding = 0;
    for (int step = 0; step < steps + 1; ++step) {
        const auto u = now.view(), v = next.view();
        const auto rule = [=](int i, int j) {
            v(i, j) = 0.4 * u(i, j) + 0.1 * u(i - 2, j) + 0.2 * u(i + 1, j) + 0.1 * u(i, j - 2) +
                      0.15 * u(i, j + 1) + 0.05 * u(i - 2, j - 2);
        };
        const Fault fault = variant.at(1, step);
        if (fault == Fault::doubled) plan.execute(exec, now);
        if (fault == Fault::deleted || fault == Fault::early)
            for_each(exec, "rule", next, rule, reading(now));
        else
            apply_stencil(exec, "rule", plan, Reach{fault == Fault::shallow ? 1 : 2}, next, rule,
                          now);
        wrong_padding += count_wrong_padding(comm, plan, next);
        std::swap(now, next);
    }
    all_reduce(comm, ReduceOperation::sum, std::span(&wrong_padding, 1));
    ProgramResult result = collect(comm, now);
    result.push_back(static_cast<double>(wrong_padding));
    return result;
}

/// Loops written by the program, whose arrays and kernels errors cannot name.
inline ProgramResult plain_2d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const AxisSpec axis = block(12, {.padding = 1, .periodic = true});
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 2), {axis, axis});
    auto now = make_dist_view<double**, Host>(exec, "plain", comm, layout);
    auto next = make_dist_view<double**, Host>(exec, "plain", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan less(comm, layout, {.stencil = Stencil::faces});
    fill_with(exec, now, some_of);
    plan.execute(exec, now);
    for (int step = 0; step < steps; ++step) {
        const auto u = now.view(), v = next.view();
        variant.exchange(
            0, step,
            [&] {
                const LocalRange rows = next.interior_range(0), columns = next.interior_range(1);
                for (auto i = rows.begin.value(); i < rows.end; ++i)
                    for (auto j = columns.begin.value(); j < columns.end; ++j)
                        v(i, j) = 0.3 * u(i, j) + 0.3 * u(i - 1, j - 1) + 0.4 * u(i + 1, j + 1);
                next.mark_written();
            },
            [&] { plan.execute(exec, next); }, [&] { less.execute(exec, next); });
        std::swap(now, next);
    }
    return collect(comm, now);
}

/// Three axes and all corners, elements of one byte.
inline ProgramResult automaton_3d(const Communicator& comm, const Variant& variant) {
    const HostExec exec;
    const ArrayLayout layout(ProcessGrid::balanced(comm.size(), 3),
                             {block(8, {.padding = 1, .periodic = true}),
                              block(7, {.padding = 1, .boundary = 1}),
                              block(6, {.padding = 1, .periodic = true})});
    using Cell = std::uint8_t;
    auto now = make_dist_view<Cell***, Host>(exec, "cells", comm, layout);
    auto next = make_dist_view<Cell***, Host>(exec, "cells", comm, layout);
    PaddingExchangePlan plan(comm, layout);
    PaddingExchangePlan less(comm, layout, {.stencil = Stencil::faces});
    for (const auto& array : {now, next})
        fill_with(
            exec, array,
            [](GlobalIndex i, GlobalIndex j, GlobalIndex k) {
                return static_cast<Cell>(256 * (some(i.value(), j.value(), k.value()) - 1));
            },
            Cells::owned);
    plan.execute(exec, now);
    for (int step = 0; step < steps; ++step) {
        const auto u = now.view(), v = next.view();
        variant.exchange(
            0, step,
            [&] {
                for_each(
                    exec, "automaton", next,
                    [=](int i, int j, int k) {
                        int sum = 0;
                        for (int a = -1; a <= 1; ++a)
                            for (int b = -1; b <= 1; ++b)
                                for (int c = -1; c <= 1; ++c)
                                    sum += (1 + 2 * (a + 1) + 6 * (b + 1) + 18 * (c + 1)) *
                                           u(i + a, j + b, k + c);
                        v(i, j, k) = static_cast<Cell>(sum);
                    },
                    reading(now));
            },
            [&] { plan.execute(exec, next); }, [&] { less.execute(exec, next); });
        std::swap(now, next);
    }
    return collect(comm, now);
}

} // namespace programs

inline const std::vector<CheckedProgram>& checked_programs() {
    using namespace programs;
    static const std::vector<CheckedProgram> all{
        {"heat_1d", {{"u", "heat"}}, heat_1d},
        {"conduct_2d", {{"k", "conduct", false}, {"t", "conduct"}}, conduct_2d},
        {"mix_2d", {{"numbers", "mix"}}, mix_2d},
        {"wave_3d", {{"level", "wave"}}, wave_3d},
        {"acoustics_2d", {{"u", "pressure"}, {"p", "velocities"}}, acoustics_2d},
        {"materials_1d",
         {{"material", "conductivity"}, {"k", "conduct"}, {"t", "conductivity"}},
         materials_1d},
        {"scatter_2d", {{"density", "field"}}, scatter_2d},
        {"deep_2d", {{"u", "rule"}, {"u", "rule"}}, deep_2d},
        {"plain_2d", {{"plain", "", false}}, plain_2d},
        {"automaton_3d", {{"cells", "automaton"}}, automaton_3d},
    };
    return all;
}

} // namespace distview::testing
