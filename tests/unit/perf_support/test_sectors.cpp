// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sectors.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace distview::testing {

namespace {

using perf::SectionMemory;
using perf::Sectors;

/// The reference: sectors of every byte of every element of some boxes, one by one.
class BruteForce {
public:
    void add(const SectionMemory& memory, const std::array<LocalIndex, max_rank>& begin,
             const Extents& extents) {
        std::vector<std::int64_t> at(memory.strides.size(), 0);
        for (;;) {
            std::int64_t element = 0;
            for (std::size_t d = 0; d < at.size(); ++d)
                element += (begin[d].value() + at[d]) * memory.strides[d];
            for (std::int64_t byte = 0; byte < memory.element_bytes; ++byte)
                m_sectors.insert((element * memory.element_bytes + byte) / 32);
            std::size_t d = at.size();
            while (d > 0 && ++at[d - 1] == extents[d - 1]) at[--d] = 0;
            if (d == 0) return;
        }
    }
    std::int64_t count() const { return static_cast<std::int64_t>(m_sectors.size()); }

private:
    std::set<std::int64_t> m_sectors;
};

TEST(SectorsTest, a_run_touches_what_it_begins_and_ends_in) {
    Sectors none;
    none.add(5, 0);
    EXPECT_EQ(none.count(), 0);
    Sectors one;
    one.add(31, 1);
    EXPECT_EQ(one.count(), 1);
    Sectors two;
    two.add(31, 2);
    EXPECT_EQ(two.count(), 2);
}

TEST(SectorsTest, each_counts_once_in_whatever_order_runs_come) {
    Sectors sectors;
    sectors.add(96, 32);
    sectors.add(0, 100);
    sectors.add(8, 8);
    sectors.add(640, 1);
    EXPECT_EQ(sectors.count(), 5);
}

TEST(SectorsTest, local_traffic_is_that_of_its_elements_one_by_one) {
    for (const std::int64_t bytes : {1, 4, 8, 16})
        for (const std::int64_t padding : {1, 2})
            for (const std::int64_t row : {3, 5, 8, 33}) {
                const BlockOptions periodic{.padding = padding, .periodic = true};
                const ArrayLayout layout(
                    ProcessGrid{1, 1, 1},
                    {block(4, periodic), block(6, periodic), block(row, periodic)});
                const PaddingExchangeSchedule schedule(layout, 0);
                const SectionMemory memory = SectionMemory::of(layout.local_extents(0), 3, bytes);
                BruteForce read, written;
                schedule.for_each_local([&](const PaddingRegion& region) {
                    read.add(memory, region.peer_begin, region.extents);
                    written.add(memory, region.begin, region.extents);
                });
                const perf::Traffic traffic = local_traffic(schedule, memory);
                EXPECT_EQ(traffic.sector_bytes, 32 * (read.count() + written.count()));
                const std::int64_t filled =
                    (4 + 2 * padding) * (6 + 2 * padding) * (row + 2 * padding) - 4 * 6 * row;
                EXPECT_EQ(traffic.useful_bytes, 2 * filled * bytes);
            }
}

} // namespace

} // namespace distview::testing
