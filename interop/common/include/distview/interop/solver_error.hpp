// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

#include <string>

namespace distview {

/// A call of a solver stack failed, or a solution did not converge; what() has the stack's own text, code() what it
/// returned. The same on all ranks.
class SolverError : public Error {
public:
    SolverError(const std::string& message, int code) : Error(message), m_code(code) {}
    int code() const noexcept { return m_code; }

private:
    int m_code;
};

} // namespace distview
