// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "array.hpp"
#include "errors.hpp"
#include "exchange_in_flight.hpp"
#include "redistribution_update.hpp"

#include <distview/comm/communicator.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/comm/redistribution_schedule.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace distview::python {

/// A RedistributionPlan for Python's arrays: of all ranks of a communicator, or, without one, of one
/// process that may have no MPI.
class Redistribution {
public:
    /// Collective over `comm`, if given.
    Redistribution(const std::optional<Communicator>& comm, const ArrayLayout& from,
                   const ArrayLayout& to, const RedistributionOptions& options);

    const RedistributionSchedule& schedule() const noexcept {
        return m_plan ? m_plan->schedule() : *m_schedule;
    }
    std::string describe() const;

    /// Collective over the communicator: what fails on one rank is thrown on all, in words that begin with
    /// `caller`. Null arrays are those that `failure` kept from being read.
    ///
    /// `read`: what becomes of elements of the target's type. `convert`: makes the source anew, with the
    /// target's elements; called, on all ranks, where these differ, while nothing is in flight.
    std::shared_ptr<ExchangeInFlight>
    start(const char* caller, std::shared_ptr<ArrayState> source,
          const std::shared_ptr<ArrayState>& target, Failure failure,
          const std::function<Update(const ElementType&)>& read,
          const std::function<std::shared_ptr<ArrayState>()>& convert);
    /// start() and finish().
    void execute(const char* caller, std::shared_ptr<ArrayState> source,
                 const std::shared_ptr<ArrayState>& target, Failure failure,
                 const std::function<Update(const ElementType&)>& read,
                 const std::function<std::shared_ptr<ArrayState>()>& convert);
    bool conjugates() const noexcept { return m_conjugates; }

private:
    void check(const char* caller, const ArrayState& array, const char* which,
               const ArrayLayout& layout) const;
    void check(const char* caller, const ArrayState& source, const ArrayState& target) const;
    /// Throws if the plan cannot begin an execution, as far as this rank knows. Ranks agree on it before a source is
    /// converted, since an execution in flight reads that buffer.
    void check_ready(const char* caller) const;

    /// Whether nothing moves.
    bool stays(const AnySection& from, const AnySection& to) const;
    /// What one process needs to hold where source and target share memory; empty if they do not.
    std::vector<char> buffer_alone(const char* caller, const Update& update, const AnySection& from,
                                   const AnySection& to) const;

    std::optional<Communicator> m_comm;
    bool m_conjugates;
    bool m_in_place;
    std::int64_t m_buffer_bytes;
    std::optional<RedistributionPlan> m_plan;         ///< with a communicator
    std::optional<RedistributionSchedule> m_schedule; ///< without
    std::weak_ptr<ExchangeInFlight> m_last;
};

} // namespace distview::python
