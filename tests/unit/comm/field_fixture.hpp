// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "padding_oracle.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

/// An element whose size is not that of a machine word.
template <std::size_t Size>
struct Bytes {
    std::array<std::byte, Size> bytes{};
};

/// Bytes computed from an element's global index and `salt`, for any type: a wrong element cannot
/// equal the right one, not even if both are NaN, because bytes are compared.
template <class T>
T value_of(const Position& global, std::uint64_t salt) {
    std::uint64_t hash = salt * 0x9e3779b97f4a7c15u;
    for (const std::int64_t index : global)
        hash = (hash ^ static_cast<std::uint64_t>(index)) * 0xd6e8feb86659fd93u + (hash >> 29);
    std::array<unsigned char, sizeof(T)> bytes{};
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u + i;
        bytes[i] = static_cast<unsigned char>(hash >> 56);
    }
    if constexpr (std::is_same_v<T, bool>) {
        return (bytes[0] & 1) != 0; // other bit patterns are not valid for bool
    } else {
        T value;
        std::memcpy(&value, bytes.data(), sizeof(T));
        return value;
    }
}

/// The memory in which a TestField's section lies.
enum class Memory {
    own,   ///< allocated by Kokkos or the test on every rank: neighbours cannot read it in place
    arena, ///< allocated by make_dist_view(): neighbours can read it in place
    mixed  ///< allocated by make_dist_view() on random ranks, by the test on the others
};

/// At least `bytes` bytes for this rank in memory of make_dist_view(). Collective.
inline DistView<unsigned char*> arena_bytes(const Communicator& comm, std::size_t bytes) {
    auto most = static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm.mpi());
    return make_dist_view<unsigned char*>(
        Kokkos::DefaultHostExecutionSpace(), "test bytes", comm,
        ArrayLayout(ProcessGrid{comm.size()}, {regular_block(most * comm.size())}));
}

/// One field of an exchange with a reference for each of its cells.
///
/// A strided view gets random strides, with gaps in memory.
template <class View>
class TestField {
public:
    using Value = typename View::value_type;
    static constexpr int axis_count = View::rank();

    /// Allocates the section in private memory of the process; local.
    TestField(const ArrayGeometry& geometry, const ArrayLayout& layout, int process, Random& random)
        : m_geometry(geometry), m_process(process) {
        if constexpr (is_strided)
            borrow(layout, random_shape(random), m_memory);
        else
            m_view = View(Kokkos::DefaultHostExecutionSpace(), "test field", layout, process);
        check_extents();
    }
    /// Allocates this rank's section in memory of the given kind. Collective; all ranks pass
    /// `random` in the same state.
    TestField(const ArrayGeometry& geometry, const ArrayLayout& layout, const Communicator& comm,
              Random& random, Memory memory)
        : m_geometry(geometry), m_process(comm.rank()) {
        const std::uint64_t drawn = random.bits() >> static_cast<unsigned>(comm.rank());
        m_in_arena = memory == Memory::arena || (memory == Memory::mixed && drawn % 2 == 0);
        const Shape shape = random_shape(random);
        if constexpr (is_strided) {
            const DistView<unsigned char*> shared = arena_bytes(comm, bytes_of(shape));
            if (m_in_arena) {
                m_bytes = shared.view().data();
                borrow(layout, shape, std::make_shared<const DistView<unsigned char*>>(shared));
            } else {
                borrow(layout, shape, m_memory);
            }
        } else {
            const auto shared = make_dist_view<typename View::view_type::data_type,
                                               typename View::array_layout, Kokkos::HostSpace>(
                Kokkos::DefaultHostExecutionSpace(), "test field", comm, layout);
            if (m_in_arena)
                m_view = View(layout, m_process, shared.view(),
                              std::make_shared<const std::decay_t<decltype(shared)>>(shared));
            else
                borrow(layout, shape, m_memory);
        }
        check_extents();
    }

    const View& view() const { return m_view; }
    /// Whether this rank's section is in memory of make_dist_view().
    bool in_arena() const { return m_in_arena; }

    /// Sets owned cells to their values, and all other cells to bytes that no cell's value has.
    void fill(std::uint64_t salt) {
        std::fill_n(m_bytes, m_byte_count, gap);
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            store(cell, cell.kept ? value_of<Value>(cell.global, salt) : poison(cell, salt));
        });
    }

    /// The first cell with a wrong value after an exchange; "" if all are right.
    std::string find_flaw(std::uint64_t salt) const {
        std::string flaw;
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            if (flaw.empty()) flaw = flaw_of(cell, salt);
        });
        return flaw.empty() ? find_flaw_in_gaps() : flaw;
    }
    /// Reports a write between the elements of a strided view since fill(); "" if the gaps are unchanged.
    std::string find_flaw_in_gaps() const {
        std::vector<unsigned char> rest(m_bytes, m_bytes + m_byte_count);
        if (rest.empty()) return {};
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            std::fill_n(rest.begin() + offset(cell), sizeof(Value), gap);
        });
        if (rest == std::vector<unsigned char>(rest.size(), gap)) return {};
        return text("process ", m_process, ": wrote between the elements of a strided view");
    }

    /// Like find_flaw(), only for the cells of a box, as after ExchangeHandle::finish(box).
    std::string find_flaw_in(const LocalBox& box, std::uint64_t salt) const {
        std::string flaw;
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            for (std::size_t d = 0; d < static_cast<std::size_t>(axis_count); ++d)
                if (!box[d].contains(LocalIndex(cell.position[d]))) return;
            if (flaw.empty()) flaw = flaw_of(cell, salt);
        });
        return flaw;
    }

    /// The bytes of all cells in C order, whatever the strides are.
    std::vector<unsigned char> bytes() const {
        std::vector<unsigned char> result;
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            const auto* const at = reinterpret_cast<const unsigned char*>(address(cell));
            result.insert(result.end(), at, at + sizeof(Value));
        });
        return result;
    }

    /// Element at a position of the section.
    Value& at(const ExpectedCell& cell) const { return *reinterpret_cast<Value*>(address(cell)); }

