// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <typeinfo>
#include <vector>

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

/// Expects exactly an ErrorType whose text has all of these words.
template <class ErrorType, class Function>
void expect_error_with(Function&& function, const std::vector<std::string>& words) {
    try {
        function();
        ADD_FAILURE() << "nothing thrown, expected: " << words.front();
    } catch (const Error& error) {
        EXPECT_EQ(typeid(error), typeid(ErrorType)) << error.what();
        for (const std::string& word : words)
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                << error.what() << "\nlacks " << word;
    }
}

} // namespace distview::testing
