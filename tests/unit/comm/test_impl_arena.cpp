// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/arena.hpp>
#include <distview/comm/impl/memory/shared_segment.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/core/message_sink.hpp>

#include <distview_testing/random.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace distview::testing {

namespace {

using distview::impl::Access;
using distview::impl::Arena;
using distview::impl::SegmentAddress;
using distview::impl::SharedSegment;

TEST(SharedSegment, IsTheSameMemoryWhereItIsOpened) {
    std::string why;
    const auto made = SharedSegment::make(10000, why);
    ASSERT_NE(made, nullptr) << why;
    EXPECT_GE(made->bytes(), 10000 + SharedSegment::header_bytes);
    const auto opened = SharedSegment::open(made->address(), Access::write);
    ASSERT_NE(opened, nullptr);
    EXPECT_NE(opened->data(), made->data());
    made->data()[5000] = 42;
    EXPECT_EQ(opened->data()[5000], 42);
    opened->data()[9999] = 43;
    EXPECT_EQ(made->data()[9999], 43);
}

TEST(SharedSegment, OutlivesItsMaker) {
    std::string why;
    auto made = SharedSegment::make(100, why);
    ASSERT_NE(made, nullptr) << why;
    made->data()[SharedSegment::header_bytes] = 7;
    const auto opened = SharedSegment::open(made->address(), Access::write);
    const SegmentAddress address = made->address();
    made.reset();
    EXPECT_EQ(opened->data()[SharedSegment::header_bytes], 7);
    EXPECT_EQ(SharedSegment::open(address, Access::read), nullptr) << "the descriptor is closed";
}

// Another host or container could have a different segment at the same address.
TEST(SharedSegment, IsNotMistakenForAnother) {
    std::string why;
    const auto made = SharedSegment::make(100, why);
    const auto other = SharedSegment::make(100, why);
    ASSERT_TRUE(made && other) << why;
    const SegmentAddress right = made->address();
    ASSERT_NE(SharedSegment::open(right, Access::read), nullptr);
    for (const SegmentAddress wrong :
         {SegmentAddress{},
          SegmentAddress{right.process, right.descriptor, right.bytes, right.key + 1},
          SegmentAddress{right.process, other->address().descriptor, right.bytes, right.key},
          SegmentAddress{right.process, right.descriptor, right.bytes + 4096, right.key},
          SegmentAddress{right.process, 0, right.bytes, right.key},
          SegmentAddress{right.process, 100000, right.bytes, right.key},
          SegmentAddress{1 << 22, right.descriptor, right.bytes, right.key}})
        EXPECT_EQ(SharedSegment::open(wrong, Access::read), nullptr);
}

/// Whether this process may write there, found by a system call that reads the byte into itself.
bool is_writable(char* at) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    const char value = *at;
    const bool done = ::write(ends[1], &value, 1) == 1 && ::read(ends[0], at, 1) == 1;
    ::close(ends[0]);
    ::close(ends[1]);
    return done;
}

TEST(SharedSegment, IsWritableOnlyForThoseWhoAsk) {
    std::string why;
    const auto made = SharedSegment::make(100, why);
    ASSERT_NE(made, nullptr) << why;
    const auto reader = SharedSegment::open(made->address(), Access::read);
    const auto writer = SharedSegment::open(made->address(), Access::write);
    ASSERT_TRUE(reader && writer);
    char* const last = reader->data() + reader->bytes() - 1;
    made->data()[made->bytes() - 1] = 5;
    EXPECT_EQ(*last, 5);
    EXPECT_FALSE(is_writable(last));
    EXPECT_TRUE(is_writable(writer->data() + writer->bytes() - 1));
}

// Imitates two builds of the library in one program.
TEST(SharedSegment, IsNotReachedWhereItsLayoutHasAnotherNumber) {
    std::string why;
    const auto made = SharedSegment::make(100, why);
    ASSERT_NE(made, nullptr) << why;
    EXPECT_NE(SharedSegment::open(made->address(), Access::read), nullptr);
    std::int64_t version = 0;
    std::memcpy(&version, made->data() + sizeof(std::int64_t), sizeof(version));
    EXPECT_EQ(version, SharedSegment::layout_version);
    ++version;
    std::memcpy(made->data() + sizeof(std::int64_t), &version, sizeof(version));
    EXPECT_EQ(SharedSegment::open(made->address(), Access::read), nullptr);
}

