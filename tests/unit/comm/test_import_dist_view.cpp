// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collective import: conforming arrays are taken without a copy, and whatever is wrong on one rank
// or between ranks is the same error on all of them, at once.
#include "../core/protocol_random.hpp"
#include "communicators.hpp"

#include <distview/comm/import_dist_view.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/mpi_counters.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace distview::testing {

namespace {

using protocol::DimData;
using protocol::ExportedSection;
using protocol::SectionDescription;
using protocol::v0_10_0;
using protocol::v0_9_0;

const std::vector<ElementType> element_types{
    element_type<double>(),          element_type<std::int8_t>(),
    element_type<std::uint64_t>(),   element_type<Kokkos::complex<double>>(),
    {ElementKind::opaque, 48},       element_type<bool>()};

/// A section of new memory, or of none if it would be large, as a description says.
ExportedSection section_of(const protocol::Version& version, const SectionDescription& description,
                           const ElementType& element = element_type<double>()) {
    ExportedSection result;
    result.version = version;
    result.dim_data = description.dim_data;
    result.section.element = element;
    result.section.extents = description.extents;
    result.section.strides =
        AnySection::contiguous_strides(description.extents, element.bytes);
    const std::int64_t count = result.section.count();
    if (count < 0 || count > 1000000) return result;
    const auto memory = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(count * element.bytes + 1));
    result.section.data = memory->data();
    result.section.owner = memory;
    return result;
}

class ImportDistView : public ::testing::Test {
protected:
    const Communicator comm{MPI_COMM_WORLD};
    const int n = comm.size();
    const std::size_t rank = static_cast<std::size_t>(comm.rank());

    ArrayLayout random_layout(Random& random, PaddingKind kind) const {
        const auto axis_count = static_cast<int>(random.integer(n == 1 ? 0 : 1, 5));
        if (axis_count == 0) return {};
        const std::vector<int> grid = random_process_grid(random, n, axis_count);
        std::vector<AxisSpec> axes;
        for (const int extent : grid) axes.push_back(random_axis(random, extent, kind));
        return {ProcessGrid{std::span<const int>(grid)}, axes};
    }

    /// What all ranks would pass: rows in blocks, columns dealt out or listed.
    std::vector<SectionDescription> usual(const protocol::Version& version,
                                          bool unstructured_columns = false) const {
        std::vector<std::vector<std::int64_t>> lists(1, {7, -2, 30});
        const ArrayLayout layout(ProcessGrid{n, 1},
                                 {block(4 * n, {.padding = 1}),
                                  unstructured_columns ? unstructured(lists, true) : cyclic(3)});
        return exported(layout, version);
    }

    AnyDistView import(const protocol::Version& version,
                       const std::vector<SectionDescription>& sections) const {
        return import_dist_view(comm, section_of(version, sections[rank]));
    }

    /// The verdict of a check of all sections in one process is that of the import on all ranks.
    void expect_verdict(const protocol::Version& version,
                        const std::vector<SectionDescription>& sections) const {
        const protocol::Verdict expected = protocol::check_all(version, sections);
        std::optional<ProtocolError> caught;
        std::string others;
        try {
            const AnyDistView view = import(version, sections);
            if (view.layout().process_count() != n) others = "has another number of processes";
        } catch (const ProtocolError& error) {
            caught = error;
        } catch (const std::exception& error) {
            others = error.what();
        }
        EXPECT_EQ(others, "");
        ASSERT_ON_ALL_RANKS(caught.has_value() == expected.has_value())
            << (expected ? expected->message : "conforms");
        if (!caught) return;
        EXPECT_EQ(caught->code(), expected->code);
        EXPECT_EQ(caught->axis(), expected->axis);
        EXPECT_EQ(caught->key(), expected->key);
        EXPECT_EQ(caught->process(), expected->process);
        EXPECT_TRUE(std::string(caught->what()).starts_with(expected->message)) << caught->what();
    }

    /// After whatever went wrong a correct array is taken.
    void TearDown() override {
        const AnyDistView view = import(v0_10_0, usual(v0_10_0));
        EXPECT_EQ(view.process(), comm.rank());
        EXPECT_ON_ALL_RANKS(view.layout().process_count() == n);
    }
};

