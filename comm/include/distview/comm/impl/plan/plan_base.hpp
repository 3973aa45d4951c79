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

/// Base of every plan: its core, and the questions that all plans answer. These are local, and UsageError if the plan
/// has been moved from.
template <class Core>
class PlanBase {
public:
    const Communicator& communicator() const { return core()->communicator(); }
    /// Other ranks that get elements of this one in every execute(), ascending.
    std::vector<int> send_peers() const { return core()->send_peers(); }
    /// Other ranks whose elements this one gets in every execute(), ascending.
    std::vector<int> receive_peers() const { return core()->receive_peers(); }
    /// Whether the plan can still be used: no execution has been abandoned or has failed, as far as this rank knows.
    /// Neighbours learn of it in their finish() or their next execution.
    bool is_usable() const { return core()->is_usable(); }
    /// Bytes of the buffers and tables of the sets bound so far: of messages, and of what is packed for others in
    /// shared memory.
    std::size_t workspace_bytes() const { return core()->workspace_bytes(); }
    /// Layouts, numbers of elements, partners and transports of this process, for people.
    std::string describe() const { return core()->describe(); }

protected:
    /// `name` begins the text of errors; a DeadlineError tells `where` the program has made the plan.
    PlanBase(const char* name, std::shared_ptr<Core> core, const std::source_location& where)
        : m_name(name), m_core(std::move(core)) {
        m_core->note_made(where);
    }
    ~PlanBase() = default;
    PlanBase(PlanBase&&) noexcept = default;
    PlanBase& operator=(PlanBase&&) noexcept = default;

    /// Throws UsageError if the plan has been moved from.
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
