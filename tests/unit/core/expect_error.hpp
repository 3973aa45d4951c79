// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <typeinfo>

namespace distview::testing {

/// Expects exactly an ErrorType with exactly this text.
template <class ErrorType, class Function>
void expect_error(Function&& function, const std::string& message) {
    try {
        function();
        ADD_FAILURE() << "nothing thrown, expected: " << message;
    } catch (const Error& error) {
        EXPECT_EQ(typeid(error), typeid(ErrorType)) << error.what();
        EXPECT_EQ(error.what(), message);
    }
}

} // namespace distview::testing
