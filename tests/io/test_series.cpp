// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of steps: any element type and shape, appended in changing layouts and read back in others.
#include "stored_fields.hpp"

#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace distview::testing {

namespace {

class SeriesTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("series.h5");
};

/// Rank 0 recreates "f", which has no steps yet, with smaller pieces of `rows` rows along an axis, like the pieces of
/// larger arrays. Collective.
void cut_pieces(const std::string& path, std::size_t axis, std::int64_t rows) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "f", H5P_DEFAULT);
        const hid_t type = H5Dget_type(dataset);
        const hid_t space = H5Dget_space(dataset);
        const hid_t creation = H5Dget_create_plist(dataset);
        std::vector<hsize_t> piece(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
        const int axes = static_cast<int>(piece.size());
        EXPECT_EQ(H5Pget_chunk(creation, axes, piece.data()), axes);
        for (std::size_t d = 0; d < axis; ++d) piece[d + 1] = 1;
        piece[axis + 1] = static_cast<hsize_t>(rows);
        EXPECT_GE(H5Pset_chunk(creation, axes, piece.data()), 0);
        H5Dclose(dataset);
        EXPECT_GE(H5Ldelete(file, "f", H5P_DEFAULT), 0);
        const hid_t cut = H5Dcreate2(file, "f", type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        EXPECT_GE(H5Dclose(cut), 0);
        H5Pclose(creation);
        H5Sclose(space);
        H5Tclose(type);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(SeriesTest, steps_come_back_in_any_layout) {
    for_each_case(40, [&](Random& random, std::uint64_t) {
        std::vector<std::int64_t> shape;
        while (shape.empty()) shape = random_shape(random);
        const ElementType element = random_element(random);
        const std::uint64_t salt = random.bits();
        const std::int64_t steps = random.integer(1, 4);
        SCOPED_TRACE(text(describe(element), " of shape ", tuple_text(shape)));
        const auto section = [&] {
            return StoredSection(world, random_stored_layout(random, world.size(), shape), element,
                                 random);
        };
        Hdf5Options options;
        options.buffer_bytes = random.integer(1, 3000);
        // Blocks of checksums may end within elements, which have 3 or 12 bytes, too.
        options.checksum_bytes = random.chance(0.2) ? 0 : 8 * random.integer(1, 60);
        if (random.chance(0.3)) options.compression = static_cast<int>(random.integer(1, 10));
        StoredSection first = section();
        Hdf5Series series(world, path, {{"f", first.any()}}, {}, options);
        // Pieces of any number of rows; the last piece of each box may have fewer.
        if (options.compression == 0 && first.any().layout().size() > 0 && random.chance(0.6)) {
            const auto axis =
                static_cast<std::size_t>(random.integer(0, static_cast<int>(shape.size())));
            cut_pieces(path, axis, random.integer((shape[axis] + 3) / 4, shape[axis] + 1));
        }
        std::vector<double> times;
        for (std::int64_t step = 0; step < steps; ++step) {
            StoredSection next = section();
            next.fill(salt + static_cast<std::uint64_t>(step));
            times.push_back(0.5 * static_cast<double>(step));
            series.append(times.back(), {{"f", next.any()}});
        }
        EXPECT_EQ(series.steps(), steps);
        EXPECT_EQ(inspect_hdf5(world, path).times, times);
        for (const std::int64_t step : {steps - 1, std::int64_t{0}}) {
            StoredSection back = section();
            load_hdf5_step(world, path, step, {{"f", back.any()}}, options);
            EXPECT_TRUE(back.is_right(salt + static_cast<std::uint64_t>(step)));
        }
        StoredSection none = section();
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, steps, {{"f", none.any()}}),
                                  UsageError,
                                  text("expected a step below ", steps, " of field 'f'"));
    });
}

/// Rank 0 makes a dataset as other programs do: of any type, and without elements if there are no extents.
void put_foreign(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& extents) {
    const hid_t space = extents.empty() ? H5Screate(H5S_NULL)
                                        : H5Screate_simple(static_cast<int>(extents.size()),
                                                           extents.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dclose(dataset), 0);
    H5Sclose(space);
}

