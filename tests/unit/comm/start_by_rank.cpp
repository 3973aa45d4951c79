// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// start_by_rank PROGRAM LAST: runs LAST on the last rank and PROGRAM on the others. mpirun can do
// this too, but the one of Open MPI 5.0.7 then crashes.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

int number(const char* open_mpi, const char* others) {
    const char* text = std::getenv(open_mpi);
    if (!text) text = std::getenv(others);
    return text ? std::atoi(text) : -1;
}

} // namespace

int main(int, char** arguments) {
    const int rank = number("OMPI_COMM_WORLD_RANK", "PMI_RANK");
    const int size = number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
    if (rank < 0 || size < 0) {
        std::fputs("start_by_rank: the launcher says no rank and size in the environment\n",
                   stderr);
        return EXIT_FAILURE;
    }
    char** const started = arguments + (rank == size - 1 ? 2 : 1);
    char* own[] = {*started, nullptr};
    ::execv(*started, own);
    std::perror(*started);
    return EXIT_FAILURE;
}
