// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/import_dist_view.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/archive.hpp>
#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace distview {

namespace {

using protocol::DimData;
using protocol::ExportedSection;
using protocol::SectionDescription;

/// Members of a description, for other ranks.
struct DescriptionMembers {
    static auto of(protocol::PaddingValue& it) { return std::tie(it.low, it.high, it.length); }
    static auto of(DimData& it) {
        return std::tie(it.dist_type, it.size, it.proc_grid_size, it.proc_grid_rank, it.start,
                        it.stop, it.padding, it.periodic, it.block_size, it.indices, it.one_to_one,
                        it.has_other_keys);
    }
    static auto of(SectionDescription& it) { return std::tie(it.dim_data, it.extents); }
};

/// Header of a rank's description; all ranks get all headers, and so the lengths.
struct Head {
    std::int64_t bytes = 0;
    protocol::Version version{};
    ElementType element{};
};

/// Descriptions are sent in words, so that MPI can count 8 times as many bytes.
constexpr std::int64_t word_bytes = sizeof(std::int64_t);

std::int64_t words_of(std::int64_t bytes) { return (bytes + word_bytes - 1) / word_bytes; }

std::string gather_descriptions(const Communicator& comm, const std::vector<Head>& heads,
                                const std::string& mine) {
    std::vector<int> counts;
    std::vector<int> offsets;
    std::string all;
    agree_on(comm, "import_dist_view", [&] {
        std::int64_t total = 0;
        for (const Head& head : heads) {
            offsets.push_back(impl::message_count(total, "import_dist_view", "words of 8 bytes"));
            counts.push_back(
                impl::message_count(words_of(head.bytes), "import_dist_view", "words of 8 bytes"));
            total += words_of(head.bytes);
        }
        all.assign(static_cast<std::size_t>(total * word_bytes), '\0');
    });
    check_mpi(MPI_Allgatherv(mine.data(), counts[static_cast<std::size_t>(comm.rank())],
                             MPI_INT64_T, all.data(), counts.data(), offsets.data(), MPI_INT64_T,
                             comm.mpi()),
              "MPI_Allgatherv");
    return all;
}

/// Unpacks the result of gather_descriptions().
std::vector<SectionDescription> unpack(const std::vector<Head>& heads, std::string_view all) {
    std::vector<SectionDescription> sections;
    std::size_t begin = 0;
    for (const Head& head : heads) {
        const auto size = static_cast<std::size_t>(head.bytes);
        sections.push_back(
            impl::unpacked<DescriptionMembers, SectionDescription>(all.substr(begin, size)));
        begin += static_cast<std::size_t>(words_of(head.bytes) * word_bytes);
    }
    return sections;
}

void check_elements(const std::vector<Head>& heads) {
    for (std::size_t p = 1; p < heads.size(); ++p)
        require<ShapeError>(heads[p].element == heads[0].element, [&] {
            return text("import_dist_view: expected the same element type on all ranks, rank ", p,
                        " has ", describe(heads[p].element), ", rank 0 ",
                        describe(heads[0].element));
        });
}

} // namespace

AnyDistView import_dist_view(const Communicator& comm, const ExportedSection& exported) {
    const CollectiveCall call(comm, "import_dist_view");
    std::int64_t bytes = 0;
    const std::string mine = agree_on(comm, "import_dist_view", [&] {
        const SectionDescription description = exported.description();
        protocol::require_conforming(exported.version, description, comm.rank());
        // Checked here: otherwise this rank's AnyDistView would throw after the others have theirs.
        impl::check_memory(exported.section, "import_dist_view");
        std::string packed = impl::packed<DescriptionMembers>(description);
        bytes = std::ssize(packed);
        packed.resize(static_cast<std::size_t>(words_of(bytes) * word_bytes));
        return packed;
    });
    // From here on all ranks check the same data, so that they reach the same result.
    const std::vector<Head> heads =
        all_gather(comm, Head{bytes, exported.version, exported.section.element});
    std::vector<protocol::Version> versions;
    for (const Head& head : heads) versions.push_back(head.version);
    protocol::throw_if_violated(protocol::rules::versions_agree(versions));
    const std::string all = gather_descriptions(comm, heads, mine);
    AnyDistView view = [&] { // built in place: a copy needs memory
        try {
            ArrayLayout layout =
                protocol::layout_from_dim_data(exported.version, unpack(heads, all));
            check_elements(heads);
            return AnyDistView(exported.section, std::move(layout), comm.rank());
        } catch (const std::bad_alloc&) { // perhaps on this rank alone
            agree(comm, "import_dist_view", std::current_exception());
            throw;
        }
    }();
    agree(comm, "import_dist_view", nullptr);
    impl::number_array(comm, view.identity());
    return view;
}

} // namespace distview
