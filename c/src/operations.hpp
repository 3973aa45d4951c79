// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "element_types.hpp"
#include "memory.hpp"
#include "together.hpp"

#include <distview/comm/combine.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

namespace distview::c {

/// An operation of the program's, as it is used in one call: keeps the first error.
class ProgramOperation {
public:
    ProgramOperation(distview_combine_function function, void* user, const char* caller)
        : m_function(function), m_user(user), m_caller(caller) {}

    void combine(void* here, const void* incoming, std::int32_t element) noexcept;
    /// What went wrong first, null if nothing did.
    const std::exception_ptr& failure() const noexcept { return m_failure; }

private:
    distview_combine_function m_function;
    void* m_user;
    const char* m_caller;
    std::atomic<bool> m_has_failed{false};
    std::mutex m_mutex;
    std::exception_ptr m_failure;
};

/// The same for plans. Once it has failed, elements stay as they are.
template <class T>
struct UserOperation {
    ProgramOperation* operation;
    std::int32_t element;
    KOKKOS_FUNCTION T operator()(const T& here, const T& incoming) const {
        T result = here;
        KOKKOS_IF_ON_HOST((T from = incoming; operation->combine(&result, &from, element);))
        return result;
    }
};

/// An operation of a call: a number of types.h, or of the program's.
struct Operation {
    int number = 0;
    std::unique_ptr<ProgramOperation> of_program{};
};
/// Throws UsageError if there is no such operation.
Operation operation_of(int number, const char* function);

/// Calls use(T(), op) with the element type and a function object for the operation. ShapeError for elements that
/// cannot be combined so.
template <class Use>
void with_operation(const Operation& operation, const ElementType& element, const char* function,
                    Use&& use) {
    const std::int32_t number = number_of(element);
    const auto any = [&]<class T>(OfType<T> type) {
        if (operation.of_program)
            use(type, UserOperation<T>{operation.of_program.get(), number});
        else
            use(type, Sum{});
    };
    const auto ordered = [&]<class T>(OfType<T> type) {
        if (operation.number == DISTVIEW_MINIMUM)
            use(type, Minimum{});
        else if (operation.number == DISTVIEW_MAXIMUM)
            use(type, Maximum{});
        else
            any(type);
    };
    const bool orders =
        operation.number == DISTVIEW_MINIMUM || operation.number == DISTVIEW_MAXIMUM;
    if (with_real(element, ordered) || (!orders && with_complex(element, any))) return;
    throw_element(function,
                  orders ? "integers or real numbers" : "integers, real or complex numbers",
                  element);
}

/// What ranks agree on of an operation: numbers of the program's own are each rank's own.
inline AgreedNumber agreed_operation(int operation) noexcept {
    constexpr int first_of_program = 1000;
    return {"operation", operation < first_of_program ? operation : first_of_program};
}

/// Looks at an operation and the element type of what it combines.
void check_operation(const Operation& operation, const ElementType& element, const char* function);

/// Ends a call with an operation of the program's: what it failed with on one rank all throw.
inline void end_operation(const Communicator& comm, const char* function,
                          const Operation& operation) {
    if (operation.of_program) agree(comm, function, operation.of_program->failure());
}

} // namespace distview::c
