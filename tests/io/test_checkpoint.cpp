// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stored_fields.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/core/text.hpp>
#include <distview_testing/assertions.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>

namespace distview::testing {

namespace {

/// A two- or three-dimensional array of 8-byte elements, filled from its name and a step.
class Named {
public:
    Named(const Communicator& comm, const std::string& name, std::vector<std::int64_t> shape,
          Random& random)
        : m_name(name),
          m_section(comm, random_stored_layout(random, comm.size(), shape), element, random) {}
    static constexpr ElementType element{ElementKind::floating_point, 8};
    NamedArray named() const { return {m_name, m_section.any()}; }
    void fill(std::uint64_t step) { m_section.fill(salt(step)); }
    bool is_of(std::uint64_t step) { return m_section.is_right(salt(step)); }

private:
    std::uint64_t salt(std::uint64_t step) const { return std::hash<std::string>()(m_name) + step; }
    std::string m_name;
    StoredSection m_section;
};

/// Two fields on the ranks of a communicator.
struct State {
    State(const Communicator& comm, Random& random)
        : h(comm, "h", {37, 11}, random), flow(comm, "flow/u", {12, 9, 5}, random) {}
    std::vector<NamedArray> fields() const { return {h.named(), flow.named()}; }
    void fill(std::uint64_t step) { h.fill(step), flow.fill(step); }
    bool is_of(std::uint64_t step) { return h.is_of(step) && flow.is_of(step); }
    Named h;
    Named flow;
};

CheckpointOptions options_of(Random& random, int keep = 2) {
    CheckpointOptions options;
    options.keep = keep;
    options.sync = false;
    options.checksum_bytes = 8 * random.integer(1, 40);
    options.buffer_bytes = random.integer(1, 3000);
    return options;
}

/// Begin and end of a field's bytes in the file.
std::pair<std::int64_t, std::int64_t> bytes_of_field(const std::string& path, const char* name) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const auto begin = static_cast<std::int64_t>(H5Dget_offset(dataset));
    const auto bytes = static_cast<std::int64_t>(H5Dget_storage_size(dataset));
    H5Dclose(dataset);
    H5Fclose(file);
    return {begin, begin + bytes};
}

/// Rank 0 flips a bit of the file. Collective.
void flip_bit(const std::string& path, std::int64_t byte, int bit) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(byte);
        const char flipped = static_cast<char>(file.get() ^ (1 << bit));
        file.seekp(byte);
        file.put(flipped);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

class CheckpointTest : public ::testing::Test {
protected:
    Communicator world{MPI_COMM_WORLD};
    SharedFolder folder;
    std::string path = folder.file("run.h5");
};

TEST_F(CheckpointTest, comes_back_in_any_layout_on_any_ranks) {
    for_each_case(12, [&](Random& random, std::uint64_t number) {
        const int writers = static_cast<int>(random.integer(1, world.size() + 1));
        const int readers = static_cast<int>(random.integer(1, world.size() + 1));
        const CheckpointOptions options = options_of(random);
        const Attributes scalars{{"step", static_cast<std::int64_t>(number)},
                                 {"time", 0.25 * static_cast<double>(number)},
                                 {"name", std::string("a text, \xc3\xa4")},
                                 {"numbers", std::vector<double>{1.5, -0.0}},
                                 {"empty", std::vector<std::int64_t>{}},
                                 {"counts", std::vector<std::int64_t>{1, 2, 3}}};
        // Not all ranks draw for both groups: each group has its own random numbers.
        Random of_writers(campaign_seed(), 2 * number), of_readers(campaign_seed(), 2 * number + 1);
        if (const FirstRanks ranks(writers); ranks) {
            State state(ranks.comm(), of_writers);
            state.fill(number);
            Checkpoint(ranks.comm(), path, options).save(state.fields(), scalars);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (const FirstRanks ranks(readers); ranks) {
            State state(ranks.comm(), of_readers);
            const LoadedCheckpoint loaded =
                Checkpoint(ranks.comm(), path, options).load(state.fields());
            EXPECT_TRUE(state.is_of(number));
            EXPECT_EQ(loaded.scalars, scalars);
            EXPECT_EQ(loaded.path, path);
            EXPECT_EQ(loaded.damage, "");
        }
        MPI_Barrier(MPI_COMM_WORLD);
    });
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5", "run.h5.1"}));
}

TEST_F(CheckpointTest, keeps_so_many_and_falls_back) {
    Random random(7, 0);
    State state(world, random);
    const Checkpoint checkpoint(world, path, options_of(random, 3));
    EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(state.fields()), Error, "No such file");
    for (std::int64_t step = 1; step <= 5; ++step) {
        state.fill(static_cast<std::uint64_t>(step));
        checkpoint.save(state.fields(), {{"step", step}});
    }
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5", "run.h5.1", "run.h5.2"}));
    for (int age = 0; age < 3; ++age) {
        EXPECT_EQ(folder.file("run.h5") + (age == 0 ? "" : text('.', age)),
                  checkpoint.path_of(age));
        (void)Checkpoint(world, checkpoint.path_of(age), options_of(random)).load(state.fields());
        EXPECT_ON_ALL_RANKS(state.is_of(static_cast<std::uint64_t>(5 - age)));
    }

    const auto spoil = [&](const std::string& which) {
        const auto [begin, end] = bytes_of_field(which, "flow/u");
        flip_bit(which, (begin + end) / 2, 3);
    };
    spoil(path);
    EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(state.fields()), Error,
                              "load(fields, true) falls back to the checkpoint before it, '" +
                                  checkpoint.path_of(1) + "'");
    LoadedCheckpoint loaded = checkpoint.load(state.fields(), true);
    EXPECT_ON_ALL_RANKS(state.is_of(4));
    EXPECT_EQ(loaded.path, checkpoint.path_of(1));
    EXPECT_EQ(std::get<std::int64_t>(loaded.scalars.at("step")), 4);
    EXPECT_NE(loaded.damage.find("field 'flow/u' of '" + path + "'"), std::string::npos)
        << loaded.damage;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) std::filesystem::resize_file(checkpoint.path_of(1), 4000);
    MPI_Barrier(MPI_COMM_WORLD);
    loaded = checkpoint.load(state.fields(), true);
    EXPECT_ON_ALL_RANKS(state.is_of(3));
    EXPECT_NE(loaded.damage.find("field 'flow/u' of '" + path + "'"), std::string::npos);
    EXPECT_NE(loaded.damage.find('\'' + checkpoint.path_of(1) + '\''), std::string::npos);
    // No checkpoint is complete: the error reports the damage of each.
    spoil(checkpoint.path_of(2));
    for (int age = 0; age < 3; ++age)
        EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(state.fields(), true), Error,
                                  '\'' + checkpoint.path_of(age) + '\'');
}

