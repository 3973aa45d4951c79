// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview_testing/assertions.hpp>

#include "rank_group.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <vector>

namespace distview::testing::impl {

::testing::AssertionResult true_on_all_ranks(const char* text,
                                             const std::function<bool()>& condition) {
    // An empty answer means success, so the usual case sends almost nothing.
    std::string answer;
    try {
        answer = condition() ? "" : "is false";
    } catch (const std::exception& exception) {
        answer = "throws " + type_name(typeid(exception)) + ": " + exception.what();
    } catch (...) {
        answer = "throws something that is no std::exception";
    }
    const std::vector<std::string> answers = gather_on_all_ranks(answer);
    ::testing::AssertionResult failure = ::testing::AssertionFailure() << text;
    bool all = true;
    for (std::size_t r = 0; r < answers.size(); ++r) {
        if (!answers[r].empty()) {
            failure << (all ? " " : "; ") << answers[r] << " on "
                    << rank_list({static_cast<int>(r)}, rank_count());
            all = false;
        }
    }
    return all ? ::testing::AssertionSuccess() : failure;
}

std::string type_name(const std::type_info& type) {
    int status = 0;
    char* demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 ? demangled : type.name();
    std::free(demangled);
    return name;
}

::testing::AssertionResult judge_outcomes(const Outcome& mine, const char* statement,
                                          const char* type, const std::string& substring) {
    std::string packed;
    append_field(packed, mine.threw_expected_type ? "1" : "0");
    append_field(packed, mine.type);
    append_field(packed, mine.what);
    const std::vector<std::string> all = gather_on_all_ranks(packed);

    bool as_expected = true;
    std::string listing;
    for (std::size_t r = 0; r < all.size(); ++r) {
        std::size_t position = 0;
        const bool expected_type = take_field(all[r], position) == "1";
        const std::string thrown = take_field(all[r], position);
        const std::string what = take_field(all[r], position);
        as_expected = as_expected && expected_type && all[r] == all[0] &&
                      what.find(substring) != std::string::npos;
        listing += "\n  [" + rank_list({static_cast<int>(r)}, rank_count()) + "] threw " + thrown +
                   (what.empty() ? "" : ": " + what);
    }
    if (as_expected) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << statement << "\nshould throw " << type << " with one text on all ranks, containing \""
           << substring << "\", but" << listing;
}

} // namespace distview::testing::impl
