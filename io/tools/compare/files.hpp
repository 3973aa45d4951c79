// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/communicator.hpp>
#include <distview/io.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace compare {

/// A field of a file; in a series, one step of it.
struct Field {
    std::string name; ///< empty for a .npy file
    distview::ElementType element{};
    std::vector<std::int64_t> shape;
    bool has_steps = false;
};

/// The contents of a file.
struct File {
    enum class Kind { hdf5, npy, npz };
    std::string path;
    Kind kind = Kind::hdf5;
    std::vector<Field> fields;
    distview::Attributes attributes;
    std::vector<double> times; ///< of the steps of a series

    const Field* find(const std::string& name) const;
};

/// Inspects a file; its first bytes determine its kind.
///
/// Collective: over comm
/// Errors:     distview::Error if the file cannot be read (thrown on all ranks)
File look_at(const distview::Communicator& comm, const std::string& path);

/// Fills an array from a field; in a series, from the field's step `step`.
///
/// Collective: over comm
/// Errors:     those of load_hdf5(), load_npy() and load_npz() (thrown on all ranks)
void load(const distview::Communicator& comm, const File& file, const Field& field,
          std::int64_t step, const distview::AnyDistView& array);

} // namespace compare
