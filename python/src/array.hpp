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

/// One axis of a section, with the data that its process knows.
struct AxisOfSection {
    DistType type = DistType::block;
    std::int64_t protocol_size = 0; ///< size of the whole axis, as the protocol counts
    std::int64_t grid_size = 1;
    std::int64_t grid_rank = 0;
    std::int64_t extent = 0; ///< extent of the section
    Widths communication{};
    Widths boundary{};
    bool periodic = false;
    std::int64_t ghosts = 0; ///< at the end of an unstructured axis

    LocalRange owned() const {
        return {LocalIndex(communication.low), LocalIndex(extent - communication.high - ghosts)};
    }
    LocalRange interior() const {
        return {owned().begin + boundary.low, owned().end - boundary.high};
    }
};

/// Throws UsageError on all ranks if opaque elements, which have the same size on all ranks, differ in format. Collective;
/// does not communicate for other elements.
void agree_on_elements(const Communicator& comm, const char* caller, const ElementType& element,
                       const std::string& format);

/// The state of a Python DistView. Shared by its copies and by readers of its buffer.
class ArrayState {
public:
    /// An array whose layout all processes know.
    ArrayState(AnyDistView view, std::string format);
    /// One process's section of an array on which the processes have not agreed yet.
    ArrayState(protocol::ExportedSection exported, std::string format);

    /// The section as it was made: its stream may be outdated, see stream().
    const AnySection& section() const noexcept {
        return m_view ? m_view->section() : m_exported.section;
    }
    /// The section with stream().
    AnySection pending_section() const;
    /// The stream on which work on the memory may be pending.
    StreamNumber stream() const noexcept { return m_stream; }
    /// Throws UsageError for host memory, which has no streams.
    void set_stream(StreamNumber stream);
    const std::string& format() const noexcept { return m_format; }
    const std::vector<AxisOfSection>& axes() const noexcept { return m_axes; }
    int rank() const noexcept { return static_cast<int>(m_axes.size()); }

    /// Whether all processes have agreed on a layout.
    bool attached() const noexcept { return m_view.has_value(); }
    /// Throws UsageError, beginning with `caller`, if not attached.
    const AnyDistView& view(const char* caller) const;
    /// Makes the section part of an array of all ranks. All ranks call it after they have agreed on the array, in the
    /// same order as for other arrays of the communicator.
    void join(const Communicator& comm);
    /// Collective: checks the section against the other processes' sections, and joins it with them.
    void attach(const Communicator& comm);

    /// The communicator of all processes; none for an array of one process without MPI, or of a section
    /// that is not attached.
    const std::optional<Communicator>& communicator() const noexcept { return m_comm; }
    /// A number that is the same on all ranks that make, attach and slice their arrays in the same order; 0 without
    /// a communicator.
    std::uint64_t number() const noexcept { return m_number; }
    /// Whether the elements are Python objects or addresses. They are meaningless in another process, and copies
    /// of objects would have to be counted.
    bool holds_objects() const noexcept;

    /// A slice of the array, which shares its memory. Local; all processes pass the same slices.
    std::shared_ptr<ArrayState> sliced(const std::vector<AxisSlice>& slices);

    std::vector<protocol::DimData> dim_data(const protocol::Version& version) const;
    protocol::ExportedSection exported(const protocol::Version& version) const;
    /// Global indices of all positions of the section along an axis. Throws UsageError if not attached.
    std::vector<std::int64_t> global_indices(int axis) const;
    /// The same indices as version 0.10 of the protocol counts them.
    std::vector<std::int64_t> protocol_indices(int axis) const;

    /// Begins to fill the padding of this array and of `others`. `failure`, if set, is the error of reading `others`.
    /// `stencil`: "box" or "faces". Collective over the communicator; an error on one rank is
    /// thrown on all ranks.
    std::shared_ptr<ExchangeInFlight>
    start_exchange(const char* caller, const std::vector<std::shared_ptr<ArrayState>>& others,
                   nb::handle stencil, Failure failure);
    /// start_exchange() and finish().
    void exchange_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                          nb::handle stencil, Failure failure);
    /// Fills padding that is not valid to `depth` (a width, or a pair for low and high sides); returns whether it filled
    /// any. If these arrays were exchanged before, the decision needs no communication.
    bool require_padding(nb::handle depth, const std::vector<std::shared_ptr<ArrayState>>& others,
                         nb::handle stencil, Failure failure);
    /// Combines the elements of the arrays, all of one element type, with their copies in padding.
    void combine_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                         nb::handle operation, nb::handle stencil, Failure failure);

private:
    /// A plan for arrays with these layouts; this array's layout is the first.
    struct Plan {
        std::vector<ArrayLayout> layouts;
        Stencil stencil = Stencil::box;
        std::shared_ptr<PaddingExchangePlan> plan;
        std::uint64_t number = 0; ///< counts this array's plans
    };

    void describe_axes_from_layout();
    int checked_axis(const char* caller, int axis) const;
    /// Data for an exchange of arrays, complete once all ranks have agreed on it.
    struct Exchange {
        Kernels kernels = Kernels::host;
        Stencil stencil = Stencil::box;
        std::shared_ptr<PaddingExchangePlan> plan{}; ///< null without a communicator
        std::vector<AnyDistView> views{};
    };

    std::vector<ArrayState*> with_others(const std::vector<std::shared_ptr<ArrayState>>& others);
    void check_exchange(const char* caller, const std::vector<ArrayState*>& arrays) const;
    /// `check` may throw; it returns an argument on which the ranks must agree besides the arrays and the stencil. With
    /// `trusts_plan` and a known plan this call does not communicate: the plan detects ranks that differ.
    Exchange agree_on_exchange(const char* caller, const std::vector<ArrayState*>& arrays,
                               nb::handle stencil, Failure failure,
                               const std::function<Argument()>& check, bool trusts_plan = false);
    /// The known plan for arrays of these layouts, or null; drops an unusable plan.
    const Plan* find_plan(const std::vector<ArrayLayout>& layouts, Stencil stencil);
    std::shared_ptr<PaddingExchangePlan> plan_for(const std::vector<ArrayState*>& arrays,
                                                  Stencil stencil);

    protocol::ExportedSection m_exported{}; ///< used until attached
    std::optional<AnyDistView> m_view;
    std::string m_format;
    StreamNumber m_stream = no_stream;
    std::vector<AxisOfSection> m_axes;
    int m_process = 0;       ///< -1 if the grid has more processes than an int can count
    int m_process_count = 1; ///< likewise
    std::optional<Communicator> m_comm;
    std::uint64_t m_number = 0; ///< among the arrays of the communicator, the same on all ranks
    std::map<std::uint64_t, std::uint64_t> m_slicings; ///< number of slices made, by their bounds

    std::vector<Plan> m_plans; ///< the last used plan is at the end
    std::uint64_t m_plan_count = 0;
};

/// The Python object: _distview.Array, base of distview.DistView.
struct Array {
    std::shared_ptr<ArrayState> state;
};

} // namespace distview::python
