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
    fill,   ///< owned elements are copied into other ranks' padding, ghosts or lists
    combine ///< the reverse: copies and values are combined with the owners' elements
};

/// The arrays of one execution of a plan, with the properties of the execution that affect their binding.
struct ArraySet {
    std::span<const Field> sources;   ///< or all fields, if there are no targets
    std::span<const Field> targets{}; ///< by source; without data if this process has no section
    DeviceLayer* layer = nullptr; ///< of the device whose kernels move elements; null: the host's
    /// Kind of execution: an ExchangeKind, or a redistribution's variant. Sets of different kinds are bound separately.
    int variant = 0;
    bool as_bytes = false;          ///< element types must be equal
    bool reads_target = false;      ///< whether the result depends on the target's old values
    bool writes_sources = false;    ///< whether `sources` are written; they may be read-only
    std::uint64_t element_code = 0; ///< required of all arrays if not 0
    std::uint16_t operation = 0;    ///< of this execution: CallWord::operations

    /// Kind of an exchange or a gather; not for redistributions.
    ExchangeKind kind() const noexcept { return static_cast<ExchangeKind>(variant); }

    /// Whether the execution accepts the element types, and no array that it writes is read-only: a program may pass a
    /// bound set to another kind of call, or as views of const elements.
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
    /// Whether a number type of `size` bytes exists.
    static constexpr bool moves_as_bytes(std::int64_t size) noexcept {
        return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
    }
};

} // namespace distview::impl
