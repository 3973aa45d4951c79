// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of 1 GiB in the page cache: save_hdf5() and load_hdf5() with their checksums, of blocks of rows and of 2-D blocks
// with padding. Baseline: MPI_File_write_at_all() and read_at_all() of as many bytes, in memory allocated like the arrays:
// the system fills its large pages twice as fast as those of a std::vector. save_npy() shows the cost of the
// checksums. DISTVIEW_PERF_FOLDER names the folder, by default /dev/shm.

#include "perf.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/io.hpp>

#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace distview;
using perf::Exec;
using Array = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

double value_at(std::int64_t i, std::int64_t j) { return static_cast<double>(i * 100003 + j); }

/// The value of `key` in /proc/self/status, in MiB.
double status_mib(const std::string& key) {
    std::ifstream in("/proc/self/status");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(key))
            return std::strtod(line.c_str() + key.size() + 1, nullptr) / 1024;
    return 0;
}

/// Calls visit(element, its number) for all elements of this process.
template <class Visit>
void for_each_element(const Array& array, const Visit& visit) {
    for (LocalIndex i = array.interior_range(0).begin; i < array.interior_range(0).end; ++i)
        for (LocalIndex j = array.interior_range(1).begin; j < array.interior_range(1).end; ++j)
            visit(array.view()(i.value(), j.value()),
                  value_at(array.global_index(0, i).value(), array.global_index(1, j).value()));
}

/// The contenders, and the arrays that they write or read. The destructor removes their files, after an error too.
struct Place {
    Place(bool has_rows, std::int64_t edge)
        : extent(edge), rank(comm.rank()), size(comm.size()), name(has_rows ? "rows" : "blocks"),
          array(make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
              Exec(), "array", comm,
              ArrayLayout(has_rows
                              ? ProcessGrid{size, 1}
                              : (size % 2 == 0 ? ProcessGrid{size / 2, 2} : ProcessGrid{1, size}),
                          {block(edge, {.padding = has_rows ? 0 : 2}),
                           block(edge, {.padding = has_rows ? 0 : 2})}))),
          rows(make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
              Exec(), "rows", comm, ArrayLayout(ProcessGrid{size, 1}, {block(edge), block(edge)}))),
          pid(all_reduce(comm, ReduceOperation::max,
                         rank == 0 ? static_cast<int>(::getpid()) : 0)) {
        for (const Array& each : {array, rows})
            for_each_element(each, [](double& element, double value) { element = value; });
    }
    ~Place() {
        for (const char* which : {"h5", "raw", "npy"}) remove(which);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// A path that no other run uses.
    std::string path_of(const std::string& which) const {
        const char* const folder = std::getenv("DISTVIEW_PERF_FOLDER");
        return std::string(folder ? folder : "/dev/shm") + "/distview-perf-" + std::to_string(pid) +
               "-" + which;
    }
    void remove(const std::string& which) const {
        if (rank == 0) (void)std::remove(path_of(which).c_str());
    }
    void save_h5() const { save_hdf5(comm, path_of("h5"), {{"u", array}}); }
    void load_h5() const { load_hdf5(comm, path_of("h5"), {{"u", array}}); }
    void save_numpy() const { save_npy(comm, path_of("npy"), array); }
    void load_numpy() const { load_npy(comm, path_of("npy"), array); }
    void raw(bool writes) const {
        MPI_File file = MPI_FILE_NULL;
        MPI_File_open(perf::baseline_communicator(), path_of("raw").c_str(),
                      writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL,
                      &file);
        double* const memory = rows.view().data();
        const auto count = static_cast<int>(rows.view().size());
        const MPI_Offset first = rows.global_index(0, rows.interior_range(0).begin).value();
        const MPI_Offset offset = static_cast<MPI_Offset>(sizeof(double)) * first * extent;
        if (writes)
            MPI_File_write_at_all(file, offset, memory, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
        else
            MPI_File_read_at_all(file, offset, memory, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }

    const Communicator& comm = perf::communicator();
    std::int64_t extent;
    int rank;
    int size;
    std::string name;
    Array array;
    Array rows;
    int pid; ///< of rank 0
};

/// Whether all files hold the saved values; reads them, and leaves the arrays as they were.
bool all_are_right(benchmark::State& state, const Place& place) {
    const auto is_read = [](const Array& to, const auto& read) {
        Kokkos::deep_copy(to.view(), -1.0);
        read();
        bool right = true;
        for_each_element(to,
                         [&](double element, double value) { right = right && element == value; });
        return right;
    };
    return perf::verify(state, is_read(place.array, [&] { place.load_h5(); }), "the HDF5 file") &&
           perf::verify(state, is_read(place.array, [&] { place.load_numpy(); }),
                        "the .npy file") &&
           perf::verify(state, is_read(place.rows, [&] { place.raw(false); }), "the raw file");
}

void report_rates(benchmark::State& state, const Place& place, const std::vector<double>& medians) {
    const double bytes = static_cast<double>(place.extent * place.extent) * sizeof(double);
    state.counters["gb_s"] = bytes / medians[0] * 1e-9;
    state.counters["raw_gb_s"] = bytes / medians[1] * 1e-9;
    state.counters["of_raw"] = medians[1] / medians[0];
}

/// The peak of rank 0's memory during `work`, minus its memory before.
template <class Work>
void report_memory(benchmark::State& state, const Work& work) {
    const double anonymous = status_mib("RssAnon:");
    std::ofstream("/proc/self/clear_refs") << 5; // resets the peak to the present size
    const double before = status_mib("VmRSS:");
    work();
    state.counters["extra_anon_mib"] = status_mib("RssAnon:") - anonymous;
    state.counters["extra_peak_mib"] = status_mib("VmHWM:") - before;
}

std::int64_t edge() { return perf::smoke() ? 240 : 11584; } // 1 GiB, a multiple of 2 and 4

void write_file(benchmark::State& state) {
    const Place place(state.range(0) != 0, edge());
    const auto hdf5 = [&] { place.save_h5(); };
    report_memory(state, hdf5);
    place.raw(true);
    place.save_numpy();
    if (!all_are_right(state, place)) return;
    const std::vector<double> medians =
        perf::contest(state, Exec(),
                      std::vector<perf::Contender>{
                          {"hdf5", hdf5, [&] { place.remove("h5"); }},
                          {"raw", [&] { place.raw(true); }, [&] { place.remove("raw"); }},
                          {"npy", [&] { place.save_numpy(); }, [&] { place.remove("npy"); }}});
    report_rates(state, place, medians);
}
BENCHMARK(write_file)
    ->ArgName("rows")
    ->Arg(1)
    ->Arg(0)
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void read_file(benchmark::State& state) {
    const Place place(state.range(0) != 0, edge());
    place.save_h5();
    place.save_numpy();
    place.raw(true);
    const auto hdf5 = [&] { place.load_h5(); };
    report_memory(state, hdf5);
    if (!all_are_right(state, place)) return;
    const std::vector<double> medians =
        perf::contest(state, Exec(),
                      std::vector<perf::Contender>{{"hdf5", hdf5},
                                                   {"raw", [&] { place.raw(false); }},
                                                   {"npy", [&] { place.load_numpy(); }}});
    report_rates(state, place, medians);
}
BENCHMARK(read_file)->ArgName("rows")->Arg(1)->Arg(0)->Iterations(5)->UseManualTime()->Unit(
    benchmark::kMillisecond);

} // namespace
