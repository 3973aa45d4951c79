// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/element_type.hpp>

#include <distview/core/text.hpp>

namespace distview {

std::string describe(const ElementType& type) {
    const std::int64_t bits = 8 * type.bytes;
    switch (type.kind) {
    case ElementKind::signed_integer: return text("int", bits);
    case ElementKind::unsigned_integer: return text("uint", bits);
    case ElementKind::floating_point: return text("float", bits);
    case ElementKind::bfloat: return text("bfloat", bits);
    case ElementKind::complex: return text("complex", bits);
    case ElementKind::boolean: return type.bytes == 1 ? "bool" : text("bool", bits);
    case ElementKind::opaque: break;
    }
    return text(type.bytes, " opaque bytes");
}

} // namespace distview
