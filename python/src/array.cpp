// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/import_dist_view.hpp>
#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/dimension.hpp>
#include <distview/core/slice.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

using protocol::DimData;
using protocol::Dimension;
using protocol::Version;

std::optional<std::int64_t> product_below_2_63(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return {};
    return product;
}

/// The dictionary with aliases expanded, in the numbers of its own version.
DimData normal_form(const Dimension& dim) {
    DimData result;
    result.dist_type = std::string(1, static_cast<char>(dim.type));
    result.size = dim.size;
    result.proc_grid_size = dim.grid_size;
    result.proc_grid_rank = dim.grid_rank;
    if (dim.periodic) result.periodic = true;
    switch (dim.type) {
    case DistType::block:
        result.start = dim.start;
        result.stop = dim.stop;
        if (dim.padding_given)
            result.padding = protocol::PaddingValue{dim.padding.low, dim.padding.high};
        break;
    case DistType::cyclic:
        // Recomputed: some producers write the size if a process owns nothing.
        result.start = product_below_2_63(dim.grid_rank, dim.block_size).value_or(dim.start);
        if (dim.block_size > 1) result.block_size = dim.block_size;
        break;
    case DistType::unstructured:
        result.indices.emplace(dim.indices.begin(), dim.indices.end());
        if (dim.one_to_one) result.one_to_one = true;
        break;
    }
    return result;
}

} // namespace

void agree_on_elements(const Communicator& comm, const char* caller, const ElementType& element,
                       const std::string& format) {
    if (element.kind != ElementKind::opaque) return;
    const std::string own = element_text(element, format);
    agree(comm, caller, Failure{}, std::hash<std::string>()(own),
          [&] { return std::vector<Argument>{{"element type", own}}; });
}

ArrayState::ArrayState(AnyDistView view, std::string format)
    : m_view(std::move(view)), m_format(std::move(format)), m_stream(m_view->section().stream) {
    describe_axes_from_layout();
}

ArrayState::ArrayState(protocol::ExportedSection exported, std::string format)
    : m_exported(std::move(exported)), m_format(std::move(format)),
      m_stream(m_exported.section.stream) {
    for (std::size_t d = 0; d < m_exported.dim_data.size(); ++d) {
        const std::int64_t extent = m_exported.section.extents[d];
        const Dimension dim = protocol::complete(m_exported.version, m_exported.dim_data[d], extent,
                                                 static_cast<int>(d), -1);
        AxisOfSection axis;
        axis.type = dim.type;
        axis.protocol_size = dim.size;
        axis.grid_size = dim.grid_size;
        axis.grid_rank = dim.grid_rank;
        axis.extent = extent;
        axis.periodic = dim.periodic;
        if (dim.type == DistType::block) {
            axis.communication = dim.communication();
            axis.boundary = dim.edges();
        }
        m_axes.push_back(axis);
        // The protocol does not limit grids: numbers that do not fit an int are stored as -1.
        const bool fits = m_process_count > 0 &&
                          dim.grid_size <= std::numeric_limits<int>::max() / m_process_count;
        m_process = fits ? static_cast<int>(m_process * dim.grid_size + dim.grid_rank) : -1;
        m_process_count = fits ? static_cast<int>(m_process_count * dim.grid_size) : -1;
    }
}

void ArrayState::describe_axes_from_layout() {
    const ArrayLayout& layout = m_view->layout();
    m_process = m_view->process();
    m_process_count = layout.process_count();
    const GridCoordinates at = layout.coordinates(m_process);
    m_axes.clear();
    for (int d = 0; d < layout.rank(); ++d) {
        const AxisLayout& from = layout.axis(d);
        const int r = at[static_cast<std::size_t>(d)];
        const std::int64_t ghosts =
            from.type() == DistType::unstructured ? from.as_unstructured().ghosts(r) : 0;
        m_axes.push_back({from.type(), from.protocol_size(), from.grid_size(), r,
                          from.local_extent(r), from.communication_padding(r),
                          from.boundary_padding(r), from.periodic(), ghosts});
    }
}

const AnyDistView& ArrayState::view(const char* caller) const {
    require<UsageError>(m_view.has_value(), [&] {
        return text(caller,
                    ": this array was imported with validate=\"local\" and knows nothing of "
                    "the other processes; call attach(comm) on all of them first");
    });
    return *m_view;
}

AnySection ArrayState::pending_section() const {
    AnySection result = section();
    result.stream = m_stream;
    return result;
}

void ArrayState::set_stream(StreamNumber stream) {
    const Device device = section().device;
    require<UsageError>(stream == no_stream || device.type != DeviceType::cpu,
                        "stream: this array is in memory of the host, which has no streams");
    m_stream = stream;
}

void ArrayState::join(const Communicator& comm) {
    struct Numbers {
        Communicator comm;
        std::uint64_t last = 0;
    };
    // Closed communicators get no more arrays; the next join() removes them. The list is never destroyed: that would happen
    // after MPI_Finalize.
    static std::vector<Numbers>& all = *new std::vector<Numbers>;
    std::erase_if(all, [](const Numbers& numbers) { return !numbers.comm.is_open(); });
    auto own =
        std::find_if(all.begin(), all.end(), [&](const Numbers& n) { return n.comm == comm; });
    if (own == all.end()) own = all.insert(own, {comm});
    m_number = ++own->last;
    m_comm = comm;
}

