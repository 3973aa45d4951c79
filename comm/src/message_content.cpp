// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message_content.hpp"

#include <distview/comm/mpi_error.hpp>
#include <distview/core/text.hpp>

#include <utility>

namespace distview::impl {

MPI_Datatype word_type(std::int64_t bytes) {
    switch (bytes) {
    case 1: return MPI_BYTE;
    case 2: return MPI_UINT16_T;
    case 4: return MPI_UINT32_T;
    case 8: return MPI_UINT64_T;
    default: throw Error(text("word_type: a word has 1, 2, 4 or 8 bytes, not ", bytes));
    }
}

int word_count(std::int64_t bytes, std::int64_t word) {
    require<Error>(word > 0 && bytes % word == 0, [&] {
        return text("word_count: ", bytes, " bytes do not consist of words of ", word, " bytes");
    });
    return static_cast<int>(bytes / word);
}

MessageContent::MessageContent(const Message& message) : MessageContent(message.data, message) {
    if (!message.datatype) return;
    m_start = MPI_BOTTOM;
    m_count = 1;
    m_type = *message.datatype;
}

MessageContent::MessageContent(void* data, const Message& message)
    : m_start(data), m_type(word_type(message.word)) {
    if (std::in_range<int>(message.bytes)) {
        m_count = word_count(message.bytes, message.word);
        return;
    }
    m_count = static_cast<int>(message_lines(message.bytes));
    check_mpi(MPI_Type_contiguous(static_cast<int>(message_line), MPI_BYTE, m_line.address()),
              "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(m_line.address()), "MPI_Type_commit");
    m_type = m_line.get();
}

} // namespace distview::impl