TEST_F(SeriesTest, what_others_call_time_is_no_time_of_steps) {
    const auto make = [&](const std::function<void(hid_t)>& fill) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) {
            const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
            put_foreign(file, "u", H5T_IEEE_F64LE, {3});
            fill(file);
            EXPECT_GE(H5Fclose(file), 0);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    };
    const auto names = [&] {
        std::string all;
        for (const StoredField& field : inspect_hdf5(world, path).fields) all += field.name + ' ';
        return all;
    };
    make([](hid_t file) {
        const hid_t characters = H5Tcopy(H5T_C_S1);
        EXPECT_GE(H5Tset_size(characters, 4), 0);
        put_foreign(file, "time", characters, {2});
        H5Tclose(characters);
    });
    EXPECT_EQ(names(), "u ");
    EXPECT_TRUE(inspect_hdf5(world, path).times.empty());
    make([](hid_t file) { put_foreign(file, "time", H5T_IEEE_F64LE, {2, 3}); });
    EXPECT_EQ(names(), "time u ");
    make([](hid_t file) {
        const hid_t group = H5Gcreate2(file, "time", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_foreign(group, "v", H5T_IEEE_F64LE, {2});
        H5Gclose(group);
    });
    EXPECT_EQ(names(), "time/v u ");
}

TEST_F(SeriesTest, datasets_without_elements_are_no_fields_and_great_numbers_stay_great) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        put_foreign(file, "none", H5T_IEEE_F64LE, {});
        const hid_t space = H5Screate(H5S_SCALAR);
        for (const auto& [name, value] :
             {std::pair{"most", ~std::uint64_t{0}}, std::pair{"few", std::uint64_t{7}}}) {
            const hid_t attribute =
                H5Acreate2(file, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
            EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_UINT64, &value), 0);
            H5Aclose(attribute);
        }
        H5Sclose(space);
        EXPECT_GE(H5Fclose(file), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const Hdf5Contents contents = inspect_hdf5(world, path);
    EXPECT_TRUE(contents.fields.empty());
    EXPECT_EQ(std::get<double>(contents.attributes.at("most")), 0x1p64);
    EXPECT_EQ(std::get<std::int64_t>(contents.attributes.at("few")), 7);
    Random random(17, 3);
    StoredSection section(world, random_stored_layout(random, world.size(), {3}),
                          {ElementKind::floating_point, 8}, random);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{"none", section.any()}}), ShapeError,
                              "got a dataset without elements");
}

TEST_F(SeriesTest, names_that_cannot_be_are_wrong_arguments) {
    Random random(17, 4);
    StoredSection section(world, random_stored_layout(random, world.size(), {3, 4}),
                          {ElementKind::floating_point, 8}, random);
    Hdf5Options options;
    options.grid = UniformGrid{.spacing = {1, 1}};
    EXPECT_THROW_ON_ALL_RANKS(
        save_hdf5(world, path, {{"flow/u", section.any()}, {"flow_u", section.any()}}, {}, options),
        UsageError, "got 'flow/u' and 'flow_u'");
    for (const char* const name : {"", ".", "VTKHDF", "f/x", "x//y", "time/x"}) {
        options.axis_names = {"y", name};
        EXPECT_THROW_ON_ALL_RANKS(save_hdf5(world, path, {{"f", section.any()}}, {}, options),
                                  UsageError, text("got '", name, "'"));
    }
}

