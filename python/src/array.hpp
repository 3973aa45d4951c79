// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device_work.hpp"
#include "errors.hpp"
#include "exchange_in_flight.hpp"
#include "python_objects.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/axis_slice.hpp>
#include <distview/core/device_runtime.hpp>
#include <distview/core/padding.hpp>
#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/exported_section.hpp>
#include <distview/core/protocol/version.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace distview::python {

/// One axis of a section, as far as its process knows it.
struct AxisOfSection {
    DistType type = DistType::block;
    std::int64_t protocol_size = 0; ///< of the whole axis, in the protocol's counting
    std::int64_t grid_size = 1;
    std::int64_t grid_rank = 0;
    std::int64_t extent = 0; ///< of the section
    Widths communication{};
    Widths boundary{};
    bool periodic = false;

    LocalRange owned() const {
        return {LocalIndex(communication.low), LocalIndex(extent - communication.high)};
    }
    LocalRange interior() const {
        return {LocalIndex(communication.low + boundary.low),
                LocalIndex(extent - communication.high - boundary.high)};
    }
};

/// Throws UsageError on all ranks unless opaque elements, of one size on all of them, have one format. Collective; asks
/// nobody of other elements.
void agree_on_elements(const Communicator& comm, const char* caller, const ElementType& element,
                       const std::string& format);

/// What a Python DistView refers to. Shared by copies and by whoever reads its buffer.
class ArrayState {
public:
    /// An array whose layout all processes know.
    ArrayState(AnyDistView view, std::string format);
    /// One process's section of an array that the others have not been asked about.
    ArrayState(protocol::ExportedSection exported, std::string format);

    /// As it was made; see stream() for who may be writing it now.
    const AnySection& section() const noexcept {
        return m_view ? m_view->section() : m_exported.section;
    }
    /// The same with stream().
    AnySection pending_section() const;
    /// The stream on which work on the memory may be pending.
    StreamNumber stream() const noexcept { return m_stream; }
    /// Throws UsageError for memory of the host, where there are none.
    void set_stream(StreamNumber stream);
    const std::string& format() const noexcept { return m_format; }
    const std::vector<AxisOfSection>& axes() const noexcept { return m_axes; }
    int rank() const noexcept { return static_cast<int>(m_axes.size()); }

    /// Whether all processes have agreed on a layout.
    bool attached() const noexcept { return m_view.has_value(); }
    /// Throws UsageError, beginning with `caller`, if not attached.
    const AnyDistView& view(const char* caller) const;
    /// Makes the section part of an array of all ranks. All of them call it, in the same order as
    /// for other arrays of the communicator, and only after they have agreed on the array.
    void join(const Communicator& comm);
    /// Collective: agrees with the other processes' sections.
    void attach(const Communicator& comm);

    /// The communicator of all processes; none for an array of one process without MPI, or of a section
    /// that is not attached.
    const std::optional<Communicator>& communicator() const noexcept { return m_comm; }
    /// The same on all ranks that made, attached and sliced their arrays in one order; 0 without a
    /// communicator.
    std::uint64_t number() const noexcept { return m_number; }
    /// Whether the elements are Python objects or addresses, which mean nothing to another process and
    /// whose copies must be counted.
    bool holds_objects() const noexcept;

    /// A slice of the array, which shares its memory. Local; all processes pass the same slices.
    std::shared_ptr<ArrayState> sliced(const std::vector<AxisSlice>& slices);

    std::vector<protocol::DimData> dim_data(const protocol::Version& version) const;
    protocol::ExportedSection exported(const protocol::Version& version) const;
    /// Global indices of all positions of the section along an axis. Throws UsageError if not attached.
    std::vector<std::int64_t> global_indices(int axis) const;
    /// The same as version 0.10 of the protocol counts them.
    std::vector<std::int64_t> protocol_indices(int axis) const;

    /// Begins to fill the padding of this array and of `others`, which `failure` kept from being read if it
    /// is set. `stencil`: "box" or "faces". Collective over the communicator; what fails on one rank is
    /// thrown on all.
    std::shared_ptr<ExchangeInFlight>
    start_exchange(const char* caller, const std::vector<std::shared_ptr<ArrayState>>& others,
                   nb::handle stencil, Failure failure);
    /// start_exchange() and finish().
    void exchange_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                          nb::handle stencil, Failure failure);
    /// Fills what padding is not valid `depth` (a width, or those of low and high sides) deep; whether any was not. Where
    /// these arrays were exchanged before, that is decided without communication.
    bool require_padding(nb::handle depth, const std::vector<std::shared_ptr<ArrayState>>& others,
                         nb::handle stencil, Failure failure);
    /// Combines the padding of the arrays, all of one element type, with the elements that it copies.
    void combine_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                         nb::handle operation, nb::handle stencil, Failure failure);

private:
    /// A plan for arrays of some layouts, this one's first.
    struct Plan {
        std::vector<ArrayLayout> layouts;
        Stencil stencil = Stencil::box;
        std::shared_ptr<PaddingExchangePlan> plan;
        std::uint64_t number = 0; ///< of the plans that these arrays have had
    };

    void describe_axes_from_layout();
    int checked_axis(const char* caller, int axis) const;
    /// What an exchange of some arrays needs once all ranks have agreed on it.
    struct Exchange {
        Kernels kernels = Kernels::host;
        Stencil stencil = Stencil::box;
        std::shared_ptr<PaddingExchangePlan> plan{}; ///< null without a communicator
        std::vector<AnyDistView> views{};
    };

    std::vector<ArrayState*> with_others(const std::vector<std::shared_ptr<ArrayState>>& others);
    void check_exchange(const char* caller, const std::vector<ArrayState*>& arrays) const;
    /// `check` may throw, and returns what the ranks must agree on besides the arrays and the stencil. With
    /// `trusts_plan` nobody is asked where there is a plan: that one finds out if ranks differ.
    Exchange agree_on_exchange(const char* caller, const std::vector<ArrayState*>& arrays,
                               nb::handle stencil, Failure failure,
                               const std::function<Argument()>& check, bool trusts_plan = false);
    /// The known plan for arrays of these layouts; drops one that cannot be used any more.
    const Plan* find_plan(const std::vector<ArrayLayout>& layouts, Stencil stencil);
    std::shared_ptr<PaddingExchangePlan> plan_for(const std::vector<ArrayState*>& arrays,
                                                  Stencil stencil);

    protocol::ExportedSection m_exported{}; ///< until attached
    std::optional<AnyDistView> m_view;
    std::string m_format;
    StreamNumber m_stream = no_stream;
    std::vector<AxisOfSection> m_axes;
    int m_process = 0;       ///< -1 where the grid has more processes than an int counts
    int m_process_count = 1; ///< the same
    std::optional<Communicator> m_comm;
    std::uint64_t m_number = 0; ///< among the arrays of the communicator, the same on all ranks
    std::map<std::uint64_t, std::uint64_t> m_slicings; ///< how often by what slices

    std::vector<Plan> m_plans; ///< the last used at the end
    std::uint64_t m_plan_count = 0;
};

/// The Python object: _distview.Array, base of distview.DistView.
struct Array {
    std::shared_ptr<ArrayState> state;
};

} // namespace distview::python
