// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HDF5 files made or changed by other programs: sizes that they claim must be checked against their actual contents.
#include "stored_fields.hpp"

#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

using HdfExtents = std::vector<hsize_t>;

/// Creates a dataset of any extents in pieces of 1024 elements, without writing any.
void claim(hid_t file, const char* name, hid_t type, const HdfExtents& extents) {
    const int axes = static_cast<int>(extents.size());
    const hid_t space = H5Screate_simple(axes, extents.data(), nullptr);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    HdfExtents piece(extents.size(), 1);
    piece.back() = std::min<hsize_t>(extents.back(), 1024);
    EXPECT_GE(H5Pset_chunk(creation, axes, piece.data()), 0);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    EXPECT_GE(H5Dclose(dataset), 0);
    H5Pclose(creation);
    H5Sclose(space);
}

/// Writes an integer attribute; replaces one of the same name.
void put_integers(hid_t object, const char* name, std::size_t count, std::int64_t value) {
    if (H5Aexists(object, name) > 0) {
        EXPECT_GE(H5Adelete(object, name), 0);
    }
    const hsize_t extent = count;
    const hid_t space = H5Screate_simple(1, &extent, nullptr);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const std::vector<std::int64_t> values(count + 1, value); // never empty: HDF5 needs an address
    EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT64, values.data()), 0);
    H5Aclose(attribute);
    H5Sclose(space);
}

class ClaimsTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("theirs.h5");
    Random random{41, 0};
    StoredSection u{world,
                    ArrayLayout(ProcessGrid{world.size()}, {block(10)}),
                    {ElementKind::floating_point, 8},
                    random};

    std::vector<NamedArray> fields() const { return {{"u", u.any()}}; }
    /// Opens or creates the file on rank 0. Collective.
    void with_file(bool is_new, const std::function<void(hid_t)>& use) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) {
            const hid_t file =
                is_new ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                       : H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
            EXPECT_GE(file, 0);
            use(file);
            EXPECT_GE(H5Fclose(file), 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    void with_dataset(const char* name, const std::function<void(hid_t)>& use) {
        with_file(false, [&](hid_t file) {
            const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
            EXPECT_GE(dataset, 0);
            use(dataset);
            H5Dclose(dataset);
        });
    }
    std::string names() const {
        std::string all;
        for (const StoredField& field : inspect_hdf5(world, path).fields) all += field.name + ' ';
        return all;
    }
};

TEST_F(ClaimsTest, of_many_numbers_in_place_of_one) {
    const std::string sums = "distview_checksums/u";
    save_hdf5(world, path, fields());
    for (const std::size_t count : {4096U, 0U}) {
        with_dataset(sums.c_str(), [&](hid_t d) { put_integers(d, "block_bytes", count, 64); });
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, fields()), Error,
                                  "with one number as 'block_bytes', got " + text(count));
    }
    StoredSection h(world, ArrayLayout(ProcessGrid{world.size(), 1}, {block(10), block(4)}),
                    {ElementKind::floating_point, 8}, random);
    const std::vector<NamedArray> on_grid{{"h", h.any()}};
    Hdf5Series film(world, path, on_grid, {}, {.grid = UniformGrid{.spacing = {1, 1}}});
    with_file(false, [](hid_t file) {
        const hid_t steps = H5Gopen2(file, "VTKHDF/Steps", H5P_DEFAULT);
        put_integers(steps, "NSteps", 4096, 0);
        H5Gclose(steps);
    });
    EXPECT_THROW_ON_ALL_RANKS(film.append(0, on_grid), Error,
                              "with one number as 'NSteps', got 4096");
}

TEST_F(ClaimsTest, of_more_than_is_there) {
    constexpr hsize_t many = hsize_t{1} << 61;
    for (const hsize_t extent : {many, hsize_t{1} << 32}) {
        with_file(true, [&](hid_t file) {
            claim(file, "time", H5T_IEEE_F64LE, {extent});
            const hid_t times = H5Dopen2(file, "time", H5P_DEFAULT);
            EXPECT_GE(H5DSset_scale(times, "time"), 0);
            H5Dclose(times);
        });
        EXPECT_THROW_ON_ALL_RANKS((void)inspect_hdf5(world, path), Error,
                                  "expected the times of '" + path +
                                      "' to have at most as many elements as");
    }
    // Dimensions without values, of netCDF say, have nothing stored.
    with_file(true, [&](hid_t file) {
        claim(file, "time", H5T_IEEE_F64LE, {5000});
        const hid_t times = H5Dopen2(file, "time", H5P_DEFAULT);
        EXPECT_GE(H5DSset_scale(times, "time"), 0);
        H5Dclose(times);
    });
    EXPECT_EQ(inspect_hdf5(world, path).times.size(), 5000U);

    // The shapes must be compared before memory of the claimed size is allocated.
    for (const hsize_t extent : {many, hsize_t{1} << 40}) {
        with_file(true, [&](hid_t file) {
            claim(file, "u", H5T_IEEE_F64LE, {extent});
            H5Gclose(H5Gcreate2(file, "distview_checksums", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            claim(file, "distview_checksums/u", H5T_STD_U64LE, {extent});
            const hid_t sums = H5Dopen2(file, "distview_checksums/u", H5P_DEFAULT);
            put_integers(sums, "block_bytes", 1, 8);
            H5Dclose(sums);
        });
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, fields()), ShapeError,
                                  text("got float64 of shape (", extent, ")"));
    }
}

TEST_F(ClaimsTest, to_be_for_VTK) {
    StoredSection h(world, ArrayLayout(ProcessGrid{world.size(), 1}, {block(10), block(4)}),
                    {ElementKind::floating_point, 8}, random);
    const Hdf5Options options{.grid = UniformGrid{.spacing = {1, 1}}};
    save_hdf5(world, path, {{"flow/h", h.any()}, {"u", u.any()}}, {}, options);
    EXPECT_EQ(names(), "flow/h u ");
    Hdf5Series film(world, path, {{"h", h.any()}}, {}, options);
    film.append(0, {{"h", h.any()}});
    EXPECT_EQ(names(), "h ");
    // A file like those of VTK's own writers: the data is in the VTKHDF group only.
    with_file(true, [](hid_t file) {
        const hid_t group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        const hid_t data = H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        claim(data, "pressure", H5T_IEEE_F32LE, {6, 7, 8});
        H5Gclose(data);
        H5Gclose(group);
    });
    EXPECT_EQ(names(), "VTKHDF/PointData/pressure ");
    StoredSection pressure(
        world, ArrayLayout(ProcessGrid{1, world.size(), 1}, {block(6), block(7), block(8)}),
        {ElementKind::floating_point, 4}, random);
    load_hdf5(world, path, {{"VTKHDF/PointData/pressure", pressure.any()}});
}

} // namespace

} // namespace distview::testing