TEST_F(CheckpointTest, keeps_the_ones_before_if_the_last_one_is_gone) {
    Random random(7, 1);
    State state(world, random);
    for (const int keep : {2, 3}) {
        const Checkpoint checkpoint(world, path, options_of(random, keep));
        for (int step = 1; step <= keep; ++step) {
            state.fill(static_cast<std::uint64_t>(step));
            checkpoint.save(state.fields());
        }
        if (rank() == 0) std::filesystem::remove(path);
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(checkpoint.load(state.fields(), true).path, checkpoint.path_of(1));
        state.fill(9);
        checkpoint.save(state.fields());
        for (int age = 0; age < keep; ++age) {
            SCOPED_TRACE(checkpoint.path_of(age));
            ASSERT_ON_ALL_RANKS(std::filesystem::exists(checkpoint.path_of(age)));
            (void)Checkpoint(world, checkpoint.path_of(age)).load(state.fields());
            EXPECT_ON_ALL_RANKS(state.is_of(age == 0 ? 9 : static_cast<std::uint64_t>(keep - age)));
        }
    }
}

TEST_F(CheckpointTest, does_not_fall_back_if_the_system_refuses_to_read_the_last_one) {
    Random random(7, 2);
    State state(world, random);
    const Checkpoint checkpoint(world, path, options_of(random));
    for (const std::uint64_t step : {1U, 2U}) {
        state.fill(step);
        checkpoint.save(state.fields());
    }
    if (::geteuid() == 0) { // only root can become another user
        if (rank() == 0) {
            ::chmod(folder.path().c_str(), 0755);
            ::chmod(path.c_str(), 0600);
            ::chmod(checkpoint.path_of(1).c_str(), 0644);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        // The last rank may not read the file; rank 0, which checks it first, finds it complete (with more than one rank).
        const bool is_another = rank() != world.size() - 1 || ::seteuid(65534) == 0;
        EXPECT_TRUE(is_another);
        EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(state.fields(), true), Error,
                                  "to read '" + path + "', got 'Permission denied'");
        const bool is_root_again = rank() != world.size() - 1 || ::seteuid(0) == 0;
        EXPECT_TRUE(is_root_again);
    }
    if (rank() == 0) {
        std::filesystem::remove(path);
        std::filesystem::create_directory(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(state.fields(), true), Error,
                              "to read '" + path + "', got 'Is a directory'");
    if (rank() == 0) std::filesystem::remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(checkpoint.load(state.fields(), true).path, checkpoint.path_of(1));
    EXPECT_ON_ALL_RANKS(state.is_of(1));
}

TEST_F(CheckpointTest, options_are_those_of_rank_0) {
    Random random(7, 3);
    State state(world, random);
    const bool is_root = rank() == 0;
    const FileOptions reading{.buffer_bytes = is_root ? 500 : 40};
    for (const int compression : {0, 3}) {
        Hdf5Options options;
        options.checksum_bytes = is_root ? 1024 : 128;
        options.compression = is_root ? compression : 3 - compression;
        options.buffer_bytes = is_root ? 3000 : 100;
        options.sync = is_root;
        if (!is_root) options.grid = UniformGrid{.spacing = {-1}}; // an invalid grid
        state.fill(1);
        save_hdf5(world, path, state.fields(), {}, options);
        state.fill(2);
        load_hdf5(world, path, state.fields(), reading);
        EXPECT_ON_ALL_RANKS(state.is_of(1));

        Hdf5Series series(world, path, state.fields(), {}, options);
        series.append(0, state.fields());
        state.fill(2);
        load_hdf5_step(world, path, 0, state.fields(), reading);
        EXPECT_ON_ALL_RANKS(state.is_of(1));
    }

    CheckpointOptions options = options_of(random);
    if (!is_root) {
        options.keep = 1;
        options.checksum_bytes *= 2;
        options.buffer_bytes *= 2;
        options.sync = true;
    }
    const Checkpoint checkpoint(world, path, options);
    for (const std::uint64_t step : {1U, 2U}) {
        state.fill(step);
        checkpoint.save(state.fields());
    }
    if (is_root) std::filesystem::remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(checkpoint.load(state.fields(), is_root).path, checkpoint.path_of(1));
    EXPECT_ON_ALL_RANKS(state.is_of(1));
}

TEST_F(CheckpointTest, finds_every_flipped_bit_and_names_the_field_and_the_place) {
    set_test_timeout(900);
    Random fixed(11, 0);
    State written(world, fixed);
    written.fill(1);
    CheckpointOptions options = options_of(fixed);
    options.checksum_bytes = 256;
    const Checkpoint checkpoint(world, path, options);
    checkpoint.save(written.fields(), {{"step", std::int64_t{1}}});
    for_each_case(campaign_cases(60), [&](Random& random, std::uint64_t) {
        const char* const name = random.chance(0.5) ? "h" : "flow/u";
        const auto [begin, end] = bytes_of_field(path, name);
        const std::int64_t byte = random.integer(0, end - begin);
        const int bit = static_cast<int>(random.integer(0, 8));
        State read(world, random);
        flip_bit(path, begin + byte, bit);
        const std::int64_t first = byte / 256 * 256;
        EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(read.fields()), Error,
                                  text("damaged bytes among [", first, ", ",
                                       std::min(first + 256, end - begin), ") of field '", name,
                                       "' of '", path, "'"));
        flip_bit(path, begin + byte, bit);
    });
    State read(world, fixed);
    (void)checkpoint.load(read.fields());
    EXPECT_ON_ALL_RANKS(read.is_of(1));
}

