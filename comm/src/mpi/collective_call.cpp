// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/agreement.hpp>

#include <distview/comm/impl/mpi/communicator_state.hpp>

#include <exception>

namespace distview {

CollectiveCall::CollectiveCall(const Communicator& comm, std::string_view name)
    : m_state(comm.state()), m_exceptions(std::uncaught_exceptions()) {
    m_state->calls().enter(name);
}

CollectiveCall::~CollectiveCall() {
    m_state->calls().leave({}, std::uncaught_exceptions() > m_exceptions);
}

} // namespace distview