/// Rank 0 flips a bit of byte `byte` of a dataset or of one of its chunks. Collective.
void flip_bit_of(const std::string& path, std::vector<hsize_t> chunk, std::int64_t byte) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "f", H5P_DEFAULT);
        unsigned mask = 0;
        haddr_t address = H5Dget_offset(dataset);
        hsize_t bytes = 0;
        if (!chunk.empty()) {
            EXPECT_GE(H5Dget_chunk_info_by_coord(dataset, chunk.data(), &mask, &address, &bytes),
                      0);
        }
        H5Dclose(dataset);
        H5Fclose(file);
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        const auto at = static_cast<std::streamoff>(address) + byte;
        stream.seekg(at);
        const char flipped = static_cast<char>(stream.get() ^ 4);
        stream.seekp(at);
        stream.put(flipped);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(SeriesTest, damage_is_told_with_its_step) {
    Random random(17, 0);
    const ElementType element{ElementKind::floating_point, 8};
    const std::vector<std::int64_t> shape{30, 20};
    StoredSection section(world, random_stored_layout(random, world.size(), shape), element,
                          random);
    Hdf5Options options;
    options.checksum_bytes = 256;
    Hdf5Series series(world, path, {{"f", section.any()}}, {}, options);
    for (std::uint64_t step = 0; step < 2; ++step) {
        section.fill(step);
        series.append(0, {{"f", section.any()}});
    }
    // Damages the second step, whose bytes begin with its chunk.
    flip_bit_of(path, {1, 0, 0}, 1000);
    load_hdf5_step(world, path, 0, {{"f", section.any()}});
    EXPECT_ON_ALL_RANKS(section.is_right(0));
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, 1, {{"f", section.any()}}), Error,
                              "damaged bytes among [768, 1024) of field 'f', step 1, of '" + path +
                                  "'");
    StoredSection all(world, random_stored_layout(random, world.size(), {2, 30, 20}), element,
                      random);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{"f", all.any()}}), Error,
                              "damaged bytes among [5568, 5824) of field 'f' of '" + path +
                                  "' (step 1): the checksum of block 22 of 38 differs");
}

TEST_F(SeriesTest, has_the_steps_that_are_whole) {
    Random random(17, 4);
    const ElementType element{ElementKind::floating_point, 8};
    StoredSection section(world, random_stored_layout(random, world.size(), {30, 20}), element,
                          random);
    Hdf5Series series(world, path, {{"f", section.any()}});
    section.fill(3);
    series.append(0, {{"f", section.any()}});
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) { // the state that a killed writer leaves
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "f", H5P_DEFAULT);
        const hsize_t extents[] = {2, 30, 20};
        EXPECT_GE(H5Dset_extent(dataset, extents), 0);
        H5Dclose(dataset);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(inspect_hdf5(world, path).fields.at(0).shape, (std::vector<std::int64_t>{1, 30, 20}));
    StoredSection all(world, random_stored_layout(random, world.size(), {1, 30, 20}), element,
                      random);
    load_hdf5(world, path, {{"f", all.any()}});
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, 1, {{"f", section.any()}}), UsageError,
                              "expected a step below 1 of field 'f'");
}

TEST_F(SeriesTest, is_locked_by_other_programs) {
    Random random(17, 5);
    StoredSection section(world, random_stored_layout(random, world.size(), {9}),
                          {ElementKind::floating_point, 8}, random);
    Hdf5Series series(world, path, {{"f", section.any()}});
    MPI_Barrier(MPI_COMM_WORLD);
    int reader = -1;
    if (rank() == 0) { // like readers that use HDF5
        reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        ASSERT_EQ(::flock(reader, LOCK_SH | LOCK_NB), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS(series.append(0, {{"f", section.any()}}), Error,
                              "got a file that another program has opened and locked");
    if (rank() == 0) ::close(reader);
    series.append(0, {{"f", section.any()}});
    EXPECT_EQ(inspect_hdf5(world, path).times.size(), 1U);
}

TEST_F(SeriesTest, a_step_of_an_array_that_was_saved_whole) {
    Random random(17, 6);
    const ElementType element{ElementKind::signed_integer, 4};
    StoredSection whole(world, random_stored_layout(random, world.size(), {4, 6, 5}), element,
                        random);
    whole.fill(8);
    save_hdf5(world, path, {{"f", whole.any()}});
    StoredSection again(world, random_stored_layout(random, world.size(), {1, 6, 5}), element,
                        random);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, 2, {{"f", again.any()}}), ShapeError,
                              "field 'f'");
    // Cell (2, i, j) of the array is element 60 + 5 i + j of the file.
    std::vector<std::int32_t> in_file(120);
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "f", H5P_DEFAULT);
        EXPECT_GE(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, in_file.data()),
                  0);
        H5Dclose(dataset);
        H5Fclose(file);
    }
    MPI_Bcast(in_file.data(), 120, MPI_INT32_T, 0, MPI_COMM_WORLD);
    const ArrayLayout rows(ProcessGrid{world.size(), 1}, {block(6), block(5)});
    const Kokkos::DefaultHostExecutionSpace exec;
    const auto step = make_dist_view<std::int32_t**, Kokkos::LayoutRight, Kokkos::HostSpace>(
        exec, "step", world, rows);
    load_hdf5_step(world, path, 2, {{"f", step}});
    const std::int64_t first = rows.axis(0).as_block().interior(world.rank()).begin.value();
    for (std::size_t i = 0; i < step.view().extent(0); ++i)
        for (std::size_t j = 0; j < 5; ++j)
            EXPECT_EQ(step.view()(i, j),
                      in_file[60 + 5 * (static_cast<std::size_t>(first) + i) + j]);
}

