// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "h5.hpp"
#include "stored_array.hpp"

#include <distview/io/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::impl {

/// The group of the datasets of checksums, which have the names of their fields.
inline constexpr const char* checksum_group = "distview_checksums";
inline constexpr const char* vtk_group = "VTKHDF";
inline constexpr const char* time_name = "time";

/// Bytes compressed at once: HDF5's cache for a dataset that is read piece by piece holds this many.
inline constexpr std::int64_t compressed_chunk_bytes = std::int64_t{1} << 20;
/// HDF5 chunks must be smaller than 4 GiB.
inline constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 30;

/// An array of a new file.
struct NewField {
    std::string name;
    ElementType element;
    std::vector<std::int64_t> shape; ///< of one step
    std::vector<AxisLayout> axes;    ///< for the labels of unstructured ones
    std::int64_t blocks = 0;         ///< checksums of one step; 0: none
    bool is_compressed = false;      ///< if so, written by write_compressed()
    StoredArray stored;              ///< its place in the file
    StoredArray sums;
};

/// Creates a new file on rank 0 from these parts, added in this order.
class H5Builder {
public:
    H5Builder(const H5Calls& calls, const std::string& name, const Hdf5Options& options);

    /// Adds a contiguous dataset, whose space in the file is allocated.
    void add_field(NewField& field);
    /// Adds a dataset whose first axis counts steps; it has no steps yet.
    void add_series_field(NewField& field);
    /// Names the axes of the added fields.
    void add_axes(const std::vector<NewField>& fields, bool has_steps);
    /// Makes fields that lie on the grid visible to VTK.
    void add_grid(const std::vector<NewField>& fields, bool has_steps);
    void add_attributes(const Attributes& attributes);
    /// Adds the times of steps: one dataset with two names.
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

/// The extents of the chunks in which a field's step is stored.
std::vector<std::int64_t> chunk_extents(const std::vector<std::int64_t>& shape,
                                        std::int64_t element_bytes, std::int64_t most_bytes);

/// Whether fields of this shape are on the grid. The first field with the grid's number of axes determines the shape.
bool is_on_grid(const UniformGrid& grid, const std::vector<std::int64_t>& shape,
                const std::vector<NewField>& fields);

/// Throws UsageError for names that fields of our HDF5 files cannot have.
void check_names(const std::string& caller, const std::vector<NamedArray>& arrays);

/// Throws UsageError for texts that contain NUL, at which HDF5 ends them.
void check_text(const std::string& caller, const char* what, const std::string& value);
void check_texts(const std::string& caller, const Attributes& attributes,
                 const std::vector<std::string>& axis_names);
/// Throws UsageError for names of axes that are invalid or conflict with other names in the file.
void check_axis_names(const std::string& caller, const std::vector<NamedArray>& arrays,
                      const std::vector<std::string>& axis_names);

} // namespace distview::impl