TEST_F(ImportDistView, TakesAnyArrayWithoutACopy) {
    for_each_case(400, [&](Random& random, std::uint64_t) {
        const protocol::Version version = random.chance(0.5) ? v0_9_0 : v0_10_0;
        const ArrayLayout layout = random_layout(
            random, version.is_0_9() ? PaddingKind::any : PaddingKind::expressible);
        const std::vector<SectionDescription> sections = exported(layout, version);
        ExportedSection given = section_of(version, sections[rank], random.pick(element_types));
        given.section.read_only = random.chance(0.3);
        // Strides are the producer's affair: here those of memory that is turned round.
        for (std::int64_t& stride : given.section.strides)
            if (random.chance(0.2)) stride = -stride;

        const AnyDistView view = import_dist_view(comm, given);
        EXPECT_EQ(view.layout(), protocol::layout_from_dim_data(version, sections));
        EXPECT_EQ(view.layout().grid(), layout.grid());
        EXPECT_EQ(view.process(), comm.rank());
        EXPECT_EQ(view.section().data, given.section.data);
        EXPECT_EQ(view.section().owner, given.section.owner);
        EXPECT_EQ(view.section().extents, given.section.extents);
        EXPECT_EQ(view.section().strides, given.section.strides);
        EXPECT_EQ(view.section().element, given.section.element);
        EXPECT_EQ(view.section().read_only, given.section.read_only);
        for (int p = 0; p < n; ++p)
            EXPECT_EQ(protocol::export_dim_data(view.layout(), p, version),
                      sections[static_cast<std::size_t>(p)].dim_data);
    });
}

TEST_F(ImportDistView, KeepsTheOwnerAsLongAsTheArray) {
    ExportedSection given = section_of(v0_10_0, usual(v0_10_0)[rank]);
    const std::weak_ptr<const void> memory = given.section.owner;
    std::optional<AnyDistView> view = import_dist_view(comm, given);
    given = {};
    EXPECT_FALSE(memory.expired());
    std::optional<AnyDistView> copy = *view;
    view.reset();
    EXPECT_FALSE(memory.expired());
    copy.reset();
    EXPECT_TRUE(memory.expired());
}

TEST_F(ImportDistView, CostsOneAgreementAndTwoGathers) {
    const ExportedSection given = section_of(v0_10_0, usual(v0_10_0, true)[rank]);
    MpiCounters counters;
    const AnyDistView view = import_dist_view(comm, given);
    const MpiTraffic traffic = counters.stop();
    EXPECT_EQ(traffic.collectives, (std::map<std::string, std::int64_t>{
                                       {"MPI_Allreduce", 1}, {"MPI_Allgather", 1},
                                       {"MPI_Allgatherv", 1}}));
}

/// One number of a dictionary, the extents or the labels off by a little.
void nudge(Random& random, SectionDescription& section) {
    if (section.dim_data.empty()) {
        section.extents.push_back(1);
        return;
    }
    const auto axis = static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(section.dim_data.size())));
    DimData& dim = section.dim_data[axis];
    const std::int64_t step = random.pick(std::vector<std::int64_t>{-2, -1, 1, 2});
    const std::vector<std::function<void()>> changes{
        [&] { dim.size = dim.size.value_or(0) + step; },
        [&] { dim.proc_grid_size = dim.proc_grid_size.value_or(1) + step; },
        [&] { dim.proc_grid_rank = dim.proc_grid_rank.value_or(0) + step; },
        [&] { dim.start = dim.start.value_or(0) + step; },
        [&] { dim.stop = dim.stop.value_or(0) + step; },
        [&] { dim.periodic = !dim.periodic.value_or(false); },
        [&] { dim.one_to_one = !dim.one_to_one.value_or(false); },
        [&] { dim.block_size = dim.block_size.value_or(1) + step; },
        [&] { dim.padding = protocol::PaddingValue{step, 1}; },
        [&] { dim.padding.reset(); },
        [&] { section.extents[axis] = std::max<std::int64_t>(section.extents[axis] + step, 0); },
        [&] { dim.dist_type = random.pick(std::vector<std::string>{"b", "c", "u", "n", "x"}); },
        [&] {
            if (dim.indices && !dim.indices->empty()) dim.indices->front() += step;
        },
        [&] { dim = {}; },
        [&] { section.dim_data.pop_back(); },
    };
    changes[static_cast<std::size_t>(
        random.integer(0, static_cast<std::int64_t>(changes.size())))]();
}

