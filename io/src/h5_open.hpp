// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "from_root.hpp"
#include "h5.hpp"
#include "raw_file.hpp"
#include "stored_array.hpp"

#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// A dataset of a file as rank 0 has found it and all ranks know it.
struct OpenField {
    StoredField field;            ///< with the axis of steps, if it has one
    bool is_plain = false;        ///< bytes are in the file as they are in memory, in one piece
    std::int64_t offset = 0;      ///< if they are
    std::int64_t block_bytes = 0; ///< of checksums; 0: there are none
    std::int64_t step_bytes = 0;  ///< see Blocks
    std::vector<std::uint64_t> sums;

    void put(Packed& packed) const;
    static OpenField get(Packed& packed);
};

H5Id open_h5_file(const H5Calls& calls, bool writable = false);

/// Room on the disk for what a file is about to grow by. HDF5 overwrites tables where they are: a disk that were full
/// halfway would leave a file that nobody can read. What is not used goes back at the end, after the file was closed.
class ReservedRoom {
public:
    /// Throws unless there is room for `growth` bytes of elements and for the tables of so many datasets. Where the file
    /// system cannot say so, nothing is done.
    ReservedRoom(const H5Calls& calls, std::int64_t growth, std::size_t datasets);
    ~ReservedRoom();
    ReservedRoom(const ReservedRoom&) = delete;
    ReservedRoom& operator=(const ReservedRoom&) = delete;

private:
    RawFile m_file;
    bool m_is_reserved = false;
};

/// An attribute, which takes or gives one number: others have what they like in its place.
H5Id open_number(const H5Calls& calls, hid_t object, const char* name, const std::string& what);

/// Looks at one dataset, not at its checksums. Throws UsageError if there is none of this name.
OpenField look_at_field(const H5Calls& calls, hid_t file, const std::string& name);

/// Adds the checksums; `step` >= 0: of that step. Once the field is what an array takes: the file may claim any size.
void look_at_sums(const H5Calls& calls, hid_t file, OpenField& open, std::int64_t step);

/// All datasets that are fields.
std::vector<StoredField> list_fields(const H5Calls& calls, hid_t file);

/// The times of steps; none if there are no steps.
std::vector<double> read_times(const H5Calls& calls, hid_t file);

/// Elements of a dataset by HDF5, which puts pieces together, decompresses and turns bytes around.
class H5Source : public ByteSource {
public:
    /// `step` >= 0: of that index along the first axis only.
    H5Source(const H5Calls& calls, const OpenField& field, std::int64_t step);
    void read(std::int64_t begin, std::int64_t end, void* to) const override;

private:
    void read_elements(std::int64_t first, std::int64_t last, void* to) const;

    H5Calls m_calls;
    std::string m_what;
    H5Id m_file;
    H5Id m_dataset;
    H5Id m_type;
    std::vector<std::int64_t> m_extents; ///< of a step, if there are steps
    std::int64_t m_element_bytes = 1;
    std::int64_t m_step = -1;
};

} // namespace distview::impl
