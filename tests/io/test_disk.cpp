// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the disk at any moment: this program replaces fsync(), rename() and others by versions that check it first.
#include "stored_fields.hpp"

#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace {

/// Hooks: on_sync() and on_read() run after each fsync() and pread(), on_names() before each change of a name.
std::function<void(int)>& on_sync() {
    static std::function<void(int)> function;
    return function;
}
std::function<void(int)>& on_read() {
    static std::function<void(int)> function;
    return function;
}
std::function<void()>& on_names() {
    static std::function<void()> function;
    return function;
}
bool has_links = true;

template <class Function>
Function* next(Function*, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void names_change() {
    if (on_names()) on_names()();
}

} // namespace

extern "C" {
int fsync(int descriptor) {
    const int status = next(&::fsync, "fsync")(descriptor);
    if (on_sync()) on_sync()(descriptor);
    return status;
}
ssize_t pread(int descriptor, void* to, std::size_t bytes, off_t offset) {
    const ssize_t count = next(&::pread, "pread")(descriptor, to, bytes, offset);
    if (on_read()) on_read()(descriptor);
    return count;
}
int rename(const char* from, const char* to) noexcept {
    names_change();
    return next(&::rename, "rename")(from, to);
}
int link(const char* from, const char* to) noexcept {
    names_change();
    if (!has_links) {
        errno = EPERM;
        return -1;
    }
    return next(&::link, "link")(from, to);
}
int unlink(const char* path) noexcept {
    names_change();
    return next(&::unlink, "unlink")(path);
}
}

namespace distview::testing {

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

ino_t number_of(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

class DiskTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("run.h5");
    Random random{29, 0};
    StoredSection u{world,
                    ArrayLayout(ProcessGrid{world.size(), 1}, {block(31), block(17)}),
                    {ElementKind::floating_point, 8},
                    random};

    std::vector<NamedArray> fields() const { return {{"u", u.any()}}; }
    void save(const Checkpoint& checkpoint, std::uint64_t step) {
        u.fill(step);
        checkpoint.save(fields());
    }
    bool has(const std::string& file, std::uint64_t step) {
        u.fill(1000);
        (void)Checkpoint(world, file).load(fields());
        return u.is_right(step);
    }
    void TearDown() override {
        on_sync() = {};
        on_read() = {};
        on_names() = {};
        has_links = true;
    }
};

TEST_F(DiskTest, has_all_of_a_step_once_it_is_appended) {
    for (const int compression : {0, 1}) {
        Hdf5Series series(world, path, fields(), {}, {.compression = compression, .sync = true});
        std::string on_disk;
        if (rank() == 0)
            on_sync() = [&](int descriptor) {
                struct stat status{};
                if (::fstat(descriptor, &status) == 0 && status.st_ino == number_of(path))
                    on_disk = bytes_of(path);
            };
        for (const std::uint64_t step : {1U, 2U}) {
            u.fill(step);
            series.append(static_cast<double>(step), fields());
            if (rank() == 0) {
                EXPECT_TRUE(on_disk == bytes_of(path)) << "compression " << compression;
            }
        }
        on_sync() = {};
    }
}

/// Rank 0 flips a bit of the first element of "u". Collective.
void spoil(const std::string& path) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "u", H5P_DEFAULT);
        const auto at = static_cast<std::streamoff>(H5Dget_offset(dataset));
        H5Dclose(dataset);
        H5Fclose(file);
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(at);
        const char flipped = static_cast<char>(stream.get() ^ 4);
        stream.seekp(at);
        stream.put(flipped);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(DiskTest, always_has_a_whole_checkpoint_where_the_last_one_is_damaged) {
    for (const int keep : {2, 3})
        for (const bool is_seen : {false, true}) {
            SCOPED_TRACE(::testing::Message() << "keep " << keep << ", seen " << is_seen);
            const Checkpoint checkpoint(world, path, {.keep = keep});
            save(checkpoint, 1);
            save(checkpoint, 2);
            spoil(path);
            if (is_seen) { // else the damage is unknown to the writer
                const Checkpoint reader(world, path);
                EXPECT_EQ(reader.load(fields(), true).path, checkpoint.path_of(1));
                EXPECT_ON_ALL_RANKS(u.is_right(1));
            }

            const ino_t damaged = number_of(path);
            std::int64_t least = std::numeric_limits<std::int64_t>::max();
            const auto look = [&] {
                std::int64_t whole = 0;
                for (int age = 0; age < keep; ++age) {
                    const ino_t number = number_of(checkpoint.path_of(age));
                    if (number != 0 && number != damaged) ++whole;
                }
                least = std::min(least, whole);
            };
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank() == 0) on_names() = look;
            save(checkpoint, 3);
            on_names() = {};
            if (rank() == 0) {
                look();
                EXPECT_GE(least, 1);
            }
            EXPECT_ON_ALL_RANKS(has(path, 3));
            if (is_seen) {
                EXPECT_ON_ALL_RANKS(has(checkpoint.path_of(1), 1));
            }
            save(checkpoint, 4);
            EXPECT_ON_ALL_RANKS(has(path, 4) && has(checkpoint.path_of(1), 3));
            if (is_seen && keep == 3) {
                EXPECT_ON_ALL_RANKS(has(checkpoint.path_of(2), 1));
            }
            std::vector<std::string> names{"run.h5", "run.h5.1"};
            if (keep == 3) names.emplace_back("run.h5.2");
            EXPECT_EQ(folder.names(), names);
        }
}

