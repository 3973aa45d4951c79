// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout to dimension data to layout, in both versions, for random arrays.
#include "protocol_cases.hpp"
#include "protocol_random.hpp"
#include "protocol_reference.hpp"

#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/validate.hpp>

#include <cstdlib>
#include <map>
#include <utility>

namespace distview::testing {

using protocol::canonical_axis;
using protocol::canonical_form;
using protocol::CanonicalAxis;
using protocol::check_all;
using protocol::check_exportable;
using protocol::check_local;
using protocol::dim_data_of;
using protocol::layout_from_dim_data;

/// The canonical form of a layout, by process and axis.
std::vector<std::vector<CanonicalAxis>> canonical_form(const ArrayLayout& layout) {
    std::vector<std::vector<CanonicalAxis>> result(
        static_cast<std::size_t>(layout.process_count()));
    for (int p = 0; p < layout.process_count(); ++p)
        for (int d = 0; d < layout.rank(); ++d)
            result[static_cast<std::size_t>(p)].push_back(canonical_axis(layout, d, p));
    return result;
}

/// The canonical form written in a version, even if the version cannot express it.
std::vector<SectionDescription> written(const ArrayLayout& layout,
                                        const protocol::Version& version) {
    std::vector<SectionDescription> result;
    for (int p = 0; p < layout.process_count(); ++p) {
        SectionDescription section;
        for (int d = 0; d < layout.rank(); ++d) {
            section.dim_data.push_back(dim_data_of(version, canonical_axis(layout, d, p)));
            section.extents.push_back(layout.local_extents(p)[static_cast<std::size_t>(d)]);
        }
        result.push_back(std::move(section));
    }
    return result;
}

/// Exports in `version`; everything must return unchanged.
void expect_round_trip(const ArrayLayout& layout, const protocol::Version& version) {
    const std::vector<SectionDescription> array = exported(layout, version);
    for (std::size_t p = 0; p < array.size(); ++p)
        expect_conforms(check_local(version, array[p], static_cast<int>(p)));
    expect_conforms(check_all(version, array));
    EXPECT_EQ(canonical_form(version, array), canonical_form(layout));
    const ArrayLayout back = layout_from_dim_data(version, array);
    EXPECT_TRUE(back == layout) << layout.describe() << "\n  became\n" << back.describe();
    EXPECT_EQ(back.fingerprint(), layout.fingerprint());
    EXPECT_EQ(find_map_difference(version, array, layout), "");
}

TEST(ProtocolRoundTrip, any_layout_in_both_versions) {
    std::map<int, int> ranks;
    int empty_sections = 0;
    int periodic_with_edges = 0;
    for_each_case(10'000, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_layout(random, PaddingKind::expressible);
        ++ranks[layout.rank()];
        for (int d = 0; d < layout.rank(); ++d) {
            const AxisLayout& axis = layout.axis(d);
            periodic_with_edges += axis.periodic() && !(axis.as_block().boundary() == Widths());
            for (int r = 0; r < axis.grid_size(); ++r) empty_sections += axis.local_extent(r) == 0;
        }
        expect_conforms(check_exportable(layout, v0_10_0));
        expect_round_trip(layout, v0_10_0);
        expect_round_trip(layout, v0_9_0);
        // Converts one version's dictionaries to the other's through the canonical form.
        for (const auto& [from, to] : {std::pair(v0_10_0, v0_9_0), std::pair(v0_9_0, v0_10_0)}) {
            const auto forms = canonical_form(from, exported(layout, from));
            const auto expected = exported(layout, to);
            for (std::size_t p = 0; p < forms.size(); ++p)
                for (std::size_t d = 0; d < forms[p].size(); ++d)
                    EXPECT_EQ(dim_data_of(to, forms[p][d]), expected[p].dim_data[d]);
        }
    });
    // The random cases must cover all ranks.
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    for (int rank = 0; rank <= 7; ++rank) EXPECT_GT(ranks[rank], 1000) << rank;
    EXPECT_GT(empty_sections, 10'000);
    EXPECT_GT(periodic_with_edges, 1000);
}

// 0.9 can express any padding of a layout; 0.10 can express it exactly if its rules accept it.
TEST(ProtocolRoundTrip, any_padding_in_0_9) {
    int refused = 0;
    int accepted = 0;
    for_each_case(4000, [&](Random& random, std::uint64_t) {
        const ArrayLayout layout = random_layout(random, PaddingKind::any);
        expect_conforms(check_exportable(layout, v0_9_0));
        expect_round_trip(layout, v0_9_0);
        const auto verdict = check_exportable(layout, v0_10_0);
        const bool conforms = !check_all(v0_10_0, written(layout, v0_10_0));
        EXPECT_EQ(!verdict, conforms) << layout.describe() << '\n' << summary(verdict);
        ++(verdict ? refused : accepted);
        if (verdict)
            EXPECT_THROW(exported(layout, v0_10_0), ProtocolError);
        else
            expect_round_trip(layout, v0_10_0);
    });
    if (std::getenv("DISTVIEW_CASE") || HasFailure()) return;
    EXPECT_GT(refused, 500);
    EXPECT_GT(accepted, 500);
}

} // namespace distview::testing
