// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stored_fields.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/slice.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace distview::testing {

namespace {

std::vector<unsigned char> bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& path, const std::string& bytes) {
    if (rank() == 0)
        std::ofstream(path, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Reorders elements from Fortran order to C order.
std::vector<unsigned char> turned(const std::vector<unsigned char>& bytes,
                                  std::int64_t element_bytes,
                                  const std::vector<std::int64_t>& shape) {
    std::vector<unsigned char> result(bytes.size());
    const auto count = static_cast<std::int64_t>(bytes.size()) / element_bytes;
    for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t left = i, at = 0, below = 1;
        std::vector<std::int64_t> index(shape.size());
        for (std::size_t d = shape.size(); d-- > 0; left /= shape[d]) index[d] = left % shape[d];
        for (std::size_t d = 0; d < shape.size(); below *= shape[d], ++d) at += index[d] * below;
        std::copy_n(bytes.begin() + at * element_bytes, element_bytes,
                    result.begin() + i * element_bytes);
    }
    return result;
}

TEST(Npy, of_any_layout_and_order_and_back) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    for_each_case(40, [&](Random& random, std::uint64_t) {
        std::vector<std::int64_t> shape = random_shape(random);
        if (shape.empty() && world.size() > 1) shape = {7};
        static const std::vector<ElementType> wide{element_type<long double>(),
                                                   element_type<std::complex<long double>>()};
        const ElementType element = random.chance(0.1) ? random.pick(wide) : random_element(random);
        NpyOptions options;
        options.fortran_order = random.chance(0.5);
        options.buffer_bytes = random.integer(1, 2000);
        StoredSection from(world, random_stored_layout(random, world.size(), shape), element,
                           random);
        const std::uint64_t salt = random.bits();
        from.fill(salt);
        SCOPED_TRACE(
            text(from.any().layout().describe(), describe(element), options.fortran_order));
        const std::string path = folder.file("u.npy");
        save_npy(world, path, from.any(), options);
        if (rank() == 0) {
            const std::vector<unsigned char> bytes = bytes_of(path);
            std::size_t count = static_cast<std::size_t>(element.bytes);
            for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
            const std::string header(bytes.begin(),
                                     bytes.end() - static_cast<std::ptrdiff_t>(count));
            EXPECT_EQ(header.size() % 64, 0u);
            EXPECT_NE(header.find(text("'descr': '", typestr_of(element), "'")), std::string::npos);
            std::vector<unsigned char> data(bytes.end() - static_cast<std::ptrdiff_t>(count),
                                            bytes.end());
            if (options.fortran_order) data = turned(data, element.bytes, shape);
            EXPECT_TRUE(are_in_c_order(data, element, shape, salt));
        }
        const bool is_numpy_type = element.kind != ElementKind::bfloat;
        if (is_numpy_type) {
            EXPECT_EQ(inspect_npy(world, path),
                      (StoredField{"", element, shape, options.fortran_order}));
            StoredSection to(world, random_stored_layout(random, world.size(), shape), element,
                             random);
            load_npy(world, path, to.any(), options);
            EXPECT_TRUE(to.is_right(salt));
            save_npz(world, folder.file("a.npz"), {{"x", from.any()}, {"y/z", from.any()}},
                     options);
            StoredSection again(world, random_stored_layout(random, world.size(), shape), element,
                                random);
            load_npz(world, folder.file("a.npz"), {{"y/z", again.any()}}, options);
            EXPECT_TRUE(again.is_right(salt));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npz", "u.npy"}));
}

DistView<double*> line_of(const Communicator& comm, std::int64_t n) {
    return make_dist_view<double*>(
        Kokkos::DefaultHostExecutionSpace(), "line", comm,
        ArrayLayout(ProcessGrid{comm.size()}, {block(n, {.padding = 1})}));
}

TEST(Npy, reads_big_endian_version_2_and_python_2) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    const std::string path = folder.file("u.npy");
    const std::string dictionary =
        "{\"fortran_order\": False, \"shape\": (3L,), \"descr\": \">f8\"}\n";
    std::string bytes("\x93NUMPY\2\0", 8);
    bytes += std::string{static_cast<char>(dictionary.size()), 0, 0, 0} + dictionary;
    bytes += std::string("\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x40\x08\0\0\0\0\0\0", 24);
    write_bytes(path, bytes);
    const auto u = line_of(world, 3);
    load_npy(world, path, u);
    for (LocalIndex l = u.interior_range(0).begin; l < u.interior_range(0).end; ++l)
        EXPECT_EQ(u.view()(l.value()), 1.0 + static_cast<double>(u.global_index(0, l).value()));
}

TEST(Npy, numbers_as_another_machine_has_them_are_refused) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    const std::string path = folder.file("u.npy");
    Random random(19, 1);
    StoredSection u(world, ArrayLayout(ProcessGrid{world.size()}, {block(9)}),
                    element_type<long double>(), random);
    save_npy(world, path, u.any());
    if (sizeof(long double) == 8) return; // here long double is float64
    const std::vector<unsigned char> bytes = bytes_of(path);
    MPI_Barrier(MPI_COMM_WORLD);
    std::string turned_around(bytes.begin(), bytes.end());
    turned_around.replace(turned_around.find("'<f"), 2, "'>");
    write_bytes(path, turned_around);
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, path, u.any()), Error,
                              "elements that are not plain numbers");
}

