// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/array_datatype.hpp>

#include "owned_datatype.hpp"

#include <distview/comm/impl/persistent_messages.hpp>
#include <distview/comm/mpi_error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

struct Axis {
    std::int64_t count = 1;
    std::int64_t stride = 0;
};

/// A box as runs of bytes along as few axes as will do, outermost first.
struct Runs {
    std::int64_t bytes = 0;
    std::vector<Axis> axes;
};

Runs runs_of(const ArrayBox& box) {
    Runs runs{box.element_size, {}};
    for (std::size_t d = static_cast<std::size_t>(box.rank); d-- > 0;) { // from the fastest
        const Axis axis{box.extents[d], box.strides[d]};
        if (axis.count == 1) continue;
        if (runs.axes.empty() && axis.stride == runs.bytes)
            runs.bytes *= axis.count;
        else if (!runs.axes.empty() &&
                 axis.stride == runs.axes.back().count * runs.axes.back().stride)
            runs.axes.back().count *= axis.count;
        else
            runs.axes.push_back(axis);
    }
    std::reverse(runs.axes.begin(), runs.axes.end());
    return runs;
}

OwnedDatatype make(const Runs& runs, std::int64_t word) {
    OwnedDatatype type;
    check_mpi(MPI_Type_contiguous(word_count(runs.bytes, word), word_type(word), type.address()),
              "MPI_Type_contiguous");
    for (auto axis = runs.axes.rbegin(); axis != runs.axes.rend(); ++axis) {
        OwnedDatatype outer;
        check_mpi(MPI_Type_create_hvector(static_cast<int>(axis->count), 1,
                                          static_cast<MPI_Aint>(axis->stride), type.get(),
                                          outer.address()),
                  "MPI_Type_create_hvector");
        type = std::move(outer);
    }
    return type;
}

} // namespace

std::int64_t ArrayBox::run_bytes() const { return runs_of(*this).bytes; }

bool ArrayBox::is_one_run() const { return runs_of(*this).axes.empty(); }

std::int64_t ArrayBox::span() const noexcept {
    std::int64_t bytes = element_size;
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
        bytes += (extents[d] - 1) * strides[d];
    return bytes;
}

std::shared_ptr<const MPI_Datatype> array_datatype(std::span<const ArrayBox> boxes,
                                                   std::int64_t word) {
    if (!std::in_range<int>(static_cast<std::int64_t>(boxes.size()))) return nullptr;
    std::vector<OwnedDatatype> parts;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Aint> places;
    for (const ArrayBox& box : boxes) {
        const Runs runs = runs_of(box);
        if (!std::in_range<int>(runs.bytes) ||
            !std::all_of(runs.axes.begin(), runs.axes.end(),
                         [](const Axis& axis) { return std::in_range<int>(axis.count); }))
            return nullptr;
        types.push_back(parts.emplace_back(make(runs, word)).get());
        check_mpi(MPI_Get_address(box.first, &places.emplace_back()), "MPI_Get_address");
    }
    const std::vector<int> ones(boxes.size(), 1);
    const auto type = std::make_shared<OwnedDatatype>();
    check_mpi(MPI_Type_create_struct(static_cast<int>(boxes.size()), ones.data(), places.data(),
                                     types.data(), type->address()),
              "MPI_Type_create_struct");
    check_mpi(MPI_Type_commit(type->address()), "MPI_Type_commit");
    return {type, type->address()};
}

} // namespace distview::impl
