// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "checkpoint_files.hpp"

#include "command_line.hpp"
#include "output.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <filesystem>
#include <limits>
#include <system_error>
#include <type_traits>
#include <variant>

namespace program {

using distview::text;

void add_checkpoint_options(CLI::App& app, CheckpointFiles& files, const char* steps) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    app.add_option("--checkpoint", files.path,
                   "write the state to this file at the end; the previous file is kept as FILE.1")
        ->type_name("FILE");
    add_whole_number<std::int64_t>(
        app, "--checkpoint-every", files.every, {1, most},
        text("write --checkpoint also after every so many ", steps).c_str())
        ->default_str("");
    app.add_option("--restart", files.restart,
                   "continue from this checkpoint, written on any number of ranks")
        ->type_name("FILE");
}

void require_hdf5(const char* option, const std::string& path) {
    distview::require<distview::UsageError>(path.empty() || distview::has_hdf5(), [&] {
        return text(option,
                    ": expected a build with HDF5, got one without: install HDF5 and xxhash "
                    "(Debian: libhdf5-openmpi-dev, libxxhash-dev) and configure again");
    });
}

void check_checkpoint_options(const CheckpointFiles& files) {
    distview::require<distview::UsageError>(
        files.every == 0 || !files.path.empty(),
        "--checkpoint-every: expected --checkpoint FILE as well");
    require_file("--checkpoint", files.path, "a checkpoint");
    require_hdf5("--checkpoint", files.path);
    require_hdf5("--restart", files.restart);
}

bool overwrites_restart(const distview::Communicator& comm, const CheckpointFiles& files) {
    std::error_code ignored;
    const bool same =
        comm.rank() == 0 && std::filesystem::equivalent(files.path, files.restart, ignored);
    return distview::all_reduce(comm, distview::ReduceOperation::max, same ? 1 : 0) == 1;
}

namespace {

std::string text_of(const distview::AttributeValue& value) {
    return std::visit(
        [](const auto& v) {
            using Value = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<Value, std::string>)
                return text('\'', v, '\'');
            else if constexpr (std::is_arithmetic_v<Value>)
                return text(v);
            else
                return text(v.size(), " numbers");
        },
        value);
}

} // namespace

distview::Attributes load_scalars(const distview::Communicator& comm, const std::string& path,
                                  const distview::Attributes& expected) {
    const distview::Attributes found = distview::Checkpoint(comm, path).load({}).scalars;
    const auto require_same = [&](const distview::Attributes::value_type& each) {
        const auto same = found.find(each.first);
        const bool is_there = same != found.end();
        // All ranks throw or none does, because load() gives all ranks the same scalars.
        distview::require<distview::UsageError>(is_there && same->second == each.second, [&] {
            return text("--restart: expected ", each.first, " ", text_of(each.second),
                        " in checkpoint '", path, "', got ",
                        is_there ? text_of(same->second) : "no value");
        });
    };
    // Scalars with other values are reported before missing ones: they are the cause (another program, another mode).
    if (const auto program = expected.find("program"); program != expected.end())
        require_same(*program);
    for (const auto& each : expected)
        if (found.count(each.first) != 0) require_same(each);
    for (const auto& each : expected) require_same(each);
    return found;
}

} // namespace program
