// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/kernels/copy_box.hpp>
#include <distview/comm/impl/kernels/device_layer.hpp>

#include <cstdint>
#include <vector>

namespace distview::impl {

/// A box of a table that one kernel copies: many threads for a box, each for one unit of bytes.
struct DeviceRegion {
    const char* source = nullptr;
    char* destination = nullptr;
    std::int64_t first = 0; ///< number of its first unit in the table
    std::int32_t unit = 1;  ///< bytes: 1, 2, 4, 8 or 16
    std::int32_t rank = 0;
    CopyBox::Axis axes[max_rank + 1]; ///< the innermost axis counts the units of a run
};

/// Regions of whole boxes of append_copies(), with the widest units that the places of all runs allow.
DeviceTable<DeviceRegion> byte_regions(DeviceLayer& layer, const std::vector<CopyBox>& boxes);
/// Regions whose units are elements of `element_size` bytes.
DeviceTable<DeviceRegion> element_regions(DeviceLayer& layer, const std::vector<CopyBox>& boxes);

} // namespace distview::impl
