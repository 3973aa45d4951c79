// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/dist_view.hpp>

#include <type_traits>

namespace distview {

/// Makes an array of the same layout in memory that the host can access; contents are not copied.
///
/// Collective: no (local)
/// Space:      nothing is launched; elements are uninitialised
template <DistViewLike View>
auto create_mirror(const View& view) {
    auto section = Kokkos::create_mirror(Kokkos::WithoutInitializing, view.view());
    return DistViewOf<decltype(section)>(view.layout(), view.process(), section);
}

/// Like create_mirror(), but returns `view` itself if the host can access it and its elements are not const.
template <DistViewLike View>
auto create_mirror_view(const View& view) {
    auto section = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view.view());
    using Section = decltype(section);
    // If Kokkos returns the same memory, a separate DistView would not share the state of valid padding with `view`.
    if constexpr (std::is_same_v<typename Section::memory_space, typename View::memory_space> &&
                  std::is_same_v<typename Section::data_type, typename View::data_type>)
        return view;
    else
        return DistViewOf<Section>(view.layout(), view.process(), section);
}

/// Copies a section with all its padding to another array of the same layout. An array copied to itself stays as it is.
///
/// Collective: no (local), but as DistView::mark_written() if `destination` is another array
/// Space:      enqueued on `exec`; on return work may still run there
/// Touches:    no padding of `destination` is valid afterwards, even if the padding of `source` is
/// Errors:     ShapeError if the layouts or the processes differ
template <ExecutionSpace Exec, DistViewLike Destination, DistViewLike Source>
void deep_copy(const Exec& exec, const Destination& destination, const Source& source) {
    require<ShapeError>(
        destination.layout() == source.layout() && destination.process() == source.process(), [&] {
            return text("deep_copy: expected the same process and layout, got '",
                        destination.label(), "': process ", destination.process(), " of a ",
                        destination.layout().describe(), "\nand '", source.label(), "': process ",
                        source.process(), " of a ", source.layout().describe());
        });
    if (destination.identity() == source.identity()) return;
    // Before the copy, which may still run on return: the checking mode writes into the padding.
    destination.mark_written();
    Kokkos::deep_copy(exec, destination.view(), source.view());
}

} // namespace distview