// A linked dataset lies in another file: its offset must not be used in this one.
TEST_F(SeriesTest, datasets_of_linked_files) {
    Random random(17, 7);
    const ElementType element{ElementKind::floating_point, 8};
    const auto section = [&] {
        return StoredSection(world, random_stored_layout(random, world.size(), {50, 10}), element,
                             random);
    };
    StoredSection from = section(), other = section(), to = section();
    from.fill(1);
    other.fill(2);
    const std::string linked = folder.file("linked.h5");
    save_hdf5(world, linked, {{"f", from.any()}});
    save_hdf5(world, path, {{"other", other.any()}});
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        EXPECT_GE(H5Lcreate_external("linked.h5", "/f", file, "f", H5P_DEFAULT, H5P_DEFAULT), 0);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    load_hdf5(world, path, {{"f", to.any()}});
    EXPECT_ON_ALL_RANKS(to.is_right(1));
}

TEST_F(SeriesTest, numbers_of_3_bytes_are_no_fields) {
    Random random(17, 8);
    StoredSection f(world, random_stored_layout(random, world.size(), {9}),
                    {ElementKind::floating_point, 8}, random);
    save_hdf5(world, path, {{"f", f.any()}});
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hsize_t extent = 9;
        const hid_t space = H5Screate_simple(1, &extent, nullptr);
        const hid_t integer = H5Tcopy(H5T_STD_I32LE);
        EXPECT_GE(H5Tset_size(integer, 3), 0);
        const hid_t floating = H5Tcopy(H5T_IEEE_F32LE);
        EXPECT_GE(H5Tset_fields(floating, 23, 15, 8, 0, 15), 0);
        EXPECT_GE(H5Tset_size(floating, 3), 0);
        for (const auto& [name, type] :
             {std::pair("int24", integer), std::pair("float24", floating)}) {
            const hid_t dataset =
                H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            EXPECT_GE(H5Dclose(dataset), 0);
            H5Tclose(type);
        }
        H5Sclose(space);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const Hdf5Contents contents = inspect_hdf5(world, path);
    EXPECT_EQ(contents.fields.size(), 1U);
    EXPECT_EQ(contents.fields.at(0).name, "f");
    for (const char* const name : {"int24", "float24"})
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{name, f.any()}}), ShapeError,
                                  text("expected numbers in field '", name, "' in '", path,
                                       "', got numbers of 3 bytes, which NumPy does not support"));
}

