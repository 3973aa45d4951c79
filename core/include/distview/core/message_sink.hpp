// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string_view>

namespace distview {

enum class Severity { info, warning };

/// Receives the library's messages; called on the process and thread on which the message arises.
using MessageSink = std::function<void(Severity, std::string_view message)>;

/// Sets the sink of the library's messages and returns the former sink.
///
/// The library is silent by default and never prints. An exception that the sink throws is dropped.
///
/// Collective: no (local); thread-safe
MessageSink set_message_sink(MessageSink sink);

/// Passes a message to the sink; returns whether a sink is set.
bool report(Severity severity, std::string_view message) noexcept;

} // namespace distview
