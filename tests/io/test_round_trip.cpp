// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stored_fields.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

namespace distview::testing {

namespace {

/// One array, written by some ranks in one layout and read by other ranks in another layout.
struct Trip {
    std::vector<std::int64_t> shape;
    ElementType element;
    int writers = 1;
    int readers = 1;
    ArrayLayout from;
    ArrayLayout to;
    std::uint64_t salt = 0;

    explicit Trip(Random& random) : shape(random_shape(random)), element(random_element(random)) {
        const auto draw_ranks = [&] {
            return shape.empty() ? 1 : static_cast<int>(random.integer(1, rank_count() + 1));
        };
        writers = draw_ranks();
        readers = draw_ranks();
        from = random_stored_layout(random, writers, shape);
        to = random_stored_layout(random, readers, shape);
        salt = random.bits();
    }
    std::string describe() const {
        return text(distview::describe(element), " of shape ", tuple_text(shape), "\n", writers,
                    " ranks: ", from.describe(), "\n", readers, " ranks: ", to.describe());
    }
};

std::int64_t draw_buffer(Random& random) {
    return random.chance(0.5) ? random.integer(1, 3000) : std::int64_t{1} << 20;
}

/// The dataset, read by HDF5 itself.
std::vector<unsigned char> read_by_hdf5(const std::string& path, std::size_t bytes) {
    std::vector<unsigned char> result(bytes);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "group/field", H5P_DEFAULT);
    const hid_t type = H5Dget_type(dataset);
    EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.data()), 0);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
    return result;
}

std::size_t byte_count(const Trip& trip) {
    std::int64_t bytes = trip.element.bytes;
    for (const std::int64_t extent : trip.shape) bytes *= extent;
    return static_cast<std::size_t>(bytes);
}

TEST(RoundTrip, hdf5_of_any_layout_and_ranks) {
    const SharedFolder folder;
    const std::string path = folder.file("trip.h5");
    set_test_timeout(600);
    for_each_case(campaign_cases(60), [&](Random& random, std::uint64_t) {
        const Trip trip(random);
        SCOPED_TRACE(trip.describe());
        Hdf5Options options;
        options.buffer_bytes = draw_buffer(random);
        // Whole numbers of elements or not: blocks of checksums know of bytes only.
        options.checksum_bytes = random.chance(0.2) ? 0 : 8 * random.integer(1, 60);
        if (random.chance(0.25)) options.compression = static_cast<int>(random.integer(1, 10));
        if (const FirstRanks writers(trip.writers); writers) {
            StoredSection section(writers.comm(), trip.from, trip.element, random);
            section.fill(trip.salt);
            save_hdf5(writers.comm(), path, {{"group/field", section.any()}}, {}, options);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) {
            const std::vector<unsigned char> bytes = read_by_hdf5(path, byte_count(trip));
            EXPECT_TRUE(are_in_c_order(bytes, trip.element, trip.shape, trip.salt));
        }
        if (const FirstRanks readers(trip.readers); readers) {
            StoredSection section(readers.comm(), trip.to, trip.element, random);
            load_hdf5(readers.comm(), path, {{"group/field", section.any()}}, options);
            EXPECT_TRUE(section.is_right(trip.salt));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
}

// The names of rank 0 count: with two arrays the other way round, each dataset would hold parts of both.
TEST(RoundTrip, hdf5_takes_the_same_arrays_and_paths_on_all_ranks) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    if (world.size() == 1) return;
    const auto make = [&](const char* label) {
        return make_dist_view<double*>(Kokkos::DefaultHostExecutionSpace(), label, world,
                                       ArrayLayout(ProcessGrid{world.size()}, {block(9)}));
    };
    const auto u = make("u"), v = make("v");
    const bool is_last = rank() == world.size() - 1;
    const std::vector<NamedArray> right{{"u", u}, {"v", v}}, turned{{"v", v}, {"u", u}};
    const std::string path = folder.file("u.h5"), other = folder.file("v.h5");
    save_hdf5(world, path, right);
    save_hdf5(world, other, right);
    const std::string same = "expected the same arrays, in the same order, on all ranks";
    EXPECT_THROW_ON_ALL_RANKS(save_hdf5(world, path, is_last ? turned : right), UsageError, same);
    EXPECT_THROW_ON_ALL_RANKS(
        load_hdf5(world, path, {{"u", is_last ? v : u}, {"v", is_last ? u : v}}), UsageError, same);
    EXPECT_THROW_ON_ALL_RANKS((void)inspect_hdf5(world, is_last ? other : path), UsageError,
                              "path is");
}

// HDF5's default stores times of creation and change in seconds.
TEST(RoundTrip, equal_data_make_equal_hdf5_files_at_any_time) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    Random random(29, 0);
    StoredSection section(world, ArrayLayout(ProcessGrid{world.size(), 1}, {block(40), block(9)}),
                          {ElementKind::floating_point, 8}, random);
    const auto save = [&](const char* name) {
        save_hdf5(world, folder.file(name), {{"u", section.any()}, {"group/v", section.any()}},
                  {{"time", 1.5}},
                  {.grid = UniformGrid{.spacing = {0.5, 2}}, .axis_names = {"y", "x"}});
    };
    save("one.h5");
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    save("other.h5");
    const auto bytes_of = [&](const char* name) {
        std::ifstream file(folder.file(name), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_FALSE(bytes_of("one.h5").empty());
    EXPECT_TRUE(bytes_of("one.h5") == bytes_of("other.h5"));
    MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

} // namespace distview::testing
