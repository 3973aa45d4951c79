// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections passed through the C structs of dap.h: they return unchanged, at the same address, and
// memory lives exactly as long as it is needed.
#include "dap_producer.hpp"
#include "expect_error.hpp"
#include "protocol_cases.hpp"
#include "protocol_random.hpp"

#include <distview/core/dist_view.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview_testing/allocations.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace distview::testing {

using protocol::canonical_axis;
using protocol::CanonicalAxis;
using protocol::dist_view_from_dap;
using protocol::export_section;
using protocol::ExportedSection;
using protocol::from_dap;
using protocol::to_dap;

static_assert(std::is_trivially_copyable_v<distview_dap_section> &&
              std::is_trivially_copyable_v<distview_dap_dim>);

namespace {

/// Unusual memory: any element type, order of axes, direction, device and stream.
AnySection random_section(Random& random, const ArrayLayout& layout, int process) {
    AnySection section = untouched_section(layout, process);
    section.element = random.pick(std::vector<ElementType>{element_type<double>(),
                                                           element_type<bool>(),
                                                           element_type<std::complex<float>>(),
                                                           {ElementKind::opaque, 24},
                                                           {ElementKind::bfloat, 2}});
    section.strides = AnySection::contiguous_strides(section.extents, section.element.bytes);
    for (std::int64_t& stride : section.strides) stride *= random.chance(0.2) ? -3 : 1;
    section.read_only = random.chance(0.3);
    if (random.chance(0.3)) section.device = {DeviceType::cuda, 3};
    if (random.chance(0.3)) section.stream = static_cast<std::uintptr_t>(random.integer(1, 1000));
    return section;
}

void expect_same_memory(const AnySection& back, const AnySection& section) {
    EXPECT_EQ(back.data, section.data);
    EXPECT_EQ(back.element, section.element);
    EXPECT_EQ(back.extents, section.extents);
    EXPECT_EQ(back.strides, section.strides);
    EXPECT_EQ(back.read_only, section.read_only);
    EXPECT_EQ(back.device, section.device);
    EXPECT_EQ(back.stream, section.stream);
}

/// Exports and imports one process's section in every possible way; returns the result.
ExportedSection through_dap(const AnyDistView& view, const protocol::Version& version) {
    distview_dap_section section{};
    to_dap(view, &section, version);
    ExportedSection back = from_dap(&section);
    EXPECT_EQ(section.release, nullptr);

    const ExportedSection expected = export_section(view, version);
    EXPECT_EQ(back.version, version);
    EXPECT_EQ(back.dim_data, expected.dim_data);
    EXPECT_EQ(back.process, view.process());
    EXPECT_EQ(back.process_count, view.layout().process_count());
    expect_same_memory(back.section, view.section());

    to_dap(back, &section);
    const AnyDistView known = dist_view_from_dap(&section, view.layout(), view.process());
    EXPECT_TRUE(known.layout() == view.layout());
    expect_same_memory(known.section(), view.section());
    return back;
}

} // namespace

