// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owners compute on some elements of their arrays while the node's other ranks read, store and add
// to others. No rank waits for another between two fences, and all values are exact.
#include "transports.hpp"

#include <distview/comm/gather_plan.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

// Passes over the elements in each epoch, and repeats in each kernel; both odd.
constexpr int passes = 5;
constexpr int repeats = 51;

/// The use of an element in an epoch; it changes in each epoch.
enum class Use { added_to, computed, stored, read };
KOKKOS_FUNCTION Use use_of(std::int64_t index, int epoch) {
    return static_cast<Use>((index + epoch) % 4);
}

/// Multiples of a power of two: sums are exact in any order.
template <class T>
KOKKOS_FUNCTION T number(int rank, std::int64_t index, int epoch) {
    return static_cast<T>((rank * 31 + index * 7 + epoch * 3) % 64 - 20) / static_cast<T>(4);
}

template <class T>
using List = Kokkos::View<T*, Exec::memory_space>;

class Epochs {
public:
    Epochs(const Communicator& comm, const ArrayLayout& layout)
        : m_comm(comm), m_layout(layout), m_hosts(hosts_of(comm)),
          m_expected(static_cast<std::size_t>(layout.axis(0).size())),
          m_expected_counts(m_expected.size()) {
        for (int use = 0; use < 4; ++use) {
            std::vector<std::int64_t>& list = m_near[use];
            for (std::int64_t i = use; i < layout.axis(0).size(); i += 4)
                if (host_of(i) == m_hosts[static_cast<std::size_t>(comm.rank())]) list.push_back(i);
            m_plans.emplace_back(comm, layout, IndexList(list));
            m_plans.back().bind(m_exec, std::tie(m_sums, m_counts));
        }
    }

    /// Returns the number of wrong values.
    std::int64_t run(int epochs) {
        GlobalAccess sums(m_exec, m_comm, m_sums);
        GlobalAccess counts(m_exec, m_comm, m_counts);
        Random random(campaign_seed(), static_cast<std::uint64_t>(m_comm.rank()));
        std::int64_t wrong = 0;
        for (int epoch = 0; epoch < epochs; ++epoch) {
            std::vector<Use> uses;
            for (int pass = 1; pass < passes; ++pass)
                for (const Use use : {Use::added_to, Use::computed, Use::stored, Use::read})
                    uses.push_back(use);
            random.shuffle(uses); // ranks use elements in different orders, but begin by adding
            uses.insert(uses.begin(), {Use::added_to, Use::computed, Use::stored, Use::read});
            for (const Use use : uses) {
                switch (use) {
                case Use::added_to: add(epoch, sums.elements(), counts.elements()); break;
                case Use::computed: compute(epoch); break;
                case Use::stored: store(epoch, sums.elements(), counts.elements()); break;
                case Use::read: wrong += read(epoch); break;
                }
            }
            expect_epoch(m_expected, epoch);
            expect_epoch(m_expected_counts, epoch);
            sums.fence(m_exec);
            wrong += check();
            counts.fence(m_exec);
        }
        return wrong;
    }

private:
    int owner_of(std::int64_t index) const {
        const GlobalIndex element[] = {GlobalIndex(index)};
        return m_layout.owner(element);
    }
    int host_of(std::int64_t index) const {
        return m_hosts[static_cast<std::size_t>(owner_of(index))];
    }
    /// The rank that stores an element: the owner's next neighbour on its node.
    int storer_of(std::int64_t index) const {
        int rank = (owner_of(index) + 1) % m_comm.size();
        while (m_hosts[static_cast<std::size_t>(rank)] != host_of(index))
            rank = (rank + 1) % m_comm.size();
        return rank;
    }
    const std::vector<std::int64_t>& elements_for(Use use, int epoch) const {
        return m_near[(static_cast<int>(use) + 4 - epoch % 4) % 4];
    }

