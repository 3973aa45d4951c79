// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/runtime.hpp>

#include <distview/comm/mpi_error.hpp>
#include <distview/core/error.hpp>
#include <distview/core/message_sink.hpp>
#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <exception>
#include <string_view>
#include <vector>

namespace distview {

namespace {

constexpr std::string_view needs_device =
#ifdef KOKKOS_ENABLE_CUDA
    " (a build with CUDA needs a device, even for work on the host)";
#else
    "";
#endif

/// Passes Kokkos only its own arguments, and removes them from argv. With all arguments, Kokkos
/// would answer a program's --help itself, on every rank.
void initialize_kokkos(int& argc, char** argv) {
    constexpr std::string_view prefix = "--kokkos-";
    std::vector<char*> for_kokkos;
    int kept = 0;
    for (int i = 0; i < argc; ++i) {
        const bool is_kokkos =
            i > 0 && std::string_view(argv[i]).substr(0, prefix.size()) == prefix;
        if (i == 0 || is_kokkos) for_kokkos.push_back(argv[i]);
        if (!is_kokkos) argv[kept++] = argv[i];
    }
    if (kept < argc) argv[kept] = nullptr; // else the caller's, if it exists
    argc = kept;
    int count = static_cast<int>(for_kokkos.size());
    for_kokkos.push_back(nullptr);
    try {
        Kokkos::initialize(count, for_kokkos.data());
    } catch (const std::exception& failure) {
        throw Error(text("Runtime: Kokkos does not start", needs_device, ": ", failure.what()));
    }
}

} // namespace

Runtime::Runtime(int& argc, char**& argv, int thread_level) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized) {
        require_mpi("Runtime");
        check_mpi(MPI_Query_thread(&m_thread_level), "MPI_Query_thread");
    } else {
        check_mpi(MPI_Init_thread(&argc, &argv, thread_level, &m_thread_level), "MPI_Init_thread");
        m_owns_mpi = true;
    }
    if (m_thread_level < thread_level)
        report(Severity::warning, text("Runtime: asked MPI for thread level ", thread_level,
                                       ", it provides ", m_thread_level));
    if (!Kokkos::is_initialized()) {
        initialize_kokkos(argc, argv);
        m_owns_kokkos = true;
    }
}

Runtime::~Runtime() {
    if (m_owns_kokkos && Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (m_owns_mpi && !finalized) MPI_Finalize();
}

} // namespace distview
