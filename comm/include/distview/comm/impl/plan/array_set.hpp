// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/transport/field.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace distview::impl {

/// Kinds of padding and ghost exchanges and of gathers.
enum class ExchangeKind {
    fill, ///< owned elements are copied to where they are wanted: into others' padding, ghosts, lists
    combine ///< the reverse: copies and values are combined with the owners' elements
};

/// The arrays of one execution of a plan, and what is done with them as far as it decides how they are bound.
struct ArraySet {
    std::span<const Field> sources;   ///< or all fields, if there are no targets
    std::span<const Field> targets{}; ///< by source; of no data if this process has no section
    DeviceLayer* layer = nullptr; ///< of the device whose kernels move elements; null: the host's
    /// Kind of execution: an ExchangeKind, or a number of a redistribution's own; sets of different kinds are bound apart.
    int variant = 0;
    bool as_bytes = false;          ///< element types must be alike
    bool reads_target = false;      ///< whether what is in the target goes into the result
    bool writes_sources = false;    ///< whether `sources` are written, and may be read-only
    std::uint64_t element_code = 0; ///< required of all arrays, if not 0

    /// Not of redistributions.
    ExchangeKind kind() const noexcept { return static_cast<ExchangeKind>(variant); }

    /// Whether element types are as an execution wants them, and arrays that it writes may be written; sets that are bound may
    /// be passed to another kind of call, or by views of const elements.
    bool have_right_types() const noexcept {
        for (const Field& target : targets)
            if (target.read_only) return false;
        for (const Field& source : sources)
            if (writes_sources && source.read_only) return false;
        for (std::size_t i = 0; as_bytes && i < sources.size(); ++i)
            if (sources[i].element_code != targets[i].element_code ||
                !moves_as_bytes(sources[i].element_size))
                return false;
        return are_of_that_type();
    }
    bool are_of_that_type() const noexcept {
        if (element_code == 0) return true;
        for (const auto& side : {sources, targets})
            for (const Field& field : side)
                if (field.element_code != element_code) return false;
        return true;
    }
    /// Whether there is a number type of that many bytes.
    static constexpr bool moves_as_bytes(std::int64_t size) noexcept {
        return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    }
};

} // namespace distview::impl