// Requirement 2 of the protocol for C: any layout of 0 to 7 axes, in both versions.
TEST(ProtocolDap, any_layout_comes_back) {
    std::array<int, 8> ranks{};
    int empty_sections = 0;
    int padded = 0;
    int one_process = 0;
    for_each_case(10'000, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_layout(random, PaddingKind::expressible);
        ++ranks[static_cast<std::size_t>(layout.rank())];
        for (const protocol::Version& version : both_versions) {
            std::vector<SectionDescription> array;
            for (int p = 0; p < layout.process_count(); ++p) {
                const AnyDistView view(random_section(random, layout, p), layout, p);
                const ExportedSection back = through_dap(view, version);
                array.push_back(back.description());
                empty_sections += back.section.count() == 0;
                for (const DimData& dim : back.dim_data) padded += dim.padding.has_value();
                if (layout.process_count() != 1) continue;

                distview_dap_section section{};
                to_dap(back, &section);
                const AnyDistView whole = dist_view_from_dap(&section);
                EXPECT_TRUE(whole.layout() == layout) << whole.layout().describe();
                expect_same_memory(whole.section(), view.section());
                ++one_process;
            }
            const auto forms = protocol::canonical_form(version, array);
            for (int p = 0; p < layout.process_count(); ++p)
                for (int d = 0; d < layout.rank(); ++d)
                    EXPECT_EQ(forms[static_cast<std::size_t>(p)][static_cast<std::size_t>(d)],
                              canonical_axis(layout, d, p));
        }
    });
    // The random cases must cover all kinds.
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    for (const int cases : ranks) EXPECT_GT(cases, 1000);
    EXPECT_GT(empty_sections, 10'000);
    EXPECT_GT(padded, 10'000);
    EXPECT_GT(one_process, 1000);
}

// A Kokkos array passed to C and imported again: the same elements, whichever side is destroyed first.
TEST(ProtocolDap, elements_outlive_their_producer) {
    using View = DistView<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
    const ArrayLayout layout(ProcessGrid{1, 1}, {block(3, {.padding = 1}), cyclic(4)});
    distview_dap_section section{};
    std::weak_ptr<const void> owner;
    const double* address = nullptr;
    {
        const View array(Kokkos::DefaultHostExecutionSpace(), "array", layout, 0);
        array.view()(2, 1) = 21;
        address = array.view().data();
        const AnyDistView any(array);
        owner = any.section().owner;
        to_dap(any, &section);
    }
    EXPECT_FALSE(owner.expired());
    AnyDistView taken = dist_view_from_dap(&section);
    AnyDistView copy = taken;
    const View typed = dist_view_cast<View>(copy);
    EXPECT_EQ(typed.view().data(), address);
    EXPECT_EQ(typed.view()(2, 1), 21);
    taken = copy = AnyDistView(untouched_section(ArrayLayout(), 0), ArrayLayout(), 0);
    EXPECT_EQ(typed.view()(2, 1), 21);
    EXPECT_FALSE(owner.expired());
}

TEST(ProtocolDap, the_section_owns_until_it_is_released) {
    const auto owner = std::make_shared<int>(0);
    const AnyDistView any(untouched_section(ArrayLayout(), 0, owner), ArrayLayout(), 0);
    distview_dap_section section{};
    to_dap(any, &section);
    EXPECT_EQ(owner.use_count(), 3);
    distview_dap_section moved = section;
    section.release = nullptr;
    moved.release(&moved);
    EXPECT_EQ(moved.release, nullptr);
    EXPECT_EQ(owner.use_count(), 2);
}

// The producer is released once, when the last copy is destroyed.
TEST(ProtocolDap, a_producer_is_released_once_after_the_last_copy) {
    DapProducer producer;
    {
        ExportedSection taken = from_dap(&producer.section);
        EXPECT_EQ(producer.section.release, nullptr);
        const AnySection kept = taken.section;
        {
            const ExportedSection second = taken;
            taken = {};
            EXPECT_EQ(producer.released, 0);
        }
        EXPECT_EQ(producer.released, 0);
        EXPECT_EQ(kept.data, producer.data.data());
    }
    EXPECT_EQ(producer.released, 1);
    // A section can be imported only once.
    expect_error<UsageError>(
        [&] { from_dap(&producer.section); },
        "from_dap: expected a section that is not released: its release is NULL");
    EXPECT_EQ(producer.released, 1);
}

// Many threads drop their copies at once; exactly one of them releases the section.
TEST(ProtocolDap, the_owner_may_be_shared_between_threads) {
    for (int round = 0; round < 200; ++round) {
        DapProducer producer;
        const void* address = producer.data.data();
        ExportedSection taken = from_dap(&producer.section);
        std::atomic<bool> go{false};
        std::vector<std::thread> threads;
        threads.reserve(4);
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&go, address, mine = taken.section]() mutable {
                while (!go) std::this_thread::yield();
                AnySection copy = std::move(mine);
                EXPECT_EQ(copy.data, address);
            });
        taken = {};
        go = true;
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(producer.released, 1);
    }
}

