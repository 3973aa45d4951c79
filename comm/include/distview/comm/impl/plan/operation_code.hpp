// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/combine.hpp>
#include <distview/comm/impl/mpi/call_line.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace distview::impl {

/// The operation of an execution (CallWord::operations), by which ranks of a node compare their calls. Runners have
/// overloads for operations of their own.
template <class Op>
constexpr std::uint16_t operation_code(const Op&) noexcept {
    std::size_t at = 0;
    while (at + 1 < CallWord::operations.size() && CallWord::operations[at] != operation_name<Op>)
        ++at;
    return static_cast<std::uint16_t>(at + 1);
}

} // namespace distview::impl