private:
    using Shape = typename View::array_layout;
    static constexpr bool is_strided = std::is_same_v<Shape, Kokkos::LayoutStride>;
    static constexpr unsigned char gap = 0xcc;

    /// Draws equally many numbers from `random` on all ranks.
    Shape random_shape(Random& random) const {
        const std::vector<std::int64_t> extents = m_geometry.extents(m_process);
        Shape shape;
        for (std::size_t d = 0; d < extents.size(); ++d)
            shape.dimension[d] = static_cast<std::size_t>(extents[d]);
        if constexpr (is_strided) {
            std::vector<std::size_t> order(extents.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            random.shuffle(order);
            auto stride = static_cast<std::size_t>(random.integer(1, 3));
            for (const std::size_t d : order) {
                shape.stride[d] = stride;
                stride *= shape.dimension[d];
                stride += static_cast<std::size_t>(random.integer(0, 3));
            }
        }
        return shape;
    }
    /// The size up to the last element, including the gap of its stride.
    static std::size_t bytes_of(const Shape& shape) {
        std::size_t elements = 1;
        for (std::size_t d = 0; d < static_cast<std::size_t>(axis_count); ++d)
            if constexpr (is_strided)
                elements = std::max(elements, shape.stride[d] * (shape.dimension[d] + 1));
            else
                elements *= shape.dimension[d];
        return elements * sizeof(Value);
    }
    /// Lays the section out in m_bytes, or in newly allocated memory if m_bytes is null.
    void borrow(const ArrayLayout& layout, const Shape& shape, std::shared_ptr<const void> owner) {
        m_byte_count = bytes_of(shape);
        if (m_bytes == nullptr) {
            m_memory->resize(m_byte_count);
            m_bytes = m_memory->data();
        }
        auto* const data = reinterpret_cast<Value*>(m_bytes);
        m_view = View(layout, m_process, typename View::view_type(data, shape), std::move(owner));
    }
    void check_extents() const {
        const std::vector<std::int64_t> extents = m_geometry.extents(m_process);
        for (std::size_t d = 0; d < extents.size(); ++d)
            if (static_cast<std::int64_t>(m_view.view().extent(d)) != extents[d])
                throw ShapeError("TestField: the section has other extents than the reference");
    }

    std::string flaw_of(const ExpectedCell& cell, std::uint64_t salt) const {
        const bool defined = cell.kept || cell.filled;
        const Value expected = defined ? value_of<Value>(cell.global, salt) : poison(cell, salt);
        if (std::memcmp(address(cell), &expected, sizeof(Value)) == 0) return {};
        return text("process ", m_process, ": cell ", tuple_text(cell.position),
                    cell.kept     ? " was changed"
                    : cell.filled ? " was not filled from "
                                  : " was filled",
                    cell.filled ? tuple_text(cell.global) : "");
    }

    /// The offset in bytes from the first element.
    std::ptrdiff_t offset(const ExpectedCell& cell) const {
        std::ptrdiff_t result = 0;
        for (std::size_t d = 0; d < static_cast<std::size_t>(axis_count); ++d)
            result += cell.position[d] * static_cast<std::ptrdiff_t>(m_view.view().stride(d));
        return result * static_cast<std::ptrdiff_t>(sizeof(Value));
    }
    char* address(const ExpectedCell& cell) const {
        return reinterpret_cast<char*>(m_view.view().data()) + offset(cell);
    }
    void store(const ExpectedCell& cell, const Value& value) const {
        std::memcpy(address(cell), &value, sizeof(Value));
    }
    Value poison(const ExpectedCell& cell, std::uint64_t salt) const {
        return value_of<Value>(cell.position, ~salt - static_cast<std::uint64_t>(m_process));
    }

    ArrayGeometry m_geometry;
    int m_process;
    std::shared_ptr<std::vector<unsigned char>> m_memory =
        std::make_shared<std::vector<unsigned char>>();
    unsigned char* m_bytes = nullptr; ///< for a section with gaps; null if empty or owned by Kokkos
    std::size_t m_byte_count = 0;
    bool m_in_arena = false;
    View m_view;
};

} // namespace distview::testing