// HDF5 matches members of memory and file by name: it would read nothing from MATLAB's members real and imag.
TEST_F(SeriesTest, complex_numbers_of_other_names) {
    Random random(17, 9);
    const auto section = [&] {
        return StoredSection(world, random_stored_layout(random, world.size(), {40}),
                             {ElementKind::complex, 16}, random);
    };
    StoredSection z = section();
    z.fill(4);
    save_hdf5(world, path, {{"z", z.any()}});
    const std::array<std::pair<const char*, const char*>, 4> names{
        std::pair("real", "imag"), std::pair("x", "y"), std::pair("imag", "real"),
        std::pair("i", "r")};
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t ours = H5Dopen2(file, "z", H5P_DEFAULT);
        const hid_t space = H5Dget_space(ours);
        const hid_t type = H5Dget_type(ours);
        std::array<std::array<std::uint64_t, 2>, 40> bits{};
        EXPECT_GE(H5Dread(ours, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits.data()), 0);
        for (const auto& [first, second] : names) {
            const bool is_turned = first[0] == 'i';
            std::array<std::array<std::uint64_t, 2>, 40> numbers = bits;
            for (std::array<std::uint64_t, 2>& number : numbers)
                if (is_turned) std::swap(number[0], number[1]);
            const hid_t pair = H5Tcreate(H5T_COMPOUND, 16);
            EXPECT_GE(H5Tinsert(pair, first, 0, H5T_IEEE_F64LE), 0);
            EXPECT_GE(H5Tinsert(pair, second, 8, H5T_IEEE_F64LE), 0);
            const hid_t theirs =
                H5Dcreate2(file, first, pair, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            EXPECT_GE(H5Dwrite(theirs, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
            H5Dclose(theirs);
            H5Tclose(pair);
        }
        H5Tclose(type);
        H5Sclose(space);
        H5Dclose(ours);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (const auto& [first, second] : names) {
        SCOPED_TRACE(text(first, ", ", second));
        StoredSection back = section();
        load_hdf5(world, path, {{first, back.any()}});
        EXPECT_ON_ALL_RANKS(back.is_right(4));
    }
}

// h5py.opaque_dtype() marks NumPy's times by a tag, and HDF5 converts nothing between opaque types of different tags.
TEST_F(SeriesTest, bytes_with_a_tag) {
    Random random(17, 10);
    const auto section = [&] {
        return StoredSection(world, random_stored_layout(random, world.size(), {50}),
                             {ElementKind::opaque, 8}, random);
    };
    StoredSection times = section(), back = section();
    times.fill(4);
    save_hdf5(world, path, {{"times", times.any()}});
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        const hid_t ours = H5Dopen2(file, "times", H5P_DEFAULT);
        const hid_t space = H5Dget_space(ours);
        const hid_t untagged = H5Dget_type(ours);
        std::array<std::uint64_t, 50> bits{};
        EXPECT_GE(H5Dread(ours, untagged, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits.data()), 0);
        const hid_t tagged = H5Tcreate(H5T_OPAQUE, 8);
        EXPECT_GE(H5Tset_tag(tagged, "NUMPY:<M8[s]"), 0);
        const hid_t theirs =
            H5Dcreate2(file, "tagged", tagged, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(H5Dwrite(theirs, tagged, H5S_ALL, H5S_ALL, H5P_DEFAULT, bits.data()), 0);
        H5Dclose(theirs);
        H5Tclose(tagged);
        H5Tclose(untagged);
        H5Sclose(space);
        H5Dclose(ours);
        H5Fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(inspect_hdf5(world, path).fields.size(), 2U);
    load_hdf5(world, path, {{"tagged", back.any()}});
    EXPECT_ON_ALL_RANKS(back.is_right(4));
}

TEST_F(SeriesTest, checksums_of_blocks_of_any_size) {
    Random random(17, 11);
    const std::vector<std::int64_t> shape{30, 20};
    const auto section = [&](const std::vector<std::int64_t>& extents) {
        return StoredSection(world, random_stored_layout(random, world.size(), extents),
                             {ElementKind::floating_point, 8}, random);
    };
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    StoredSection f = section(shape), back = section(shape), all = section({2, 30, 20});
    for (const std::int64_t bytes : {most, most - 1, most / 2 + 1}) {
        SCOPED_TRACE(bytes);
        Hdf5Options options;
        options.checksum_bytes = bytes;
        f.fill(6);
        save_hdf5(world, path, {{"f", f.any()}}, {}, options);
        load_hdf5(world, path, {{"f", back.any()}});
        EXPECT_ON_ALL_RANKS(back.is_right(6));
        flip_bit_of(path, {}, 1000);
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{"f", back.any()}}), Error,
                                  "damaged bytes among [0, 4800) of field 'f' of");
        Hdf5Series series(world, path, {{"f", f.any()}}, {}, options);
        for (std::uint64_t step = 0; step < 2; ++step) {
            f.fill(step);
            series.append(0, {{"f", f.any()}});
        }
        load_hdf5(world, path, {{"f", all.any()}});
        flip_bit_of(path, {1, 0, 0}, 1000);
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{"f", all.any()}}), Error,
                                  "damaged bytes among [4800, 9600) of field 'f' of");
    }
}

