// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packed_attributes.hpp"

#include <cstdint>
#include <type_traits>
#include <variant>

namespace distview::impl {

void put_attributes(Packed& packed, const Attributes& attributes) {
    packed.put(static_cast<std::int64_t>(attributes.size()));
    for (const auto& [name, value] : attributes) {
        packed.put(name).put(static_cast<std::int64_t>(value.index()));
        std::visit([&](const auto& v) { packed.put(v); }, value);
    }
}

Attributes get_attributes(Packed& packed) {
    Attributes attributes;
    for (auto left = packed.get<std::int64_t>(); left > 0; --left) {
        const auto name = packed.get<std::string>();
        switch (packed.get<std::int64_t>()) {
        case 0: attributes[name] = packed.get<std::int64_t>(); break;
        case 1: attributes[name] = packed.get<double>(); break;
        case 2: attributes[name] = packed.get<std::string>(); break;
        case 3: attributes[name] = packed.get_all<std::int64_t>(); break;
        default: attributes[name] = packed.get_all<double>(); break;
        }
    }
    return attributes;
}

} // namespace distview::impl