TEST_F(CheckpointTest, is_never_wrong_whichever_bit_of_the_file_is_flipped_or_wherever_it_ends) {
    set_test_timeout(900);
    Random fixed(13, 0);
    State written(world, fixed);
    written.fill(1);
    CheckpointOptions options = options_of(fixed);
    options.checksum_bytes = 256;
    const Checkpoint checkpoint(world, path, options);
    const Attributes scalars{{"step", std::int64_t{1}}, {"name", std::string("text")}};
    checkpoint.save(written.fields(), scalars);
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    const std::string spoilt_path = folder.file("spoilt.h5");
    int unharmed = 0;
    for_each_case(campaign_cases(60), [&](Random& random, std::uint64_t) {
        const bool is_cut = random.chance(0.3);
        const std::int64_t byte = random.integer(0, size);
        const int bit = static_cast<int>(random.integer(0, 8));
        SCOPED_TRACE(text(is_cut ? "cut at " : "flipped in ", byte));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) {
            using std::filesystem::copy_options;
            std::filesystem::copy_file(path, spoilt_path, copy_options::overwrite_existing);
            if (is_cut)
                std::filesystem::resize_file(spoilt_path, static_cast<std::uintmax_t>(byte));
        }
        if (!is_cut) flip_bit(spoilt_path, byte, bit);
        MPI_Barrier(MPI_COMM_WORLD);
        State read(world, random);
        const auto load = [&] {
            const auto loaded = Checkpoint(world, spoilt_path, options).load(read.fields());
            if (loaded.scalars != scalars) throw Error("wrong scalars");
        };
        bool throws = false;
        try {
            load();
        } catch (const std::exception&) {
            throws = true;
        }
        if (throws) {
            EXPECT_THROW_ON_ALL_RANKS(load(), Error, spoilt_path);
        }
        // Bytes in the gaps between fields are never read.
        if (!throws) ++unharmed;
        EXPECT_ON_ALL_RANKS(throws || read.is_of(1));
    });
    RecordProperty("unharmed", unharmed);
}

