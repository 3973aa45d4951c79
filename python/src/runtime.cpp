// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include "array.hpp"
#include "integer.hpp"

#include <distview/core/checking.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/core/version.hpp>

#include <Kokkos_Core.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#include <sched.h>

namespace distview::python {

namespace {

/// Whether this module has started Kokkos; then it also stops Kokkos.
bool started_here = false;

void start(const char* caller, std::optional<int> threads) {
    require<UsageError>(!Kokkos::is_finalized(), [&] {
        return text(caller, ": Kokkos was finalised; it cannot be started a second time");
    });
    require<UsageError>(!threads || *threads >= 1, [&] {
        return text(caller, ": expected at least 1 thread, got ", *threads);
    });
    if (Kokkos::is_initialized()) return;
    Kokkos::InitializationSettings settings;
    // Otherwise every rank warns if the node has more ranks than cores, which the user knows.
    settings.set_disable_warnings(true);
    if (threads) settings.set_num_threads(*threads);
    try {
        Kokkos::initialize(settings);
    } catch (const std::exception& failure) { // for example a build for a device without a device
        throw UsageError(text(caller, ": Kokkos cannot be started: ", failure.what()));
    }
    started_here = true;
}

/// The number of ranks on this machine, from launchers' variables; 1 without any.
int local_ranks() {
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE",
                             "MV2_COMM_WORLD_LOCAL_SIZE"})
        if (const char* value = std::getenv(name))
            if (const int number = std::atoi(value); number > 0) return number;
    return 1;
}

std::optional<int> threads_per_rank(const Communicator* comm) {
    if (std::getenv("OMP_NUM_THREADS") || std::getenv("KOKKOS_NUM_THREADS")) return {};
    // A communicator knows the processors of its ranks; the launcher's number includes ranks outside of it.
    if (const int processors = comm ? comm->processors(local_ranks()) : 0; processors > 0)
        return processors;
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return {};
    return std::max(CPU_COUNT(&cores) / local_ranks(), 1);
}

} // namespace

void require_kokkos(const char* caller, const Communicator* comm) {
    if (!Kokkos::is_initialized() || Kokkos::is_finalized()) start(caller, threads_per_rank(comm));
}

void register_runtime(nanobind::module_& package) {
    namespace nb = nanobind;
    using namespace nb::literals;
    package.def(
        "initialize", [](std::optional<Integer<int>> threads) { start("initialize", threads); },
        "threads"_a = nb::none(),
        "Starts Kokkos with a number of threads (OMP_NUM_THREADS decides if None).\n\n"
        "Optional: calls that use Kokkos start it. Does nothing if Kokkos already runs. It never\n"
        "initialises MPI; importing mpi4py.MPI does that. Local (not collective).");
    package.def(
        "finalize",
        [] {
            if (!started_here || Kokkos::is_finalized()) return;
            abandon_all_exchanges();
            Kokkos::finalize();
        },
        "Stops Kokkos if this module started it; called at the interpreter's exit.\n\n"
        "Afterwards arrays stay readable, and reductions and gather() still work; exchanges and\n"
        "redistributions raise UsageError. Does nothing if Kokkos does not run yet. Local (not\n"
        "collective).");
    package.def(
        "require_kokkos",
        [](const std::string& caller, const Communicator& comm) {
            require_kokkos(caller.c_str(), &comm);
        },
        "caller"_a, "comm"_a,
        "Starts Kokkos unless it runs; UsageError once it was stopped. Local.");
    package.def(
        "is_initialized", [] { return Kokkos::is_initialized() && !Kokkos::is_finalized(); },
        "Whether Kokkos runs. Local (not collective).");
    package.def(
        "check_padding", [](bool on) { set_check(on ? Check::padding : Check::nothing); },
        "on"_a = true,
        "Switches the checking mode on or off, as DISTVIEW_CHECK=padding does.\n\n"
        "mark_written() poisons the padding of arrays made from then on, which it makes invalid:\n"
        "if elements were computed from it, the next exchange raises UsageError. Local (not\n"
        "collective), but all ranks must call it.");
    package.def(
        "build_info",
        [] {
            const BuildInfo info = build_info();
            nb::dict result;
            result["version"] = info.version;
            result["compiler"] = info.compiler;
            result["compiler_flags"] = info.compiler_flags;
            result["build_type"] = info.build_type;
            result["kokkos_version"] = info.kokkos_version;
            result["kokkos_devices"] = info.kokkos_devices;
            result["git_commit"] = info.git_commit;
            return result;
        },
        "The versions, compiler and options of this build, as a dictionary of str. Local.");
}

} // namespace distview::python
