// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost that the C face adds to an exchange with next to nothing to copy: a periodic row of 64 float64 on every rank,
// width 1, in borrowed memory, for one field and for three. Contenders: `cpp`, the C++ call with DistViews; `c`, the call
// with handles; `memory`, with plain memory; `fortran`, with Fortran's allocatable arrays. Wrapping is
// distview_array_borrow_local() and its release.

#include "count_instructions.hpp"
#include "perf.hpp"

#include <distview/distview.h>

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/dist_view.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef DISTVIEW_PERF_FORTRAN
extern "C" {
void fortran_rows_make(int comm, int cells, void** addresses);
void fortran_rows_exchange(int fields);
void fortran_rows_free(void);
}
#endif

namespace {

using namespace distview;
using perf::Exec;

constexpr std::int64_t cells = 64;
constexpr std::size_t most = 3;

void check(int status) {
    if (status != DISTVIEW_SUCCESS) throw std::runtime_error(distview_last_error()->message);
}

/// The same rows for both faces, each with its own plan.
struct Rows {
    Rows()
        : layout(ProcessGrid{perf::communicator().size()},
                 {block(cells * perf::communicator().size(), {.padding = 1, .periodic = true})}),
          plan(perf::communicator(), layout) {
        const Communicator& comm = perf::communicator();
        check(distview_communicator_create(comm.mpi(), &c_comm));
        const int processes = comm.size();
        distview_axis axis{};
        axis.extent = cells * processes;
        axis.padding_low = axis.padding_high = 1;
        axis.periodic = 1;
        check(distview_layout_create(1, &processes, &axis, &c_layout));
        check(distview_padding_plan_create(c_comm, c_layout, nullptr, &c_plan));
        for (std::size_t f = 0; f < most; ++f) {
            using Row =
                Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
            rows.emplace_back(layout, comm.rank(), Row(data[f].data(), cells + 2));
            memory[f].data = c_data[f].data();
            memory[f].element = DISTVIEW_FLOAT64;
            memory[f].rank = 1;
            memory[f].extents[0] = cells + 2;
            check(distview_array_borrow(c_comm, c_layout, &memory[f], &arrays[f]));
        }
    }
    ~Rows() {
        for (distview_array* array : arrays) distview_array_release(array);
        distview_padding_plan_release(c_plan);
        distview_layout_release(c_layout);
        distview_communicator_release(c_comm);
    }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    void cpp(const Exec& exec, int fields) {
        if (fields == 1)
            plan.execute(exec, rows[0]);
        else
            plan.execute(exec, rows[0], rows[1], rows[2]);
    }
    void c(int fields) { check(distview_padding_plan_execute(c_plan, fields, arrays.data())); }
    void by_memory(int fields) {
        check(distview_padding_plan_exchange(c_plan, fields, memory.data()));
    }

