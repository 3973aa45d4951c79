// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// killed_writer write PATH SEED: saves checkpoints one after the other; at a random moment after the first, a rank is killed.
// killed_writer read PATH: the last checkpoint must be complete and hold its step; the next save must leave no other files.
#include <distview/comm.hpp>
#include <distview/io.hpp>

#include <mpi.h>

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace {

using namespace distview;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Array = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

void be_killed_in(int microseconds) {
    std::signal(SIGALRM, [](int) { ::kill(::getpid(), SIGKILL); });
    itimerval timer{};
    timer.it_value.tv_usec = microseconds;
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Blocks of rows for writers; blocks of columns for readers.
struct Fields {
    Fields(const Communicator& comm, bool has_rows) {
        const ProcessGrid grid =
            has_rows ? ProcessGrid{comm.size(), 1} : ProcessGrid{1, comm.size()};
        for (const char* name : {"a", "b"})
            arrays.push_back(
                {name, make_dist_view<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
                           Exec(), name, comm, ArrayLayout(grid, {block(300), block(1000)}))});
    }
    static double value(std::int64_t step, std::size_t field, std::int64_t i, std::int64_t j) {
        return static_cast<double>(step * 1000000007 + static_cast<std::int64_t>(field) * 31 +
                                   i * 1000 + j);
    }
    template <class Visit>
    void for_each(std::int64_t step, const Visit& visit) const {
        for (std::size_t f = 0; f < arrays.size(); ++f)
            for (LocalIndex i = arrays[f].second.interior_range(0).begin;
                 i < arrays[f].second.interior_range(0).end; ++i)
                for (LocalIndex j = arrays[f].second.interior_range(1).begin;
                     j < arrays[f].second.interior_range(1).end; ++j)
                    visit(arrays[f].second.view()(i.value(), j.value()),
                          value(step, f, arrays[f].second.global_index(0, i).value(),
                                arrays[f].second.global_index(1, j).value()));
    }
    std::vector<NamedArray> named() const {
        std::vector<NamedArray> result;
        for (const auto& [name, array] : arrays) result.push_back({name, array});
        return result;
    }
    std::vector<std::pair<std::string, Array>> arrays;
};

void write(const Communicator& comm, const Checkpoint& checkpoint, unsigned seed) {
    std::mt19937 random(seed);
    const bool has_rows = random() % 2 == 0;
    const Fields fields(comm, has_rows);
    const int victim = static_cast<int>(random() % static_cast<unsigned>(comm.size()));
    const int moment = 1 + static_cast<int>(random() % 60000);
    for (std::int64_t step = 0; step < 100000; ++step) {
        fields.for_each(step, [](double& element, double value) { element = value; });
        checkpoint.save(fields.named(), {{"step", step}});
        if (step == 0 && comm.rank() == victim) be_killed_in(moment);
    }
}

bool read(const Communicator& comm, const Checkpoint& checkpoint) {
    const Fields fields(comm, false);
    const LoadedCheckpoint loaded = checkpoint.load(fields.named());
    const auto step = std::get<std::int64_t>(loaded.scalars.at("step"));
    bool right = true;
    fields.for_each(step, [&](double element, double value) { right = right && element == value; });
    checkpoint.save(fields.named(), {{"step", step + 1}});
    const bool leaves = std::filesystem::exists(checkpoint.path() + ".partial");
    std::printf("rank %d: step %lld is %s%s\n", comm.rank(), static_cast<long long>(step),
                right ? "right" : "wrong", leaves ? ", something is left" : "");
    return right && !leaves;
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    Runtime runtime(argc, argv);
    const Communicator comm(MPI_COMM_WORLD);
    CheckpointOptions options;
    options.sync = false; // the test kills processes, not the machine
    const Checkpoint checkpoint(comm, argv[2], options);
    if (std::string(argv[1]) == "write") {
        write(comm, checkpoint, argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 0);
        return 1;
    }
    return read(comm, checkpoint) ? 0 : 1;
}
