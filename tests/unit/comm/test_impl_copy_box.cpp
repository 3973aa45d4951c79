// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/kernels/copy_boxes.hpp>
#include <distview/comm/impl/kernels/run_boxes.hpp>
#include <distview_testing/kokkos_events.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// Byte strides of a box, dense or with gaps, whose axes are nested in random order.
struct Place {
    std::vector<std::int64_t> strides;
    std::size_t bytes = 0;
};

Place random_place(Random& random, const std::vector<std::int64_t>& counts,
                   std::int64_t element_size) {
    Place place;
    place.strides.resize(counts.size());
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random.chance(0.5))
        std::reverse(order.begin(), order.end()); // C order
    else
        random.shuffle(order);
    std::int64_t stride = element_size;
    for (const std::size_t d : order) {
        place.strides[d] = stride;
        stride *= std::max<std::int64_t>(counts[d], 1);
        if (random.chance(0.3)) stride += element_size * random.integer(0, 3);
    }
    place.bytes = static_cast<std::size_t>(stride);
    return place;
}

/// The reference: copies element by element.
void copy_naively(const std::vector<std::int64_t>& counts, std::int64_t element_size,
                  const Place& from, const Place& to, const std::vector<char>& source,
                  std::vector<char>& destination) {
    std::int64_t elements = 1;
    for (const std::int64_t count : counts) elements *= count;
    for (std::int64_t i = 0; i < elements; ++i) {
        std::int64_t rest = i, from_offset = 0, to_offset = 0;
        for (std::size_t d = counts.size(); d-- > 0;) {
            from_offset += rest % counts[d] * from.strides[d];
            to_offset += rest % counts[d] * to.strides[d];
            rest /= counts[d];
        }
        std::copy_n(source.begin() + from_offset, element_size, destination.begin() + to_offset);
    }
}

impl::CopyBox make_box(const std::vector<std::int64_t>& counts, std::int64_t element_size,
                       const Place& from, const Place& to, const char* source, char* destination) {
    impl::CopyBox box;
    box.source = source;
    box.destination = destination;
    box.element_size = element_size;
    box.rank = static_cast<int>(counts.size());
    for (std::size_t d = 0; d < counts.size(); ++d)
        box.axes[d] = {counts[d], from.strides[d], to.strides[d]};
    return box;
}

std::int64_t bytes_of(const impl::CopyBox& box) {
    std::int64_t bytes = box.element_size;
    for (int d = 0; d < box.rank; ++d) bytes *= box.axes[d].count;
    return bytes;
}

TEST(CopyBox, CopiesWhatANaiveLoopCopies) {
    const std::vector<std::int64_t> sizes{1, 2, 4, 8, 12, 16, 24};
    for_each_case(3000, [&](Random& random, std::uint64_t) {
        const int rank = static_cast<int>(random.integer(0, 7));
        const std::int64_t element_size = random.pick(sizes);
        std::vector<std::int64_t> counts;
        for (int d = 0; d < rank; ++d) counts.push_back(random.integer(rank < 4 ? 0 : 1, 7));
        if (rank == 2 && random.chance(0.3))
            counts[static_cast<std::size_t>(random.integer(0, 2))] = 3000; // longer than one piece

        const Place from = random_place(random, counts, element_size);
        const Place to = random_place(random, counts, element_size);
        std::vector<char> source(from.bytes);
        for (char& byte : source) byte = static_cast<char>(random.bits());
        std::vector<char> expected(to.bytes, 'x');
        std::vector<char> copied = expected;
        copy_naively(counts, element_size, from, to, source, expected);

        std::vector<impl::CopyBox> boxes;
        impl::append_copies(
            boxes, {make_box(counts, element_size, from, to, source.data(), copied.data())});
        std::int64_t bytes = 0;
        for (const impl::CopyBox& box : boxes) {
            impl::CopyBoxes{&box}(0);
            bytes += bytes_of(box);
        }
        EXPECT_EQ(copied, expected);
        EXPECT_EQ(bytes,
                  std::accumulate(counts.begin(), counts.end(), element_size, std::multiplies<>()));
    });
}