    ArrayLayout layout;
    PaddingExchangePlan plan;
    std::array<std::array<double, cells + 2>, most> data{};
    std::array<std::array<double, cells + 2>, most> c_data{};
    std::vector<DistView<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>> rows;
    distview_communicator* c_comm = nullptr;
    distview_layout* c_layout = nullptr;
    distview_padding_plan* c_plan = nullptr;
    std::array<distview_memory, most> memory{};
    std::array<distview_array*, most> arrays{};
};

void set(std::array<std::array<double, cells + 2>, most>& data) {
    for (auto& row : data) {
        row.fill(perf::communicator().rank());
        row.front() = row.back() = -1;
    }
}
bool is_filled(const std::array<std::array<double, cells + 2>, most>& data, int fields) {
    const int size = perf::communicator().size();
    const int rank = perf::communicator().rank();
    for (std::size_t f = 0; f < static_cast<std::size_t>(fields); ++f)
        if (data[f].front() != (rank + size - 1) % size || data[f].back() != (rank + 1) % size)
            return false;
    return true;
}

void execute(benchmark::State& state) {
    const Exec exec;
    const int fields = static_cast<int>(state.range(0));
    const int times = perf::smoke() ? 2 : 1000;
    Rows rows;
    const auto is_right = [&](auto& data, const char* name, auto exchange) {
        set(data);
        exchange();
        return perf::verify(state, is_filled(data, fields), std::string("padding of ") + name);
    };
    if (!is_right(rows.data, "cpp", [&] { rows.cpp(exec, fields); }) ||
        !is_right(rows.c_data, "c", [&] { rows.c(fields); }) ||
        !is_right(rows.c_data, "memory", [&] { rows.by_memory(fields); }))
        return;

    const auto repeat = [times](auto exchange) {
        return [times, exchange] {
            for (int i = 0; i < times; ++i) exchange();
        };
    };
    const std::vector<double> medians =
        perf::contest(state, exec,
                      {{"cpp", repeat([&] { rows.cpp(exec, fields); })},
                       {"c", repeat([&] { rows.c(fields); })},
                       {"memory", repeat([&] { rows.by_memory(fields); })}});
    const double per_exchange = 1e9 / times;
    state.counters["cpp_ns"] = medians[0] * per_exchange;
    state.counters["c_ns"] = medians[1] * per_exchange;
    state.counters["memory_ns"] = medians[2] * per_exchange;
    state.counters["c_more_ns"] = (medians[1] - medians[0]) * per_exchange;

    // The other ranks run the same exchanges at full speed, so they are always early: the counted rank never waits.
    const int counted = perf::smoke() ? 2 : 20;
    const auto instructions = [&](const char* name, auto exchange) {
        const auto many = [&] {
            for (int i = 0; i < counted; ++i) exchange();
        };
        if (perf::communicator().rank() != 0) return many();
        if (const auto count = perf::count_instructions(many))
            state.counters[name] = static_cast<double>(*count) / counted;
    };
    instructions("cpp_instructions", [&] { rows.cpp(exec, fields); });
    instructions("c_instructions", [&] { rows.c(fields); });
    instructions("memory_instructions", [&] { rows.by_memory(fields); });
}
BENCHMARK(execute)->Arg(1)->Arg(3)->Iterations(200)->UseManualTime()->Unit(benchmark::kMicrosecond);

#ifdef DISTVIEW_PERF_FORTRAN
void execute_fortran(benchmark::State& state) {
    const Exec exec;
    const int fields = static_cast<int>(state.range(0));
    const int times = perf::smoke() ? 2 : 1000;
    Rows rows;
    std::array<void*, most> addresses{};
    fortran_rows_make(MPI_Comm_c2f(perf::communicator().mpi()), static_cast<int>(cells),
                      addresses.data());
    std::array<std::array<double, cells + 2>, most> seen{};
    set(seen);
    for (std::size_t f = 0; f < most; ++f)
        std::copy(seen[f].begin(), seen[f].end(), static_cast<double*>(addresses[f]));
    fortran_rows_exchange(fields);
    for (std::size_t f = 0; f < most; ++f)
        std::copy_n(static_cast<const double*>(addresses[f]), cells + 2, seen[f].begin());
    if (perf::verify(state, is_filled(seen, fields), "padding of fortran")) {
        const auto repeat_cpp = [&] {
            for (int i = 0; i < times; ++i) rows.cpp(exec, fields);
        };
        const auto repeat_fortran = [&] {
            for (int i = 0; i < times; ++i) fortran_rows_exchange(fields);
        };
        const std::vector<double> medians =
            perf::contest(state, exec, {{"cpp", repeat_cpp}, {"fortran", repeat_fortran}});
        state.counters["cpp_ns"] = medians[0] * 1e9 / times;
        state.counters["fortran_ns"] = medians[1] * 1e9 / times;
        state.counters["fortran_more_ns"] = (medians[1] - medians[0]) * 1e9 / times;
        const int counted = perf::smoke() ? 2 : 20;
        const auto many = [&] {
            for (int i = 0; i < counted; ++i) fortran_rows_exchange(fields);
        };
        if (perf::communicator().rank() != 0)
            many();
        else if (const auto count = perf::count_instructions(many))
            state.counters["fortran_instructions"] = static_cast<double>(*count) / counted;
    }
    fortran_rows_free();
}
BENCHMARK(execute_fortran)
    ->Arg(1)
    ->Arg(3)
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
#endif

void wrap(benchmark::State& state) {
    Rows rows;
    const int times = perf::smoke() ? 2 : 1000;
    const int rank = perf::communicator().rank();
    const auto once = [&] {
        distview_array* array = nullptr;
        check(distview_array_borrow_local(rows.c_comm, rows.c_layout, rank, rows.memory.data(),
                                          &array));
        distview_array_release(array);
    };
    void* data = nullptr;
    check(distview_array_data(rows.arrays[0], &data));
    if (!perf::verify(state, data == rows.c_data[0].data(), "address of a borrowed array")) return;
    const std::vector<double> medians =
        perf::contest(state, Exec(), {{"wrap", [&] {
                                           for (int i = 0; i < times; ++i) once();
                                       }}});
    state.counters["wrap_ns"] = medians[0] * 1e9 / times;
}
BENCHMARK(wrap)->Iterations(200)->UseManualTime()->Unit(benchmark::kMicrosecond);

} // namespace
