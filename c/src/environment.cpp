// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exchanges.hpp"
#include "handles.hpp"

#include <distview/c/environment.h>

#include <distview/comm/mpi_error.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/version.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <type_traits>

#include <sched.h>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace distview::c {

namespace {

std::atomic<int> contracts_level{DISTVIEW_CONTRACTS_CHEAP};

struct Started {
    std::mutex mutex;
    int calls = 0;
    bool mpi = false; ///< whether this library started MPI, and will end it
    bool kokkos = false;
};
/// The instance that host() makes at its first call; a finalize hook deletes it before Kokkos ends.
std::atomic<Exec*>& instance() noexcept {
    static std::atomic<Exec*> made{nullptr};
    return made;
}

Started& started() {
    static Started state;
    return state;
}

bool mpi_is(int (*query)(int*)) {
    int flag = 0;
    query(&flag);
    return flag != 0;
}

void start_mpi(int level) {
    require<UsageError>(!mpi_is(MPI_Finalized),
                        "distview_initialize: MPI was finalised; it cannot be "
                        "started a second time");
    if (mpi_is(MPI_Initialized)) return;
    int provided = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, level, &provided), "MPI_Init_thread");
    started().mpi = true;
}

/// Default number of threads of a process: its share of the cores; 0 if the environment sets the number.
int threads_of_process() {
    if (std::getenv("OMP_NUM_THREADS") || std::getenv("KOKKOS_NUM_THREADS")) return 0;
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 0;
    int ranks = 1;
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"})
        if (const char* value = std::getenv(name))
            if (const int number = std::atoi(value); number > 0) ranks = number;
    return std::max(CPU_COUNT(&cores) / ranks, 1);
}

void start_kokkos(const distview_init_options& options) {
    require<UsageError>(!Kokkos::is_finalized(),
                        "distview_initialize: Kokkos was finalised; it cannot "
                        "be started a second time");
    if (Kokkos::is_initialized()) return;
    Kokkos::InitializationSettings settings;
    if (!options.show_warnings) settings.set_disable_warnings(true);
    const int threads = options.threads > 0 ? options.threads : threads_of_process();
    if (threads > 0) settings.set_num_threads(threads);
    try {
        Kokkos::initialize(settings);
    } catch (const std::exception& failure) {
        throw Error(text("distview_initialize: Kokkos does not start: ", failure.what()));
    }
    started().kokkos = true;
}

/// Whether Kokkos would end the process if a kernel began here, in a parallel region of OpenMP. This is Kokkos' own
/// condition (execute_in_serial()). Kokkos 4.5 and 4.6, and any Kokkos 4 with deprecated code, run such kernels on one
/// thread.
bool is_in_region() noexcept {
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_DEPRECATED_CODE_4) &&                  \
    KOKKOS_VERSION >= 40700
    if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
        const int level = omp_get_level();
        return level > 1 || (level == 1 && omp_get_max_active_levels() <= 1);
    }
#endif
    return false;
}

} // namespace

Contracts contracts() noexcept {
    return static_cast<Contracts>(contracts_level.load(std::memory_order_relaxed));
}

void require_kokkos(const char* function) {
    require<UsageError>(Kokkos::is_initialized() && !Kokkos::is_finalized(), [&] {
        return text(function, ": Kokkos does not run; call distview_initialize() first");
    });
}

const Exec& host(const char* function) {
    if (const Exec* const known = instance().load(std::memory_order_acquire)) return *known;
    require_kokkos(function);
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (!instance().load(std::memory_order_acquire)) {
        // Runs whoever ends Kokkos: instances and handles of exchanges must not outlive it.
        Kokkos::push_finalize_hook([] {
            abandon_all_exchanges();
            delete instance().exchange(nullptr);
        });
        instance().store(new Exec, std::memory_order_release);
    }
    return *instance().load(std::memory_order_acquire);
}

const Exec& host_for_kernels(const char* function) {
    require<UsageError>(!is_in_region(), [&] {
        return text(function,
                    ": expected a call outside of OpenMP's parallel regions, got one inside: "
                    "kernels need the threads; OMP_MAX_ACTIVE_LEVELS=2 allows such calls");
    });
    return host(function);
}

} // namespace distview::c

using namespace distview::c;

int distview_initialize(const distview_init_options* options) {
    return guard(__func__, [&](const char*) {
        const distview_init_options defaults{};
        const distview_init_options& chosen = options ? *options : defaults;
        distview::require<distview::UsageError>(chosen.threads >= 0, [&] {
            return distview::text("distview_initialize: expected at least 1 thread, or 0, got ",
                                  chosen.threads);
        });
        Started& state = started();
        const std::lock_guard lock(state.mutex);
        const int level = chosen.thread_level == 0 ? MPI_THREAD_FUNNELED : chosen.thread_level;
        start_mpi(level);
        start_kokkos(chosen);
        ++state.calls;
    });
}

int distview_finalize(void) {
    return guard(__func__, [&](const char*) {
        Started& state = started();
        const std::lock_guard lock(state.mutex);
        distview::require<distview::UsageError>(
            state.calls > 0,
            "distview_finalize: expected an initialised library, call distview_initialize() first");
        if (--state.calls > 0) return;
        if (state.kokkos && Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
        state.kokkos = false;
        if (state.mpi && !mpi_is(MPI_Finalized)) MPI_Finalize();
        state.mpi = false;
    });
}

int distview_is_initialized(void) {
    return mpi_is(MPI_Initialized) && !mpi_is(MPI_Finalized) && Kokkos::is_initialized() &&
           !Kokkos::is_finalized();
}

const char* distview_version(void) { return distview::version(); }

int distview_version_number(void) { return DISTVIEW_VERSION; }

const char* distview_build_info(void) {
    static const std::string lines = [] {
        try {
            const distview::BuildInfo info = distview::build_info();
            return distview::text(
                "version: ", info.version, "\ncompiler: ", info.compiler,
                "\ncompiler_flags: ", info.compiler_flags, "\nbuild_type: ", info.build_type,
                "\nkokkos_version: ", info.kokkos_version,
                "\nkokkos_devices: ", info.kokkos_devices, "\ngit_commit: ", info.git_commit, "\n");
        } catch (...) {
            return std::string();
        }
    }();
    return lines.c_str();
}

int distview_set_contracts(int level) {
    return guard(__func__, [&](const char*) {
        distview::require<distview::UsageError>(
            level >= DISTVIEW_CONTRACTS_OFF && level <= DISTVIEW_CONTRACTS_FULL, [&] {
                return distview::text("distview_set_contracts: expected a level in [0, 3), got ",
                                      level);
            });
        contracts_level.store(level, std::memory_order_relaxed);
    });
}

int distview_contracts(void) { return static_cast<int>(contracts()); }

int distview_set_check(int check) {
    return guard(__func__, [&](const char*) {
        distview::require<distview::UsageError>(
            check == DISTVIEW_CHECK_NOTHING || check == DISTVIEW_CHECK_PADDING, [&] {
                return distview::text(
                    "distview_set_check: expected a distview_check in [0, 2), got ", check);
            });
        distview::set_check(check == DISTVIEW_CHECK_PADDING ? distview::Check::padding
                                                            : distview::Check::nothing);
    });
}

int distview_current_check(void) {
    return distview::current_check() == distview::Check::padding ? DISTVIEW_CHECK_PADDING
                                                                 : DISTVIEW_CHECK_NOTHING;
}