// The texts in a file of numpy.savez(..., names=np.array(["a", "b"])).
TEST(Npy, texts_beside_numbers_in_an_archive) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    const std::string path = folder.file("a.npz");
    Random random(19, 2);
    const auto section = [&](const ElementType& element) {
        return StoredSection(world, ArrayLayout(ProcessGrid{world.size()}, {block(9)}), element,
                             random);
    };
    StoredSection numbers = section({ElementKind::floating_point, 8});
    StoredSection texts = section({ElementKind::signed_integer, 4});
    numbers.fill(5);
    save_npz(world, path, {{"names", texts.any()}, {"u", numbers.any()}});
    const std::vector<unsigned char> bytes = bytes_of(path);
    MPI_Barrier(MPI_COMM_WORLD);
    std::string with_texts(bytes.begin(), bytes.end());
    with_texts.replace(with_texts.find("'<i4'"), 5, "'<U1'");
    write_bytes(path, with_texts);
    const std::vector<StoredField> fields = inspect_npz(world, path);
    ASSERT_ON_ALL_RANKS(fields.size() == 1);
    EXPECT_EQ(fields[0].name, "u");
    StoredSection back = section({ElementKind::floating_point, 8});
    load_npz(world, path, {{"u", back.any()}});
    EXPECT_ON_ALL_RANKS(back.is_right(5));
    EXPECT_THROW_ON_ALL_RANKS(load_npz(world, path, {{"names", texts.any()}}), Error,
                              "load_npz: expected a .npy file in '" + path +
                                  "', member 'names', got elements that are not plain numbers");
}

// Members that zipfile.writestr() adds to a file of numpy.savez().
TEST(Npy, members_that_are_no_npy_are_left_out) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    const std::string path = folder.file("a.npz");
    Random random(19, 3);
    const auto section = [&](std::int64_t n, const ElementType& element) {
        return StoredSection(world, ArrayLayout(ProcessGrid{world.size()}, {block(n)}), element,
                             random);
    };
    StoredSection numbers = section(9, {ElementKind::floating_point, 8});
    StoredSection note = section(20, {ElementKind::signed_integer, 1});
    StoredSection none = section(0, {ElementKind::signed_integer, 1});
    numbers.fill(5);
    save_npz(world, path, {{"note", note.any()}, {"none", none.any()}, {"u", numbers.any()}});
    const std::vector<unsigned char> bytes = bytes_of(path);
    MPI_Barrier(MPI_COMM_WORLD);
    std::string all(bytes.begin(), bytes.end());
    all.replace(all.find("\x93NUMPY"), 6, "Read m");
    // Sets the sizes of the second member, a header of 128 bytes, to 0 in the table of members.
    const std::size_t name = all.rfind("none.npy");
    ASSERT_ON_ALL_RANKS(name != std::string::npos && all.substr(name + 12, 1) == "\x80" &&
                        all.substr(name + 20, 1) == "\x80");
    all[name + 12] = all[name + 20] = '\0';
    write_bytes(path, all);
    const std::vector<StoredField> fields = inspect_npz(world, path);
    ASSERT_ON_ALL_RANKS(fields.size() == 1);
    EXPECT_EQ(fields[0].name, "u");
    StoredSection back = section(9, {ElementKind::floating_point, 8});
    load_npz(world, path, {{"u", back.any()}});
    EXPECT_ON_ALL_RANKS(back.is_right(5));
    for (const char* const member : {"note", "none"})
        EXPECT_THROW_ON_ALL_RANKS(load_npz(world, path, {{member, note.any()}}), Error,
                                  text("load_npz: expected a .npy file in '", path, "', member '",
                                       member, "', got a file with other first bytes"));
}

TEST(Npy, buffers_may_be_as_large_as_they_like) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    Random random(19, 4);
    StoredSection u(world, ArrayLayout(ProcessGrid{world.size()}, {cyclic(24)}),
                    {ElementKind::signed_integer, 2}, random);
    u.fill(7);
    int rounds = 0;
    NpyOptions options{.progress = [&](std::int64_t, std::int64_t) { ++rounds; }};
    for (const std::int64_t less : {0, 1, 5}) {
        options.buffer_bytes = std::numeric_limits<std::int64_t>::max() - less;
        rounds = 0;
        save_npy(world, folder.file("u.npy"), u.any(), options);
        EXPECT_LE(rounds, 2);
        u.fill(8);
        load_npy(world, folder.file("u.npy"), u.any(), options);
        EXPECT_ON_ALL_RANKS(u.is_right(7));
    }
}