    /// Owners compute through their own views.
    void compute(int epoch) {
        const auto sums = m_sums;
        const auto counts = m_counts;
        const int me = m_comm.rank();
        Kokkos::parallel_for(
            "compute",
            Kokkos::RangePolicy<Exec>(m_exec, 0, static_cast<std::int64_t>(sums.view().extent(0))),
            KOKKOS_LAMBDA(std::int64_t i) {
                const std::int64_t index = sums.global_index(0, LocalIndex(i)).value();
                if (use_of(index, epoch) != Use::computed) return;
                for (int time = 0; time < repeats; ++time) {
                    sums.view()(i) = number<double>(me, index, epoch) - sums.view()(i);
                    counts.view()(i) = number<std::int64_t>(me, index, epoch) - counts.view()(i);
                }
            });
    }
    template <class Sums, class Counts>
    void add(int epoch, const Sums& sums, const Counts& counts) {
        const std::vector<std::int64_t>& indices = elements_for(Use::added_to, epoch);
        const std::int64_t* const at = indices.data();
        const int me = m_comm.rank();
        Kokkos::parallel_for(
            "add", Kokkos::RangePolicy<Exec>(m_exec, 0, static_cast<std::int64_t>(indices.size())),
            KOKKOS_LAMBDA(std::int64_t k) {
                for (int time = 0; time < repeats; ++time) {
                    sums.add(number<double>(me, at[k], epoch), at[k]);
                    counts.add(number<std::int64_t>(me, at[k], epoch), at[k]);
                }
            });
    }
    template <class Sums, class Counts>
    void store(int epoch, const Sums& sums, const Counts& counts) {
        for (const std::int64_t index : elements_for(Use::stored, epoch)) {
            if (storer_of(index) != m_comm.rank()) continue;
            sums.store(number<double>(m_comm.rank(), index, epoch), index);
            counts.store(number<std::int64_t>(m_comm.rank(), index, epoch), index);
        }
    }
    std::int64_t read(int epoch) {
        const std::vector<std::int64_t>& indices = elements_for(Use::read, epoch);
        const List<double> sums("sums", indices.size());
        const List<std::int64_t> counts("counts", indices.size());
        m_plans[static_cast<std::size_t>(&indices - m_near)].read(
            m_exec, std::tie(m_sums, m_counts), std::tie(sums, counts));
        std::int64_t wrong = 0;
        for (std::size_t k = 0; k < indices.size(); ++k) {
            const auto index = static_cast<std::size_t>(indices[k]);
            wrong += sums(k) != m_expected[index];
            wrong += counts(k) != m_expected_counts[index];
        }
        return wrong;
    }
    std::int64_t check() const {
        std::int64_t wrong = 0;
        for (std::size_t i = 0; i < m_sums.view().extent(0); ++i) {
            const auto index = static_cast<std::size_t>(
                m_sums.global_index(0, LocalIndex(static_cast<std::int64_t>(i))).value());
            wrong += m_sums.view()(i) != m_expected[index];
            wrong += m_counts.view()(i) != m_expected_counts[index];
        }
        return wrong;
    }
    /// The expected values after an epoch: the operations of all ranks on all elements.
    template <class T>
    void expect_epoch(std::vector<T>& values, int epoch) const {
        for (std::int64_t index = 0; index < m_layout.axis(0).size(); ++index) {
            T& value = values[static_cast<std::size_t>(index)];
            switch (use_of(index, epoch)) {
            case Use::added_to:
                for (int rank = 0; rank < m_comm.size(); ++rank)
                    if (m_hosts[static_cast<std::size_t>(rank)] == host_of(index))
                        value += passes * repeats * number<T>(rank, index, epoch);
                break;
            case Use::computed: value = number<T>(owner_of(index), index, epoch) - value; break;
            case Use::stored: value = number<T>(storer_of(index), index, epoch); break;
            case Use::read: break;
            }
        }
    }

    Exec m_exec{};
    Communicator m_comm;
    ArrayLayout m_layout;
    std::vector<int> m_hosts;
    DistView<double*> m_sums = make_dist_view<double*>(m_exec, "sums", m_comm, m_layout);
    DistView<std::int64_t*> m_counts =
        make_dist_view<std::int64_t*>(m_exec, "counts", m_comm, m_layout);
    std::vector<std::int64_t> m_near[4]; ///< by index % 4: elements of this node
    std::vector<GatherPlan> m_plans;     ///< plans for these lists
    std::vector<double> m_expected;      ///< by index
    std::vector<std::int64_t> m_expected_counts;
};

TEST(AccessMeanwhile, ValuesAreExact) {
    const Communicator comm(MPI_COMM_WORLD);
    const std::int64_t n = 40 * comm.size() + 3;
    for (const AxisSpec& axis : {AxisSpec(block(n)), AxisSpec(cyclic(n)),
                                 AxisSpec(block_cyclic(n, 5)), AxisSpec(block(comm.size() - 1))}) {
        const ArrayLayout layout(ProcessGrid{comm.size()}, {axis});
        SCOPED_TRACE(layout.describe());
        EXPECT_EQ(Epochs(comm, layout).run(60), 0);
    }
}

} // namespace

} // namespace distview::testing
