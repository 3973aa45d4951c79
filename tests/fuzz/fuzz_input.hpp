// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace distview::fuzz {

/// Ends the program; a fuzzer counts this as a crash.
[[noreturn]] inline void fail(const std::string& what) {
    std::fprintf(stderr, "fuzz_protocol: %s\n", what.c_str());
    std::abort();
}
/// Checks a condition that must hold for any input.
inline void expect(bool condition, const char* what) {
    if (!condition) fail(what);
}

/// Reads numbers from the fuzzer's bytes. Beyond the end all bytes are 0.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : m_bytes(data, size) {}

    std::uint8_t byte() { return m_next < m_bytes.size() ? m_bytes[m_next++] : std::uint8_t{0}; }

    /// A number of [0, count).
    int below(int count) { return byte() % count; }

    /// Any number: small and edge numbers are encoded in one byte, others in nine.
    std::int64_t integer() {
        const int first = byte();
        if (first < 128) return first;
        if (first < 192) return 127 - first;
        if (first < 255) return edges[static_cast<std::size_t>(first - 192) % edges.size()];
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 8) value |= std::uint64_t{byte()} << shift;
        return static_cast<std::int64_t>(value);
    }
    std::int32_t integer32() { return static_cast<std::int32_t>(integer()); }

private:
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t one = 1;
    static constexpr std::array edges{most,
                                      most - 1,
                                      -most - 1,
                                      -most,
                                      most / 2,
                                      most / 2 + 1,
                                      one << 61,
                                      (one << 61) + 1,
                                      one << 60,
                                      one << 32,
                                      (one << 31) - 1,
                                      one << 31,
                                      -(one << 31),
                                      std::int64_t{3'037'000'500}};

    std::span<const std::uint8_t> m_bytes;
    std::size_t m_next = 0;
};

/// Writes the bytes from which an Input reads the same numbers.
class Output {
public:
    void byte(std::uint8_t value) { m_bytes.push_back(value); }
    void integer(std::int64_t value) {
        if (value >= 0 && value < 128) return byte(static_cast<std::uint8_t>(value));
        if (value < 0 && value >= -64) return byte(static_cast<std::uint8_t>(127 - value));
        byte(255);
        for (int shift = 0; shift < 64; shift += 8)
            byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> shift));
    }
    const std::vector<std::uint8_t>& bytes() const { return m_bytes; }

private:
    std::vector<std::uint8_t> m_bytes;
};

/// Counts how far the inputs of a run got. If all inputs were rejected at the first check, the run
/// would find nothing and still look successful.
struct Reached {
    std::int64_t sections = 0;       ///< passed to from_dap()
    std::int64_t sections_taken = 0; ///< accepted by from_dap()
    std::int64_t arrays = 0;         ///< passed to check_all()
    std::int64_t arrays_conform = 0; ///< accepted by check_all()
    std::int64_t arrays_changed = 0; ///< accepted although something had been changed
    std::int64_t tensors = 0;        ///< passed to from_dlpack()
    std::int64_t tensors_taken = 0;  ///< accepted by from_dlpack()
};
Reached& reached();

} // namespace distview::fuzz
