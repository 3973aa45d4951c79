// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/kokkos_events.hpp>

#include "kokkos_tools.hpp"

#include <distview_testing/allocations.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <sstream>
#include <string_view>

namespace distview::testing {

namespace impl {

namespace {

namespace tools = Kokkos::Tools::Experimental;

std::mutex g_mutex;
std::vector<KokkosObserver*> g_observers;
std::atomic<bool> g_is_observed = false;
tools::EventSet g_previous;

const char* text_or_empty(const char* text) { return text == nullptr ? "" : text; }

void notify(const RawKokkosEvent& event) {
    const std::lock_guard lock(g_mutex);
    for (KokkosObserver* observer : g_observers) {
        observer->observe(event);
    }
}

void notify_launch(KokkosEventKind kind, const char* label, std::uint32_t device_id) {
    RawKokkosEvent event{kind};
    event.label = text_or_empty(label);
    event.device_id = device_id;
    notify(event);
}

void notify_memory(KokkosEventKind kind, const char* space, const char* label,
                   std::uint64_t bytes) {
    RawKokkosEvent event{kind};
    event.label = text_or_empty(label);
    event.space = space;
    event.bytes = bytes;
    notify(event);
}

template <class Callback, class... Arguments>
void call_previous(Callback callback, Arguments... arguments) {
    if (callback != nullptr) {
        callback(arguments...);
    }
}

void on_parallel_for(const char* label, std::uint32_t device, std::uint64_t* id) {
    notify_launch(KokkosEventKind::parallel_for, label, device);
    call_previous(g_previous.begin_parallel_for, label, device, id);
}

void on_parallel_reduce(const char* label, std::uint32_t device, std::uint64_t* id) {
    notify_launch(KokkosEventKind::parallel_reduce, label, device);
    call_previous(g_previous.begin_parallel_reduce, label, device, id);
}

void on_parallel_scan(const char* label, std::uint32_t device, std::uint64_t* id) {
    notify_launch(KokkosEventKind::parallel_scan, label, device);
    call_previous(g_previous.begin_parallel_scan, label, device, id);
}

void on_fence(const char* label, std::uint32_t device, std::uint64_t* id) {
    notify_launch(KokkosEventKind::fence, label, device);
    call_previous(g_previous.begin_fence, label, device, id);
}

void on_region(const char* label) {
    notify_launch(KokkosEventKind::region, label, 0);
    call_previous(g_previous.push_region, label);
}

void on_allocation(Kokkos_Profiling_SpaceHandle space, const char* label, const void* data,
                   std::uint64_t bytes) {
    notify_memory(KokkosEventKind::allocation, space.name, label, bytes);
    call_previous(g_previous.allocate_data, space, label, data, bytes);
}

void on_deallocation(Kokkos_Profiling_SpaceHandle space, const char* label, const void* data,
                     std::uint64_t bytes) {
    notify_memory(KokkosEventKind::deallocation, space.name, label, bytes);
    call_previous(g_previous.deallocate_data, space, label, data, bytes);
}

void on_deep_copy(Kokkos_Profiling_SpaceHandle space, const char* label, const void* data,
                  Kokkos_Profiling_SpaceHandle source_space, const char* source_label,
                  const void* source_data, std::uint64_t bytes) {
    RawKokkosEvent event{KokkosEventKind::deep_copy};
    event.label = text_or_empty(label);
    event.space = space.name;
    event.source_label = text_or_empty(source_label);
    event.source_space = source_space.name;
    event.bytes = bytes;
    notify(event);
    call_previous(g_previous.begin_deep_copy, space, label, data, source_space, source_label,
                  source_data, bytes);
}

void install_callbacks() {
    g_previous = tools::get_callbacks();
    tools::EventSet callbacks = g_previous;
    callbacks.begin_parallel_for = on_parallel_for;
    callbacks.begin_parallel_reduce = on_parallel_reduce;
    callbacks.begin_parallel_scan = on_parallel_scan;
    callbacks.begin_fence = on_fence;
    callbacks.push_region = on_region;
    callbacks.allocate_data = on_allocation;
    callbacks.deallocate_data = on_deallocation;
    callbacks.begin_deep_copy = on_deep_copy;
    tools::set_callbacks(callbacks);
}

} // namespace

void attach(KokkosObserver& observer) {
    const UncountedScope not_the_test;
    const std::lock_guard lock(g_mutex);
    if (g_observers.empty()) {
        install_callbacks();
    }
    g_observers.push_back(&observer);
    g_is_observed = true;
}

void detach(KokkosObserver& observer) {
    const std::lock_guard lock(g_mutex);
    std::erase(g_observers, &observer);
    if (g_observers.empty()) {
        tools::set_callbacks(g_previous);
        g_is_observed = false;
    }
}

void notify_threads(unsigned threads) {
    if (!g_is_observed) {
        return;
    }
    const std::lock_guard lock(g_mutex);
    for (KokkosObserver* observer : g_observers) {
        observer->observe_threads(threads);
    }
}

} // namespace impl

namespace {

bool is_kernel(const KokkosEvent& event) {
    return event.kind == KokkosEventKind::parallel_for ||
           event.kind == KokkosEventKind::parallel_reduce ||
           event.kind == KokkosEventKind::parallel_scan;
}

} // namespace

class KokkosEvents::Recorder : public impl::KokkosObserver {
public:
    Recorder() { impl::attach(*this); }
    ~Recorder() override { stop(); }

