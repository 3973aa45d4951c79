// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array.hpp"

#include "runtime.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/import_dist_view.hpp>
#include <distview/core/cyclic_layout.hpp>
#include <distview/core/error.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/dimension.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace distview::python {

namespace {

using protocol::DimData;
using protocol::Dimension;
using protocol::Version;

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
        if (dim.padding_given) result.padding = protocol::PaddingValue{dim.padding.low, dim.padding.high};
        break;
    case DistType::cyclic:
        result.start = dim.start;
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

ArrayState::ArrayState(AnyDistView view, std::string format, std::optional<Communicator> comm)
    : m_view(std::move(view)), m_format(std::move(format)), m_comm(std::move(comm)) {
    describe_axes_from_layout();
}

ArrayState::ArrayState(protocol::ExportedSection exported, std::string format)
    : m_exported(std::move(exported)), m_format(std::move(format)) {
    for (std::size_t d = 0; d < m_exported.dim_data.size(); ++d) {
        const std::int64_t extent = m_exported.section.extents[d];
        const Dimension dim = protocol::complete(m_exported.version, m_exported.dim_data[d], extent,
                                                 static_cast<int>(d), -1);
        AxisOfSection axis;
        axis.type = dim.type;
        axis.size = dim.size;
        axis.grid_size = dim.grid_size;
        axis.grid_rank = dim.grid_rank;
        axis.extent = extent;
        axis.periodic = dim.periodic;
        if (dim.type == DistType::block) {
            axis.communication = dim.communication();
            axis.boundary = dim.edges();
        }
        m_axes.push_back(axis);
        m_process = static_cast<int>(m_process * dim.grid_size + dim.grid_rank);
        m_process_count = static_cast<int>(m_process_count * dim.grid_size);
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
        m_axes.push_back({from.type(), from.size(), from.grid_size(), r, from.local_extent(r),
                          from.communication_padding(r), from.boundary_padding(r),
                          from.periodic()});
    }
}

const AnyDistView& ArrayState::view(const char* caller) const {
    require<UsageError>(m_view.has_value(), [&] {
        return text(caller, ": this array was imported with validate=\"local\" and knows nothing of "
                            "the other processes; call attach(comm) on all of them first");
    });
    return *m_view;
}

const Communicator& ArrayState::communicator(const char* caller) const {
    view(caller);
    require<UsageError>(m_comm.has_value(), [&] {
        return text(caller, ": this array has no communicator");
    });
    return *m_comm;
}

void ArrayState::attach(const Communicator& comm) {
    // On a rank where it is attached already the others must not wait.
    const protocol::ExportedSection mine =
        agree_on(comm, "attach", [&] {
            require<UsageError>(!m_view || !m_comm, "attach: the array is attached already");
            return m_view ? exported(protocol::v0_10_0) : m_exported;
        });
    m_view = import_dist_view(comm, mine);
    m_comm = comm;
    m_exported = {};
    describe_axes_from_layout();
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
    result.section = section();
    result.process = m_process;
    result.process_count = m_process_count;
    return result;
}

std::vector<std::int64_t> ArrayState::global_indices(int axis) const {
    require<UsageError>(axis >= 0 && axis < rank(), [&] {
        return text("global_indices: expected an axis in [0, ", rank(), "), got ", axis);
    });
    const AxisOfSection& at = m_axes[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> result(static_cast<std::size_t>(at.extent));
    const auto process = static_cast<int>(at.grid_rank);
    if (m_view) {
        const AxisLayout& layout = m_view->layout().axis(axis);
        for (std::int64_t l = 0; l < at.extent; ++l)
            result[static_cast<std::size_t>(l)] = layout.to_global(process, LocalIndex(l)).value();
        return result;
    }
    const protocol::CanonicalAxis canonical = protocol::canonical_axis(
        m_exported.version, m_exported.dim_data[static_cast<std::size_t>(axis)], at.extent);
    switch (at.type) {
    case DistType::block:
        std::iota(result.begin(), result.end(),
                  canonical.owned.begin.value() - canonical.communication.low);
        break;
    case DistType::cyclic: {
        const CyclicLayout layout(canonical.size, static_cast<int>(canonical.grid_size),
                                  canonical.block_size);
        for (std::int64_t l = 0; l < at.extent; ++l)
            result[static_cast<std::size_t>(l)] = layout.to_global(process, LocalIndex(l)).value();
        break;
    }
    case DistType::unstructured: result = canonical.indices; break;
    }
    return result;
}

namespace {

/// Copies within the section: all there is to do for an array of one process.
void copy_own_padding(const AnyDistView& view) {
    const AnySection& section = view.section();
    const PaddingExchangeSchedule schedule(view.layout(), view.process());
    const int rank = view.rank();
    schedule.for_each_incoming([&](const PaddingRegion& region) {
        std::vector<std::int64_t> at(static_cast<std::size_t>(rank), 0);
        for (std::int64_t i = 0; i < region.elements; ++i) {
            char* to = static_cast<char*>(section.data);
            const char* from = to;
            for (int d = 0; d < rank; ++d) {
                const auto a = static_cast<std::size_t>(d);
                to += (region.begin[a].value() + at[a]) * section.strides[a];
                from += (region.peer_begin[a].value() + at[a]) * section.strides[a];
            }
            std::copy_n(from, section.element.bytes, to);
            for (int d = rank - 1; d >= 0; --d) {
                const auto a = static_cast<std::size_t>(d);
                if (++at[a] < region.extents[a]) break;
                at[a] = 0;
            }
        }
    });
}

void check_own(const AnyDistView& view) {
    require<UsageError>(view.layout().process_count() == 1,
                        "exchange_padding: this array has several processes and no communicator; "
                        "call attach(comm) on all of them first");
    require<ShapeError>(!view.section().read_only,
                        "exchange_padding: the array is read-only: an exchange writes its padding");
    require<ShapeError>(view.section().device.host_accessible(),
                        "exchange_padding: the array is in memory that the host cannot access");
}

} // namespace

void ArrayState::exchange_padding(const std::vector<std::shared_ptr<ArrayState>>& arrays) {
    constexpr const char* caller = "exchange_padding";
    std::vector<AnyDistView> views;
    std::vector<ArrayLayout> layouts;
    for (const auto& array : arrays) {
        views.push_back(array->view(caller));
        layouts.push_back(views.back().layout());
    }
    ArrayState& first = *arrays.front();
    if (!first.m_comm) {
        for (const auto& array : arrays)
            require<UsageError>(!array->m_comm, "exchange_padding: expected arrays of one "
                                                "communicator, some have none");
        for (const AnyDistView& view : views) check_own(view);
        for (const AnyDistView& view : views) copy_own_padding(view);
        return;
    }
    require_kokkos(caller);
    if (!first.m_plan || first.m_plan_layouts != layouts) {
        std::vector<FieldExchange> fields;
        for (const ArrayLayout& layout : layouts) fields.push_back({layout, {}});
        first.m_plan = std::make_unique<PaddingExchangePlan>(*first.m_comm, fields);
        first.m_plan_layouts = layouts;
    }
    const nb::gil_scoped_release release;
    first.m_plan->execute(Kokkos::DefaultHostExecutionSpace(), std::span<const AnyDistView>(views));
}

} // namespace distview::python
