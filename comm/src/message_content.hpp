// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "owned_datatype.hpp"

#include <distview/comm/impl/persistent_messages.hpp>

#include <cstdint>

namespace distview::impl {

/// The unit of messages of more bytes than MPI counts.
constexpr auto message_line = static_cast<std::int64_t>(MessageBuffer::alignment);

constexpr std::int64_t message_lines(std::int64_t bytes) {
    return (bytes + message_line - 1) / message_line;
}

/// How MPI is told of a message: words in one run, or a datatype of its own.
class MessageContent {
public:
    using Message = PersistentMessages::Message;

    explicit MessageContent(const Message& message);
    /// In one run there, wherever the message itself lies.
    MessageContent(void* data, const Message& message);

    void* start() const noexcept { return m_start; }
    int count() const noexcept { return m_count; }
    MPI_Datatype type() const noexcept { return m_type; }

private:
    void* m_start;
    int m_count = 0;
    MPI_Datatype m_type = MPI_DATATYPE_NULL;
    OwnedDatatype m_line;
};

} // namespace distview::impl
