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

/// An operation of the program during one call: keeps the first error.
class ProgramOperation {
public:
    ProgramOperation(distview_combine_function function, void* user, const char* caller)
        : m_function(function), m_user(user), m_caller(caller) {}

    void combine(void* here, const void* incoming, std::int32_t element) noexcept;
    /// The first error, or null.
    const std::exception_ptr& failure() const noexcept { return m_failure; }

private:
    distview_combine_function m_function;
    void* m_user;
    const char* m_caller;
    std::atomic<bool> m_has_failed{false};
    std::mutex m_mutex;
    std::exception_ptr m_failure;
};

/// The same as a function object for plans. After an error it leaves elements unchanged.
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

/// An operation of a call: a number of types.h, or an operation of the program.
struct Operation {
    int number = 0;
    std::unique_ptr<ProgramOperation> of_program{};
};
/// The operation with a number; throws UsageError if it is unknown.
Operation operation_of(int number, const char* function);

/// Calls use(T(), op) with the element type and a function object for the operation. ShapeError for elements that the
/// operation cannot combine.
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

/// The number on which ranks agree for an operation: numbers of the program's operations may differ between ranks.
inline AgreedNumber agreed_operation(int operation) noexcept {
    constexpr int first_of_program = 1000;
    return {"operation", operation < first_of_program ? operation : first_of_program};
}

/// Checks that an operation can combine elements of a type.
void check_operation(const Operation& operation, const ElementType& element, const char* function);

/// Ends a call with an operation of the program: if it failed on one rank, all ranks throw its error.
inline void end_operation(const Communicator& comm, const char* function,
                          const Operation& operation) {
    if (operation.of_program) agree(comm, function, operation.of_program->failure());
}

} // namespace distview::c
