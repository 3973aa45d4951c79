// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/field_arguments.hpp>

#include <distview/core/element_type.hpp>
#include <distview/core/text.hpp>

namespace distview::impl {

std::optional<std::uint64_t> arrays_of(const CommunicatorState& state,
                                       std::span<const Field> fields,
                                       std::span<const Field> targets) {
    std::vector<std::uint64_t> identities;
    for (const auto& side : {fields, targets})
        for (const Field& field : side) identities.push_back(field.identity);
    return state.digest_of(identities);
}

std::vector<Argument> arguments_of(std::span<const Field> fields, std::span<const Field> targets) {
    std::vector<Argument> result{{"number of arrays", text(fields.size() + targets.size())}};
    for (const auto& side : {fields, targets})
        for (const Field& field : side)
            result.push_back({text("element type of array ", result.size() - 1),
                              describe(ElementType{static_cast<ElementKind>(field.element_code % 8),
                                                   field.element_size})});
    return result;
}

} // namespace distview::impl