// 100 000 exports and imports: every cycle allocates the same memory, and frees all of it.
TEST(ProtocolDap, cycles_do_not_grow) {
    const auto owner = std::make_shared<int>(0);
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(40, {.padding = 1}), cyclic(30)});
    const AnyDistView any(untouched_section(layout, 1, owner), layout, 1);
    const auto cycles = [&](int n) {
        for (int i = 0; i < n; ++i) {
            distview_dap_section section{};
            to_dap(any, &section);
            distview_dap_section second{};
            to_dap(from_dap(&section), &second);
            second.release(&second);
        }
    };
    cycles(1); // makes the one-time allocations
    const long before = owner.use_count();
    const AllocationCounts some = count_heap_allocations([&] { cycles(1000); });
    const AllocationCounts many = count_heap_allocations([&] { cycles(100'000); });
    EXPECT_EQ(many.heap, 100 * some.heap) << many.description;
    EXPECT_EQ(many.heap_bytes, 100 * some.heap_bytes);
    EXPECT_EQ(owner.use_count(), before);
}

// A bound on allocations, to keep an exchange below a microsecond.
TEST(ProtocolDap, allocates_little) {
    const ArrayLayout layout(ProcessGrid{2, 2}, {block(40, {.padding = 1}), block(30)});
    const AnyDistView any(untouched_section(layout, 1), layout, 1);
    distview_dap_section section{};
    const AllocationCounts out = count_heap_allocations([&] { to_dap(any, &section); });
    EXPECT_LE(out.heap, 2) << out.description;
    const AllocationCounts in = count_heap_allocations([&] { from_dap(&section); });
    EXPECT_LE(in.heap, 5) << in.description;
}

// Every member of the struct has the value that dap.h documents.
TEST(ProtocolDap, every_member_is_filled_in) {
    const ArrayLayout layout(ProcessGrid{2, 1},
                             {unstructured({{5, 3}, {9, -1, 7}}, true),
                              block(6, {.padding = 0, .boundary = {2, 1}, .periodic = true})});
    AnySection memory = untouched_section(layout, 1);
    memory.read_only = true;
    memory.stream = 2;
    memory.device = {DeviceType::cuda_managed, 1};
    distview_dap_section section;
    to_dap(AnyDistView(memory, layout, 1), &section, v0_9_0);

    EXPECT_EQ(section.abi_major, 1U);
    EXPECT_EQ(section.abi_minor, 0U);
    EXPECT_EQ(std::vector<int>(section.version, section.version + 3), (std::vector{0, 9, 0}));
    ASSERT_EQ(section.ndim, 2);
    EXPECT_EQ(section.extents[0], 3);
    EXPECT_EQ(section.extents[1], 9);
    EXPECT_EQ(section.strides[0], 72);
    EXPECT_EQ(section.strides[1], 8);
    EXPECT_EQ(section.element.kind, DISTVIEW_DAP_FLOAT);
    EXPECT_EQ(section.element.bytes, 8);
    EXPECT_EQ(section.flags, std::uint32_t{DISTVIEW_DAP_READ_ONLY});
    EXPECT_EQ(section.device_type, DISTVIEW_DAP_CUDA_MANAGED);
    EXPECT_EQ(section.device_id, 1);
    EXPECT_EQ(section.process, 1);
    EXPECT_EQ(section.process_count, 2);
    EXPECT_EQ(section.stream, 2U);
    EXPECT_EQ(section.reserved0, 0);
    for (const std::uint64_t word : section.reserved) EXPECT_EQ(word, 0U);

    const distview_dap_dim& labels = section.dims[0];
    EXPECT_EQ(labels.keys, std::uint32_t{DISTVIEW_DAP_DIST_TYPE | DISTVIEW_DAP_SIZE |
                                         DISTVIEW_DAP_PROC_GRID_SIZE | DISTVIEW_DAP_PROC_GRID_RANK |
                                         DISTVIEW_DAP_INDICES | DISTVIEW_DAP_ONE_TO_ONE});
    EXPECT_EQ(labels.dist_type, 'u');
    EXPECT_EQ(labels.one_to_one, 1);
    EXPECT_EQ(std::vector(labels.indices, labels.indices + labels.indices_count),
              (std::vector<std::int64_t>{9, -1, 7}));
    const distview_dap_dim& block = section.dims[1];
    EXPECT_EQ(block.keys, std::uint32_t{DISTVIEW_DAP_DIST_TYPE | DISTVIEW_DAP_SIZE |
                                        DISTVIEW_DAP_PROC_GRID_SIZE | DISTVIEW_DAP_PROC_GRID_RANK |
                                        DISTVIEW_DAP_START | DISTVIEW_DAP_STOP |
                                        DISTVIEW_DAP_PADDING | DISTVIEW_DAP_PERIODIC});
    EXPECT_EQ(block.size, 6); // 0.9 does not count a periodic axis' boundary padding
    EXPECT_EQ(block.stop, 6);
    EXPECT_EQ(block.padding[0], 2);
    EXPECT_EQ(block.padding[1], 1);
    EXPECT_EQ(block.periodic, 1);
    section.release(&section);
}

} // namespace distview::testing
