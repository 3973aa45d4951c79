// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "field_fixture.hpp"
#include "redistribution_oracle.hpp"

#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/dist_view.hpp>
#include <distview_testing/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

/// The source of each element in one process's target section: the product of the
/// position-by-position references of the axes.
class ExpectedSources {
public:
    struct Element {
        int process = 0;  ///< rank in the source's grid
        Position local{}; ///< position in its section, by axis of the source
    };
    ExpectedSources(const RedistributionCase& c, int to_process);

    /// All copies of the element for this position, in the order in which they are combined; an
    /// insertion uses the first one. Empty if the position is not written.
    std::vector<Element> of(const Position& to_local) const;

private:
    struct AxisPlace {
        int coordinate = -1;
        std::int64_t local = 0;
    };
    const RedistributionCase& m_case;
    /// By axis and position of the target.
    std::array<std::vector<std::vector<AxisPlace>>, max_rank> m_axes;
};

/// The operation with which arriving elements are stored.
enum class Arriving { insert, scaled, linear, sum, maximum, own };

/// 12 bytes for which no arithmetic is defined.
struct Triple {
    std::array<std::int32_t, 3> parts{};
};

template <class T>
inline constexpr bool has_arithmetic = !std::is_same_v<T, Triple>;
template <class T>
inline constexpr bool has_order = std::is_arithmetic_v<T>;

/// A small integer for a position of a process's section: sums and products of such integers are exact.
std::int32_t number_at(int process, const Position& local, std::uint64_t salt);

template <class T>
T element_at(int process, const Position& local, std::uint64_t salt) {
    if constexpr (std::is_same_v<T, Triple>)
        return {{number_at(process, local, salt), number_at(process, local, salt + 1),
                 number_at(process, local, salt + 2)}};
    else if constexpr (std::is_arithmetic_v<T>)
        return static_cast<T>(number_at(process, local, salt));
    else
        return T(static_cast<typename T::value_type>(number_at(process, local, salt)),
                 static_cast<typename T::value_type>(number_at(process, local, salt + 1)));
}

/// An operation defined by the program.
struct TwiceAndLess {
    template <class T>
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        return static_cast<T>(here + here - incoming);
    }
};

/// A section of one process in memory of random strides, with gaps; in private memory or in the arena.
template <class T, int Rank>
class MovedSection {
public:
    template <int N, class P>
    struct AddPointers : AddPointers<N - 1, P*> {};
    template <class P>
    struct AddPointers<0, P> {
        using type = P;
    };
    using View =
        DistView<typename AddPointers<Rank, T>::type, Kokkos::LayoutStride, Kokkos::HostSpace>;

    MovedSection(const ArrayLayout& layout, int process, const Communicator& comm, Random& random,
                 bool in_arena)
        : m_process(process) {
        const Extents extents = layout.local_extents(process);
        std::vector<std::size_t> order(Rank);
        for (std::size_t d = 0; d < order.size(); ++d) order[d] = order.size() - 1 - d;
        if (random.chance(0.4)) random.shuffle(order);
        const bool has_gaps = random.chance(0.4);
        Kokkos::LayoutStride shape;
        std::size_t stride = has_gaps ? static_cast<std::size_t>(random.integer(1, 3)) : 1;
        for (const std::size_t d : order) {
            m_extents.push_back(0);
            shape.dimension[d] = static_cast<std::size_t>(extents[d]);
            shape.stride[d] = stride;
            stride = stride * shape.dimension[d] +
                     (has_gaps ? static_cast<std::size_t>(random.integer(0, 3)) : 0);
        }
        for (std::size_t d = 0; d < order.size(); ++d) m_extents[d] = extents[d];
        m_bytes = (stride + 1) * sizeof(T);
        m_memory = in_arena ? allocate_shared(comm, m_bytes) : nullptr;
        if (!m_memory)
            m_memory = std::shared_ptr<void>(::operator new(m_bytes),
                                             [](void* memory) { ::operator delete(memory); });
        m_view = View(layout, process,
                      typename View::view_type(static_cast<T*>(m_memory.get()), shape), m_memory);
    }

    const View& view() const { return m_view; }
    int process() const { return m_process; }
    std::vector<unsigned char> bytes() const {
        const auto* const data = static_cast<const unsigned char*>(m_memory.get());
        return {data, data + m_bytes};
    }
    void clear() { std::memset(m_memory.get(), 0xcc, m_bytes); }
    void store(const Position& local, const T& value) {
        std::memcpy(static_cast<char*>(m_memory.get()) + offset(local), &value, sizeof(T));
    }
    std::size_t offset(const Position& local) const {
        std::size_t result = 0;
        for (std::size_t d = 0; d < m_extents.size(); ++d)
            result += static_cast<std::size_t>(local[d]) * m_view.view().stride(d);
        return result * sizeof(T);
    }

    template <class Visit>
    void for_each_position(Visit&& visit) const {
        Position local{};
        for (const std::int64_t extent : m_extents)
            if (extent == 0) return;
        for (;;) {
            visit(local);
            std::size_t d = m_extents.size();
            while (d > 0 && ++local[d - 1] == m_extents[d - 1]) local[--d] = 0;
            if (d == 0) return;
        }
    }

private:
    int m_process;
    std::vector<std::int64_t> m_extents;
    std::shared_ptr<void> m_memory;
    std::size_t m_bytes = 0;
    View m_view;
};

/// A source and a target whose types are chosen at run time, with the expected result.
class MovedArrays {
public:
    virtual ~MovedArrays() = default;
    /// The operation `arriving` if the types support it, else insertion: some elements can only be inserted.
    virtual Arriving possible(Arriving arriving) const = 0;
    /// Fills both arrays, executes, and returns the first wrong element; "" if all are right.
    virtual std::string run(RedistributionPlan& plan, Arriving arriving, bool in_two_steps,
                            bool twice, std::uint64_t salt) = 0;
    /// Bytes of one element of the source.
    virtual std::int64_t element_size() const = 0;
    /// The bytes of the target.
    virtual std::vector<unsigned char> result() const = 0;
};

/// The layouts of a case with the labels that this rank knows.
struct KnownLayouts {
    ArrayLayout from;
    ArrayLayout to;
    int from_process = -1; ///< -1: this rank is not in the grid
    int to_process = -1;
};

/// Makes arrays of a random pair of types. Collective; `random` is the same on all ranks.
std::unique_ptr<MovedArrays> random_arrays(const RedistributionCase& c, const Communicator& comm,
                                           const KnownLayouts& known, bool from_in_arena,
                                           Random& random);

} // namespace distview::testing
