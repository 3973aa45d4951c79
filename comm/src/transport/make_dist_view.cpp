// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/make_dist_view.hpp>

#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstring>

namespace distview {

std::shared_ptr<void> allocate_shared(const Communicator& comm, std::size_t bytes) {
    comm.mpi(); // throws if the communicator is closed
    return impl::state_of(comm)->arena()->allocate(bytes);
}

} // namespace distview

namespace distview::impl {

void number_array(const Communicator& comm, std::uint64_t identity) {
    state_of(comm)->number_array(identity);
}

std::shared_ptr<void> allocate_section(const Communicator& comm, std::size_t bytes,
                                       const std::string& label) {
    std::shared_ptr<void> memory = allocate_shared(comm, bytes);
    if (!memory)
        return {Kokkos::kokkos_malloc<Kokkos::HostSpace>(label, bytes), [](void* freed) {
                    if (Kokkos::is_initialized()) Kokkos::kokkos_free<Kokkos::HostSpace>(freed);
                }};
    if (!Kokkos::Tools::profileLibraryLoaded()) return memory;
    const auto space = Kokkos::Tools::make_space_handle(Kokkos::HostSpace::name());
    void* const data = memory.get();
    Kokkos::Tools::allocateData(space, label, data, bytes);
    return {data, [memory = std::move(memory), space, label, bytes](void* freed) {
                if (Kokkos::is_initialized())
                    Kokkos::Tools::deallocateData(space, label, freed, bytes);
            }};
}

namespace {

/// Fills a page of elements. Each thread first touches the pages near to it; pages of the arena are already placed.
struct FillPage {
    static constexpr std::size_t page = 4096;

    char* elements;
    std::size_t count;
    const char* value; ///< null: zeros
    std::size_t value_bytes;

    std::size_t per_page() const { return std::max<std::size_t>(page / value_bytes, 1); }
    std::int64_t pages() const {
        return static_cast<std::int64_t>((count + per_page() - 1) / per_page());
    }

    void operator()(std::int64_t number) const {
        const std::size_t first = static_cast<std::size_t>(number) * per_page();
        const std::size_t last = std::min(first + per_page(), count);
        char* const begin = elements + first * value_bytes;
        if (!value)
            std::memset(begin, 0, (last - first) * value_bytes);
        else
            for (std::size_t k = 0; k < last - first; ++k)
                std::memcpy(begin + k * value_bytes, value, value_bytes);
    }
};

} // namespace

template <ExecutionSpace Exec>
void fill_elements(const Exec& exec, void* elements, std::size_t count, const void* value,
                   std::size_t value_bytes) {
    const auto* const bytes = static_cast<const char*>(value);
    const bool is_zero =
        std::all_of(bytes, bytes + value_bytes, [](char byte) { return byte == 0; });
    const FillPage fill{static_cast<char*>(elements), count, is_zero ? nullptr : bytes,
                        value_bytes};
    run_boxes(exec, "distview::make_dist_view::fill", std::int64_t{0}, fill.pages(), fill);
    if (!is_zero) exec.fence("distview::make_dist_view: the element that others copied may go");
}

#ifdef KOKKOS_ENABLE_SERIAL
template void fill_elements(const Kokkos::Serial&, void*, std::size_t, const void*, std::size_t);
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template void fill_elements(const Kokkos::OpenMP&, void*, std::size_t, const void*, std::size_t);
#endif
#ifdef KOKKOS_ENABLE_THREADS
template void fill_elements(const Kokkos::Threads&, void*, std::size_t, const void*, std::size_t);
#endif
#ifdef KOKKOS_ENABLE_HPX
template void fill_elements(const Kokkos::Experimental::HPX&, void*, std::size_t, const void*,
                            std::size_t);
#endif

} // namespace distview::impl
