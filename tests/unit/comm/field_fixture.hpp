// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "padding_oracle.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/random.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::testing {

/// An element of a size that no machine word has.
template <std::size_t Size>
struct Bytes {
    std::array<std::byte, Size> bytes{};
};

/// Bytes that follow from an element's global index and `salt`, for any type: a wrong element
/// cannot pass for the right one, not even by its NaN's payload.
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
        return (bytes[0] & 1) != 0; // no other bits are a bool
    } else {
        T value;
        std::memcpy(&value, bytes.data(), sizeof(T));
        return value;
    }
}

/// One field of an exchange with a reference for each of its cells.
///
/// Memory of a strided view is laid out at random, with gaps.
template <class View>
class TestField {
public:
    using Value = typename View::value_type;
    static constexpr int axis_count = View::rank();

    TestField(const ArrayGeometry& geometry, const ArrayLayout& layout, int process, Random& random)
        : m_geometry(geometry), m_process(process) {
        const std::vector<std::int64_t> extents = geometry.extents(process);
        if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>)
            borrow(layout, extents, random);
        else
            m_view = View(Kokkos::DefaultHostExecutionSpace(), "test field", layout, process);
        for (std::size_t d = 0; d < extents.size(); ++d)
            if (static_cast<std::int64_t>(m_view.view().extent(d)) != extents[d])
                throw ShapeError("TestField: the section has other extents than the reference");
    }

    const View& view() const { return m_view; }

    /// Owned cells get their value, all others bytes that belong to no cell.
    void fill(std::uint64_t salt) {
        std::fill(m_memory->begin(), m_memory->end(), gap);
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            store(cell, cell.kept ? value_of<Value>(cell.global, salt) : poison(cell, salt));
        });
    }

    /// The first cell that an exchange has left wrong; "" if there is none.
    std::string find_flaw(std::uint64_t salt) const {
        std::string flaw;
        std::vector<unsigned char> rest = *m_memory;
        m_geometry.for_each_cell(m_process, [&](const ExpectedCell& cell) {
            const bool defined = cell.kept || cell.filled;
            const Value expected =
                defined ? value_of<Value>(cell.global, salt) : poison(cell, salt);
            if (flaw.empty() && std::memcmp(address(cell), &expected, sizeof(Value)) != 0)
                flaw = text("process ", m_process, ": cell ", tuple_text(cell.position),
                            cell.kept     ? " was changed"
                            : cell.filled ? " was not filled from "
                                          : " was filled",
                            cell.filled ? tuple_text(cell.global) : "");
            if (!rest.empty()) std::fill_n(rest.begin() + offset(cell), sizeof(Value), gap);
        });
        if (flaw.empty() && rest != std::vector<unsigned char>(rest.size(), gap))
            flaw = text("process ", m_process, ": wrote between the elements of a strided view");
        return flaw;
    }

private:
    static constexpr unsigned char gap = 0xcc;

    void borrow(const ArrayLayout& layout, const std::vector<std::int64_t>& extents,
                Random& random) {
        std::vector<std::size_t> order(extents.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        random.shuffle(order);
        Kokkos::LayoutStride shape;
        std::size_t stride = static_cast<std::size_t>(random.integer(1, 3));
        for (const std::size_t d : order) {
            shape.dimension[d] = static_cast<std::size_t>(extents[d]);
            shape.stride[d] = stride;
            stride *= static_cast<std::size_t>(extents[d]);
            stride += static_cast<std::size_t>(random.integer(0, 3));
        }
        m_memory->resize(stride * sizeof(Value));
        auto* data = reinterpret_cast<Value*>(m_memory->data());
        m_view = View(layout, m_process, typename View::view_type(data, shape), m_memory);
    }

    /// In bytes from the first element.
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
    View m_view;
};

} // namespace distview::testing
