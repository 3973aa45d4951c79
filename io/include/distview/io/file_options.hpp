// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/element_type.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace distview {

/// An array with the name that it has in a file.
struct NamedArray {
    std::string name;
    AnyDistView array;
};

/// A number, a text or some numbers kept beside arrays.
using AttributeValue =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;
using Attributes = std::map<std::string, AttributeValue>;

/// A program's function that is told how far a file is: bytes of elements moved, and in all.
using FileProgress = std::function<void(std::int64_t, std::int64_t)>;

/// What all functions that move arrays to and from files take. Those that write have more; all are written by name:
///
///     load_npy(comm, "u.npy", u, {.progress = show});
struct FileOptions {
    /// Most bytes of one of a rank's buffers. There are at most four: what is written, what is sent and what arrives in
    /// messages, and a block of the checksums.
    std::int64_t buffer_bytes = std::int64_t{16} << 20;
    /// Whether to return only when the disk has the file, not just the system.
    bool sync = false;
    /// Called on rank 0 now and then, the last time with all bytes.
    FileProgress progress{};
};

/// An array of a file as its first bytes describe it.
struct StoredField {
    std::string name;
    ElementType element{};
    std::vector<std::int64_t> shape{};
    bool is_fortran_order = false; ///< bytes lie with the first axis fastest

    friend bool operator==(const StoredField&, const StoredField&) = default;
};

} // namespace distview
