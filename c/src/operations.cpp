// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operations.hpp"

#include <map>
#include <shared_mutex>
#include <utility>

namespace distview::c {

namespace {

/// Operations of the program by their numbers.
struct Registry {
    std::shared_mutex mutex;
    int next = 1000;
    std::map<int, std::pair<distview_combine_function, void*>> operations;
};
/// Never destroyed: the destructor of a static object may still free an operation.
Registry& registry() {
    static auto& known = *new Registry;
    return known;
}

} // namespace

void ProgramOperation::combine(void* here, const void* incoming, std::int32_t element) noexcept {
    if (m_has_failed.load(std::memory_order_relaxed)) return;
    std::exception_ptr failure;
    try {
        const CallbackErrors errors(m_caller);
        errors.check(m_function(here, incoming, element, m_user));
        return;
    } catch (...) {
        failure = std::current_exception();
    }
    const std::lock_guard lock(m_mutex);
    if (!m_failure) m_failure = failure;
    m_has_failed.store(true, std::memory_order_relaxed);
}

Operation operation_of(int number, const char* function) {
    if (number >= DISTVIEW_SUM && number <= DISTVIEW_MAXIMUM) return {number};
    const std::shared_lock lock(registry().mutex);
    const auto found = registry().operations.find(number);
    require<UsageError>(found != registry().operations.end(), [&] {
        return text(function,
                    ": expected an operation of types.h or of distview_operation_create(), ",
                    "got ", number);
    });
    return {number, std::make_unique<ProgramOperation>(found->second.first, found->second.second,
                                                       function)};
}

void check_operation(const Operation& operation, const ElementType& element, const char* function) {
    with_operation(operation, element, function, [](auto, const auto&) {});
}

} // namespace distview::c

using namespace distview::c;

int distview_operation_create(distview_combine_function function, void* user, int* operation) {
    return guard(__func__, [&](const char* caller) {
        int& place = checked(operation, caller, "a place for the operation");
        distview::require<distview::UsageError>(function != nullptr, [&] {
            return distview::text(caller, ": expected a function, got a null pointer");
        });
        const std::lock_guard lock(registry().mutex);
        registry().operations[registry().next] = {function, user};
        place = registry().next++;
    });
}

void distview_operation_free(int operation) {
    const std::lock_guard lock(registry().mutex);
    registry().operations.erase(operation);
}
