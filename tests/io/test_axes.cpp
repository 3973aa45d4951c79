// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes in HDF5 files: fields share the dimension scales of equal axes, and no others.
#include "stored_fields.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

class AxesTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("axes.h5");
    Random random{23, 0};

    StoredSection section(const std::vector<AxisSpec>& axes) {
        std::vector<int> grid(axes.size(), 1);
        grid[0] = world.size();
        return {
            world, ArrayLayout(ProcessGrid(grid), axes), {ElementKind::floating_point, 8}, random};
    }
    /// Six labels from `first` on, in steps of 10, dealt out cyclically to all ranks.
    AxisSpec labels_from(std::int64_t first) const {
        std::vector<std::vector<std::int64_t>> lists(static_cast<std::size_t>(world.size()));
        for (std::int64_t i = 0; i < 6; ++i)
            lists[static_cast<std::size_t>(i % world.size())].push_back(first + 10 * i);
        return unstructured(lists);
    }
};

herr_t take_name(hid_t, unsigned, hid_t scale, void* data) {
    std::string name(256, '\0');
    const ssize_t length = H5Iget_name(scale, name.data(), name.size());
    name.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    static_cast<std::vector<std::string>*>(data)->push_back(name);
    return 0;
}

/// Names of the dimension scales of a field, by axis.
std::vector<std::string> scales_of(const std::string& path, const char* field) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, field, H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    const int axes = H5Sget_simple_extent_ndims(space);
    std::vector<std::string> names;
    for (int d = 0; d < axes; ++d)
        EXPECT_GE(
            H5DSiterate_scales(dataset, static_cast<unsigned>(d), nullptr, &take_name, &names), 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return names;
}

template <class T>
std::vector<T> values_of(const std::string& path, const std::string& scale, hid_t type,
                         std::size_t count) {
    std::vector<T> values(count);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, scale.c_str(), H5P_DEFAULT);
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(dataset);
    H5Fclose(file);
    return values;
}

using Names = std::vector<std::string>;

TEST_F(AxesTest, of_the_same_labels_are_one) {
    StoredSection u = section({labels_from(5)});
    StoredSection v = section({labels_from(5)});
    StoredSection deep = section({labels_from(5), block(3)});
    StoredSection other = section({labels_from(6)});
    StoredSection plain = section({block(6)});
    const Hdf5Options options{.axis_names = {"cell", "z"}};
    const std::vector<NamedArray> fields{{"deep", deep.any()},
                                         {"other", other.any()},
                                         {"plain", plain.any()},
                                         {"u", u.any()},
                                         {"v", v.any()}};
    const auto check = [&](std::size_t steps) {
        if (rank() != 0) return;
        const auto of = [&](const char* field) {
            Names names = scales_of(path, field);
            EXPECT_EQ(names.size() > steps, true);
            names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(steps));
            return names;
        };
        EXPECT_EQ(of("deep"), (Names{"/cell", "/z"}));
        EXPECT_EQ(of("other"), Names{"/cell_6"});
        EXPECT_EQ(of("plain"), Names{"/cell_6_"});
        EXPECT_EQ(of("u"), Names{"/cell"});
        EXPECT_EQ(of("v"), Names{"/cell"});
        EXPECT_EQ(values_of<std::int64_t>(path, "cell", H5T_NATIVE_INT64, 6),
                  (std::vector<std::int64_t>{5, 15, 25, 35, 45, 55}));
        EXPECT_EQ(values_of<std::int64_t>(path, "cell_6", H5T_NATIVE_INT64, 6),
                  (std::vector<std::int64_t>{6, 16, 26, 36, 46, 56}));
    };
    save_hdf5(world, path, fields, {}, options);
    check(0);
    MPI_Barrier(MPI_COMM_WORLD);
    const Hdf5Series series(world, path, fields, {}, options);
    check(1);
}

TEST_F(AxesTest, have_places_for_fields_on_the_grid_in_any_order) {
    StoredSection h = section({block(80), block(60)});
    StoredSection profile = section({block(80)});
    StoredSection other = section({block(80)});
    const NamedArray a{"h", h.any()}, b{"profile", profile.any()}, c{"other", other.any()};
    const Hdf5Options options{.grid = UniformGrid{.spacing = {0.5, 2}}, .axis_names = {"y", "x"}};
    for (const std::vector<NamedArray>& fields :
         {std::vector<NamedArray>{a, b, c}, std::vector<NamedArray>{b, c, a},
          std::vector<NamedArray>{b, a, c}}) {
        SCOPED_TRACE(fields[0].name);
        save_hdf5(world, path, fields, {}, options);
        if (rank() == 0) {
            EXPECT_EQ(scales_of(path, "h"), (Names{"/y", "/x"}));
            EXPECT_EQ(scales_of(path, "profile"), Names{"/y_80"});
            EXPECT_EQ(scales_of(path, "other"), Names{"/y_80"});
            const std::vector<double> y = values_of<double>(path, "y", H5T_NATIVE_DOUBLE, 80);
            EXPECT_EQ(y[0], 0.25);
            EXPECT_EQ(y[79], 39.75);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

} // namespace

} // namespace distview::testing
