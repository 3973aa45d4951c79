// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/interop/solver_error.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>

#include <array>
#include <span>
#include <typeinfo>

namespace distview {

void impl::agree_on_solver(const Communicator& comm, const char* caller,
                           const std::exception_ptr& failure, int code) {
    // A nested solution that did not converge has code 0, and an agreement turns its SolverError into an Error.
    bool is_of_solver = code != 0;
    try {
        if (failure) std::rethrow_exception(failure);
    } catch (const SolverError& error) {
        is_of_solver = true;
        code = error.code();
    } catch (...) {
    }
    try {
        agree(comm, caller, failure);
    } catch (const Error& error) {
        if (typeid(error) != typeid(Error)) throw;
        std::array<int, 2> all{is_of_solver ? 1 : 0, code};
        all_reduce(comm, ReduceOperation::max, std::span<int>(all));
        if (all[0] == 0) throw; // an operator's error, for instance
        throw SolverError(error.what(), all[1]);
    }
}

} // namespace distview
