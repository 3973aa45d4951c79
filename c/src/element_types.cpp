// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "element_types.hpp"

namespace distview::c {

void throw_element(const char* function, const char* expected, const ElementType& element) {
    throw ShapeError(
        text(function, ": expected elements that are ", expected, ", got ", describe(element)));
}

} // namespace distview::c
