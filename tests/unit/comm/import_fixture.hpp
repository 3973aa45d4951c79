// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/protocol_random.hpp"
#include "communicators.hpp"

#include <distview/comm/import_dist_view.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview_testing/assertions.hpp>
#include <distview_testing/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace distview::testing {

/// A section with the extents of a description, in new memory; without memory if it would be large.
inline protocol::ExportedSection section_of(const protocol::Version& version,
                                            const protocol::SectionDescription& description,
                                            const ElementType& element = element_type<double>()) {
    protocol::ExportedSection result;
    result.version = version;
    result.dim_data = description.dim_data;
    result.section.element = element;
    result.section.extents = description.extents;
    result.section.strides = AnySection::contiguous_strides(description.extents, element.bytes);
    const std::int64_t count = result.section.count();
    if (count < 0 || count > 1000000) return result;
    const auto memory = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(count * element.bytes + 1));
    result.section.data = memory->data();
    result.section.owner = memory;
    return result;
}

/// Arrays to import on all ranks of MPI_COMM_WORLD; after each test a correct import must still succeed.
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

    /// The correct sections of all ranks: rows in blocks, columns cyclic or listed.
    std::vector<protocol::SectionDescription> usual(const protocol::Version& version,
                                                    bool unstructured_columns = false) const {
        std::vector<std::vector<std::int64_t>> lists(1, {7, -2, 30});
        const ArrayLayout layout(ProcessGrid{n, 1},
                                 {block(4 * n, {.padding = 1}),
                                  unstructured_columns ? unstructured(lists, true) : cyclic(3)});
        return exported(layout, version);
    }

    AnyDistView take(const protocol::Version& version,
                     const std::vector<protocol::SectionDescription>& sections) const {
        return import_dist_view(comm, section_of(version, sections[rank]));
    }

    void TearDown() override {
        const AnyDistView view = take(protocol::v0_10_0, usual(protocol::v0_10_0));
        EXPECT_EQ(view.process(), comm.rank());
        EXPECT_ON_ALL_RANKS(view.layout().process_count() == n);
    }
};

} // namespace distview::testing