void ArrayState::attach(const Communicator& comm) {
    std::optional<AnyDistView> view;
    {
        const nb::gil_scoped_release release;
        // If the array is attached already on one rank, the other ranks must not wait.
        const protocol::ExportedSection mine = agree_on(comm, "attach", [&] {
            require<UsageError>(!m_view || !m_comm, "attach: the array is attached already");
            if (!m_view) return m_exported;
            // Version 0.9 can describe every layout.
            const auto unsayable = protocol::check_exportable(m_view->layout(), protocol::v0_10_0);
            return exported(unsayable ? protocol::v0_9_0 : protocol::v0_10_0);
        });
        view = import_dist_view(comm, mine);
    }
    agree_on_elements(comm, "attach", view->section().element, m_format);
    m_view = std::move(view);
    m_exported = {};
    describe_axes_from_layout();
    join(comm);
}

std::vector<DimData> ArrayState::dim_data(const Version& version) const {
    if (m_view) return protocol::export_dim_data(m_view->layout(), m_process, version);
    std::vector<DimData> result;
    const Version& own = m_exported.version;
    const bool same = own.major == version.major && own.minor == version.minor;
    for (std::size_t d = 0; d < m_axes.size(); ++d) {
        const DimData& given = m_exported.dim_data[d];
        if (same)
            result.push_back(normal_form(
                protocol::complete(own, given, m_axes[d].extent, static_cast<int>(d), -1)));
        else
            result.push_back(protocol::dim_data_of(
                version, protocol::canonical_axis(own, given, m_axes[d].extent)));
    }
    return result;
}

protocol::ExportedSection ArrayState::exported(const Version& version) const {
    protocol::ExportedSection result;
    result.version = version;
    result.dim_data = dim_data(version);
    result.section = pending_section();
    result.process = m_process;
    result.process_count = m_process_count;
    return result;
}

std::vector<std::int64_t> ArrayState::global_indices(int axis) const {
    const AxisLayout& layout =
        view("global_indices").layout().axis(checked_axis("global_indices", axis));
    const AxisOfSection& at = m_axes[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(at.extent));
    for (LocalIndex l(0); l < at.extent; ++l)
        result.push_back(layout.to_global(static_cast<int>(at.grid_rank), l).value());
    return result;
}

std::vector<std::int64_t> ArrayState::protocol_indices(int axis) const {
    if (m_view) {
        const AxisLayout& layout = m_view->layout().axis(checked_axis("protocol_indices", axis));
        std::vector<std::int64_t> result = global_indices(axis);
        for (std::int64_t& index : result)
            index = layout.protocol_index(GlobalIndex(index)).value();
        return result;
    }
    const AxisOfSection& at =
        m_axes[static_cast<std::size_t>(checked_axis("protocol_indices", axis))];
    std::vector<std::int64_t> result(static_cast<std::size_t>(at.extent));
    const protocol::CanonicalAxis canonical = protocol::canonical_axis(
        m_exported.version, m_exported.dim_data[static_cast<std::size_t>(axis)], at.extent);
    switch (at.type) {
    case DistType::block:
        std::iota(result.begin(), result.end(),
                  canonical.owned.begin.value() - canonical.communication.low);
        break;
    case DistType::cyclic: {
        // As CyclicLayout::to_global(), for a grid that may have more processes than an int can count.
        const std::int64_t block = canonical.block_size;
        for (std::int64_t l = 0; l < at.extent; ++l)
            result[static_cast<std::size_t>(l)] =
                (l / block * at.grid_size + at.grid_rank) * block + l % block;
        break;
    }
    case DistType::unstructured: result = canonical.indices; break;
    }
    return result;
}

int ArrayState::checked_axis(const char* caller, int axis) const {
    require<AxisError>(axis >= 0 && axis < rank(), [&] {
        return text(caller, ": expected an axis in [0, ", rank(), "), got ", axis);
    });
    return axis;
}

bool ArrayState::holds_objects() const noexcept {
    bool in_name = false; // inside a field's name, between colons
    for (const char letter : m_format) {
        if (letter == ':') in_name = !in_name;
        if (!in_name && (letter == 'O' || letter == '&' || letter == 'P' || letter == 'X'))
            return true;
    }
    return false;
}

std::shared_ptr<ArrayState> ArrayState::sliced(const std::vector<AxisSlice>& slices) {
    auto result = std::make_shared<ArrayState>(slice(view("slice"), slices), m_format);
    result->m_comm = m_comm;
    result->m_stream = m_stream;
    // The number counts slices with these bounds of this array. It must not use the communicator's counter: a rank that
    // makes a slice by itself would change the numbers of all later arrays.
    std::uint64_t number = m_number;
    for (const AxisSlice& axis : slices)
        for (const std::int64_t value : {axis.begin, axis.count, axis.step})
            number = number * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(value) + 1;
    result->m_number = number * 0x9e3779b97f4a7c15u + ++m_slicings[number];
    return result;
}

} // namespace distview::python