TEST_F(CheckpointTest, says_what_does_not_fit) {
    Random random(3, 0);
    State state(world, random);
    const Checkpoint checkpoint(world, path, options_of(random));
    checkpoint.save(state.fields());
    Named other_shape(world, "h", {37, 12}, random);
    EXPECT_THROW_ON_ALL_RANKS(
        (void)checkpoint.load({other_shape.named()}), ShapeError,
        "Checkpoint::load: expected float64 of shape (37, 12), like the array, in field 'h' "
        "of '" +
            path + "', got float64 of shape (37, 11)");
    StoredSection other_type(world, random_stored_layout(random, world.size(), {37, 11}),
                             {ElementKind::signed_integer, 8}, random);
    EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load({{"h", other_type.any()}}), ShapeError,
                              "expected int64 of shape (37, 11)");
    EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load({{"k", state.h.named().array}}), UsageError,
                              "expected a field 'k' in '" + path + "', got 'flow/u', 'h'");
    EXPECT_THROW_ON_ALL_RANKS(checkpoint.save({{"", state.h.named().array}}), UsageError,
                              "names of fields that are not empty");
    for (const char* const name : {"u//v", "u/.", "./u", "u/"})
        EXPECT_THROW_ON_ALL_RANKS(checkpoint.save({{name, state.h.named().array}}), UsageError,
                                  text("got '", name, "'"));
    EXPECT_THROW_ON_ALL_RANKS(checkpoint.save({state.h.named(), state.h.named()}), UsageError,
                              "'h' twice");
    EXPECT_THROW_ON_ALL_RANKS(
        checkpoint.save({state.h.named(), {"h/deep", state.h.named().array}}), UsageError,
        "names of fields that are not the groups of other fields, got 'h' and 'h/deep'");
    EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load({{"flow", state.h.named().array}}), UsageError,
                              "expected a field 'flow' in '" + path + "', got 'flow/u', 'h'");
    const auto save_on = [&](UniformGrid grid) {
        save_hdf5(world, folder.file("no.h5"), {state.h.named()}, {}, {.grid = std::move(grid)});
    };
    EXPECT_THROW_ON_ALL_RANKS(save_on({.spacing = {1, 1, 1}}), UsageError,
                              "as many spacings as an array has axes, got 3 for 'h' with 2 axes");
    EXPECT_THROW_ON_ALL_RANKS(save_on({.spacing = {1, 0}}), UsageError,
                              "expected a grid with finite spacings above 0, got 0");
    EXPECT_THROW_ON_ALL_RANKS(Checkpoint(world, path, options_of(random, 0)), UsageError,
                              "at least 1 checkpoint to keep, got 0");
    // A file of save_hdf5() is not a checkpoint.
    save_hdf5(world, folder.file("other.h5"), state.fields());
    EXPECT_THROW_ON_ALL_RANKS((void)Checkpoint(world, folder.file("other.h5")).load(state.fields()),
                              Error, "expected a checkpoint");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"other.h5", "run.h5"}));
}

