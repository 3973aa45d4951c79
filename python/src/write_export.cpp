// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "write_export.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <utility>

namespace distview::python {

nb::object int64_array(std::vector<std::int64_t> values) {
    auto held = std::make_unique<std::vector<std::int64_t>>(std::move(values));
    const std::size_t count = held->size();
    std::int64_t* const data = held->data();
    const nb::capsule owner(held.release(), [](void* pointer) noexcept {
        delete static_cast<std::vector<std::int64_t>*>(pointer);
    });
    return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(data, {count}, owner));
}

namespace {

nb::dict dictionary(const protocol::DimData& dim) {
    nb::dict result;
    if (dim.dist_type) result["dist_type"] = *dim.dist_type;
    if (dim.size) result["size"] = *dim.size;
    if (dim.proc_grid_size) result["proc_grid_size"] = *dim.proc_grid_size;
    if (dim.proc_grid_rank) result["proc_grid_rank"] = *dim.proc_grid_rank;
    if (dim.start) result["start"] = *dim.start;
    if (dim.stop) result["stop"] = *dim.stop;
    if (dim.padding) result["padding"] = nb::make_tuple(dim.padding->low, dim.padding->high);
    if (dim.periodic) result["periodic"] = *dim.periodic;
    if (dim.block_size) result["block_size"] = *dim.block_size;
    if (dim.indices) result["indices"] = int64_array(*dim.indices);
    if (dim.one_to_one) result["one_to_one"] = *dim.one_to_one;
    return result;
}

} // namespace

Dictionaries dim_data_tuple(const std::vector<protocol::DimData>& dim_data) {
    nb::list result;
    for (const protocol::DimData& dim : dim_data) result.append(dictionary(dim));
    return Dictionaries(result);
}

} // namespace distview::python