TEST_F(DiskTest, has_checkpoints_in_order_also_where_files_have_one_name_only) {
    const Checkpoint checkpoint(world, path, {.keep = 3});
    has_links = false;
    for (const std::uint64_t step : {1U, 2U, 3U, 4U}) save(checkpoint, step);
    has_links = true;
    for (int age = 0; age < 3; ++age)
        EXPECT_ON_ALL_RANKS(has(checkpoint.path_of(age), static_cast<std::uint64_t>(4 - age)));
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5", "run.h5.1", "run.h5.2"}));
}

TEST_F(DiskTest, loses_what_a_writer_has_left_that_was_killed_between_two_names) {
    const Checkpoint checkpoint(world, path);
    save(checkpoint, 1);
    save(checkpoint, 2);
    if (rank() == 0) std::ofstream(path + ".1.partial") << "a checkpoint";
    MPI_Barrier(MPI_COMM_WORLD);
    save(checkpoint, 3);
    EXPECT_ON_ALL_RANKS(has(path, 3) && has(checkpoint.path_of(1), 2));
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5", "run.h5.1"}));
}

// Compressed data is kept in a scratch file beside the film, whose name must not be a file of the user's.
TEST_F(DiskTest, leaves_alone_what_a_link_in_place_of_its_scratch_file_leads_to) {
    const std::string precious = folder.file("precious");
    if (rank() == 0) {
        std::ofstream(precious) << "all that there is";
        std::filesystem::create_symlink(precious, path + ".scratch");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    Hdf5Series film(world, path, fields(), {}, {.compression = 1});
    u.fill(1);
    film.append(0, fields());
    EXPECT_ON_ALL_RANKS(bytes_of(precious) == "all that there is");
    u.fill(2);
    load_hdf5_step(world, path, 0, fields());
    EXPECT_ON_ALL_RANKS(u.is_right(1));
}

// Ranks open a file one after the other: if a writer replaces it meanwhile, they must not read parts of both files.
TEST_F(DiskTest, has_another_file_while_one_is_read) {
    const std::string other = folder.file("other");
    StoredSection v(world, ArrayLayout(ProcessGrid{world.size()}, {cyclic(40)}),
                    {ElementKind::floating_point, 8}, random);
    const std::vector<NamedArray> both{{"u", u.any()}, {"v", v.any()}};
    const auto save = [&](const std::function<void(const std::string&)>& save_to) {
        u.fill(2), v.fill(2);
        save_to(other);
        u.fill(1), v.fill(1);
        save_to(path);
    };
    // Replaces the file when rank 0 has read some of it and the other ranks nothing.
    const auto replace_once_read = [&] {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0)
            on_read() = [&](int descriptor) {
                struct stat status{};
                if (::fstat(descriptor, &status) != 0 || status.st_ino != number_of(path)) return;
                on_read() = {};
                EXPECT_EQ(std::rename(other.c_str(), path.c_str()), 0);
            };
    };
    const std::string error =
        "expected file '" + path + "' to stay in place while it is read, got another file";

    save([&](const std::string& to) { save_npy(world, to, u.any()); });
    replace_once_read();
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, path, u.any()), Error, error);
    load_npy(world, path, u.any());
    EXPECT_ON_ALL_RANKS(u.is_right(2));
    save([&](const std::string& to) { save_npz(world, to, both); });
    replace_once_read();
    EXPECT_THROW_ON_ALL_RANKS(load_npz(world, path, both), Error, error);

    const auto save_fields = [&](const std::string& to) { save_hdf5(world, to, both); };
    // Replaces the file between two fields.
    FileOptions reading;
    reading.progress = [&](std::int64_t, std::int64_t) {
        if (std::filesystem::exists(other)) std::filesystem::rename(other, path);
    };
    save(save_fields);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, both, reading), Error, error);
    load_hdf5(world, path, both, reading);
    EXPECT_ON_ALL_RANKS(u.is_right(2) && v.is_right(2));
    CheckpointOptions options;
    options.progress = reading.progress;
    save([&](const std::string& to) { Checkpoint(world, to).save(both); });
    EXPECT_THROW_ON_ALL_RANKS((void)Checkpoint(world, path, options).load(both, true), Error,
                              error);
    // Once the last rank has opened the file, all ranks read the same one.
    const std::vector<NamedArray> one{{"u", u.any()}};
    save(save_fields);
    load_hdf5(world, path, one, reading);
    EXPECT_ON_ALL_RANKS(u.is_right(1));
}

} // namespace

} // namespace distview::testing
