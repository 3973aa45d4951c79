// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_fixture.hpp"

#include <distview_testing/mpi_counters.hpp>

#include <map>
#include <optional>
#include <string>

namespace distview::testing {

namespace {

using protocol::ExportedSection;
using protocol::SectionDescription;
using protocol::v0_10_0;
using protocol::v0_9_0;

const std::vector<ElementType> element_types{
    element_type<double>(),        element_type<std::int8_t>(),
    element_type<std::uint64_t>(), element_type<Kokkos::complex<double>>(),
    {ElementKind::opaque, 48},     element_type<bool>()};

TEST_F(ImportDistView, TakesAnyArrayWithoutACopy) {
    for_each_case(400, [&](Random& random, std::uint64_t) {
        const protocol::Version version = random.chance(0.5) ? v0_9_0 : v0_10_0;
        const ArrayLayout layout =
            random_layout(random, version.is_0_9() ? PaddingKind::any : PaddingKind::expressible);
        const std::vector<SectionDescription> sections = exported(layout, version);
        ExportedSection given = section_of(version, sections[rank], random.pick(element_types));
        given.section.read_only = random.chance(0.3);
        // The producer chooses strides: here some axes run backwards in memory.
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
    EXPECT_EQ(traffic.collectives,
              (std::map<std::string, std::int64_t>{{"MPI_Allgather", 1}, {"MPI_Allgatherv", 1}}));
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

} // namespace

} // namespace distview::testing