TEST_F(SeriesTest, of_other_steps_on_other_ranks_are_refused) {
    if (world.size() == 1) return; // needs another rank
    Random random(17, 12);
    StoredSection f(world, random_stored_layout(random, world.size(), {30, 20}),
                    {ElementKind::floating_point, 8}, random);
    Hdf5Series series(world, path, {{"f", f.any()}});
    for (std::uint64_t step = 0; step < 2; ++step) {
        f.fill(step);
        series.append(0, {{"f", f.any()}});
    }
    const int last = world.size() - 1;
    const auto differs = [&](const std::string& what) {
        return text("expected the same arguments on all ranks, those of rank ", last,
                    " differ from those of rank 0: ", what);
    };
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, rank() == last ? 1 : 0, {{"f", f.any()}}),
                              UsageError, differs(text("step is 1 on rank ", last)));
    EXPECT_ON_ALL_RANKS(f.is_right(1));

    // Paths that differ between ranks, to files that exist.
    const std::string other = folder.file("other.h5");
    const std::string mine = rank() == last ? other : path;
    const std::vector<NamedArray> one{{"f", f.any()}};
    save_hdf5(world, path, one);
    save_hdf5(world, other, one);
    const std::vector<std::string> names = folder.names();
    const std::string error = differs(text("path is '", other, "' on rank ", last));
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, mine, one), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(save_hdf5(world, mine, one), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(Hdf5Series(world, mine, one), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(Checkpoint(world, mine).save(one), UsageError, error);
    EXPECT_EQ(folder.names(), names);
    save_npy(world, path, f.any());
    save_npy(world, other, f.any());
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, mine, f.any()), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(save_npy(world, mine, f.any()), UsageError, error);
    save_npz(world, path, one);
    save_npz(world, other, one);
    EXPECT_THROW_ON_ALL_RANKS(load_npz(world, mine, one), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(save_npz(world, mine, one), UsageError, error);
    EXPECT_EQ(folder.names(), names);
}

TEST_F(SeriesTest, checksums_of_more_than_is_hashed_at_once) {
    // The hash works on pieces that end within elements of 3 bytes.
    Random random(17, 2);
    const auto section = [&] {
        return StoredSection(world, random_stored_layout(random, world.size(), {1000, 301}),
                             {ElementKind::opaque, 3}, random);
    };
    StoredSection from = section(), to = section();
    from.fill(5);
    Hdf5Series series(world, path, {{"f", from.any()}});
    series.append(0, {{"f", from.any()}});
    load_hdf5_step(world, path, 0, {{"f", to.any()}});
    EXPECT_ON_ALL_RANKS(to.is_right(5));
    flip_bit_of(path, {0, 0, 0}, 902999);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, 0, {{"f", to.any()}}), Error,
                              "damaged bytes among [0, 903000) of field 'f', step 0, of");
    StoredSection again = section();
    save_hdf5(world, path, {{"f", from.any()}});
    load_hdf5(world, path, {{"f", again.any()}});
    EXPECT_ON_ALL_RANKS(again.is_right(5));
    flip_bit_of(path, {}, 600000);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{"f", again.any()}}), Error,
                              "damaged bytes among [0, 903000) of field 'f' of");
}