TEST(SharedSegment, KnowsWhatItHolds) {
    std::string why;
    const auto made = SharedSegment::make(100, why);
    ASSERT_NE(made, nullptr) << why;
    constexpr auto header = static_cast<std::int64_t>(SharedSegment::header_bytes);
    const auto size = static_cast<std::int64_t>(made->bytes());
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    EXPECT_TRUE(made->holds(header, 0, 100));
    EXPECT_TRUE(made->holds(size - 100, -100, 100));
    EXPECT_TRUE(made->holds(size, 0, 0));
    EXPECT_FALSE(made->holds(header - 1, 0, 1));
    EXPECT_FALSE(made->holds(-1, 0, 1));
    EXPECT_FALSE(made->holds(header, -1, 1));
    EXPECT_FALSE(made->holds(size - 100, 0, 101));
    EXPECT_FALSE(made->holds(size + 1, 0, 0));
    EXPECT_FALSE(made->holds(header, 0, most));
    EXPECT_FALSE(made->holds(most, 0, 1));
    EXPECT_FALSE(made->holds(header, std::numeric_limits<std::int64_t>::min(), 1));
    EXPECT_FALSE(made->holds(header, 10, 5));
}

TEST(BytesOf, CountsFromTheFirstElementInBothDirections) {
    const auto bytes = [](std::vector<std::int64_t> extents, std::vector<std::int64_t> strides) {
        const auto range = impl::bytes_of(extents, strides, 8);
        return range ? std::vector{range->begin, range->end} : std::vector<std::int64_t>{};
    };
    using Range = std::vector<std::int64_t>;
    EXPECT_EQ(bytes({}, {}), (Range{0, 8}));
    EXPECT_EQ(bytes({3, 4}, {32, 8}), (Range{0, 96}));
    EXPECT_EQ(bytes({3, 4}, {-32, 8}), (Range{-64, 32}));
    EXPECT_EQ(bytes({3, 0}, {32, 8}), (Range{0, 0}));
    EXPECT_EQ(bytes({3}, {std::int64_t{1} << 62}), Range{}) << "more than 64 bits count";
    EXPECT_EQ(bytes({2, 2}, {std::int64_t{1} << 62, std::int64_t{1} << 62}), Range{});
}

// Writes of a forked child must change neither the arrays of its parent nor the lines by which the parent synchronises.
TEST(SharedSegment, IsNotTheMemoryOfAForkedChild) {
    std::string why;
    const auto made = SharedSegment::make(100, why);
    ASSERT_NE(made, nullptr) << why;
    const auto opened = SharedSegment::open(made->address(), Access::write);
    ASSERT_NE(opened, nullptr);
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        int reached = 0; // the kernel tries to read there, and returns EFAULT if nothing is mapped
        for (const SharedSegment* segment : {made.get(), opened.get()})
            reached += ::write(ends[1], segment->data(), 1) == 1 || errno != EFAULT;
        ::_exit(reached);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << "segments that the child has";
}

