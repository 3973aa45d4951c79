// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/interop/solver_error.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>

#include <typeinfo>

namespace distview {

void impl::agree_on_solver(const Communicator& comm, const char* caller,
                           const std::exception_ptr& failure, int code) {
    try {
        agree(comm, caller, failure);
    } catch (const Error& error) {
        if (typeid(error) != typeid(Error)) throw;
        const std::string message = error.what();
        const int greatest = all_reduce(comm, ReduceOperation::max, code);
        if (greatest == 0) throw; // of an operator, say
        throw SolverError(message, greatest);
    }
}

} // namespace distview