struct Pieces {
    std::vector<hsize_t> extents{0, 0, 0, 0};
    int filters = 0;
};
/// Piece extents and filters of the dataset "f" with `axes` axes.
Pieces pieces_of(const std::string& path, std::size_t axes) {
    Pieces pieces;
    pieces.extents.resize(axes);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "f", H5P_DEFAULT);
    const hid_t creation = H5Dget_create_plist(dataset);
    EXPECT_EQ(H5Pget_chunk(creation, static_cast<int>(axes), pieces.extents.data()),
              static_cast<int>(axes));
    pieces.filters = H5Pget_nfilters(creation);
    H5Pclose(creation);
    H5Dclose(dataset);
    H5Fclose(file);
    return pieces;
}

TEST_F(SeriesTest, of_many_compressed_pieces) {
    Random random(17, 3);
    // Pieces of 1 MiB are 327 rows: each of the two boxes has pieces of 327, 327 and 46 rows.
    const auto section = [&] {
        return StoredSection(world, random_stored_layout(random, world.size(), {2, 700, 400}),
                             {ElementKind::floating_point, 8}, random);
    };
    StoredSection from = section(), film = section();
    from.fill(5);
    film.fill(6);
    const Hdf5Options options{.compression = 1};
    save_hdf5(world, path, {{"f", from.any()}}, {}, options);
    StoredSection to = section();
    load_hdf5(world, path, {{"f", to.any()}});
    EXPECT_ON_ALL_RANKS(to.is_right(5));
    if (rank() == 0) {
        const Pieces pieces = pieces_of(path, 3);
        EXPECT_EQ(pieces.extents, (std::vector<hsize_t>{1, 327, 400}));
        EXPECT_EQ(pieces.filters, 2); // shuffle, deflate
    }
    Hdf5Series series(world, path, {{"f", from.any()}}, {}, options);
    series.append(0.0, {{"f", from.any()}});
    series.append(0.5, {{"f", film.any()}});
    load_hdf5_step(world, path, 1, {{"f", to.any()}});
    EXPECT_ON_ALL_RANKS(to.is_right(6));
    load_hdf5_step(world, path, 0, {{"f", to.any()}});
    EXPECT_ON_ALL_RANKS(to.is_right(5));
    if (rank() == 0) {
        EXPECT_EQ(pieces_of(path, 4).extents, (std::vector<hsize_t>{1, 1, 327, 400}));
        EXPECT_EQ(folder.names(), std::vector<std::string>{"series.h5"});
    }
    EXPECT_THROW_ON_ALL_RANKS(save_hdf5(world, path, {{"f", from.any()}}, {}, {.compression = 10}),
                              UsageError, "expected a compression of 0 (none) to 9, got 10");
}

TEST_F(SeriesTest, says_what_does_not_fit) {
    Random random(17, 1);
    const ElementType element{ElementKind::floating_point, 8};
    const auto section = [&](const std::vector<std::int64_t>& shape) {
        return StoredSection(world, random_stored_layout(random, world.size(), shape), element,
                             random);
    };
    StoredSection f = section({6, 5}), other = section({6, 6});
    Hdf5Series series(world, path, {{"f", f.any()}});
    EXPECT_THROW_ON_ALL_RANKS(series.append(0, {{"g", f.any()}}), UsageError,
                              "expected the array 'f', as at construction, got 'g'");
    EXPECT_THROW_ON_ALL_RANKS(series.append(0, {}), UsageError, "expected 1 arrays");
    EXPECT_THROW_ON_ALL_RANKS(series.append(0, {{"f", other.any()}}), ShapeError,
                              "expected float64 of shape (6, 6)");
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, 0, {{"f", f.any()}}), UsageError,
                              "expected a step below 0");
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, path, -1, {{"f", f.any()}}), UsageError,
                              "expected a step of at least 0, got -1");
    EXPECT_EQ(series.steps(), 0);
    series.append(1.5, {{"f", f.any()}});
    EXPECT_EQ(series.steps(), 1);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"series.h5"}));
}

} // namespace

} // namespace distview::testing
