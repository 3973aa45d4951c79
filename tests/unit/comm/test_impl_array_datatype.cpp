// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MPI packs and unpacks by a datatype of boxes is what loops over their elements gather.
#include <distview/comm/impl/array_datatype.hpp>
#include <distview/comm/impl/persistent_messages.hpp>
#include <distview/core/error.hpp>

#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>
#include <distview_testing/random.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

namespace distview::testing {

namespace {

using distview::impl::array_datatype;
using distview::impl::ArrayBox;

constexpr char poison = 0x5a;
constexpr std::int64_t most = std::numeric_limits<int>::max();

std::size_t as_size(std::int64_t value) { return static_cast<std::size_t>(value); }

/// A box with the last axis fastest, nothing between its elements.
ArrayBox dense_box(char* first, std::int64_t element_size,
                   const std::vector<std::int64_t>& extents) {
    ArrayBox box{first, element_size, static_cast<int>(extents.size()), {}, {}};
    std::int64_t stride = element_size;
    for (std::size_t d = extents.size(); d-- > 0;) {
        box.extents[d] = extents[d];
        box.strides[d] = stride;
        stride *= extents[d];
    }
    return box;
}

/// Axes nested in C order, as of LayoutLeft, or in any; with gaps, or without. Where there is only one
/// position, the stride may be anything.
ArrayBox random_box(Random& random, std::int64_t word) {
    ArrayBox box;
    box.element_size = word * random.pick<std::int64_t>({1, 1, 2, 3});
    box.rank = static_cast<int>(random.integer(0, 5));
    std::vector<std::size_t> order(as_size(box.rank));
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random.chance(0.4))
        std::reverse(order.begin(), order.end());
    else if (random.chance(0.3))
        random.shuffle(order);
    const double gaps = random.pick<double>({0.0, 0.3, 1.0});
    std::int64_t stride = box.element_size;
    for (const std::size_t d : order) {
        if (random.chance(gaps)) stride += word * random.integer(1, 4);
        box.extents[d] = random.integer(1, 6);
        box.strides[d] = box.extents[d] > 1 ? stride : word * random.integer(0, 1000);
        stride *= box.extents[d];
    }
    return box;
}

/// Where the elements lie, in bytes from the first one, in the order that is promised.
std::vector<std::int64_t> offsets_of(const ArrayBox& box) {
    std::vector<std::int64_t> offsets{0};
    for (std::size_t d = 0; d < as_size(box.rank); ++d) {
        std::vector<std::int64_t> finer;
        for (const std::int64_t offset : offsets)
            for (std::int64_t i = 0; i < box.extents[d]; ++i)
                finer.push_back(offset + i * box.strides[d]);
        offsets = std::move(finer);
    }
    return offsets;
}

/// Arrays with a box of each, in memory of their own.
class Arrays {
public:
    Arrays(Random& random, std::int64_t word) {
        for (std::int64_t n = random.integer(1, 5); n > 0; --n) {
            ArrayBox& box = boxes.emplace_back(random_box(random, word));
            const std::int64_t before = word * random.integer(0, 4);
            const std::vector<std::int64_t> offsets = offsets_of(box);
            const std::int64_t end =
                *std::max_element(offsets.begin(), offsets.end()) + box.element_size;
            std::vector<char>& array = m_memory.emplace_back(as_size(before + end + word));
            for (char& byte : array) byte = static_cast<char>(random.bits());
            m_before.push_back(before);
            box.first = array.data() + before;
        }
    }

    std::vector<char> gathered() const {
        std::vector<char> bytes;
        for (const ArrayBox& box : boxes)
            for (const std::int64_t offset : offsets_of(box))
                bytes.insert(bytes.end(), box.first + offset,
                             box.first + offset + box.element_size);
        return bytes;
    }
    void fill_with_poison() {
        for (std::vector<char>& array : m_memory) std::fill(array.begin(), array.end(), poison);
    }
    /// The arrays, poisoned, after these bytes are scattered to the boxes.
    std::vector<std::vector<char>> with(const std::vector<char>& bytes) const {
        std::vector<std::vector<char>> result;
        auto from = bytes.begin();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            std::vector<char>& array = result.emplace_back(m_memory[i].size(), poison);
            for (const std::int64_t offset : offsets_of(boxes[i])) {
                std::copy_n(from, boxes[i].element_size, array.begin() + m_before[i] + offset);
                from += boxes[i].element_size;
            }
        }
        return result;
    }
    const std::vector<std::vector<char>>& memory() const { return m_memory; }

