// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fuzz_input.hpp"

#include <distview/dap.h>

#include <array>
#include <cstdint>
#include <vector>

namespace distview::fuzz {

/// A section made from bytes, as a C producer might pass it. Each pointer is NULL or points to as
/// many elements as the section's counts state; a consumer may rely on nothing else.
class FuzzSection {
public:
    explicit FuzzSection(Input& input);
    FuzzSection(const FuzzSection&) = delete;
    FuzzSection& operator=(const FuzzSection&) = delete;

    distview_dap_section* get() { return &m_section; }
    int released() const { return m_released; }

private:
    void read_dim(Input& input, std::size_t axis);

    static constexpr std::size_t most_axes = 10;

    distview_dap_section m_section{};
    std::array<distview_dap_dim, most_axes> m_dims{};
    std::array<std::int64_t, most_axes> m_extents{};
    std::array<std::int64_t, most_axes> m_strides{};
    std::array<std::vector<std::int64_t>, most_axes> m_indices{};
    double m_element = 0;
    int m_released = 0;
};

/// Encodes a section as the bytes from which FuzzSection makes the same section.
std::vector<std::uint8_t> encode(const distview_dap_section& section);

/// Imports one process's section with from_dap, and exports and checks the result in all ways.
void fuzz_section(Input& input);

} // namespace distview::fuzz
