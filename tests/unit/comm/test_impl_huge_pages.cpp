// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/memory/shared_segment.hpp>
#include <distview/core/error.hpp>

#include <distview_testing/environment.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>

namespace {
int signals = 0; // signals that interrupt the allocation of file memory
} // namespace

// Replaces the system's function. glibc uses other parameter names.
extern "C" int posix_fallocate(int file, off_t begin, off_t size) {
    if (signals > 0 && --signals % 2 == 0) return EINTR;
    return ::fallocate(file, 0, begin, size) == 0 ? 0 : errno;
}

namespace distview::testing {

namespace {

using distview::impl::SharedSegment;

std::size_t huge_page() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    std::size_t bytes = 0;
    file >> bytes;
    return bytes;
}

/// Whether a segment of several huge pages is small enough for a test.
bool are_small_enough() { return huge_page() > 0 && huge_page() <= std::size_t{1} << 25; }

/// The bytes of the mapping at this address that lie in huge pages.
std::size_t mapped_in_huge_pages(const char* data) {
    std::ifstream file("/proc/self/smaps");
    bool is_found = false;
    for (std::string line; std::getline(file, line);) {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        char dash = 0;
        std::istringstream words(line);
        if (words >> std::hex >> begin >> dash >> end && dash == '-')
            is_found = begin <= reinterpret_cast<std::uintptr_t>(data) &&
                       reinterpret_cast<std::uintptr_t>(data) < end;
        else if (is_found && line.starts_with("ShmemPmdMapped:"))
            return std::stoul(line.substr(line.find(':') + 1)) * 1024;
    }
    return 0;
}

std::shared_ptr<SharedSegment> make(std::size_t bytes) {
    std::string why;
    auto segment = SharedSegment::make(bytes, why);
    EXPECT_NE(segment, nullptr) << why;
    return segment;
}

std::shared_ptr<SharedSegment> make_without(std::size_t bytes) {
    const VariableSetting none("DISTVIEW_HUGE_PAGES", "0");
    return make(bytes);
}

void fill(const SharedSegment& segment) {
    for (std::size_t i = SharedSegment::header_bytes; i < segment.bytes(); i += 1009)
        segment.data()[i] = static_cast<char>(i % 113);
}

std::size_t count_wrong(const SharedSegment& segment) {
    std::size_t wrong = 0;
    for (std::size_t i = SharedSegment::header_bytes; i < segment.bytes(); i += 1009)
        wrong += segment.data()[i] != static_cast<char>(i % 113);
    return wrong;
}

bool is_zero(const SharedSegment& segment) {
    const std::span<const char> bytes(segment.data(), segment.bytes());
    return std::ranges::all_of(bytes.subspan(SharedSegment::header_bytes),
                               [](char byte) { return byte == 0; });
}

TEST(HugePages, HoldWhatIsWrittenWhereverItIsRead) {
    if (!are_small_enough()) GTEST_SKIP() << "the kernel has no huge pages of at most 32 MiB";
    for (const std::size_t bytes :
         {huge_page() / 2, huge_page() - SharedSegment::header_bytes, huge_page(),
          3 * huge_page() + huge_page() / 2, 40 * huge_page()}) {
        const auto made = make(bytes);
        ASSERT_TRUE(made);
        EXPECT_TRUE(is_zero(*made)) << bytes;
        fill(*made);
        const auto opened = SharedSegment::open(made->address(), impl::Access::write);
        ASSERT_TRUE(opened);
        EXPECT_EQ(count_wrong(*opened), 0u) << bytes;
        EXPECT_EQ(opened->bytes(), made->bytes());
    }
}

TEST(HugePages, AreUsedByTheMakerAndByOthers) {
    if (!are_small_enough()) GTEST_SKIP() << "the kernel has no huge pages of at most 32 MiB";
    const auto made = make(4 * huge_page());
    const auto opened = SharedSegment::open(made->address(), impl::Access::write);
    ASSERT_TRUE(opened);
    for (const auto& segment : {made, opened})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment->data()) % huge_page(), 0u);

    // A segment without huge pages shows whether the kernel can make them (Linux 6.1 and later).
    const auto plain = make_without(2 * huge_page());
    const auto probe = SharedSegment::open(plain->address(), impl::Access::write);
    ASSERT_TRUE(probe);
    constexpr int collapse = 25; // MADV_COLLAPSE
    if (::madvise(probe->data(), huge_page(), collapse) != 0)
        GTEST_SKIP() << "the kernel makes no huge pages of shared memory";
    EXPECT_EQ(mapped_in_huge_pages(made->data()), 4 * huge_page());
    fill(*opened);
    EXPECT_EQ(mapped_in_huge_pages(opened->data()), 4 * huge_page());
}

TEST(HugePages, AreNotAskedForIfTheEnvironmentSaysSo) {
    const auto made = make_without(std::size_t{1} << 24);
    fill(*made);
    EXPECT_EQ(mapped_in_huge_pages(made->data()), 0u);
}

TEST(SharedSegments, AreMadeWhileSignalsCome) {
    signals = 200;
    const auto made = make_without((std::size_t{1} << 24) + 12345);
    EXPECT_LT(signals, 190);
    signals = 0;
    ASSERT_TRUE(made);
    EXPECT_TRUE(is_zero(*made));
    fill(*made);
    EXPECT_EQ(count_wrong(*made), 0u);
}

// A rank allocates alone, so a wrong value is no error there; plans, which ranks make together, reject it.
TEST(HugePages, AreNoErrorOfAllocations) {
    const VariableSetting maybe("DISTVIEW_HUGE_PAGES", "maybe");
    std::string why;
    EXPECT_TRUE(SharedSegment::make(1000, why)) << why;
}

} // namespace

} // namespace distview::testing
