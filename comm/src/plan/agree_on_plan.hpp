// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/transport/transport.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace distview::impl {

/// Hash of a plan's arguments.
class Digest {
public:
    Digest& add(std::uint64_t value) {
        m_hash = m_hash * 0x9e3779b97f4a7c15u + value + 1;
        return *this;
    }
    template <class Values>
    Digest& add_all(const Values& values) {
        add(values.size());
        for (const auto& value : values) add(static_cast<std::uint64_t>(value));
        return *this;
    }
    std::uint64_t value() const noexcept { return m_hash; }

private:
    std::uint64_t m_hash = 0;
};

/// Begins to build a plan: each rank runs `check`, which throws if its arguments are wrong, and all agree that none
/// failed, on the arguments (see agree()) and on DISTVIEW_TRANSPORT, whose value is returned.
///
/// Collective: over comm
/// Errors:     those of `check`; UsageError if the transport is not there, or ranks differ (on all ranks)
std::optional<Transport> agree_on_plan(const Communicator& comm, const char* name,
                                       const std::function<void()>& check, Digest digest,
                                       const Arguments& arguments);

} // namespace distview::impl