TEST_F(ImportDistView, ComesToTheVerdictOfACheckOfAllSections) {
    int refused = 0;
    for_each_case(1500, [&](Random& random, std::uint64_t) {
        const protocol::Version version = random.chance(0.5) ? v0_9_0 : v0_10_0;
        std::vector<SectionDescription> sections = exported(
            random_layout(random,
                          version.is_0_9() ? PaddingKind::any : PaddingKind::expressible),
            version);
        const auto odd = static_cast<std::size_t>(random.integer(0, n));
        nudge(random, sections[odd]);
        if (random.chance(0.2)) nudge(random, sections[static_cast<std::size_t>(n - 1)]);
        if (random.chance(0.1)) std::swap(sections[0], sections[odd]);
        refused += protocol::check_all(version, sections).has_value();
        expect_verdict(version, sections);
    });
    EXPECT_GT(refused, 700);
}

TEST_F(ImportDistView, RefusesWhatOneRankExportsWrongly) {
    struct Defect {
        const char* code;
        std::function<void(SectionDescription&)> apply;
    };
    const std::vector<Defect> defects{
        {"ndim_mismatch", [](auto& s) { s.extents.push_back(1); }},
        {"bad_dist_type", [](auto& s) { s.dim_data[0].dist_type = "q"; }},
        {"missing_key", [](auto& s) { s.dim_data[0].start.reset(); }},
        {"size_negative", [](auto& s) { s.dim_data[1].size = -4; }},
        {"grid_size_lt1", [](auto& s) { s.dim_data[0].proc_grid_size = 0; }},
        {"grid_rank_range", [](auto& s) { s.dim_data[0].proc_grid_rank = 99; }},
        {"start_negative", [](auto& s) { s.dim_data[0].start = -1; }},
        {"stop_gt_size", [](auto& s) { s.dim_data[0].stop = 1000; }},
        {"padding_form", [](auto& s) { s.dim_data[0].padding = {1, 1, 3}; }},
        {"key_not_applicable", [](auto& s) { s.dim_data[1].padding = {1, 1}; }},
        {"block_size_lt1", [](auto& s) { s.dim_data[1].block_size = 0; }},
        {"cyclic_start", [](auto& s) { s.dim_data[1].start = 1; }},
        {"shape_mismatch", [](auto& s) { s.extents[0] += 1; }},
    };
    for (const protocol::Version& version : {v0_9_0, v0_10_0})
        for (const Defect& defect : defects)
            for (std::size_t odd = 0; odd < static_cast<std::size_t>(n); ++odd) {
                std::vector<SectionDescription> sections = usual(version);
                defect.apply(sections[odd]);
                ASSERT_ON_ALL_RANKS(protocol::check_local(version, sections[odd], 0)->code ==
                                    defect.code);
                expect_verdict(version, sections);
                EXPECT_THROW_ON_ALL_RANKS(
                    import(version, sections), ProtocolError,
                    n > 1 ? text(" [rank ", odd, " of ", n, "]") : std::string());
            }
}

// Not protocol violations, but no array either.
TEST_F(ImportDistView, RefusesOtherElementTypesAndVersionsOnOneRank) {
    if (n == 1) return;
    const std::vector<SectionDescription> sections = usual(v0_10_0);
    const std::vector<SectionDescription> plain =
        exported({ProcessGrid{n, 1}, {block(4 * n), cyclic(3)}}, v0_10_0);
    for (std::size_t odd = 0; odd < static_cast<std::size_t>(n); ++odd) {
        const bool is_odd = rank == odd;
        for (const ElementType& other :
             {element_type<float>(), element_type<std::int64_t>(), ElementType{}})
            EXPECT_THROW_ON_ALL_RANKS(
                import_dist_view(comm, section_of(v0_10_0, sections[rank],
                                                  is_odd && other.bytes > 0
                                                      ? other
                                                      : ElementType{ElementKind::floating_point,
                                                                    is_odd ? 2 : 8})),
                ShapeError, "import_dist_view: expected the same element type on all ranks");
        EXPECT_THROW_ON_ALL_RANKS(
            import_dist_view(comm, section_of(is_odd ? v0_9_0 : v0_10_0, plain[rank])),
            ProtocolError, "DAP import");
    }
}

