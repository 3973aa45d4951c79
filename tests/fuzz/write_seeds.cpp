// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// write_seeds FOLDER: writes the seeds as files, for libFuzzer.
#include "seeds.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: write_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const auto& seed : distview::fuzz::seed_inputs()) {
        std::ofstream file(folder / ("seed" + std::to_string(number++)), std::ios::binary);
        file.write(reinterpret_cast<const char*>(seed.data()),
                   static_cast<std::streamsize>(seed.size()));
        if (!file) return 1;
    }
    return 0;
}
