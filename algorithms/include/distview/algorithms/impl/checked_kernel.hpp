// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/algorithms/cells.hpp>
#include <distview/core/checked_section.hpp>
#include <distview/core/checking.hpp>
#include <distview/core/shared_state.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace distview::impl {

/// An array of a kernel in the checking mode.
struct CheckedArray {
    std::shared_ptr<CheckedSection> section{}; ///< null: an array without elements
    LocalBox written{};                        ///< the kernel writes these elements
    // Set if the host cannot access the memory:
    std::function<void(char* to, const char* from, std::size_t bytes)> to_host{};
    std::function<void(char* to, const char* from, std::size_t bytes)> from_host{};
};

struct CheckedKernel {
    const char* caller; ///< start of the text of errors
    const std::string& label;
    bool is_collective; ///< an agreement adds the rank to errors
    std::vector<CheckedArray> reads{};
    std::vector<CheckedArray> writes{};
};

/// Runs a kernel, `run`, which returns when it has finished. If padding of arrays that it reads is not valid, the
/// kernel also runs with other values in that padding: if its results change, it has read that padding. In that case
/// the arrays that it writes are restored.
///
/// Errors: UsageError on this rank, which names the padding that the kernel has read
void run_checked(const CheckedKernel& kernel, const std::function<void()>& run);

template <ExecutionSpace Exec, DistViewLike View>
CheckedArray checked_array(const Exec& exec, const View& view) {
    CheckedArray array;
    const auto& state = state_of(view);
    if (!state) return array;
    watch(state.get(), checked_memory(view), view.layout(), view.process(), view.label());
    array.section = state->checked;
    using Memory = typename View::memory_space;
    if constexpr (!Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible) {
        using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
        using There = Kokkos::View<char*, Memory, Unmanaged>;
        using Here = Kokkos::View<char*, Kokkos::HostSpace, Unmanaged>;
        array.to_host = [exec](char* to, const char* from, std::size_t bytes) {
            Kokkos::deep_copy(exec, Here(to, bytes), There(const_cast<char*>(from), bytes));
            exec.fence("distview::check: the host reads a copy of the section");
        };
        array.from_host = [exec](char* to, const char* from, std::size_t bytes) {
            Kokkos::deep_copy(exec, There(to, bytes), Here(const_cast<char*>(from), bytes));
            exec.fence("distview::check: the copy of the section is dropped");
        };
    }
    return array;
}

/// Same, for an array of which the kernel writes `cells`.
template <ExecutionSpace Exec, DistViewLike View, class Which>
CheckedArray checked_array(const Exec& exec, const View& view, const Which& cells) {
    CheckedArray array = checked_array(exec, view);
    array.written = local_box(cell_box(view, cells));
    return array;
}

} // namespace distview::impl
