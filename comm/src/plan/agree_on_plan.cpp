// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/agree_on_plan.hpp"

#include <exception>

namespace distview::impl {

std::optional<Transport> agree_on_plan(const Communicator& comm, const char* name,
                                       const std::function<void()>& check, std::uint64_t digest,
                                       const Arguments& arguments) {
    std::optional<Transport> required;
    std::exception_ptr failure;
    try {
        required = required_transport();
        check_available(required);
        check();
    } catch (...) {
        failure = std::current_exception();
    }
    const int transport = required ? static_cast<int>(*required) : -1;
    agree(comm, name, failure, hash_of(digest, transport), [&] {
        std::vector<Argument> all = arguments();
        all.push_back(
            {"DISTVIEW_TRANSPORT", required ? std::string(to_string(*required)) : "not set"});
        return all;
    });
    return required;
}

} // namespace distview::impl
