// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/any_dist_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace distview::impl {

/// A buffer for one round, both in memory that the array's kernels can access and on the host.
class Stage {
public:
    /// `device` is the device of the arrays; the node's ranks share the buffer's memory if possible.
    Stage(const Communicator& comm, std::int64_t bytes, const Device& device);

    /// The buffer as the array of a round.
    AnyDistView array(const ElementType& element, const ArrayLayout& layout, int process) const;
    std::byte* host() const noexcept { return static_cast<std::byte*>(m_host.get()); }
    void bring_to_host(std::int64_t bytes) const;
    void bring_to_device(std::int64_t bytes) const;
    void execute(RedistributionPlan& plan, const AnyDistView& from, const AnyDistView& to) const;

private:
    bool m_on_device = false;
    Device m_device;
    std::shared_ptr<void> m_host;
    std::shared_ptr<void> m_memory; ///< for kernels; the host's unless the array is on a device
};

} // namespace distview::impl
