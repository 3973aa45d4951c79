// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/mpi/communicator_state.hpp>
#include <distview/comm/impl/transport/peer_transports.hpp>
#include <distview/comm/impl/transport/persistent_messages.hpp>
#include <distview/comm/impl/tuning.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace distview::impl {

/// Rounds an offset up to a cache line, where messages, packs and the fields in them begin.
constexpr std::int64_t at_line(std::int64_t offset) {
    return (offset + tuning::cache_line - 1) / tuning::cache_line * tuning::cache_line;
}

/// Memory of packed elements, by rank: other ranks of the node read them there if the memory is shared.
class ReaderPacks {
public:
    /// Has no packs.
    ReaderPacks() = default;
    /// Allocates packs of `bytes`, by reader, in `shared`. If that is null or has no room: in private memory if
    /// `is_needed`, else nowhere.
    ReaderPacks(Arena* shared, const std::map<int, std::int64_t>& bytes, bool is_needed = false) {
        for (const auto& [reader, size] : bytes) {
            if (size == 0) continue; // an empty pack at the end would begin behind the memory
            m_begins[reader] = m_bytes;
            m_bytes += at_line(size);
        }
        if (m_bytes > 0 && shared) m_memory = shared->allocate(static_cast<std::size_t>(m_bytes));
        if (m_bytes > 0 && !m_memory && is_needed) m_memory = message_memory(m_bytes);
    }

    /// The pack of one reader; null if the reader has none, or if memory is lacking.
    char* of(int reader) const {
        const auto begin = m_begins.find(reader);
        if (begin == m_begins.end() || !m_memory) return nullptr;
        return static_cast<char*>(m_memory.get()) + begin->second;
    }
    /// Addresses of the packs, to send to the readers.
    OfferedPacks offer(const std::vector<int>& readers) const {
        OfferedPacks result{{}, m_bytes == 0 || m_memory};
        for (const int reader : readers) result.packs.push_back(of(reader));
        return result;
    }
    std::int64_t bytes() const noexcept { return m_memory ? m_bytes : 0; }
    const std::shared_ptr<void>& memory() const noexcept { return m_memory; }

private:
    std::map<int, std::int64_t> m_begins;
    std::int64_t m_bytes = 0;
    std::shared_ptr<void> m_memory;
};

} // namespace distview::impl