// The padding of a periodic axis with one process at both ends. If no cells lie between two rows,
// the end of one row and the beginning of the next are contiguous.
TEST(CopyBox, CopiesTheTwoEndsOfRowsTogether) {
    const std::vector<std::int64_t> sizes{4, 8, 12, 16, 24, 40};
    for_each_case(2000, [&](Random& random, std::uint64_t) {
        const std::int64_t size = random.pick(sizes);
        const std::int64_t cells = random.integer(1, 9);
        const std::int64_t rows = random.integer(1, 20);
        const std::int64_t planes = random.integer(1, 4);
        const std::int64_t row_bytes = (cells + 2 + random.integer(0, 2)) * size;
        const std::int64_t plane_bytes = rows * row_bytes + random.integer(0, 2) * size;
        std::vector<char> array(static_cast<std::size_t>(planes * plane_bytes));
        for (char& byte : array) byte = static_cast<char>(random.bits());

        std::vector<char> expected = array;
        for (std::int64_t k = 0; k < planes; ++k)
            for (std::int64_t j = 0; j < rows; ++j) {
                const auto row = expected.begin() + k * plane_bytes + j * row_bytes;
                std::copy_n(row + cells * size, size, row);
                std::copy_n(row + size, size, row + (cells + 1) * size);
            }

        const Place place{{plane_bytes, row_bytes}, array.size()};
        char* const first = array.data();
        std::vector<impl::CopyBox> ends{
            make_box({planes, rows}, size, place, place, first + cells * size, first),
            make_box({planes, rows}, size, place, place, first + size, first + (cells + 1) * size)};
        if (random.chance(0.5)) std::swap(ends[0], ends[1]);
        std::vector<impl::CopyBox> boxes;
        impl::append_copies(boxes, ends);
        for (const impl::CopyBox& box : boxes) impl::CopyBoxes{&box}(0);
        EXPECT_EQ(array, expected);
    });
}

// Lengths with a specialised loop, and lengths for which memcpy is called.
TEST(CopyBox, CopiesRunsOfAnyLengthAndNothingBesides) {
    constexpr std::int64_t longest = 1100;
    std::vector<char> source(longest);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(1 + i % 126);
    for (std::int64_t bytes = 1; bytes <= longest; ++bytes) {
        std::vector<char> copied(longest + 2, 'x');
        const impl::CopyBox run =
            make_box({}, bytes, {}, {}, source.data(), copied.data() + 1);
        impl::CopyBoxes{&run}(0);
        std::vector<char> expected(longest + 2, 'x');
        std::copy_n(source.begin(), bytes, expected.begin() + 1);
        ASSERT_EQ(copied, expected) << bytes;
    }
}

TEST(CopyBox, AppendsBehindWhatIsThere) {
    std::vector<impl::CopyBox> boxes(1);
    const char from = 'a';
    char to = 'b';
    impl::CopyBox box;
    box.source = &from;
    box.destination = &to;
    impl::append_copies(boxes, {box});
    EXPECT_EQ(boxes.size(), 2u);
    impl::CopyBoxes{boxes.data()}(1);
    EXPECT_EQ(to, 'a');
}

TEST(CopyBox, MakesOneRunOfWhatIsContiguousOnBothSides) {
    const Place dense{{160, 40, 8}, 640};
    std::vector<char> source(640), destination(640);
    std::vector<impl::CopyBox> boxes;
    impl::append_copies(boxes,
                        {make_box({4, 4, 5}, 8, dense, dense, source.data(), destination.data())});
    ASSERT_EQ(boxes.size(), 1u);
    EXPECT_EQ(boxes[0].rank, 0);
    EXPECT_EQ(boxes[0].element_size, 640);
}

TEST(CopyBox, CutsLongCopiesIntoPiecesThatThreadsCanShare) {
    constexpr std::int64_t rows = 1000;
    constexpr std::int64_t row_bytes = 800;
    const Place from{{1600, 8}, rows * 1600};
    const Place to{{row_bytes, 8}, rows * row_bytes};
    std::vector<char> source(from.bytes), destination(to.bytes);
    std::vector<impl::CopyBox> boxes;
    impl::append_copies(boxes,
                        {make_box({rows, 100}, 8, from, to, source.data(), destination.data())});
    EXPECT_EQ(boxes.size(), 50u); // 20 rows, 16000 bytes each
    for (const impl::CopyBox& box : boxes) EXPECT_LE(bytes_of(box), 16384);
}

TEST(CopyBox, OfNothingIsNoBox) {
    std::vector<impl::CopyBox> boxes;
    const Place place{{8, 8}, 8};
    impl::append_copies(boxes, {make_box({3, 0}, 8, place, place, nullptr, nullptr)});
    EXPECT_TRUE(boxes.empty());
}

TEST(CopyBoxes, CopyTheGivenOnesInOneKernel) {
    const Exec exec;
    const std::string label = "distview::test::copy";
    const std::array<char, 4> source{'a', 'b', 'c', 'd'};
    std::array<char, 4> destination{'.', '.', '.', '.'};
    std::vector<impl::CopyBox> boxes(4);
    for (std::size_t i = 0; i < 4; ++i) {
        boxes[i].source = &source[i];
        boxes[i].destination = &destination[i];
    }
    KokkosEvents events;
    impl::run_boxes(exec, label, 1, 3, impl::CopyBoxes{boxes.data()});
    impl::run_boxes(exec, label, 2, 2, impl::CopyBoxes{boxes.data()}); // no boxes
    exec.fence("distview::test: compare");
    events.stop();
    EXPECT_EQ(destination, (std::array<char, 4>{'.', 'b', 'c', '.'}));
    EXPECT_EQ(labels(events.kernels()), std::vector<std::string>{label});
}

} // namespace

} // namespace distview::testing
