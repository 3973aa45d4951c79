// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/assert.hpp>
#include <distview/core/block_layout.hpp>
#include <distview/core/cyclic_layout.hpp>
#include <distview/core/dim_layout.hpp>
#include <distview/core/unstructured_layout.hpp>

#include <cstdint>

namespace distview {

/// The kinds of layout; values are the protocol's dist_type letters.
enum class DistType : char { block = 'b', cyclic = 'c', unstructured = 'u' };

/// The layout of one axis of any kind.
///
/// A tagged union of BlockLayout, CyclicLayout and UnstructuredLayout that is itself a DimLayout: trivially
/// copyable, usable on device. The ArrayLayout or DeviceLayout that returned it owns its tables, if any: they
/// live as long as that object.
///
/// Space: callable on host and device
/// Cost:  one branch more than the layout inside
class AxisLayout {
    // Defined first: the functions below need its deduced return type.
    template <class Function>
    KOKKOS_FUNCTION constexpr auto visit(Function function) const noexcept {
        switch (m_type) {
        case DistType::cyclic: return function(m_cyclic);
        case DistType::unstructured: return function(m_unstructured);
        case DistType::block: break;
        }
        return function(m_block);
    }

public:
    KOKKOS_FUNCTION constexpr AxisLayout() noexcept : m_type(DistType::block), m_block() {}
    KOKKOS_FUNCTION constexpr AxisLayout(const BlockLayout& layout) noexcept
        : m_type(DistType::block), m_block(layout) {}
    KOKKOS_FUNCTION constexpr AxisLayout(const CyclicLayout& layout) noexcept
        : m_type(DistType::cyclic), m_cyclic(layout) {}
    KOKKOS_FUNCTION constexpr AxisLayout(const UnstructuredLayout& layout) noexcept
        : m_type(DistType::unstructured), m_unstructured(layout) {}

    KOKKOS_FUNCTION constexpr DistType type() const noexcept { return m_type; }
    KOKKOS_FUNCTION constexpr bool is_block() const noexcept { return m_type == DistType::block; }
    /// Requires type() == DistType::block.
    KOKKOS_FUNCTION constexpr const BlockLayout& as_block() const noexcept {
        DISTVIEW_ASSERT(m_type == DistType::block);
        return m_block;
    }
    /// Requires type() == DistType::cyclic.
    KOKKOS_FUNCTION constexpr const CyclicLayout& as_cyclic() const noexcept {
        DISTVIEW_ASSERT(m_type == DistType::cyclic);
        return m_cyclic;
    }
    /// Requires type() == DistType::unstructured.
    KOKKOS_FUNCTION constexpr const UnstructuredLayout& as_unstructured() const noexcept {
        DISTVIEW_ASSERT(m_type == DistType::unstructured);
        return m_unstructured;
    }

    /// Number of elements without boundary padding.
    KOKKOS_FUNCTION constexpr std::int64_t size() const noexcept {
        return visit([](const auto& layout) { return layout.size(); });
    }
    /// Number of elements with boundary padding: the `size` of the protocol's version 0.10.
    KOKKOS_FUNCTION constexpr std::int64_t protocol_size() const noexcept {
        return visit([](const auto& layout) { return layout.protocol_size(); });
    }
    KOKKOS_FUNCTION constexpr int grid_size() const noexcept {
        return visit([](const auto& layout) { return layout.grid_size(); });
    }
    KOKKOS_FUNCTION constexpr bool periodic() const noexcept {
        return visit([](const auto& layout) { return layout.periodic(); });
    }
    KOKKOS_FUNCTION constexpr Widths communication_padding(int p) const noexcept {
        return is_block() ? m_block.communication_padding(p) : Widths();
    }
    KOKKOS_FUNCTION constexpr Widths boundary_padding(int p) const noexcept {
        return is_block() ? m_block.boundary_padding(p) : Widths();
    }
    KOKKOS_FUNCTION constexpr std::int64_t local_extent(int p) const noexcept {
        return visit([=](const auto& layout) { return layout.local_extent(p); });
    }
    KOKKOS_FUNCTION constexpr LocalRange owned_local(int p) const noexcept {
        return visit([=](const auto& layout) { return layout.owned_local(p); });
    }
    KOKKOS_FUNCTION constexpr LocalRange interior_local(int p) const noexcept {
        return visit([=](const auto& layout) { return layout.interior_local(p); });
    }
    KOKKOS_FUNCTION constexpr int owner(GlobalIndex g) const noexcept {
        return visit([=](const auto& layout) { return layout.owner(g); });
    }
    KOKKOS_FUNCTION constexpr LocalIndex to_local(int p, GlobalIndex g) const noexcept {
        return visit([=](const auto& layout) { return layout.to_local(p, g); });
    }
    KOKKOS_FUNCTION constexpr GlobalIndex to_global(int p, LocalIndex l) const noexcept {
        return visit([=](const auto& layout) { return layout.to_global(p, l); });
    }
    /// The indices of all elements, boundary padding included; not for unstructured axes, which have labels.
    KOKKOS_FUNCTION constexpr GlobalRange global_range() const noexcept {
        return {global_index(ProtocolIndex(0)), global_index(ProtocolIndex(protocol_size()))};
    }
    /// The index of element g in the protocol's version 0.10; global_index() is the inverse. Labels stay the same.
    KOKKOS_FUNCTION constexpr ProtocolIndex protocol_index(GlobalIndex g) const noexcept {
        return is_block() ? m_block.protocol_index(g) : ProtocolIndex(g.value());
    }
    KOKKOS_FUNCTION constexpr GlobalIndex global_index(ProtocolIndex i) const noexcept {
        return is_block() ? m_block.global_index(i) : GlobalIndex(i.value());
    }
    KOKKOS_FUNCTION constexpr AxisLayout with_tables(const std::int64_t* from,
                                                     const std::int64_t* to) const noexcept {
        return visit([=](const auto& layout) { return AxisLayout(layout.with_tables(from, to)); });
    }

private:
    DistType m_type;
    union {
        BlockLayout m_block;
        CyclicLayout m_cyclic;
        UnstructuredLayout m_unstructured;
    };
};

static_assert(DimLayout<BlockLayout> && DimLayout<CyclicLayout> && DimLayout<UnstructuredLayout> &&
              DimLayout<AxisLayout>);

} // namespace distview
