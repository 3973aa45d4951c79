// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "h5.hpp"
#include "stored_array.hpp"

#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// Datasets of checksums are in a group of this name, called like the fields.
inline constexpr const char* checksum_group = "distview_checksums";
inline constexpr const char* vtk_group = "VTKHDF";
inline constexpr const char* time_name = "time";

/// What is compressed at once: as much as HDF5 keeps of a dataset that is read piece by piece.
inline constexpr std::int64_t compressed_chunk_bytes = std::int64_t{1} << 20;
/// A chunk of HDF5 has less than 4 GiB.
inline constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 30;

/// An array of a new file.
struct NewField {
    std::string name;
    ElementType element;
    std::vector<std::int64_t> shape; ///< of one step
    std::vector<AxisLayout> axes;    ///< for the labels of unstructured ones
    std::int64_t blocks = 0;         ///< checksums of one step; 0: none
    bool is_compressed = false;      ///< and written by write_compressed()
    StoredArray stored;              ///< where it is
    StoredArray sums;
};

/// A new file on rank 0, made of these pieces in this order.
class H5Builder {
public:
    H5Builder(const H5Calls& calls, const std::string& name, const Hdf5Options& options);

    /// Contiguous, with room in the file.
    void add_field(NewField& field);
    /// With a first axis of steps, of which there are none yet.
    void add_series_field(NewField& field);
    /// Names the axes of what was added.
    void add_axes(const std::vector<NewField>& fields, bool has_steps);
    /// Shows fields that lie on the grid to VTK.
    void add_grid(const std::vector<NewField>& fields, bool has_steps);
    void add_attributes(const Attributes& attributes);
    /// The times of steps: one dataset with two names.
    void add_times();
    void close();

private:
    H5Id create_dataset(const std::string& name, const ElementType& element,
                        const std::vector<std::int64_t>& shape, bool has_steps,
                        bool is_compressed = false);
    void add_sums(NewField& field, bool has_steps);
    H5Id scale_of(int axis, const NewField& field);

    const H5Calls& m_calls;
    const Hdf5Options& m_options;
    H5Id m_file;
    struct Scale {
        int axis = 0;
        std::int64_t extent = 0;
        bool has_places = false;
        const std::int64_t* labels = nullptr; ///< of an array that outlives the builder; null: none
        std::string name;
    };
    std::vector<Scale> m_scales;
};

/// The chunks that a field's step is kept in.
std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& shape,
                                        std::int64_t element_bytes, std::int64_t most_bytes);

/// Whether fields of this shape are on the grid, the first field that can be giving the shape.
bool is_on_grid(const UniformGrid& grid, const std::vector<std::int64_t>& shape,
                const std::vector<NewField>& fields);

/// Throws UsageError for names that an HDF5 file of ours cannot have.
void check_names(const std::string& caller, const std::vector<NamedArray>& arrays);

/// Throws UsageError for texts with NUL, where HDF5 ends them.
void check_text(const std::string& caller, const char* what, const std::string& value);
void check_texts(const std::string& caller, const Attributes& attributes,
                 const std::vector<std::string>& axis_names);
/// Throws UsageError for names of axes that cannot be beside the fields.
void check_axis_names(const std::string& caller, const std::vector<NamedArray>& arrays,
                      const std::vector<std::string>& axis_names);

} // namespace distview::impl
