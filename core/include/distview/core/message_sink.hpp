// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string_view>

namespace distview {

enum class Severity { info, warning };

/// Receives what the library has to say; called on the process and thread where it happens.
using MessageSink = std::function<void(Severity, std::string_view message)>;

/// Sets where the library's messages go and returns the former sink.
///
/// The library is silent by default and never prints. An exception that the sink throws is dropped.
///
/// Collective: no (local); thread-safe
MessageSink set_message_sink(MessageSink sink);

/// Hands a message to the sink; returns whether there is one.
bool report(Severity severity, std::string_view message) noexcept;

} // namespace distview
