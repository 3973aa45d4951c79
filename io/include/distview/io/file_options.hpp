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

/// An array and its name in a file.
struct NamedArray {
    std::string name;
    AnyDistView array;
};

/// A number, a text or several numbers stored beside arrays.
using AttributeValue =
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;
using Attributes = std::map<std::string, AttributeValue>;

/// A function of the program that receives a file's progress: bytes of elements moved so far, and in all.
using FileProgress = std::function<void(std::int64_t, std::int64_t)>;

/// Options of all functions that move arrays to and from files. Functions that write have more. Set options by name:
///
///     load_npy(comm, "u.npy", u, {.progress = show});
struct FileOptions {
    /// Maximum bytes of one buffer of a rank. A rank has at most four: for written elements, for messages sent, for
    /// messages received, and for a block of the checksums.
    std::int64_t buffer_bytes = std::int64_t{16} << 20;
    /// Whether to return only when the file is on the disk, not as soon as the system has accepted it.
    bool sync = false;
    /// Called on rank 0 from time to time, the last time with all bytes.
    FileProgress progress{};
};

/// An array in a file, as described by the first bytes of the file.
struct StoredField {
    std::string name;
    ElementType element{};
    std::vector<std::int64_t> shape{};
    bool is_fortran_order = false; ///< whether the first axis is the fastest in the file

    friend bool operator==(const StoredField&, const StoredField&) = default;
};

} // namespace distview
