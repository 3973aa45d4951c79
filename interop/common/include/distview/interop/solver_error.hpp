// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>

#include <exception>
#include <string>

namespace distview {

/// A call of a solver stack failed, or a solution did not converge; what() has the stack's own text, code() what it
/// returned. The same on all ranks.
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

/// agree() for doors. Agreements carry the types of errors that comm knows: an Error proper is what a stack said on the
/// rank that it comes from, if there is a code, and becomes a SolverError on all ranks, with the greatest code. So does a
/// SolverError, whatever its code: that of a solution within another one.
///
/// Collective: over comm
void agree_on_solver(const Communicator& comm, const char* caller,
                     const std::exception_ptr& failure, int code = 0);

} // namespace impl

} // namespace distview
