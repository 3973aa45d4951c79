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

/// A dataset of a file, as found by rank 0 and known to all ranks.
struct OpenField {
    StoredField field;            ///< with the axis of steps, if it has one
    bool is_plain = false;        ///< whether the file holds its bytes as in memory, in one piece
    std::int64_t offset = 0;      ///< position of these bytes, if is_plain
    std::int64_t block_bytes = 0; ///< bytes of a checksum's block; 0: no checksums
    std::int64_t step_bytes = 0;  ///< see Blocks
    std::vector<std::uint64_t> sums;

    void put(Packed& packed) const;
    static OpenField get(Packed& packed);
};

H5Id open_h5_file(const H5Calls& calls, bool writable = false);

/// Reserves disk space before a file grows. HDF5 overwrites tables in place: if the disk became full in between, the
/// file would be unreadable. Unused space is released at the end, after the file was closed.
class ReservedRoom {
public:
    /// Throws unless the disk has space for `growth` bytes of elements and for the tables of that many datasets. Does
    /// nothing if the file system cannot reserve space.
    ReservedRoom(const H5Calls& calls, std::int64_t growth, std::size_t datasets);
    ~ReservedRoom();
    ReservedRoom(const ReservedRoom&) = delete;
    ReservedRoom& operator=(const ReservedRoom&) = delete;

private:
    RawFile m_file;
    bool m_is_reserved = false;
};

/// Opens an attribute that must hold one number: other programs may store anything in its place.
H5Id open_number(const H5Calls& calls, hid_t object, const char* name, const std::string& what);

/// Inspects one dataset, but not its checksums. Throws UsageError if no dataset has this name.
OpenField look_at_field(const H5Calls& calls, hid_t file, const std::string& name);

/// Adds the checksums; `step` >= 0: of that step. Call it only if the field fits an array: the file may claim any size.
void look_at_sums(const H5Calls& calls, hid_t file, OpenField& open, std::int64_t step);

/// Lists all datasets that are fields.
std::vector<StoredField> list_fields(const H5Calls& calls, hid_t file);

/// Returns the times of steps; empty if the file has no steps.
std::vector<double> read_times(const H5Calls& calls, hid_t file);

/// Reads elements of a dataset through HDF5, which joins chunks, decompresses and swaps bytes.
class H5Source : public ByteSource {
public:
    /// `step` >= 0: reads only this index of the first axis.
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
