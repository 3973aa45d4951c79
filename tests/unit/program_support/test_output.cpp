// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "output.hpp"

#include <distview/core/error.hpp>

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace distview::testing {

namespace {

namespace fs = std::filesystem;

class OutputTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = fs::temp_directory_path() / "distview-output-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { fs::remove_all(folder); }
    fs::path folder;
};

std::string contents_of(const fs::path& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST_F(OutputTest, looking_whether_a_file_can_be_written_changes_nothing) {
    program::require_writable("--json", folder / "new");
    EXPECT_TRUE(fs::is_empty(folder));
    std::ofstream(folder / "old") << "contents";
    program::require_writable("--json", folder / "old");
    EXPECT_EQ(contents_of(folder / "old"), "contents");
    program::require_writable("--json", "-");
    EXPECT_FALSE(fs::exists("-"));
}

TEST_F(OutputTest, a_link_stays_and_leads_where_it_did) {
    fs::create_symlink("target", folder / "link");
    program::require_writable("--json", folder / "link");
    ASSERT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(fs::read_symlink(folder / "link"), "target");
    EXPECT_FALSE(fs::exists(folder / "target"));
    program::write_report(folder / "link", "{}\n", "");
    EXPECT_EQ(contents_of(folder / "target"), "{}\n");
}

TEST_F(OutputTest, says_what_cannot_be_written) {
    fs::create_symlink(folder / "none" / "target", folder / "link");
    for (const fs::path& path : {folder / "none" / "file", folder / "link", folder}) {
        try {
            program::require_writable("--json", path);
            ADD_FAILURE() << path;
        } catch (const UsageError& error) {
            EXPECT_EQ(std::string(error.what())
                          .rfind("--json: cannot write to '" + path.string() + "': ", 0),
                      0U)
                << error.what();
        }
    }
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
}

TEST_F(OutputTest, one_file_for_two_options_is_refused) {
    const std::string file = folder / "file";
    const std::string same = folder / "." / "file";
    EXPECT_NO_THROW(program::require_distinct({{"--json", file}, {"--png", file + "2"}}));
    EXPECT_NO_THROW(program::require_distinct({{"--json", ""}, {"--png", ""}}));
    EXPECT_NO_THROW(program::require_distinct({{"--json", "/dev/null"}, {"--png", "/dev/null"}}));
    EXPECT_THROW(program::require_distinct({{"--json", file}, {"--png", ""}, {"--movie", same}}),
                 UsageError);
    EXPECT_THROW(program::require_distinct({{"--json", "not_there"}, {"--png", "./not_there"}}),
                 UsageError);
}

TEST_F(OutputTest, looking_at_a_pipe_does_not_wait_for_its_reader) {
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_NO_THROW(program::require_writable("--json", pipe));
}

} // namespace

} // namespace distview::testing
