// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array_datatype.hpp"

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

/// Frees what it holds, unless it is taken away.
class Datatype {
public:
    Datatype() = default;
    Datatype(Datatype&& other) noexcept : m_type(std::exchange(other.m_type, MPI_DATATYPE_NULL)) {}
    Datatype& operator=(Datatype&& other) noexcept {
        std::swap(m_type, other.m_type);
        return *this;
    }
    ~Datatype() {
        if (m_type != MPI_DATATYPE_NULL) MPI_Type_free(&m_type);
    }
    MPI_Datatype* out() noexcept { return &m_type; }
    MPI_Datatype get() const noexcept { return m_type; }

private:
    MPI_Datatype m_type = MPI_DATATYPE_NULL;
};

Datatype make(const Runs& runs, std::int64_t word) {
    Datatype type;
    check_mpi(MPI_Type_contiguous(static_cast<int>(runs.bytes / word), word_type(word), type.out()),
              "MPI_Type_contiguous");
    for (auto axis = runs.axes.rbegin(); axis != runs.axes.rend(); ++axis) {
        Datatype outer;
        check_mpi(MPI_Type_create_hvector(static_cast<int>(axis->count), 1,
                                          static_cast<MPI_Aint>(axis->stride), type.get(),
                                          outer.out()),
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
    std::vector<Datatype> parts;
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
    auto type = std::make_unique<MPI_Datatype>(MPI_DATATYPE_NULL);
    check_mpi(MPI_Type_create_struct(static_cast<int>(boxes.size()), ones.data(), places.data(),
                                     types.data(), type.get()),
              "MPI_Type_create_struct");
    const std::shared_ptr<const MPI_Datatype> shared(type.release(), [](MPI_Datatype* held) {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (!finalized) MPI_Type_free(held);
        delete held;
    });
    check_mpi(MPI_Type_commit(const_cast<MPI_Datatype*>(shared.get())), "MPI_Type_commit");
    return shared;
}

} // namespace distview::impl