// HDF5 cuts texts at NUL: the file's texts would not match the checksum.
TEST_F(CheckpointTest, texts_with_NUL_are_refused) {
    Random random(3, 1);
    State state(world, random);
    const Checkpoint checkpoint(world, path, options_of(random));
    const std::string with_nul("a\0b", 3);
    checkpoint.save(state.fields(), {{"name", std::string("a")}});
    EXPECT_THROW_ON_ALL_RANKS(
        checkpoint.save(state.fields(), {{"name", with_nul}}), UsageError,
        "Checkpoint::save: expected texts of attributes without NUL, got 'a' followed by NUL");
    EXPECT_THROW_ON_ALL_RANKS(checkpoint.save(state.fields(), {{with_nul, std::int64_t{1}}}),
                              UsageError, "expected names of attributes without NUL, got 'a'");
    EXPECT_THROW_ON_ALL_RANKS(checkpoint.save({{with_nul, state.h.named().array}}), UsageError,
                              "expected names of fields without NUL, got 'a'");
    const auto make_series = [&](const Attributes& attributes, const std::string& axis_name) {
        Hdf5Series(world, folder.file("film.h5"), {state.h.named()}, attributes,
                   {.axis_names = {"y", axis_name}});
    };
    EXPECT_THROW_ON_ALL_RANKS(make_series({{"name", with_nul}}, "x"), UsageError,
                              "Hdf5Series: expected texts of attributes without NUL");
    EXPECT_THROW_ON_ALL_RANKS(make_series({}, with_nul), UsageError,
                              "expected names of axes without NUL");
    EXPECT_THROW_ON_ALL_RANKS(
        (void)checkpoint.load({{std::string("h\0", 2), state.h.named().array}}), UsageError,
        "Checkpoint::load: expected names of fields without NUL, got 'h'");
    // Only rank 0's attributes are saved.
    checkpoint.save(state.fields(), {{"name", rank() == 0 ? "b" : with_nul}});
    EXPECT_EQ(std::get<std::string>(checkpoint.load(state.fields()).scalars.at("name")), "b");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5", "run.h5.1"}));
}

TEST_F(CheckpointTest, arrays_that_differ_between_ranks_are_refused) {
    if (world.size() == 1) return; // needs another rank
    Random random(3, 2);
    const int last = world.size() - 1;
    const bool is_last = rank() == last;
    const auto section = [&](std::int64_t rows, const ElementType& element, bool is_cyclic) {
        const ArrayLayout layout(ProcessGrid{world.size(), 1},
                                 {is_cyclic ? cyclic(rows) : block(rows), block(5)});
        return StoredSection(world, layout, element, random);
    };
    const ElementType number = Named::element;
    const ElementType integer{ElementKind::signed_integer, 8};
    StoredSection u = section(24, number, false), v = section(24, number, false);
    StoredSection longer = section(is_last ? 30 : 24, number, false);
    StoredSection other_type = section(24, is_last ? integer : number, false);
    StoredSection other_layout = section(24, number, is_last);
    const std::vector<NamedArray> both{{"u", u.any()}, {"v", v.any()}};
    const std::vector<NamedArray> fewer(both.begin(), both.end() - (is_last ? 1 : 0));
    const std::string npy = folder.file("v.npy"), npz = folder.file("a.npz");
    const std::string film = folder.file("film.h5");
    const Checkpoint checkpoint(world, path, options_of(random));
    checkpoint.save(both);
    save_npy(world, npy, v.any());
    save_npz(world, npz, both);
    Hdf5Series series(world, film, both);
    series.append(0, both);
    const std::vector<std::string> names = folder.names();

    const std::string other = folder.file("other");
    const auto differs = [&](const std::string& what) {
        return text("expected the same arguments on all ranks, those of rank ", last,
                    " differ from those of rank 0: ", what, " on rank ", last);
    };
    const auto are_refused = [&](const std::vector<NamedArray>& arrays, const std::string& what) {
        const std::string error = differs(what);
        SCOPED_TRACE(error);
        EXPECT_THROW_ON_ALL_RANKS(save_hdf5(world, other, arrays), UsageError, error);
        EXPECT_THROW_ON_ALL_RANKS(checkpoint.save(arrays), UsageError, error);
        EXPECT_THROW_ON_ALL_RANKS(Hdf5Series(world, other, arrays), UsageError, error);
        EXPECT_THROW_ON_ALL_RANKS(save_npz(world, other, arrays), UsageError, error);
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, arrays), UsageError, error);
        EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(arrays), UsageError, error);
        EXPECT_THROW_ON_ALL_RANKS(load_hdf5_step(world, film, 0, arrays), UsageError, error);
    };
    are_refused(fewer, "number of arrays is 1");
    are_refused({{"u", u.any()}, {"v", longer.any()}}, "array 1 is float64 of shape (30, 5)");
    are_refused({{"u", u.any()}, {"v", other_type.any()}}, "array 1 is int64 of shape (24, 5)");
    const std::string cycles =
        text("is   axis 0: cyclic, 24 elements over ", world.size(), " processes");
    const std::vector<NamedArray> of_layouts{{"u", u.any()}, {"v", other_layout.any()}};
    are_refused(of_layouts, text("layout of array 1 ", cycles));
    EXPECT_THROW_ON_ALL_RANKS(series.append(1, of_layouts), UsageError,
                              differs(text("layout of array 1 ", cycles)));

    // load_npz() compares each array with the file before it compares ranks, so arrays of other shapes give a ShapeError.
    for (const auto& [arrays, what] : {std::pair(fewer, std::string("number of arrays is 1")),
                                       std::pair(of_layouts, text("layout of array 1 ", cycles))})
        EXPECT_THROW_ON_ALL_RANKS(load_npz(world, npz, arrays), UsageError, differs(what));
    EXPECT_THROW_ON_ALL_RANKS(save_npy(world, other, other_layout.any()), UsageError,
                              differs(text("layout of array 0 ", cycles)));
    EXPECT_THROW_ON_ALL_RANKS(load_npy(world, npy, other_layout.any()), UsageError,
                              differs(text("layout of array 0 ", cycles)));

    // When HDF5 files are written, only rank 0's names count.
    const std::vector<NamedArray> turned{{is_last ? "v" : "u", u.any()},
                                         {is_last ? "u" : "v", v.any()}};
    const std::string error = differs("name of array 0 is 'v'");
    EXPECT_THROW_ON_ALL_RANKS(save_npz(world, other, turned), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(load_npz(world, npz, turned), UsageError, error);
    EXPECT_THROW_ON_ALL_RANKS(load_hdf5(world, path, turned), UsageError, error);
    EXPECT_EQ(folder.names(), names);
    u.fill(1);
    v.fill(2);
    save_hdf5(world, path, turned);
    load_hdf5(world, path, {{"u", v.any()}, {"v", u.any()}});
    EXPECT_ON_ALL_RANKS(v.is_right(1) && u.is_right(2));
}