    std::vector<ArrayBox> boxes;

private:
    std::vector<std::vector<char>> m_memory;
    std::vector<std::int64_t> m_before; ///< bytes before the first element
};

std::vector<char> packed(MPI_Datatype type, std::size_t expected_bytes) {
    int size = 0;
    MPI_Pack_size(1, type, MPI_COMM_SELF, &size);
    std::vector<char> bytes(std::max(as_size(size), expected_bytes));
    int position = 0;
    MPI_Pack(MPI_BOTTOM, 1, type, bytes.data(), static_cast<int>(bytes.size()), &position,
             MPI_COMM_SELF);
    bytes.resize(as_size(position));
    return bytes;
}

std::int64_t size_of(MPI_Datatype type) {
    MPI_Count size = 0;
    MPI_Type_size_x(type, &size);
    return size;
}

TEST(ArrayDatatype, PacksAndUnpacksWhatLoopsGather) {
    for_each_case(400, [](Random& random, std::uint64_t) {
        const std::int64_t word = random.pick<std::int64_t>({1, 2, 4, 8});
        Arrays arrays(random, word);
        const std::vector<char> expected = arrays.gathered();
        const auto type = array_datatype(arrays.boxes, word);
        ASSERT_TRUE(type);
        EXPECT_EQ(size_of(*type), static_cast<std::int64_t>(expected.size()));
        ASSERT_EQ(packed(*type, expected.size()), expected);

        std::vector<char> bytes(expected.rbegin(), expected.rend());
        arrays.fill_with_poison();
        int position = 0;
        MPI_Unpack(bytes.data(), static_cast<int>(bytes.size()), &position, MPI_BOTTOM, 1, *type,
                   MPI_COMM_SELF);
        EXPECT_EQ(position, static_cast<int>(bytes.size()));
        EXPECT_EQ(arrays.memory(), arrays.with(bytes));
    });
}

TEST(ArrayDatatype, CountsInWords) {
    for_each_case(40, [](Random& random, std::uint64_t) {
        const std::int64_t word = random.pick<std::int64_t>({1, 2, 4, 8});
        Arrays arrays(random, word);
        const std::vector<char> sent = arrays.gathered();
        arrays.fill_with_poison();
        const auto type = array_datatype(arrays.boxes, word);
        ASSERT_TRUE(type);
        const int words = static_cast<int>(static_cast<std::int64_t>(sent.size()) / word);
        MPI_Status status;
        MPI_Sendrecv(sent.data(), words, distview::impl::word_type(word), 0, 0, MPI_BOTTOM, 1,
                     *type, 0, 0, MPI_COMM_SELF, &status);
        int received = 0;
        MPI_Get_elements(&status, *type, &received);
        EXPECT_EQ(received, words);
        EXPECT_EQ(arrays.memory(), arrays.with(sent));
    });
}

TEST(ArrayBox, SaysHowLongItsRunsAre) {
    for_each_case(400, [](Random& random, std::uint64_t) {
        const ArrayBox box = random_box(random, 1);
        const std::vector<std::int64_t> offsets = offsets_of(box);
        std::size_t run = 1;
        while (run < offsets.size() && offsets[run] == offsets[run - 1] + box.element_size) ++run;
        EXPECT_EQ(box.run_bytes(), static_cast<std::int64_t>(run) * box.element_size);
        EXPECT_EQ(box.is_one_run(), run == offsets.size());
        EXPECT_EQ(box.span(), *std::max_element(offsets.begin(), offsets.end()) + box.element_size);
    });
}

