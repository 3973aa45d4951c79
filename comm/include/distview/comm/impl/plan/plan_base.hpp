// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/impl/plan/plan_core.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace distview::impl {

/// Base of every plan: its core, and queries common to all plans. Queries are local; a query of a moved-from plan is a
/// UsageError.
template <class Core>
class PlanBase {
public:
    const Communicator& communicator() const { return core()->communicator(); }
    /// Other ranks that receive elements of this rank in every execute(), ascending.
    std::vector<int> send_peers() const { return core()->send_peers(); }
    /// Other ranks from which this rank receives elements in every execute(), ascending.
    std::vector<int> receive_peers() const { return core()->receive_peers(); }
    /// Whether the plan can still be used: no execution was abandoned or failed, as far as this rank knows. Neighbours
    /// learn of such an execution in their finish() or their next execution.
    bool is_usable() const { return core()->is_usable(); }
    /// Bytes of the buffers and tables of all bound sets: for messages, and for elements packed for other ranks in
    /// shared memory.
    std::size_t workspace_bytes() const { return core()->workspace_bytes(); }
    /// Text for users: layouts, numbers of elements, partners and transports of this process.
    std::string describe() const { return core()->describe(); }

protected:
    /// `name` begins the text of errors; a DeadlineError shows `where` the program made the plan.
    PlanBase(const char* name, std::shared_ptr<Core> core, const std::source_location& where)
        : m_name(name), m_core(std::move(core)) {
        m_core->note_made(where);
    }
    ~PlanBase() = default;
    PlanBase(PlanBase&&) noexcept = default;
    PlanBase& operator=(PlanBase&&) noexcept = default;

    /// Throws UsageError if the plan was moved from.
    const std::shared_ptr<Core>& core() const {
        require<UsageError>(m_core != nullptr, [&] {
            return text(m_name,
                        ": this plan has been moved from; use the plan that it was moved to");
        });
        return m_core;
    }

private:
    const char* m_name;
    std::shared_ptr<Core> m_core;
};

} // namespace distview::impl
