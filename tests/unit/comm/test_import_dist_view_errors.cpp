// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any fault on one rank, or between ranks, is the same error on all ranks, at once.
#include "import_fixture.hpp"

#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace distview::testing {

namespace {

using protocol::DimData;
using protocol::SectionDescription;
using protocol::v0_10_0;
using protocol::v0_9_0;

class ImportDistViewErrors : public ImportDistView {
protected:
    /// Expects that the import on all ranks gives the same verdict as a check of all sections in one process.
    void expect_verdict(const protocol::Version& version,
                        const std::vector<SectionDescription>& sections) const {
        // Includes check_all(), and boundary padding that a layout cannot store.
        std::optional<ProtocolError> expected;
        try {
            protocol::layout_from_dim_data(version, sections);
        } catch (const ProtocolError& error) {
            expected = error;
        }
        std::optional<ProtocolError> caught;
        std::string others;
        try {
            const AnyDistView view = take(version, sections);
            if (view.layout().process_count() != n) others = "has another number of processes";
        } catch (const ProtocolError& error) {
            caught = error;
        } catch (const std::exception& error) {
            others = error.what();
        }
        EXPECT_EQ(others, "");
        ASSERT_ON_ALL_RANKS(caught.has_value() == expected.has_value())
            << (expected ? expected->what() : "conforms");
        if (!caught) return;
        EXPECT_EQ(caught->code(), expected->code());
        EXPECT_EQ(caught->axis(), expected->axis());
        EXPECT_EQ(caught->key(), expected->key());
        EXPECT_EQ(caught->process(), expected->process());
        EXPECT_TRUE(std::string(caught->what()).starts_with(expected->what())) << caught->what();
    }
};

/// Changes one number of a dictionary, the extents or the labels slightly.
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

TEST_F(ImportDistViewErrors, ComesToTheVerdictOfACheckOfAllSections) {
    int refused = 0;
    for_each_case(1500, [&](Random& random, std::uint64_t) {
        const protocol::Version version = random.chance(0.5) ? v0_9_0 : v0_10_0;
        std::vector<SectionDescription> sections = exported(
            random_layout(random, version.is_0_9() ? PaddingKind::any : PaddingKind::expressible),
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

TEST_F(ImportDistViewErrors, RefusesWhatOneRankExportsWrongly) {
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
                EXPECT_THROW_ON_ALL_RANKS(take(version, sections), ProtocolError,
                                          n > 1 ? text(" [rank ", odd, " of ", n, "]")
                                                : std::string());
            }
}

// These cases conform to the protocol, but do not make one array.
TEST_F(ImportDistViewErrors, RefusesOtherElementTypesAndVersionsOnOneRank) {
    if (n == 1) return;
    const std::vector<SectionDescription> sections = usual(v0_10_0);
    const std::vector<SectionDescription> plain =
        exported({ProcessGrid{n, 1}, {block(4 * n), cyclic(3)}}, v0_10_0);
    for (std::size_t odd = 0; odd < static_cast<std::size_t>(n); ++odd) {
        const bool is_odd = rank == odd;
        for (const ElementType& other : {element_type<float>(), element_type<std::int64_t>(),
                                         ElementType{ElementKind::opaque, 8}})
            EXPECT_THROW_ON_ALL_RANKS(
                import_dist_view(comm, section_of(v0_10_0, sections[rank],
                                                  is_odd ? other : element_type<double>())),
                ShapeError, "import_dist_view: expected the same element type on all ranks");
        EXPECT_THROW_ON_ALL_RANKS(
            import_dist_view(comm, section_of(is_odd ? v0_9_0 : v0_10_0, plain[rank])),
            ProtocolError, "DAP import");
    }
}

TEST_F(ImportDistViewErrors, ArraysAreTakenInOneOrderOnAllRanks) {
    const AnyDistView a = take(v0_10_0, usual(v0_10_0));
    const AnyDistView b = take(v0_10_0, usual(v0_10_0));
    const Kokkos::DefaultHostExecutionSpace exec;
    PaddingExchangePlan plan(comm, a.layout());
    const bool is_last = comm.rank() == n - 1;
    if (n > 1) {
        EXPECT_THROW_ON_ALL_RANKS(
            plan.execute(exec, std::array{is_last ? b : a, is_last ? a : b}), UsageError,
            text("expected the same arrays, in the same order, on all ranks, those of rank ", n - 1,
                 " differ from those of rank 0"));
    }
    plan.execute(exec, std::array{a, b});
    plan.execute(exec, std::array{b, a});
}

TEST_F(ImportDistViewErrors, ThrowsEverywhereWhatReadingThrowsOnOneRank) {
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
            import_dist_view(
                comm,
                reads([] { throw ProtocolError("DAP import: no", "env_not_dict", 1, "key", 2); },
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

TEST_F(ImportDistViewErrors, NeedsAnOpenCommunicatorOfTheRightProcesses) {
    const protocol::ExportedSection given = section_of(v0_10_0, usual(v0_10_0)[rank]);
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
