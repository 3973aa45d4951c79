// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/make_dist_view.hpp>

#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <distview/core/text.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace distview {

std::shared_ptr<void> allocate_shared(const Communicator& comm, std::size_t bytes) {
    comm.mpi(); // throws if the communicator is closed
    return comm.state()->arena()->allocate(bytes);
}

} // namespace distview

namespace distview::impl {

void check_grid(const char* caller, const Communicator& comm, const ArrayLayout& layout) {
    require<UsageError>(layout.process_count() == comm.size(), [&] {
        return text(caller, ": expected a process grid for the ", comm.size(),
                    comm.size() == 1 ? " rank" : " ranks", " of the communicator, got ",
                    layout.grid().describe(), " = ", layout.process_count());
    });
}

void number_array(const Communicator& comm, std::uint64_t identity) {
    comm.state()->number_array(identity);
}

std::shared_ptr<void> allocate_shared_labelled(const Communicator& comm, std::size_t bytes,
                                               const std::string& label) {
    std::shared_ptr<void> memory = allocate_shared(comm, bytes);
    if (!memory || !Kokkos::Tools::profileLibraryLoaded()) return memory;
    const auto space = Kokkos::Tools::make_space_handle(Kokkos::HostSpace::name());
    void* const data = memory.get();
    Kokkos::Tools::allocateData(space, label, data, bytes);
    return {data, [memory = std::move(memory), space, label, bytes](void* freed) {
                if (Kokkos::is_initialized())
                    Kokkos::Tools::deallocateData(space, label, freed, bytes);
            }};
}

} // namespace distview::impl
