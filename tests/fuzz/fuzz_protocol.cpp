// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What libFuzzer calls, or our own driver where there is none.
#include "fuzz_array.hpp"
#include "fuzz_section.hpp"

#include <cstddef>
#include <cstdint>

distview::fuzz::Reached& distview::fuzz::reached() {
    static Reached counts;
    return counts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    distview::fuzz::Input input(data, size);
    if (input.below(2) == 0)
        distview::fuzz::fuzz_section(input);
    else
        distview::fuzz::fuzz_array(input);
    return 0;
}
