// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview_testing/ranks.hpp>

#include <gtest/gtest.h>

#include <concepts>
#include <exception>
#include <functional>
#include <string>
#include <typeinfo>

namespace distview::testing::impl {

::testing::AssertionResult true_on_all_ranks(const char* text,
                                             const std::function<bool()>& condition);

/// How a statement ended on one rank.
struct Outcome {
    bool threw_expected_type = false;
    /// Dynamic type of the exception, or a text for what happened instead.
    std::string type;
    std::string what;
};

std::string type_name(const std::type_info& type);

/// The verdict on the outcomes of all ranks, the same on every rank. Collective.
::testing::AssertionResult judge_outcomes(const Outcome& mine, const char* statement,
                                          const char* type, const std::string& substring);

template <std::derived_from<std::exception> Exception>
Outcome run_statement(const std::function<void()>& statement) {
    try {
        statement();
    } catch (const Exception& exception) {
        return {true, type_name(typeid(exception)), exception.what()};
    } catch (const std::exception& exception) {
        return {false, type_name(typeid(exception)), exception.what()};
    } catch (...) {
        return {false, "something that is no std::exception", ""};
    }
    return {false, "nothing", ""};
}

} // namespace distview::testing::impl

// The switch keeps an else after the macro from binding to its if.
#define DISTVIEW_TESTING_CHECK(check, on_failure)                                                  \
    switch (0)                                                                                     \
    case 0:                                                                                        \
    default:                                                                                       \
        if (const ::testing::AssertionResult distview_testing_result = (check);                    \
            distview_testing_result) {                                                             \
        } else                                                                                     \
            on_failure << distview_testing_result.message()

/// Leaves the test on all ranks if the condition is false or throws on any rank. Collective.
///
/// Replaces ASSERT_TRUE in MPI tests: ASSERT_TRUE leaves the test on one rank, and the others wait for that rank.
#define ASSERT_ON_ALL_RANKS(...)                                                                   \
    DISTVIEW_TESTING_CHECK(::distview::testing::impl::true_on_all_ranks(                           \
                               #__VA_ARGS__, [&] { return static_cast<bool>(__VA_ARGS__); }),      \
                           FAIL())

/// Like ASSERT_ON_ALL_RANKS, but the test continues.
#define EXPECT_ON_ALL_RANKS(...)                                                                   \
    DISTVIEW_TESTING_CHECK(::distview::testing::impl::true_on_all_ranks(                           \
                               #__VA_ARGS__, [&] { return static_cast<bool>(__VA_ARGS__); }),      \
                           ADD_FAILURE())

/// Expects every rank to throw this type, or one derived from it, with the same text, which
/// contains the substring. Collective, in addition to what the statement does.
#define EXPECT_THROW_ON_ALL_RANKS(statement, type, substring)                                      \
    DISTVIEW_TESTING_CHECK(::distview::testing::impl::judge_outcomes(                              \
                               ::distview::testing::impl::run_statement<type>([&] { statement; }), \
                               #statement, #type, substring),                                      \
                           ADD_FAILURE())