// Such an array can be sent from, not received into.
TEST(ArrayDatatype, RepeatsWhatHasNoStride) {
    std::vector<char> array{1, 2, 3, 4};
    ArrayBox box = dense_box(array.data(), 2, {3, 2});
    box.strides[0] = 0;
    EXPECT_FALSE(box.is_one_run());
    const auto type = array_datatype({&box, 1}, 2);
    ASSERT_TRUE(type);
    EXPECT_EQ(packed(*type, 12), (std::vector<char>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
}

// From here on no element is ever touched.
TEST(ArrayDatatype, HasRunsOfNoMoreBytesThanMpiCounts) {
    char byte = 0;
    const ArrayBox longest = dense_box(&byte, 1, {most});
    const auto type = array_datatype({&longest, 1}, 1);
    ASSERT_TRUE(type);
    EXPECT_EQ(size_of(*type), most);
    const ArrayBox longer = dense_box(&byte, 1, {most + 1});
    EXPECT_FALSE(array_datatype({&longer, 1}, 1));
    const ArrayBox of_three_axes = dense_box(&byte, 8, {1 << 10, 1 << 10, 1 << 8});
    EXPECT_FALSE(array_datatype({&of_three_axes, 1}, 8));
}

TEST(ArrayDatatype, HasNoMoreRunsAlongAnAxisThanMpiCounts) {
    char byte = 0;
    const auto every_third = [&](const std::vector<std::int64_t>& extents) {
        ArrayBox box = dense_box(&byte, 3, extents);
        box.element_size = 1;
        return box;
    };
    const ArrayBox longest = every_third({most});
    const auto type = array_datatype({&longest, 1}, 1);
    ASSERT_TRUE(type);
    EXPECT_EQ(size_of(*type), most);
    const ArrayBox longer = every_third({most + 1});
    EXPECT_FALSE(array_datatype({&longer, 1}, 1));
    // Two axes that are one for MPI, and two that are not.
    ArrayBox two = every_third({1 << 16, 1 << 15});
    EXPECT_FALSE(array_datatype({&two, 1}, 1));
    two.strides[0] += 1;
    const auto of_two = array_datatype({&two, 1}, 1);
    ASSERT_TRUE(of_two);
    EXPECT_EQ(size_of(*of_two), most + 1);
}

TEST(ArrayDatatype, IsNoneIfOneOfTheBoxesIsTooLarge) {
    char byte = 0;
    const MpiHandles before = live_mpi_handles();
    const std::vector<ArrayBox> boxes{dense_box(&byte, 1, {4}), dense_box(&byte, 1, {most + 1})};
    EXPECT_FALSE(array_datatype(boxes, 1));
    EXPECT_EQ(live_mpi_handles(), before);
}

TEST(ArrayDatatype, IsFreedWithTheLastWhoShareIt) {
    std::vector<char> array(80);
    ArrayBox box = dense_box(array.data(), 1, {2, 3, 4});
    box.strides = {40, 12, 2};
    const std::vector<ArrayBox> boxes{box, dense_box(array.data(), 1, {5})};
    const MpiHandles before = live_mpi_handles();
    auto type = array_datatype(boxes, 1);
    MpiHandles with_it = before;
    with_it.datatypes += 1;
    EXPECT_EQ(live_mpi_handles(), with_it);
    auto shared = type;
    type.reset();
    EXPECT_EQ(live_mpi_handles(), with_it);
    EXPECT_EQ(packed(*shared, 29).size(), 29u);
    shared.reset();
    EXPECT_EQ(live_mpi_handles(), before);
}

TEST(ArrayDatatype, IsOfWholeWords) {
    std::vector<char> array(64);
    const ArrayBox box = dense_box(array.data(), 6, {3});
    const MpiHandles before = live_mpi_handles();
    EXPECT_THROW_ON_ALL_RANKS(array_datatype({&box, 1}, 4), Error,
                              "18 bytes do not consist of words of 4 bytes");
    EXPECT_THROW_ON_ALL_RANKS(array_datatype({&box, 1}, 3), Error,
                              "a word has 1, 2, 4 or 8 bytes, not 3");
    EXPECT_EQ(live_mpi_handles(), before);
}

// The harness counts what is left right after MPI_Finalize, which this has to outlive: it has a run of its
// own, in which that is not counted. It goes when the program ends; MPI would let the program fail.
TEST(ArrayDatatype, MayOutliveMpi) {
    const char* const counted = std::getenv("DISTVIEW_TEST_CHECK_HANDLES");
    if (!counted || std::string_view(counted) != "0") GTEST_SKIP() << "a run of its own";
    static std::shared_ptr<const MPI_Datatype> kept;
    static char byte = 0;
    const ArrayBox box = dense_box(&byte, 1, {1});
    kept = array_datatype({&box, 1}, 1);
    EXPECT_TRUE(kept);
}

} // namespace

} // namespace distview::testing
