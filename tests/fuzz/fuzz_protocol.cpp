// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry function for libFuzzer; other builds call it from driver.cpp.
#include "fuzz_array.hpp"
#include "fuzz_section.hpp"
#include "fuzz_tensor.hpp"

#include <cstddef>
#include <cstdint>

distview::fuzz::Reached& distview::fuzz::reached() {
    static Reached counts;
    return counts;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    distview::fuzz::Input input(data, size);
    switch (input.below(3)) {
    case 0: distview::fuzz::fuzz_section(input); break;
    case 1: distview::fuzz::fuzz_array(input); break;
    default: distview::fuzz::fuzz_tensor(input); break;
    }
    return 0;
}
