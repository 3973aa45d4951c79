// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "impl_mock_device.hpp"

#include <distview/comm/impl/kernels/copy_regions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

std::vector<char> random_bytes(Random& random, std::size_t count) {
    std::vector<char> bytes(count);
    for (char& byte : bytes) byte = static_cast<char>(random.bits());
    return bytes;
}

/// Called for each byte with its offsets from the first byte of the box on either side.
using AtByte = std::function<void(const impl::CopyBox&, std::int64_t from, std::int64_t to)>;

/// The reference: visits the bytes of boxes with at most two axes.
void for_each_byte(const std::vector<impl::CopyBox>& boxes, const AtByte& visit) {
    for (const impl::CopyBox& box : boxes) {
        const impl::CopyBox::Axis outer = box.rank > 1 ? box.axes[0] : impl::CopyBox::Axis{};
        const impl::CopyBox::Axis inner = box.innermost();
        for (std::int64_t i = 0; i < outer.count; ++i)
            for (std::int64_t j = 0; j < inner.count; ++j)
                for (std::int64_t byte = 0; byte < box.element_size; ++byte)
                    visit(box, i * outer.source_stride + j * inner.source_stride + byte,
                          i * outer.destination_stride + j * inner.destination_stride + byte);
    }
}

/// Boxes that copy columns of an array of rows to other columns of a second array; some have the same shape.
struct Columns {
    std::vector<char> from, to;
    std::vector<impl::CopyBox> boxes;

    Columns(Random& random, std::int64_t element_size) {
        const std::int64_t rows = random.integer(1, 9), planes = random.integer(1, 4);
        const std::int64_t width = random.integer(4, 13);
        const std::int64_t row = width * element_size, plane = rows * row;
        from = random_bytes(random, static_cast<std::size_t>(planes * plane));
        to = random_bytes(random, from.size());
        std::int64_t at = 0;
        while (at < width) {
            const std::int64_t wide = random.chance(0.7) ? 1 : random.integer(1, width - at + 1);
            if (random.chance(0.8)) {
                impl::CopyBox box;
                box.element_size = wide * element_size;
                box.source = from.data() + random.integer(0, width - wide + 1) * element_size;
                box.destination = to.data() + at * element_size;
                box.rank = 2;
                box.axes[0] = {random.chance(0.8) ? planes : 1, plane, plane};
                box.axes[1] = {rows, row, row};
                boxes.push_back(box);
            }
            at += wide;
        }
        random.shuffle(boxes);
    }
};

struct Xor {
    KOKKOS_FUNCTION char operator()(char here, char incoming) const {
        return static_cast<char>(here ^ incoming);
    }
};

} // namespace

TEST(DeviceRegions, CopyWhatTheBoxesSay) {
    const std::vector<std::int64_t> sizes{1, 2, 4, 8, 12, 16, 24, 40};
    for_each_case(2000, [&](Random& random, std::uint64_t) {
        Columns columns(random, random.pick(sizes));
        std::vector<char> expected = columns.to;
        for_each_byte(
            columns.boxes, [&](const impl::CopyBox& box, std::int64_t from, std::int64_t to) {
                expected[static_cast<std::size_t>(box.destination - columns.to.data() + to)] =
                    box.source[from];
            });
        const auto regions = impl::byte_regions(MockDevice::instance(), columns.boxes);
        impl::run_regions(Exec(), "distview::testing::copies", regions, impl::CopyUnit{});
        EXPECT_EQ(columns.to, expected);
    });
}

TEST(DeviceRegions, CombineWhatTheBoxesSay) {
    for_each_case(500, [&](Random& random, std::uint64_t) {
        Columns columns(random, 1);
        std::vector<impl::CopyBox> boxes;
        for (impl::CopyBox& box : columns.boxes)
            if (box.element_size == 1) boxes.push_back(box);
        std::vector<char> expected = columns.to;
        for_each_byte(boxes, [&](const impl::CopyBox& box, std::int64_t from, std::int64_t to) {
            char& here =
                expected[static_cast<std::size_t>(box.destination - columns.to.data() + to)];
            here = static_cast<char>(here ^ box.source[from]);
        });
        const auto regions = impl::element_regions(MockDevice::instance(), boxes);
        impl::run_regions(Exec(), "distview::testing::combines", regions,
                          impl::CombineUnit<char, Xor>{});
        EXPECT_EQ(columns.to, expected);
    });
}

// Padding at both ends of rows is read and written together, as one region.
TEST(DeviceRegions, TheTwoEndsOfRowsAreOne) {
    constexpr std::int64_t cells = 6, rows = 5;
    for (const std::int64_t width : {1, 2}) {
        const std::int64_t row = (cells + 2 * width) * 8;
        std::vector<char> array(static_cast<std::size_t>(rows * row));
        impl::CopyBox low;
        low.element_size = width * 8;
        low.source = array.data() + cells * 8;
        low.destination = array.data();
        low.rank = 1;
        low.axes[0] = {rows, row, row};
        impl::CopyBox high = low;
        high.source = array.data() + width * 8;
        high.destination = array.data() + (cells + width) * 8;
        impl::CopyBox shorter = low;
        shorter.axes[0].count = rows - 1;
        auto& device = MockDevice::instance();
        EXPECT_EQ(impl::byte_regions(device, {low, high}).count, 1);
        EXPECT_EQ(impl::byte_regions(device, {low, high}).units * (width == 1 ? 8 : 16),
                  2 * rows * width * 8);
        EXPECT_EQ(impl::byte_regions(device, {shorter, high}).count, 2);
        // Whole sectors are read one by one.
        low.element_size = high.element_size = 32;
        EXPECT_EQ(impl::byte_regions(device, {low, high}).count, 2);
    }
    EXPECT_EQ(impl::byte_regions(MockDevice::instance(), std::vector<impl::CopyBox>()).units, 0);
}

} // namespace distview::testing
