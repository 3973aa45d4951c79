// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>

#include <exception>
#include <string>

namespace distview {

/// A call of a solver stack failed, or a solution did not converge. what() contains the stack's own text, code() its
/// return code. The same on all ranks.
///
/// Collective: no (local)
class SolverError : public Error {
public:
    SolverError(const std::string& message, int code) : Error(message), m_code(code) {}
    int code() const noexcept { return m_code; }

private:
    int m_code;
};

namespace impl {

/// Agrees on the failure of a stack. Agreements transport the error types that comm knows: a plain Error with a code is
/// the stack's own message, and becomes a SolverError with the largest code on all ranks. A SolverError stays one
/// whatever its code; it may be the error of a solution inside another solution.
///
/// Collective: over comm
void agree_on_solver(const Communicator& comm, const char* caller,
                     const std::exception_ptr& failure, int code = 0);

} // namespace impl

} // namespace distview
