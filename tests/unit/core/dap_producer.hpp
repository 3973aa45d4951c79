// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/dap.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace distview::testing {

/// A section as a C library would make it, of a 4 x 6 array of doubles over 1 x 2 processes; counts
/// its releases. Tests change the structs before they pass them on.
///
///     axis 0: not distributed    axis 1, process 0: elements 0 to 3, of which it owns 0 to 2
struct DapProducer {
    distview_dap_section section{};
    std::array<distview_dap_dim, 9> dims{};
    std::array<std::int64_t, 9> extents{4, 4};
    std::array<std::int64_t, 9> strides{32, 8};
    std::vector<double> data = std::vector<double>(16);
    std::vector<std::int64_t> indices{7, -3, 100, 4};
    int released = 0;

    DapProducer() {
        dims[0] = block(4, 1, 0, 0, 4);
        dims[1] = block(6, 2, 0, 0, 4);
        dims[1].keys |= DISTVIEW_DAP_PADDING;
        dims[1].padding[1] = 1;
        section.abi_major = DISTVIEW_DAP_ABI_MAJOR;
        section.abi_minor = DISTVIEW_DAP_ABI_MINOR;
        section.release = [](distview_dap_section* released_section) {
            ++static_cast<DapProducer*>(released_section->private_data)->released;
            released_section->release = nullptr;
        };
        section.private_data = this;
        section.version[1] = 10;
        section.ndim = 2;
        section.dims = dims.data();
        section.data = data.data();
        section.extents = extents.data();
        section.strides = strides.data();
        section.element = {DISTVIEW_DAP_FLOAT, 8};
        section.device_type = DISTVIEW_DAP_CPU;
        section.process = 0;
        section.process_count = 2;
    }
    DapProducer(const DapProducer&) = delete;
    DapProducer& operator=(const DapProducer&) = delete;

    /// Makes axis 1 unstructured, with `indices`.
    void make_unstructured() {
        dims[1] = {};
        dims[1].keys = DISTVIEW_DAP_DIST_TYPE | DISTVIEW_DAP_SIZE | DISTVIEW_DAP_PROC_GRID_SIZE |
                       DISTVIEW_DAP_PROC_GRID_RANK | DISTVIEW_DAP_INDICES;
        dims[1].dist_type = 'u';
        dims[1].size = 6;
        dims[1].proc_grid_size = 2;
        dims[1].indices = indices.data();
        dims[1].indices_count = static_cast<std::int64_t>(indices.size());
    }
    void make_zero_dimensional() {
        section.ndim = 0;
        section.process_count = 1;
    }

    static distview_dap_dim block(std::int64_t size, std::int64_t grid_size, std::int64_t grid_rank,
                                  std::int64_t start, std::int64_t stop) {
        distview_dap_dim dim{};
        dim.keys = DISTVIEW_DAP_DIST_TYPE | DISTVIEW_DAP_SIZE | DISTVIEW_DAP_PROC_GRID_SIZE |
                   DISTVIEW_DAP_PROC_GRID_RANK | DISTVIEW_DAP_START | DISTVIEW_DAP_STOP;
        dim.dist_type = 'b';
        dim.size = size;
        dim.proc_grid_size = grid_size;
        dim.proc_grid_rank = grid_rank;
        dim.start = start;
        dim.stop = stop;
        return dim;
    }
};

/// The section of `process`, in C order, over memory that is never accessed.
inline AnySection untouched_section(const ArrayLayout& layout, int process,
                                    std::shared_ptr<const void> owner = nullptr) {
    static double somewhere = 0;
    AnySection section;
    const Extents extents = layout.local_extents(process);
    section.extents.assign(extents.begin(), extents.begin() + layout.rank());
    section.element = element_type<double>();
    section.strides = AnySection::contiguous_strides(section.extents, section.element.bytes);
    section.data = &somewhere;
    section.owner = std::move(owner);
    return section;
}

} // namespace distview::testing