TEST_F(ImportDistView, TakesReadOnlyAndDeviceMemoryOnSomeRanks) {
    for (std::size_t odd = 0; odd < static_cast<std::size_t>(n); ++odd) {
        ExportedSection given = section_of(v0_10_0, usual(v0_10_0)[rank]);
        given.section.read_only = rank == odd;
        if (rank == odd) given.section.device = {DeviceType::cuda, 3};
        given.section.stream = rank == odd ? 7 : 0;
        const AnyDistView view = import_dist_view(comm, given);
        EXPECT_EQ(view.section().read_only, rank == odd);
        EXPECT_EQ(view.section().device, given.section.device);
        EXPECT_EQ(view.section().stream, given.section.stream);
    }
}

TEST_F(ImportDistView, ThrowsEverywhereWhatReadingThrowsOnOneRank) {
    const std::vector<SectionDescription> sections = usual(v0_9_0);
    const auto reads = [&](const std::function<void()>& fail, std::size_t odd) {
        return [this, &sections, fail, odd] {
            if (rank == odd) fail();
            return section_of(v0_9_0, sections[rank]);
        };
    };
    for (std::size_t odd = 0; odd < static_cast<std::size_t>(n); ++odd) {
        const std::string end = n > 1 ? text(" [rank ", odd, " of ", n, ']') : "";
        EXPECT_THROW_ON_ALL_RANKS(
            import_dist_view(comm, reads([] { throw std::runtime_error("theirs"); }, odd)), Error,
            "theirs" + end);
        EXPECT_THROW_ON_ALL_RANKS(
            import_dist_view(comm, reads([] { throw std::bad_alloc(); }, odd)), Error,
            "out of memory" + end);
        EXPECT_THROW_ON_ALL_RANKS(import_dist_view(comm, reads([] { throw 5; }, odd)), Error,
                                  "unknown exception" + end);
        EXPECT_THROW_ON_ALL_RANKS(
            import_dist_view(comm, reads([] { throw ShapeError("flat"); }, odd)), ShapeError,
            "flat" + end);
        std::optional<ProtocolError> caught;
        try {
            import_dist_view(comm, reads(
                                       [] {
                                           throw ProtocolError("DAP import: no", "env_not_dict", 1,
                                                               "key", 2);
                                       },
                                       odd));
        } catch (const ProtocolError& error) {
            caught = error;
        }
        ASSERT_ON_ALL_RANKS(caught.has_value());
        EXPECT_EQ(caught->code(), "env_not_dict");
        EXPECT_EQ(caught->axis(), 1);
        EXPECT_EQ(caught->key(), "key");
        EXPECT_EQ(caught->process(), 2);
        const AnyDistView view = import_dist_view(comm, reads([] {}, n));
        EXPECT_EQ(view.layout(), protocol::layout_from_dim_data(v0_9_0, sections));
    }
}

TEST_F(ImportDistView, NeedsAnOpenCommunicatorOfTheRightProcesses) {
    const ExportedSection given = section_of(v0_10_0, usual(v0_10_0)[rank]);
    const OwnedComm reversed = reversed_world();
    const OwnedComm alone = split_world(world_rank(), 0);
    if (n > 1) {
        EXPECT_THROW_ON_ALL_RANKS(import_dist_view(Communicator(reversed.get()), given),
                                  ProtocolError, "DAP import");
        EXPECT_THROW(import_dist_view(Communicator(alone.get()), given), ProtocolError);
    }
    const OwnedComm duplicate = duplicate_world();
    Communicator closed(duplicate.get());
    EXPECT_EQ(import_dist_view(closed, given).process(), comm.rank());
    closed.close();
    EXPECT_THROW_ON_ALL_RANKS(import_dist_view(closed, given), UsageError, "used after close()");
}

} // namespace

} // namespace distview::testing
