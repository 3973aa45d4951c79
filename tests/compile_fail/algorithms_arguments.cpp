// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/algorithms.hpp>

#include <string>

using Exec = Kokkos::DefaultHostExecutionSpace;
using Host = Kokkos::HostSpace;
using distview::Cells;
using distview::DistView;

struct Named {
    std::string name;
};

void use(const Exec& exec, const distview::Communicator& comm, distview::PaddingExchangePlan& plan,
         const DistView<double**, Host>& u, const DistView<const double**, Host>& fixed,
         const DistView<float*, Host>& line, const DistView<Named**, Host>& names) {
    double total = 0;
    static_cast<void>(comm);
    static_cast<void>(plan);
    static_cast<void>(fixed);
    static_cast<void>(line);
    static_cast<void>(names);
#if DISTVIEW_CASE == 0
    distview::copy(exec, fixed, u);
    distview::copy(exec, names, names, Cells::owned);
    distview::for_each(exec, u, [](int, int) {});
    distview::for_each(exec, u, [](auto, auto) {});
    distview::for_each(exec, "label", u, [](std::int64_t, int) {}, distview::valid_cells(u));
    distview::for_each_global(exec, u, [](std::int64_t, distview::GlobalIndex) {});
    distview::for_each_with_global(exec, line, [](int, distview::GlobalIndex) {});
    distview::fill_with(exec, u, [](distview::GlobalIndex i, int j) { return j + i; });
    distview::transform(exec, u, [](double a, const double& b) { return a + b; }, u, fixed);
    distview::transform_reduce(exec, comm, total, [](float a) { return a; }, line);
    distview::reduce(exec, comm, u, [](int, int, double& sum) { sum += 1; }, total);
    distview::apply_stencil(exec, plan, u, [](int, int) {}, u);
    distview::axpby(exec, 1, fixed, 0, u);
#elif DISTVIEW_CASE == 1 // expected: no matching function
    // names: DistViewLike
    // lines: 65
    distview::copy(exec, u.view(), u.view());
#elif DISTVIEW_CASE == 2 // expected: no matching function
    // names: WritableDistView
    // lines: 45
    distview::copy(exec, u, fixed);
#elif DISTVIEW_CASE == 3 // expected: no matching function
    // names: SameRank
    // lines: 45
    distview::copy(exec, u, line);
#elif DISTVIEW_CASE == 4 // expected: no matching function
    // names: ElementsConvertTo
    // lines: 45
    distview::copy(exec, names, u);
#elif DISTVIEW_CASE == 5 // expected: no matching function
    // names: CellFunctor
    // lines: 50
    distview::for_each(exec, u, [](int) {});
#elif DISTVIEW_CASE == 6 // expected: no matching function
    // names: CellFunctor
    // lines: 50
    distview::for_each(exec, u, [total](int, int) mutable { total = 1; });
#elif DISTVIEW_CASE == 7 // expected: no matching function
    // names: ChoiceOfCells
    // lines: 60
    distview::for_each(exec, "label", u, [](int, int) {}, 1);
#elif DISTVIEW_CASE == 8 // expected: no matching function
    // names: GlobalFunctor
    // lines: 40
    distview::for_each_global(exec, u, [](distview::LocalIndex, distview::LocalIndex) {});
#elif DISTVIEW_CASE == 9 // expected: no matching function
    // names: CellAndGlobalFunctor
    // lines: 40
    distview::for_each_with_global(exec, u, [](int, int) {});
#elif DISTVIEW_CASE == 10 // expected: no matching function
    // names: GlobalFunctor
    // lines: 40
    distview::fill_with(exec, u, [](distview::GlobalIndex) { return 1; });
#elif DISTVIEW_CASE == 11 // expected: no matching function
    // names: ValueFunctor
    // lines: 45
    distview::transform(exec, u, [](double a, double b) { return a + b; }, u);
#elif DISTVIEW_CASE == 12 // expected: no matching function
    // names: ValueFunctor
    // lines: 50
    distview::transform_reduce(exec, comm, total, [](const std::string&) { return 1; }, line);
#elif DISTVIEW_CASE == 13 // expected: no matching function
    // names: ReducingFunctor
    // lines: 65
    distview::reduce(exec, comm, u, [](int, double& sum) { sum += 1; }, total);
#elif DISTVIEW_CASE == 14 // expected: no matching function
    // names: CellFunctor
    // lines: 80
    distview::apply_stencil(exec, plan, u, [](int) {}, u);
#elif DISTVIEW_CASE == 15 // expected: no matching function
    // names: MultipliedAndAdded
    // lines: 40
    distview::scale(exec, Named{}, names);
#elif DISTVIEW_CASE == 16 // expected: no matching function
    // names: NumericDistView|SumType
    // lines: 50
    total = distview::sum(exec, comm, names);
#endif
    static_cast<void>(total);
}
