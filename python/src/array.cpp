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
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

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
        if (dim.padding_given) result.padding = protocol::PaddingValue{dim.padding.low, dim.padding.high};
        break;
    case DistType::cyclic:
        // Not as it came: where a process owns nothing, some write the size.
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

ArrayState::ArrayState(AnyDistView view, std::string format)
    : m_view(std::move(view)), m_format(std::move(format)) {
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

void ArrayState::join(const Communicator& comm) {
    // By communicator; of those that are gone nobody makes arrays any more.
    static std::map<std::weak_ptr<impl::CommunicatorState>, std::uint64_t, std::owner_less<>> numbers;
    std::erase_if(numbers, [](const auto& entry) { return entry.first.expired(); });
    m_number = ++numbers[comm.state()];
    m_comm = comm;
}

void ArrayState::attach(const Communicator& comm) {
    // On a rank where it is attached already the others must not wait.
    const protocol::ExportedSection mine =
        agree_on(comm, "attach", [&] {
            require<UsageError>(!m_view || !m_comm, "attach: the array is attached already");
            return m_view ? exported(protocol::v0_10_0) : m_exported;
        });
    AnyDistView view = import_dist_view(comm, mine);
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

/// Addresses mean nothing to another process, and copies of them must be counted.
bool holds_objects(std::string_view format) {
    bool in_name = false; // of a field: between colons
    for (const char letter : format) {
        if (letter == ':') in_name = !in_name;
        if (!in_name && (letter == 'O' || letter == '&' || letter == 'P' || letter == 'X'))
            return true;
    }
    return false;
}

std::vector<ArrayLayout> layouts_of(const std::vector<ArrayState*>& arrays) {
    std::vector<ArrayLayout> layouts;
    for (const ArrayState* array : arrays) layouts.push_back(array->view("exchange_padding").layout());
    return layouts;
}

} // namespace

void ArrayState::check_exchange(const std::vector<ArrayState*>& arrays) const {
    for (const ArrayState* array : arrays) {
        const AnyDistView& view = array->view("exchange_padding");
        const bool same = array->m_comm.has_value() == m_comm.has_value() &&
                          (!m_comm || array->m_comm->state() == m_comm->state());
        require<UsageError>(same, "exchange_padding: expected arrays of one communicator");
        require<ShapeError>(!view.section().read_only,
                            "exchange_padding: the array is read-only: an exchange writes its "
                            "padding");
        require<ShapeError>(view.section().device.host_accessible(),
                            "exchange_padding: the array is in memory that the host cannot access");
        require<ShapeError>(!holds_objects(array->m_format),
                            "exchange_padding: the elements are Python objects or addresses, which "
                            "mean nothing to other processes");
    }
}

PaddingExchangePlan& ArrayState::plan_for(const std::vector<ArrayState*>& arrays) {
    constexpr std::size_t most_plans = 4;
    const std::vector<ArrayLayout> layouts = layouts_of(arrays);
    const auto known = std::find_if(m_plans.begin(), m_plans.end(),
                                    [&](const Plan& plan) { return plan.layouts == layouts; });
    if (known != m_plans.end()) {
        std::rotate(known, known + 1, m_plans.end());
        return m_plans.back().plan;
    }
    std::vector<FieldExchange> fields;
    for (const ArrayLayout& layout : layouts) fields.push_back({layout, {}});
    PaddingExchangePlan plan(*m_comm, fields);
    if (m_plans.size() == most_plans) m_plans.erase(m_plans.begin());
    m_plans.push_back({layouts, std::move(plan)});
    return m_plans.back().plan;
}

void ArrayState::exchange_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                                  Failure failure) {
    std::vector<ArrayState*> arrays{this};
    for (const auto& array : others) arrays.push_back(array.get());
    // Plans take what ranks pass on trust: ranks that pass other arrays would wait for ever.
    std::uint64_t digest = arrays.size();
    if (!failure.image) {
        try {
            check_exchange(arrays);
            if (m_comm) require_kokkos("exchange_padding", m_comm->size());
        } catch (...) {
            failure = current_failure();
        }
        for (const ArrayState* array : arrays) digest = digest * 0x9e3779b97f4a7c15u + array->m_number;
    }
    if (!m_comm) {
        if (failure.image) std::rethrow_exception(failure.image);
        for (const ArrayState* array : arrays) copy_own_padding(*array->m_view);
        return;
    }
    agree(*m_comm, "exchange_padding", failure, digest);
    PaddingExchangePlan& plan = plan_for(arrays);
    std::vector<AnyDistView> views;
    for (const ArrayState* array : arrays) views.push_back(*array->m_view);
    const nb::gil_scoped_release release;
    plan.execute(Kokkos::DefaultHostExecutionSpace(), std::span<const AnyDistView>(views));
}

} // namespace distview::python