TEST(Arena, GivesOutPiecesThatDoNotOverlap) {
    for_each_case(50, [](Random& random, std::uint64_t) {
        const auto arena = std::make_shared<Arena>();
        struct Held {
            std::shared_ptr<void> memory;
            std::size_t bytes;
            unsigned char mark;
        };
        std::vector<Held> held;
        unsigned char mark = 0;
        for (int i = 0; i < 200; ++i) {
            if (!held.empty() && random.chance(0.45)) {
                const auto at = static_cast<std::size_t>(
                    random.integer(0, static_cast<std::int64_t>(held.size())));
                std::swap(held[at], held.back());
                held.pop_back();
                continue;
            }
            const auto bytes = static_cast<std::size_t>(random.integer(0, 40000));
            auto memory = arena->allocate(bytes);
            ASSERT_NE(memory, nullptr);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % 64, 0u);
            std::memset(memory.get(), ++mark, bytes);
            held.push_back({memory, bytes, mark});
        }
        for (const Held& piece : held) {
            const auto* at = static_cast<const unsigned char*>(piece.memory.get());
            int wrong = 0;
            for (std::size_t i = 0; i < piece.bytes; ++i) wrong += at[i] != piece.mark;
            EXPECT_EQ(wrong, 0);
            const auto place = arena->find(at);
            ASSERT_TRUE(place.has_value());
            const auto opened = SharedSegment::open(place->segment, Access::read);
            ASSERT_NE(opened, nullptr);
            if (piece.bytes > 0) {
                EXPECT_EQ(static_cast<unsigned char>(opened->data()[place->offset]), piece.mark);
            }
        }
        std::vector<const void*> places;
        for (const Held& piece : held) places.push_back(piece.memory.get());
        held.clear();
        for (const void* const place : places) {
            const auto found = arena->find(place);
            EXPECT_TRUE(!found || found->bytes == 0) << "memory is still given out";
        }
    });
}

TEST(Arena, UsesFreedMemoryAgain) {
    const auto arena = std::make_shared<Arena>();
    std::map<std::int64_t, std::int64_t> segments; // bytes by key
    for (int i = 0; i < 1000; ++i) {
        const auto a = arena->allocate(100000);
        const auto b = arena->allocate(300000);
        ASSERT_TRUE(a && b);
        for (const auto& memory : {a, b}) {
            const auto place = arena->find(memory.get());
            ASSERT_TRUE(place.has_value());
            segments[place->segment.key] = place->segment.bytes;
        }
    }
    std::int64_t reserved = 0;
    for (const auto& [key, bytes] : segments) reserved += bytes;
    EXPECT_LE(reserved, std::int64_t{4} << 20);
    SegmentAddress of_large;
    {
        const auto large = arena->allocate(std::size_t{100} << 20);
        if (!large) GTEST_SKIP() << "/dev/shm has no room for 100 MiB";
        const auto place = arena->find(large.get());
        ASSERT_TRUE(place.has_value());
        of_large = place->segment;
        EXPECT_NE(SharedSegment::open(of_large, Access::read), nullptr);
    }
    EXPECT_EQ(SharedSegment::open(of_large, Access::read), nullptr)
        << "large memory goes back at once";
}

// Each segment keeps a file open, and processes usually may open 1024.
TEST(Arena, GrowsByFewSegments) {
    std::size_t segments = 0;
    std::size_t all = 0;
    std::size_t left = 0;
    for (int array = 0; array < 4000; ++array) {
        constexpr std::size_t bytes = std::size_t{100} << 20;
        if (left < bytes) {
            left = std::max(bytes, Arena::growth(segments++, all));
            all += left;
        }
        left -= bytes;
    }
    EXPECT_LE(segments, 200u);
    EXPECT_LE(all, (std::size_t{4000} * 100 << 20) / 15 * 16);
    EXPECT_EQ(Arena::growth(10, std::size_t{10} << 30), std::size_t{64} << 20);
}

TEST(Arena, StaggersArraysOfOneSize) {
    const auto arena = std::make_shared<Arena>();
    std::vector<std::shared_ptr<void>> pieces;
    std::set<std::uintptr_t> places;
    for (int i = 0; i < 16; ++i) {
        pieces.push_back(arena->allocate(std::size_t{2} << 20));
        ASSERT_NE(pieces.back(), nullptr);
        places.insert(reinterpret_cast<std::uintptr_t>(pieces.back().get()) % 4096);
    }
    EXPECT_GE(places.size(), 12u) << "few begin at the same place of a page";
}

