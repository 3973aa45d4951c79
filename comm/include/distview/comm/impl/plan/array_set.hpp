// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/device_layer.hpp>
#include <distview/comm/impl/transport/field.hpp>

#include <cstdint>
#include <span>

namespace distview::impl {

/// The arrays of one execution of a plan, and what is done with them as far as it decides how they are bound.
struct ArraySet {
    std::span<const Field> sources;   ///< or all fields, if there are no targets
    std::span<const Field> targets{}; ///< by source; of no data if this process has no section
    DeviceLayer* layer = nullptr; ///< of the device whose kernels move elements; null: the host's
    /// Kind of execution, a number of the plan's own; sets of different kinds are bound apart.
    int variant = 0;
    bool as_bytes = false;          ///< element types must be alike
    bool reads_target = false;      ///< whether what is in the target goes into the result
    std::uint64_t element_code = 0; ///< required of all arrays, if not 0

    bool are_of_that_type() const noexcept {
        if (element_code == 0) return true;
        for (const auto& side : {sources, targets})
            for (const Field& field : side)
                if (field.element_code != element_code) return false;
        return true;
    }
};

} // namespace distview::impl