TEST_F(CheckpointTest, says_where_it_cannot_be_and_leaves_nothing_behind) {
    Random random(5, 0);
    State state(world, random);
    const auto save = [&](const std::string& where) {
        Checkpoint(world, where, options_of(random)).save(state.fields());
    };
    const auto make_folder = [&](const std::string& name) {
        if (rank() == 0) std::filesystem::create_directory(folder.file(name));
        MPI_Barrier(MPI_COMM_WORLD);
    };
    EXPECT_THROW_ON_ALL_RANKS(save(folder.file("no/run.h5")), Error,
                              "in the folder '" + folder.file("no") +
                                  "', got 'No such file or directory'");
    make_folder("run.h5");
    EXPECT_THROW_ON_ALL_RANKS(save(path), Error, "got 'Is a directory'");
    EXPECT_THROW_ON_ALL_RANKS((void)Checkpoint(world, path).load(state.fields()), Error,
                              "got 'Is a directory'");
    EXPECT_THROW_ON_ALL_RANKS(save(""), Error, "got 'No such file or directory'");
    // The file must not replace a device. A pipe takes the device's place here, because making it needs no permission.
    if (rank() == 0) {
        ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_THROW_ON_ALL_RANKS(save(folder.file("pipe")), Error, "got a device, pipe or socket");
    make_folder("in.h5.partial");
    EXPECT_THROW_ON_ALL_RANKS(save(folder.file("in.h5")), Error, "got 'Is a directory'");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"in.h5.partial", "pipe", "run.h5"}));
}

TEST_F(CheckpointTest, without_permission_says_so) {
    Random random(5, 1);
    State state(world, random);
    const Checkpoint checkpoint(world, path, options_of(random));
    checkpoint.save(state.fields());
    if (rank() == 0) ::chmod(folder.path().c_str(), 0500);
    // Rank 0 alone checks the folder first and creates the file.
    const bool was_root = ::geteuid() == 0;
    const bool is_another = !was_root || rank() != 0 || ::seteuid(65534) == 0;
    EXPECT_TRUE(is_another);
    EXPECT_THROW_ON_ALL_RANKS(checkpoint.save(state.fields()), Error, "got 'Permission denied'");
    if (was_root) { // rank 0 may not even look into the folder
        EXPECT_THROW_ON_ALL_RANKS((void)checkpoint.load(state.fields()), Error,
                                  "got 'Permission denied'");
    }
    const bool is_root_again = !was_root || rank() != 0 || ::seteuid(0) == 0;
    EXPECT_TRUE(is_root_again);
    if (rank() == 0) ::chmod(folder.path().c_str(), 0700);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5"}));
    (void)checkpoint.load(state.fields());
}

