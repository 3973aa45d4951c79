// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device_times.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifdef KOKKOS_ENABLE_CUDA
#include <cuda_runtime.h>
#include <dlfcn.h>
#endif

namespace distview::perf {

namespace {

#ifdef KOKKOS_ENABLE_CUDA
void require_success(cudaError_t error, const char* what) {
    if (error != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// The time at which the device has finished all work enqueued before.
class Moment {
public:
    explicit Moment(const Kokkos::Cuda& exec) {
        require_success(cudaEventCreate(&m_event), "cudaEventCreate");
        require_success(cudaEventRecord(m_event, exec.cuda_stream()), "cudaEventRecord");
    }
    Moment(const Moment&) = delete;
    Moment& operator=(const Moment&) = delete;
    ~Moment() { cudaEventDestroy(m_event); }

    /// Both moments must have passed.
    double seconds_since(const Moment& earlier) const {
        float milliseconds = 0;
        require_success(cudaEventElapsedTime(&milliseconds, earlier.m_event, m_event),
                        "cudaEventElapsedTime");
        return milliseconds * 1e-3;
    }

private:
    cudaEvent_t m_event = nullptr;
};
#else
class Moment {
public:
    explicit Moment(const DeviceExec& exec) {
        exec.fence("distview::perf: what is timed has finished");
    }
    double seconds_since(const Moment& earlier) const {
        return std::chrono::duration<double>(m_time - earlier.m_time).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_time = Clock::now();
};
#endif

/// The begins and ends of the operations enqueued since its construction.
struct Recording {
    const DeviceExec& exec;
    const std::function<void()>& before;
    std::vector<std::unique_ptr<Moment>> begins;
    std::vector<std::unique_ptr<Moment>> ends;
    int kernels = 0;

    void begin();
    void end() { ends.push_back(std::make_unique<Moment>(exec)); }
};

Recording* g_recording = nullptr;

/// After a wait the device is idle: it would take the first time stamp at once, and the time that the host needs for the
/// launch would count. `before` therefore keeps the device busy; its own operations are not recorded.
void Recording::begin() {
#ifdef KOKKOS_ENABLE_CUDA
    Recording* const recording = std::exchange(g_recording, nullptr);
    before();
    g_recording = recording;
#endif
    begins.push_back(std::make_unique<Moment>(exec));
}

namespace tools = Kokkos::Tools::Experimental;

void begin_kernel(const char*, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    if (!g_recording || device != tools::device_id(g_recording->exec)) return;
    *id = 1;
    ++g_recording->kernels;
    g_recording->begin();
}

void end_kernel(std::uint64_t id) {
    if (g_recording && id == 1) g_recording->end();
}

/// Unless a tool requests otherwise at its start, Kokkos fences the whole device before each callback: then no
/// operation could queue behind another, and the host's time for launches and waits would count.
[[maybe_unused]] const bool asked_for_no_fences = [] {
    tools::set_request_tool_settings_callback(
        [](std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
            settings->requires_global_fencing = false;
            // If this callback stayed set, Kokkos would treat every later kernel as one of a program with a tool.
            tools::set_request_tool_settings_callback(nullptr);
        });
    return true;
}();

/// Records kernels and copies during its lifetime; its destructor restores earlier callbacks, a tool's included.
class Listening {
public:
    explicit Listening(Recording& recording) : m_callbacks(tools::get_callbacks()) {
        g_recording = &recording;
        tools::set_begin_parallel_for_callback(begin_kernel);
        tools::set_end_parallel_for_callback(end_kernel);
        tools::set_begin_parallel_reduce_callback(begin_kernel);
        tools::set_end_parallel_reduce_callback(end_kernel);
        tools::set_begin_parallel_scan_callback(begin_kernel);
        tools::set_end_parallel_scan_callback(end_kernel);
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    ~Listening() {
        tools::set_callbacks(m_callbacks);
        g_recording = nullptr;
    }

private:
    tools::EventSet m_callbacks;
};

} // namespace

Operations operations_of(const DeviceExec& exec, const std::function<void()>& before,
                         const std::function<void()>& work) {
    exec.fence("distview::perf: nothing earlier is timed");
    before();
    Recording recording{exec, before, {}, {}};
    {
        const Listening listening(recording);
        work();
    }
    exec.fence("distview::perf: all kernels have finished");
    Operations result{recording.kernels,
                      static_cast<int>(recording.ends.size()) - recording.kernels};
    for (std::size_t i = 0; i < recording.ends.size(); ++i)
        result.seconds += recording.ends[i]->seconds_since(*recording.begins[i]);
    return result;
}

double seconds_of(const DeviceExec& exec, const std::function<void()>& work) {
    exec.fence("distview::perf: nothing earlier is timed");
    const Moment begin(exec);
    work();
    const Moment end(exec);
    exec.fence("distview::perf: the work has finished");
    return end.seconds_since(begin);
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

using CopyFunction = cudaError_t (*)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream) {
    static const auto library = reinterpret_cast<CopyFunction>(dlsym(RTLD_NEXT, "cudaMemcpyAsync"));
    if (!library) return cudaErrorSharedObjectSymbolNotFound;
    if (!g_recording || stream != g_recording->exec.cuda_stream())
        return library(to, from, bytes, kind, stream);
    g_recording->begin();
    const cudaError_t error = library(to, from, bytes, kind, stream);
    g_recording->end();
    return error;
}

} // namespace
#endif

} // namespace distview::perf

#ifdef KOKKOS_ENABLE_CUDA
// Kokkos' tools do not see copies made by libraries, so this replaces the CUDA runtime's function (a shared library).
// It is declared by its symbol, since nvcc already has a device definition of the name.
extern "C" cudaError_t distview_perf_copy(void*, const void*, size_t, cudaMemcpyKind,
                                          cudaStream_t) __asm__("cudaMemcpyAsync");

extern "C" cudaError_t distview_perf_copy(void* to, const void* from, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream) {
    return distview::perf::copy(to, from, bytes, kind, stream);
}
#endif
