// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dist_view.hpp>

namespace distview {

/// An array of the same layout in memory that the host can access, contents not copied.
///
/// Collective: no (local)
/// Space:      nothing is launched; elements are uninitialised
template <DistViewLike View>
auto create_mirror(const View& view) {
    auto section = Kokkos::create_mirror(Kokkos::WithoutInitializing, view.view());
    return DistViewOf<decltype(section)>(view.layout(), view.process(), section);
}

/// As create_mirror(), but `view` itself if the host can access it.
template <DistViewLike View>
auto create_mirror_view(const View& view) {
    auto section = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view.view());
    return DistViewOf<decltype(section)>(view.layout(), view.process(), section, view.owner());
}

/// Copies a section with all its padding to another array of the same layout.
///
/// Collective: no (local)
/// Space:      enqueued on `exec`; on return work may still run there
/// Errors:     ShapeError if the layouts or the processes differ
template <ExecutionSpace Exec, DistViewLike Destination, DistViewLike Source>
void deep_copy(const Exec& exec, const Destination& destination, const Source& source) {
    require<ShapeError>(
        destination.layout() == source.layout() && destination.process() == source.process(), [&] {
            return text("deep_copy: '", destination.label(), "' is process ", destination.process(),
                        " of a ", destination.layout().describe(), "\n'", source.label(),
                        "' is process ", source.process(), " of a ", source.layout().describe());
        });
    Kokkos::deep_copy(exec, destination.view(), source.view());
}

} // namespace distview
