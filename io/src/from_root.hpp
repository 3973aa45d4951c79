// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace distview::impl {

/// Values stored one after the other, read in the same order.
class Packed {
public:
    Packed() = default;
    explicit Packed(std::string bytes) : m_bytes(std::move(bytes)) {}
    const std::string& bytes() const noexcept { return m_bytes; }

    template <class T>
        requires std::is_trivially_copyable_v<T>
    Packed& put(const T& value) {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
        return *this;
    }
    Packed& put(const std::string& value) {
        put(static_cast<std::int64_t>(value.size()));
        m_bytes += value;
        return *this;
    }
    template <class T>
    Packed& put(const std::vector<T>& values) {
        put(static_cast<std::int64_t>(values.size()));
        for (const T& value : values) put(value);
        return *this;
    }

    template <class T>
    T get() {
        if constexpr (std::is_same_v<T, std::string>) {
            const auto size = static_cast<std::size_t>(get<std::int64_t>());
            return {take(size), size};
        } else {
            T value{};
            std::memcpy(&value, take(sizeof(T)), sizeof(T));
            return value;
        }
    }
    template <class T>
    std::vector<T> get_all() {
        std::vector<T> values;
        for (auto left = get<std::int64_t>(); left > 0; --left) values.push_back(get<T>());
        return values;
    }

private:
    /// The address of the next `size` bytes.
    const char* take(std::size_t size) {
        require<Error>(size <= m_bytes.size() - m_at, [&] {
            return text("Packed: expected ", size, " more bytes, got ", m_bytes.size() - m_at);
        });
        m_at += size;
        return m_bytes.data() + m_at - size;
    }

    std::string m_bytes;
    std::size_t m_at = 0;
};

/// Runs `pack` on rank 0, and returns `unpack(the result)` on all ranks, or throws the error of either on all ranks.
/// Collective.
template <class Pack, class Unpack>
auto from_root(const Communicator& comm, const std::string& caller, const Pack& pack,
               const Unpack& unpack) {
    std::string bytes = agree_on(comm, caller.c_str(),
                                 [&] { return comm.rank() == 0 ? pack().bytes() : std::string(); });
    auto size = static_cast<std::int64_t>(bytes.size());
    broadcast(comm, 0, std::as_writable_bytes(std::span(&size, 1)));
    // Without memory on one rank, no rank begins the broadcast.
    agree_on(comm, caller.c_str(), [&] { bytes.resize(static_cast<std::size_t>(size)); });
    broadcast(comm, 0, std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
    return agree_on(comm, caller.c_str(), [&] { // unpacking takes memory
        Packed packed(std::move(bytes));
        return unpack(packed);
    });
}

/// Replaces values that determine the ranks' joint actions by rank 0's values. Collective.
template <class... Values>
    requires(std::is_trivially_copyable_v<Values> && ...)
void take_from_root(const Communicator& comm, Values&... values) {
    (broadcast(comm, 0, std::as_writable_bytes(std::span(&values, 1))), ...);
}

} // namespace distview::impl