// Without this check parts of two arrays would be saved as one, or loaded into two.
TEST(Npy, takes_the_same_arrays_and_paths_on_all_ranks) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    if (world.size() == 1) return;
    const auto u = line_of(world, 5), v = line_of(world, 5);
    const std::string path = folder.file("u.npy"), other = folder.file("v.npy");
    save_npy(world, path, u);
    save_npy(world, other, v);
    const bool is_last = rank() == world.size() - 1;
    const auto& mine = is_last ? v : u;
    const std::string same = "expected the same arrays, in the same order, on all ranks";
    EXPECT_THROW_ON_ALL_RANKS(save_npy(world, path, mine), UsageError, same);
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, path, mine), UsageError, same);
    EXPECT_THROW_ON_ALL_RANKS(inspect_npy(world, is_last ? other : path), UsageError, "path is");
    save_npz(world, folder.file("u.npz"), {{"u", u}, {"v", v}});
    EXPECT_THROW_ON_ALL_RANKS(save_npz(world, path, {{"u", mine}}), UsageError, same);
    EXPECT_THROW_ON_ALL_RANKS(inspect_npz(world, folder.file(is_last ? "v.npz" : "u.npz")),
                              UsageError, "path is");
}

TEST(Npy, says_on_all_ranks_what_does_not_fit) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    const std::string path = folder.file("u.npy");
    const auto u = line_of(world, 5);
    save_npy(world, path, u);
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, path, line_of(world, 6)), ShapeError,
                              "load_npy: expected float64 of shape (6), like the array, in '" +
                                  path + "', got float64 of shape (5)");
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, folder.file("none.npy"), u), Error,
                              "to read '" + folder.file("none.npy") +
                                  "', got 'No such file or directory'");
    EXPECT_THROW_ON_ALL_RANKS(save_npy(world, folder.file("no/u.npy"), u), Error,
                              "in the folder '" + folder.file("no") +
                                  "', got 'No such file or directory'");
    EXPECT_THROW_ON_ALL_RANKS(save_npy(world, folder.path(), u), Error, "got 'Is a directory'");
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, folder.path(), u), Error, "got 'Is a directory'");
    write_bytes(folder.file("short.npy"), "\x93NUMPY");
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, folder.file("short.npy"), u), Error,
                              "a file that ends within its header");
    write_bytes(folder.file("text.npy"), "some text that is no array at all");
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, folder.file("text.npy"), u), Error,
                              "got a file with other first bytes");
    if (rank() == 0) std::filesystem::resize_file(path, 128 + 39);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, path, u), Error, "a file that ends within its array");
    EXPECT_THROW_ON_ALL_RANKS(save_npz(world, path, {{"a", u}, {"a", u}}), UsageError, "'a' twice");
    save_npz(world, folder.file("a.npz"), {{"a", u}});
    EXPECT_THROW_ON_ALL_RANKS(load_npz(world, folder.file("a.npz"), {{"b", u}}), UsageError,
                              "expected an array 'b' in '" + folder.file("a.npz") + "', got 'a'");
    EXPECT_THROW_ON_ALL_RANKS(load_npz(world, folder.file("text.npy"), {{"b", u}}), Error,
                              "without the table of members");
}

TEST(Npy, options_are_those_of_rank_0) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    Random random(19, 0);
    const bool is_root = rank() == 0;
    const auto section = [&] {
        return StoredSection(world,
                             ArrayLayout(ProcessGrid{1, world.size()}, {block(23), cyclic(14)}),
                             {ElementKind::floating_point, 8}, random);
    };
    StoredSection from = section(), to = section(), again = section();
    from.fill(3);
    const NpyOptions writing{
        .fortran_order = is_root, .buffer_bytes = is_root ? 300 : 2000, .sync = !is_root};
    const FileOptions reading{.buffer_bytes = is_root ? 2000 : 100};
    save_npy(world, folder.file("u.npy"), from.any(), writing);
    EXPECT_ON_ALL_RANKS(inspect_npy(world, folder.file("u.npy")).is_fortran_order);
    load_npy(world, folder.file("u.npy"), to.any(), reading);
    EXPECT_ON_ALL_RANKS(to.is_right(3));
    save_npz(world, folder.file("a.npz"), {{"x", from.any()}, {"y", from.any()}}, writing);
    load_npz(world, folder.file("a.npz"), {{"y", again.any()}}, reading);
    EXPECT_ON_ALL_RANKS(again.is_right(3));
}

TEST(Npy, of_slices_has_the_slice) {
    const SharedFolder folder;
    const Communicator world(MPI_COMM_WORLD);
    const auto u = line_of(world, 20);
    for (LocalIndex l = u.interior_range(0).begin; l < u.interior_range(0).end; ++l)
        u.view()(l.value()) = static_cast<double>(u.global_index(0, l).value());
    save_npy(world, folder.file("s.npy"), slice(u, {{3, 8, 2}}));
    const auto part = line_of(world, 8);
    load_npy(world, folder.file("s.npy"), part);
    for (LocalIndex l = part.interior_range(0).begin; l < part.interior_range(0).end; ++l)
        EXPECT_EQ(part.view()(l.value()),
                  3.0 + 2.0 * static_cast<double>(part.global_index(0, l).value()));
}

} // namespace

} // namespace distview::testing