TEST(Arena, KnowsWhoOwnsItsMemory) {
    const auto arena = std::make_shared<Arena>();
    const auto a = arena->allocate(1000);
    auto b = arena->allocate(1000);
    ASSERT_TRUE(a && b);
    const char* const first = static_cast<const char*>(b.get());
    EXPECT_EQ(arena->owner_of(a.get(), 1000), a);
    EXPECT_EQ(arena->owner_of(first, 1000), b);
    EXPECT_EQ(arena->owner_of(first + 999, 1), b);
    EXPECT_EQ(arena->owner_of(first + 500, 1 << 20), nullptr) << "more than the piece holds";
    const int local = 0;
    EXPECT_EQ(arena->owner_of(&local, 4), nullptr);
    b.reset();
    EXPECT_EQ(arena->owner_of(first, 1000), nullptr) << "given back";
    EXPECT_EQ(arena->owner_of(a.get(), 1000), a);
}

TEST(Arena, KnowsItsMemoryFromOther) {
    const auto arena = std::make_shared<Arena>();
    const auto other = std::make_shared<Arena>();
    const auto mine = arena->allocate(100);
    const auto theirs = other->allocate(100);
    const int local = 0;
    EXPECT_TRUE(arena->find(mine.get()).has_value());
    EXPECT_FALSE(arena->find(theirs.get()).has_value());
    EXPECT_FALSE(arena->find(&local).has_value());
    EXPECT_FALSE(arena->find(nullptr).has_value());
}

TEST(Arena, LivesAsLongAsItsPieces) {
    auto arena = std::make_shared<Arena>();
    const auto piece = arena->allocate(1000);
    arena.reset();
    std::memset(piece.get(), 1, 1000);
}

/// Collects the messages of the library during its lifetime.
class Reports {
public:
    Reports() {
        m_before = set_message_sink(
            [this](Severity, std::string_view message) { texts.emplace_back(message); });
    }
    ~Reports() { set_message_sink(m_before); }
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;
    std::vector<std::string> texts;

private:
    MessageSink m_before;
};

// Imitates a process without free descriptors, or without /dev/shm.
TEST(Arena, SaysOnceThatThereIsNoSharedMemory) {
    Reports reports;
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    const auto arena = std::make_shared<Arena>();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto first = arena->allocate(100);
    const auto second = arena->allocate(100);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(first, nullptr);
    EXPECT_EQ(second, nullptr);
    ASSERT_EQ(reports.texts.size(), 1u);
    EXPECT_EQ(reports.texts[0],
              "distview: neighbours on this node cannot read some arrays in place, since shared "
              "memory is lacking (shm_open: Too many open files); other transports are used");
    EXPECT_NE(arena->allocate(100), nullptr) << "and tries again";
}

/// Limits the size of files that this process may make, as `ulimit -f` does.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &m_before); }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit m_before{};
};

// Beyond the limit the system would end the program with a signal.
TEST(Arena, MakesNoFilesThatThisProcessMayNotMake) {
    Reports reports;
    const auto arena = std::make_shared<Arena>();
    std::shared_ptr<void> small, large;
    {
        const FileLimit limit(std::size_t{2} << 20);
        small = arena->allocate(1000);
        large = arena->allocate(std::size_t{8} << 20);
    }
    EXPECT_NE(small, nullptr);
    EXPECT_EQ(large, nullptr);
    ASSERT_EQ(reports.texts.size(), 1u);
    // The array, plus less than a page for the header and the alignment.
    const long needed = (8L << 20) + ::sysconf(_SC_PAGESIZE);
    EXPECT_NE(reports.texts[0].find("this process may make files of 2097152 bytes at most (ulimit "
                                    "-f), needed " +
                                    std::to_string(needed)),
              std::string::npos)
        << reports.texts[0];
    EXPECT_NE(arena->allocate(std::size_t{8} << 20), nullptr) << "and tries again";
}

// More than the node's memory: must be refused at once, not end the program by a signal on the first write.
TEST(Arena, RefusesMoreThanThereIs) {
    Reports reports;
    const auto arena = std::make_shared<Arena>();
    EXPECT_EQ(arena->allocate(std::size_t{1} << 50), nullptr);
    EXPECT_EQ(reports.texts.size(), 1u);
    EXPECT_NE(arena->allocate(100), nullptr);
}

} // namespace

} // namespace distview::testing