    void stop() {
        if (m_attached) {
            impl::detach(*this);
            m_attached = false;
        }
    }

    void observe(const impl::RawKokkosEvent& event) override {
        const UncountedScope not_the_test;
        m_events.push_back({event.kind, event.label, event.space, event.source_label,
                            event.source_space, event.device_id, event.bytes, 0});
    }
    void observe_threads(unsigned threads) override {
        const auto last = std::find_if(m_events.rbegin(), m_events.rend(),
                                       [](const KokkosEvent& event) { return is_kernel(event); });
        if (last != m_events.rend() && last->threads == 0) {
            last->threads = threads;
        }
    }

    const std::vector<KokkosEvent>& events() const { return m_events; }

private:
    bool m_attached = true;
    std::vector<KokkosEvent> m_events;
};

KokkosEvents::KokkosEvents() : m_recorder(std::make_unique<Recorder>()) {}

KokkosEvents::~KokkosEvents() = default;

void KokkosEvents::stop() { m_recorder->stop(); }

const std::vector<KokkosEvent>& KokkosEvents::all() const { return m_recorder->events(); }

std::vector<KokkosEvent> KokkosEvents::of_kind(KokkosEventKind kind) const {
    std::vector<KokkosEvent> found;
    std::copy_if(all().begin(), all().end(), std::back_inserter(found),
                 [kind](const KokkosEvent& event) { return event.kind == kind; });
    return found;
}

std::vector<KokkosEvent> KokkosEvents::kernels() const {
    std::vector<KokkosEvent> found;
    std::copy_if(all().begin(), all().end(), std::back_inserter(found),
                 [](const KokkosEvent& event) { return is_kernel(event); });
    return found;
}

std::vector<std::string> labels(const std::vector<KokkosEvent>& events) {
    std::vector<std::string> found;
    for (const KokkosEvent& event : events) {
        found.push_back(event.label);
    }
    return found;
}

std::vector<KokkosEvent> labelled_otherwise(const std::vector<KokkosEvent>& events,
                                            const std::vector<std::string>& prefixes) {
    std::vector<KokkosEvent> found;
    for (const KokkosEvent& event : events) {
        const bool known =
            std::any_of(prefixes.begin(), prefixes.end(),
                        [&](const std::string& prefix) { return event.label.starts_with(prefix); });
        if (!known && event.kind != KokkosEventKind::deep_copy) {
            found.push_back(event);
        }
    }
    return found;
}

std::string describe(const std::vector<KokkosEvent>& events) {
    static constexpr std::string_view names[] = {"parallel_for", "parallel_reduce", "parallel_scan",
                                                 "fence",        "region",          "allocation",
                                                 "deallocation", "deep_copy"};
    std::ostringstream text;
    for (const KokkosEvent& event : events) {
        text << names[static_cast<std::size_t>(event.kind)] << " \"" << event.label << '"';
        if (!event.space.empty()) {
            text << " in " << event.space << ", " << event.bytes << " bytes";
        } else if (event.kind != KokkosEventKind::region) {
            text << " on device id " << event.device_id;
        }
        if (!event.source_label.empty()) {
            text << " from \"" << event.source_label << "\" in " << event.source_space;
        }
        text << '\n';
    }
    return text.str();
}

} // namespace distview::testing

#if defined(KOKKOS_ENABLE_OPENMP) && defined(__GNUC__) && !defined(__clang__)
/// GCC calls this function for each parallel region of OpenMP; this definition precedes the one of its runtime library.
extern "C" void GOMP_parallel(void (*function)(void*), void* data, unsigned threads,
                              unsigned flags) {
    using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
    static const auto next = reinterpret_cast<Parallel>(dlsym(RTLD_NEXT, "GOMP_parallel"));
    if (!next) Kokkos::abort("tests: GOMP_parallel is not in a shared library");
    distview::testing::impl::notify_threads(threads);
    next(function, data, threads, flags);
}
#endif
