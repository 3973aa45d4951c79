// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank runs out of memory while files are written or read: all ranks get an error.
#include "../unit/comm/out_of_memory.hpp"
#include "stored_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

class FilesOutOfMemory : public ::testing::Test {
protected:
    const Communicator world{MPI_COMM_WORLD};
    const SharedFolder folder;
    const std::string path = "state"; // so short that copying it allocates nothing
    const std::filesystem::path before = std::filesystem::current_path();
    const ArrayLayout layout{ProcessGrid{world.size(), 1}, {block(12, {.padding = 1}), block(5)}};
    const DistView<double**> u{Kokkos::DefaultHostExecutionSpace(), "u", layout, world.rank()};
    const DistView<double**> read{Kokkos::DefaultHostExecutionSpace(), "v", layout, world.rank()};
    const AnyDistView any_u = u, any_read = read;
    const std::vector<NamedArray> fields{{"u", any_u}}, read_fields{{"u", any_read}};

    void TearDown() override { std::filesystem::current_path(before); }
    void SetUp() override {
        std::filesystem::current_path(folder.path());
        for (std::size_t i = 0; i < u.view().extent(0); ++i)
            for (std::size_t j = 0; j < u.view().extent(1); ++j)
                u.view()(i, j) = static_cast<double>(100 * i + j + 1000 * world.rank());
    }
    bool is_read() const {
        const LocalRange rows = u.interior_range(0);
        for (std::int64_t i = rows.begin.value(); i < rows.end.value(); ++i)
            for (std::int64_t j = 0; j < 5; ++j)
                if (read.view()(i, j) != u.view()(i, j)) return false;
        return true;
    }
};

TEST_F(FilesOutOfMemory, InNpy) {
    check_out_of_memory([&](const Communicator& comm) {
        save_npy(comm, path, any_u);
        load_npy(comm, path, any_read);
        return is_read() && inspect_npy(comm, path).shape.size() == 2;
    });
}

TEST_F(FilesOutOfMemory, InNpz) {
    check_out_of_memory([&](const Communicator& comm) {
        save_npz(comm, path, fields);
        load_npz(comm, path, read_fields);
        return is_read() && inspect_npz(comm, path).size() == 1;
    });
}

TEST_F(FilesOutOfMemory, InHdf5) {
    const Attributes scalars{{"time", 1.5}};
    check_out_of_memory([&](const Communicator& comm) {
        save_hdf5(comm, path, fields, scalars);
        load_hdf5(comm, path, read_fields);
        return is_read() && inspect_hdf5(comm, path).attributes == scalars;
    });
}

TEST_F(FilesOutOfMemory, InCheckpoints) {
    const Attributes scalars{{"time", 1.5}};
    check_out_of_memory([&](const Communicator& comm) {
        Checkpoint checkpoint(comm, path);
        checkpoint.save(fields, scalars);
        checkpoint.load(read_fields);
        return is_read();
    });
}

TEST_F(FilesOutOfMemory, InFilms) {
    check_out_of_memory([&](const Communicator& comm) {
        Hdf5Series film(comm, path, fields);
        film.append(0.5, fields);
        load_hdf5_step(comm, path, 0, read_fields);
        return is_read();
    });
}

} // namespace

} // namespace distview::testing
