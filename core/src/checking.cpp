// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/checking.hpp>

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstdlib>
#include <string_view>

namespace distview {

namespace {

std::string_view check_of_environment() noexcept {
    const char* const value = std::getenv("DISTVIEW_CHECK");
    return value ? value : "";
}

} // namespace

// Set before main(), because arrays may be made before any communicator; a communicator reports a wrong value.
std::atomic<bool> impl::checks_padding{check_of_environment() == "padding"};

void impl::require_known_check() {
    const std::string_view given = check_of_environment();
    require<UsageError>(given.empty() || given == "0" || given == "padding", [&] {
        return text("DISTVIEW_CHECK: expected 0 or padding, got '", shortened(given), '\'');
    });
}

void set_check(Check check) noexcept {
    impl::checks_padding.store(check == Check::padding, std::memory_order_relaxed);
}
Check current_check() noexcept { return impl::is_checking() ? Check::padding : Check::nothing; }

} // namespace distview
