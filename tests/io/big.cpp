// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One dataset of more than 2^32 elements and 4 GiB: requires 6 GiB of disk space and 8 GiB of memory, and is therefore one
// of the big tests.
#include "stored_fields.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace distview::testing {

namespace {

constexpr std::int64_t edge = 66000;
constexpr std::int64_t cells = edge * edge;
static_assert(cells > (std::int64_t{1} << 32));

std::uint8_t byte_of_cell(std::int64_t i, std::int64_t j) {
    return static_cast<std::uint8_t>(
        (static_cast<std::uint64_t>(i * edge + j) * 0x9e3779b97f4a7c15u) >> 56);
}

using Bytes = DistView<std::uint8_t**, Kokkos::LayoutRight, Kokkos::HostSpace>;

Bytes make(const Communicator& comm, const ArrayLayout& layout) {
    return make_dist_view<std::uint8_t**, Kokkos::LayoutRight, Kokkos::HostSpace>(
        Kokkos::DefaultHostExecutionSpace(), "bytes", comm, layout);
}

/// Calls visit(element, value) for all interior cells of this rank.
template <class Visit>
void for_each_byte(const Bytes& bytes, const Visit& visit) {
    const LocalRange rows = bytes.interior_range(0);
    const LocalRange columns = bytes.interior_range(1);
    for (LocalIndex i = rows.begin; i < rows.end; ++i)
        for (LocalIndex j = columns.begin; j < columns.end; ++j)
            visit(bytes.view()(i.value(), j.value()),
                  byte_of_cell(bytes.global_index(0, i).value(), bytes.global_index(1, j).value()));
}

/// Bytes of memory that the system reports as available.
std::int64_t available_memory() {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("MemAvailable:"))
            return std::strtoll(line.c_str() + 13, nullptr, 10) * 1024;
    return 0;
}

/// The lacking memory or disk space; empty if there is enough. The same on all ranks.
std::string shortage(const Communicator& comm, const std::string& folder) {
    constexpr std::int64_t gib = std::int64_t{1} << 30;
    const auto disk = static_cast<std::int64_t>(std::filesystem::space(folder).available);
    const std::int64_t least = all_reduce(comm, ReduceOperation::min, disk);
    const std::int64_t memory = all_reduce(comm, ReduceOperation::min, available_memory());
    if (least < 6 * gib) return text("6 GiB of disk, got ", least / gib);
    if (memory < 8 * gib) return text("8 GiB of memory, got ", memory / gib);
    return {};
}

std::vector<std::uint8_t> row_by_hdf5(const std::string& path, std::int64_t row) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(edge));
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "bytes", H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    const hsize_t start[2] = {static_cast<hsize_t>(row), 0};
    const hsize_t count[2] = {1, static_cast<hsize_t>(edge)};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
    const hid_t memory = H5Screate_simple(2, count, nullptr);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, bytes.data()), 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return bytes;
}

TEST(Big, more_than_4_gib_come_back_in_another_layout) {
    const Communicator world(MPI_COMM_WORLD);
    const SharedFolder folder;
    if (const std::string lacking = shortage(world, folder.path()); !lacking.empty())
        FAIL() << "expected " << lacking; // on all ranks
    const std::string path = folder.file("big.h5");
    {
        const Bytes bytes = make(world, ArrayLayout(ProcessGrid{1, world.size()},
                                                    {block(edge), block(edge, {.padding = 1})}));
        for_each_byte(bytes, [](std::uint8_t& byte, std::uint8_t value) { byte = value; });
        save_hdf5(world, path, {{"bytes", bytes}});
    }
    EXPECT_EQ(inspect_hdf5(world, path).fields[0].shape, (std::vector<std::int64_t>{edge, edge}));
    if (rank() == 0)
        for (const std::int64_t row : {std::int64_t{0}, edge / 2, edge - 1}) {
            const std::vector<std::uint8_t> bytes = row_by_hdf5(path, row);
            std::int64_t wrong = 0;
            for (std::int64_t j = 0; j < edge; ++j)
                wrong += bytes[static_cast<std::size_t>(j)] != byte_of_cell(row, j);
            EXPECT_EQ(wrong, 0) << "row " << row;
        }

    const Bytes back = make(world, ArrayLayout(ProcessGrid{world.size(), 1},
                                               {block(edge, {.padding = 1}), block(edge)}));
    load_hdf5(world, path, {{"bytes", back}});
    std::int64_t wrong = 0;
    for_each_byte(back, [&](std::uint8_t byte, std::uint8_t value) { wrong += byte != value; });
    EXPECT_EQ(wrong, 0);

    // Checksums must find a flipped bit near the end, too.
    barrier(world);
    const std::int64_t at = cells - 5;
    if (rank() == 0) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t dataset = H5Dopen2(file, "bytes", H5P_DEFAULT);
        const auto begin = static_cast<std::int64_t>(H5Dget_offset(dataset));
        H5Dclose(dataset);
        H5Fclose(file);
        std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(begin + at);
        const char flipped = static_cast<char>(stream.get() ^ 1);
        stream.seekp(begin + at);
        stream.put(flipped);
    }
    barrier(world);
    const std::int64_t block_bytes = Hdf5Options().checksum_bytes;
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, {{"bytes", back}}), Error,
                              text("damaged bytes among [", at / block_bytes * block_bytes, ", ",
                                   cells, ") of field 'bytes'"));
}

} // namespace

} // namespace distview::testing
