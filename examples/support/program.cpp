// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include <distview/comm/runtime.hpp>
#include <distview/core/error.hpp>

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <thread>

namespace program {

namespace {

constexpr int failed = 1;
constexpr int wrong_use = 2;

int run_and_report(int argc, char** argv, const char* name,
                   const std::function<void(const distview::Communicator&, int, char**)>& body) {
    const distview::Communicator comm(MPI_COMM_WORLD);
    try {
        body(comm, argc, argv);
        return 0;
    } catch (const distview::Error& error) {
        // The error is the same on every rank: the library and agree_on() ensure this.
        if (comm.rank() == root) std::fprintf(stderr, "%s: %s\n", name, error.what());
        // When the first rank fails, launchers drop output that they have not yet read: the other ranks wait.
        distview::agree(comm, name, nullptr);
        if (comm.rank() != root) std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const bool is_wrong_use = dynamic_cast<const distview::UsageError*>(&error) ||
                                  dynamic_cast<const distview::LayoutError*>(&error) ||
                                  dynamic_cast<const distview::ShapeError*>(&error) ||
                                  dynamic_cast<const distview::ProtocolError*>(&error);
        return is_wrong_use ? wrong_use : failed;
    }
}

} // namespace

int run_program(int argc, char** argv, const char* name,
                const std::function<void(const distview::Communicator&, int, char**)>& body) {
    std::optional<distview::Runtime> runtime;
    try {
        runtime.emplace(argc, argv);
        return run_and_report(argc, argv, name, body);
    } catch (const std::exception& error) {
        // An error on this rank alone: the other ranks do not know of it, so no rank may wait for another.
        std::fprintf(stderr, "%s: %s\n", name, error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
        return failed;
    }
}

std::uint64_t digest_of_arguments(int argc, const char* const* argv) {
    std::string all;
    for (int i = 1; i < argc; ++i) all.append(argv[i]).push_back('\n');
    return std::hash<std::string>()(all);
}

} // namespace program
