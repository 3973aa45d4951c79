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

/// A RedistributionPlan for Python's arrays: for all ranks of a communicator, or, without a communicator, for one
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

    /// Collective over the communicator: an error on one rank is thrown on all ranks; its text begins with
    /// `caller`. If `failure` is set, it is the error of reading the arrays, which may be null.
    ///
    /// `read`: returns the update for elements of the target's type. `convert`: returns the source converted to the
    /// target's elements; called on all ranks, only if the types differ and while nothing is in flight.
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
    /// Throws if the plan cannot begin an execution, as far as this rank knows. Ranks agree on this before they convert
    /// the source, since an execution in flight may read the buffer of converted elements.
    void check_ready(const char* caller) const;

    /// Whether nothing moves.
    bool stays(const AnySection& from, const AnySection& to) const;
    /// The buffer that an array of one process needs if source and target share memory; empty if they do not.
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