/// Limits the size of files on all ranks. Collective.
class FileLimit {
public:
    explicit FileLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~FileLimit() {
        MPI_Barrier(MPI_COMM_WORLD);
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

TEST_F(CheckpointTest, that_may_not_grow_so_far_leaves_the_one_before) {
    Random random(5, 2);
    State state(world, random);
    const Checkpoint checkpoint(world, path, options_of(random));
    state.fill(1);
    checkpoint.save(state.fields());
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    state.fill(2);
    for (const std::int64_t part : {0, 1, 3, 7, 9}) {
        const FileLimit limit(static_cast<rlim_t>(part * size / 10));
        EXPECT_THROW_ON_ALL_RANKS(checkpoint.save(state.fields()), Error, path);
    }
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5"}));
    (void)checkpoint.load(state.fields());
    EXPECT_ON_ALL_RANKS(state.is_of(1));
}

TEST_F(CheckpointTest, on_a_full_disk_leaves_the_one_before) {
    // The folder on the file system of 1 MiB that disk_full.sh mounts.
    const char* const small = std::getenv("DISTVIEW_TEST_SMALL_FOLDER");
    if (!small) GTEST_SKIP() << "no small file system: see disk_full.sh";
    const std::string where = std::string(small) + "/run.h5";
    Random random(5, 3);
    Named fits(world, "h", {150, 150}, random);
    Named is_too_large(world, "h", {500, 500}, random);
    const Checkpoint checkpoint(world, where, options_of(random));
    fits.fill(1);
    checkpoint.save({fits.named()});
    is_too_large.fill(2);
    for (int time = 0; time < 3; ++time)
        EXPECT_THROW_ON_ALL_RANKS(checkpoint.save({is_too_large.named()}), Error,
                                  "No space left on device");
    fits.fill(3);
    checkpoint.save({fits.named()});
    (void)checkpoint.load({fits.named()});
    EXPECT_ON_ALL_RANKS(fits.is_of(3));
    if (rank() == 0) {
        for (const auto& entry : std::filesystem::directory_iterator(small)) {
            EXPECT_TRUE(entry.path().filename() == "run.h5" ||
                        entry.path().filename() == "run.h5.1")
                << entry.path();
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Rank 0 fills a small file system except for `bytes`. Collective.
class LittleRoom {
public:
    LittleRoom(const std::string& folder, std::size_t bytes) : m_path(folder + "/filler") {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) {
            const std::size_t free = std::filesystem::space(folder).available;
            std::ofstream(m_path) << std::string(free - std::min(free, bytes), 'x');
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~LittleRoom() {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank() == 0) std::filesystem::remove(m_path);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    LittleRoom(const LittleRoom&) = delete;
    LittleRoom& operator=(const LittleRoom&) = delete;

private:
    std::string m_path;
};

TEST_F(CheckpointTest, compressed_on_a_full_disk_is_whole_or_an_error) {
    const char* const small = std::getenv("DISTVIEW_TEST_SMALL_FOLDER");
    if (!small) GTEST_SKIP() << "no small file system: see disk_full.sh";
    const std::string where = std::string(small) + "/small.h5";
    Random random(5, 6);
    Named h(world, "h", {70, 60}, random);
    Hdf5Options options;
    options.compression = 1;
    int errors = 0;
    // With some amounts of room, only the last piece, which HDF5 keeps in memory until the end, finds no space.
    for (std::uint64_t pages = 0; pages < 56; ++pages) {
        if (rank() == 0) std::filesystem::remove(where);
        h.fill(pages);
        bool is_written = true;
        {
            const LittleRoom room(small, 4096 * pages);
            try {
                save_hdf5(world, where, {h.named()}, {}, options);
            } catch (const Error&) {
                is_written = false;
                ++errors;
            }
        }
        if (!is_written) continue;
        h.fill(100);
        load_hdf5(world, where, {h.named()});
        EXPECT_ON_ALL_RANKS(h.is_of(pages));
    }
    EXPECT_GT(errors, 0);
    EXPECT_LT(errors, 56);
    if (rank() == 0) std::filesystem::remove(where);
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(CheckpointTest, film_on_a_full_disk_keeps_its_steps_and_goes_on) {
    const char* const small = std::getenv("DISTVIEW_TEST_SMALL_FOLDER");
    if (!small) GTEST_SKIP() << "no small file system: see disk_full.sh";
    const std::string where = std::string(small) + "/film.h5";
    Random random(5, 7);
    for (const int compression : {0, 1})
        for (std::uint64_t pages = 0; pages <= 40; pages += 8) {
            if (rank() == 0) std::filesystem::remove(where);
            Named h(world, "h", {20, 3}, random);
            Hdf5Options options;
            options.compression = compression;
            Hdf5Series film(world, where, {h.named()}, {}, options);
            // The tables of steps grow at the 65th step.
            const auto append = [&] {
                h.fill(static_cast<std::uint64_t>(film.steps()));
                film.append(static_cast<double>(film.steps()), {h.named()});
            };
            while (film.steps() < 64) append();
            {
                const LittleRoom room(small, 4096 * pages);
                bool is_full = false;
                while (!is_full && film.steps() < 200) try {
                        append();
                    } catch (const Error&) {
                        is_full = true;
                    }
                EXPECT_TRUE(is_full);
            }
            append();
            EXPECT_EQ(inspect_hdf5(world, where).times.size(),
                      static_cast<std::size_t>(film.steps()));
            for (const std::int64_t step : {std::int64_t{0}, std::int64_t{63}, film.steps() - 1}) {
                load_hdf5_step(world, where, step, {h.named()});
                EXPECT_ON_ALL_RANKS(h.is_of(static_cast<std::uint64_t>(step)));
            }
        }
    if (rank() == 0) std::filesystem::remove(where);
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(CheckpointTest, removes_what_a_killed_writer_has_left) {
    Random random(5, 4);
    State state(world, random);
    state.fill(1);
    if (rank() == 0) std::ofstream(path + ".partial") << std::string(1 << 20, 'x');
    MPI_Barrier(MPI_COMM_WORLD);
    const Checkpoint checkpoint(world, path, options_of(random));
    checkpoint.save(state.fields());
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"run.h5"}));
    EXPECT_LT(std::filesystem::file_size(path), std::size_t{1} << 18);
    (void)checkpoint.load(state.fields());
    EXPECT_ON_ALL_RANKS(state.is_of(1));
}

TEST_F(CheckpointTest, and_all_that_moves_arrays_say_how_far_they_are) {
    Random random(5, 5);
    // Blocks of rows are written directly, other layouts in rounds; in the last layout rank 0 has no rows.
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(world.size()), 0);
    bounds.push_back(37);
    for (const AxisSpec& rows : {block(37, {.padding = 2}), cyclic(37), block_bounds(bounds)}) {
        const std::size_t least =
            std::holds_alternative<CyclicSpec>(rows.value) && world.size() > 1 ? 3 : 1;
        StoredSection u(world, ArrayLayout(ProcessGrid{world.size(), 1}, {rows, block(11)}),
                        Named::element, random);
        u.fill(1);
        std::vector<std::pair<std::int64_t, std::int64_t>> seen;
        const FileProgress progress = [&](std::int64_t done, std::int64_t all) {
            seen.emplace_back(done, all);
        };
        const auto told = [&](std::int64_t arrays) {
            const std::int64_t all = arrays * 8 * 37 * 11;
            const bool is_told =
                rank() == 0 ? std::is_sorted(seen.begin(), seen.end()) && seen.size() >= least &&
                                  seen.front().second == all && seen.back() == std::pair(all, all)
                            : seen.empty();
            seen.clear();
            return is_told;
        };
        const std::vector<NamedArray> one{{"u", u.any()}}, two{{"u", u.any()}, {"v", u.any()}};
        const FileOptions reading{.buffer_bytes = 500, .progress = progress};
        const Hdf5Options writing{.checksum_bytes = 512, .buffer_bytes = 500, .progress = progress};
        const NpyOptions npy{.buffer_bytes = 500, .progress = progress};

        save_hdf5(world, path, two, {}, writing);
        EXPECT_ON_ALL_RANKS(told(2));
        load_hdf5(world, path, two, reading);
        EXPECT_ON_ALL_RANKS(told(2));
        const Checkpoint checkpoint(
            world, path,
            {.checksum_bytes = 512, .buffer_bytes = 500, .sync = false, .progress = progress});
        checkpoint.save(two);
        EXPECT_ON_ALL_RANKS(told(2));
        (void)checkpoint.load(one);
        EXPECT_ON_ALL_RANKS(told(1));
        Hdf5Series series(world, path, one, {}, writing);
        for (const double time : {0.0, 1.0}) {
            series.append(time, one);
            EXPECT_ON_ALL_RANKS(told(1));
        }
        load_hdf5_step(world, path, 1, one, reading);
        EXPECT_ON_ALL_RANKS(told(1));
        save_npy(world, folder.file("u.npy"), u.any(), npy);
        EXPECT_ON_ALL_RANKS(told(1));
        load_npy(world, folder.file("u.npy"), u.any(), reading);
        EXPECT_ON_ALL_RANKS(told(1));
        save_npz(world, folder.file("u.npz"), two, npy);
        EXPECT_ON_ALL_RANKS(told(2));
        load_npz(world, folder.file("u.npz"), two, reading);
        EXPECT_ON_ALL_RANKS(told(2));
        EXPECT_ON_ALL_RANKS(u.is_right(1));
    }
}

} // namespace

} // namespace distview::testing
