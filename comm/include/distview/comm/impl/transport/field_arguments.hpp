// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/transport/field.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace distview::impl {

/// Hash on which ranks agree when they bind arrays: CommunicatorState::digest_of() both lists.
std::optional<std::uint64_t> arrays_of(const CommunicatorState& state,
                                       std::span<const Field> fields,
                                       std::span<const Field> targets);
/// Number and types of the arrays, for an error.
std::vector<Argument> arguments_of(std::span<const Field> fields, std::span<const Field> targets);

} // namespace distview::impl
