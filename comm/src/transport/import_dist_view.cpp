// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/import_dist_view.hpp>

#include <distview/comm/collectives.hpp>
#include <distview/comm/impl/mpi/checks.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/rules.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/text.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace distview {

namespace {

using protocol::DimData;
using protocol::ExportedSection;
using protocol::SectionDescription;

/// A section's description for other ranks, as a row of numbers.
struct Numbers {
    std::vector<std::int64_t> values{};
    std::size_t next = 0;

    void put(std::int64_t value) { values.push_back(value); }
    std::int64_t take() { return values[next++]; }

    template <class T>
    void put(const std::optional<T>& value) {
        put(std::int64_t{value.has_value()});
        if (value) put(static_cast<std::int64_t>(*value));
    }
    template <class T>
    void take(std::optional<T>& value) {
        value.reset();
        if (take() != 0) value = static_cast<T>(take());
    }
};

/// Conforming dictionaries only: a dist_type is one letter, a padding a pair.
void put(Numbers& numbers, const DimData& dim) {
    numbers.put(dim.dist_type ? std::int64_t{dim.dist_type->front()} : 0);
    for (const auto* value : {&dim.size, &dim.proc_grid_size, &dim.proc_grid_rank, &dim.start,
                              &dim.stop, &dim.block_size})
        numbers.put(*value);
    numbers.put(dim.periodic);
    numbers.put(dim.one_to_one);
    numbers.put(std::int64_t{dim.has_other_keys});
    numbers.put(std::int64_t{dim.padding.has_value()});
    if (dim.padding) {
        numbers.put(dim.padding->low);
        numbers.put(dim.padding->high);
    }
    numbers.put(std::int64_t{dim.indices.has_value()});
    if (dim.indices) {
        numbers.put(static_cast<std::int64_t>(dim.indices->size()));
        numbers.values.insert(numbers.values.end(), dim.indices->begin(), dim.indices->end());
    }
}

void take(Numbers& numbers, DimData& dim) {
    if (const std::int64_t type = numbers.take())
        dim.dist_type = std::string(1, static_cast<char>(type));
    for (auto* value : {&dim.size, &dim.proc_grid_size, &dim.proc_grid_rank, &dim.start, &dim.stop,
                        &dim.block_size})
        numbers.take(*value);
    numbers.take(dim.periodic);
    numbers.take(dim.one_to_one);
    dim.has_other_keys = numbers.take() != 0;
    if (numbers.take() != 0) {
        dim.padding.emplace();
        dim.padding->low = numbers.take();
        dim.padding->high = numbers.take();
    }
    if (numbers.take() != 0) {
        const auto count = static_cast<std::size_t>(numbers.take());
        const auto from = numbers.values.begin() + static_cast<std::ptrdiff_t>(numbers.next);
        dim.indices.emplace(from, from + static_cast<std::ptrdiff_t>(count));
        numbers.next += count;
    }
}

/// The head of every rank's row: its length is known to all.
struct Head {
    std::int64_t count = 0; ///< numbers in the row
    std::int64_t rank = 0;  ///< axes
    protocol::Version version{};
    ElementType element{};
};

Numbers numbers_of(const ExportedSection& exported) {
    Numbers numbers;
    for (const DimData& dim : exported.dim_data) put(numbers, dim);
    for (const std::int64_t extent : exported.section.extents) numbers.put(extent);
    return numbers;
}

std::vector<SectionDescription>
gather_descriptions(const Communicator& comm, const std::vector<Head>& heads, const Numbers& mine) {
    std::vector<int> counts;
    std::vector<int> offsets;
    std::int64_t total = 0;
    for (const Head& head : heads) {
        offsets.push_back(impl::message_count(total, "import_dist_view"));
        counts.push_back(impl::message_count(head.count, "import_dist_view"));
        total += head.count;
    }
    Numbers all;
    all.values.resize(static_cast<std::size_t>(total));
    check_mpi(MPI_Allgatherv(mine.values.data(), counts[static_cast<std::size_t>(comm.rank())],
                             MPI_INT64_T, all.values.data(), counts.data(), offsets.data(),
                             MPI_INT64_T, comm.mpi()),
              "MPI_Allgatherv");
    std::vector<SectionDescription> sections(heads.size());
    for (std::size_t p = 0; p < heads.size(); ++p) {
        sections[p].dim_data.resize(static_cast<std::size_t>(heads[p].rank));
        for (DimData& dim : sections[p].dim_data) take(all, dim);
        for (std::int64_t d = 0; d < heads[p].rank; ++d) sections[p].extents.push_back(all.take());
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
    const Numbers mine = agree_on(comm, "import_dist_view", [&] {
        protocol::require_conforming(exported.version, exported.description(), comm.rank());
        // Checks here what would make this rank's AnyDistView throw after the others have theirs.
        impl::check_memory(exported.section, "import_dist_view");
        return numbers_of(exported);
    });
    // From here on all ranks look at the same data, so that they come to the same verdict.
    const std::vector<Head> heads =
        all_gather(comm, Head{static_cast<std::int64_t>(mine.values.size()),
                              static_cast<std::int64_t>(exported.dim_data.size()), exported.version,
                              exported.section.element});
    std::vector<protocol::Version> versions;
    for (const Head& head : heads) versions.push_back(head.version);
    protocol::throw_if_violated(protocol::rules::versions_agree(versions));
    const std::vector<SectionDescription> sections = gather_descriptions(comm, heads, mine);
    ArrayLayout layout = protocol::layout_from_dim_data(exported.version, sections);
    check_elements(heads);
    return {exported.section, std::move(layout), comm.rank()};
}

} // namespace distview
