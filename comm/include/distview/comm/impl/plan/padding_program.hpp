// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/plan/exchange_parts.hpp>
#include <distview/comm/impl/plan/exchange_program.hpp>
#include <distview/comm/impl/transport/device_setting.hpp>
#include <distview/comm/impl/transport/field.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>

#include <span>

namespace distview::impl {

/// The program of a padding exchange of these fields.
///
/// Errors: UsageError if a message has more bytes than MPI counts
ExchangeProgram padding_program(ExchangeKind kind, int process, const ExchangeParts& parts,
                                std::span<const Field> fields, const PeerTransports& transports,
                                const SharedPack& shared_pack, const DeviceSetting& device);

} // namespace distview::impl
