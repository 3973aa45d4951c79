// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuzz_protocol COUNT: the driver for builds without libFuzzer. Runs all seeds and COUNT generated
// inputs, random or slightly changed seeds, the same in every run.
// fuzz_protocol FILE...: runs these inputs, such as one that libFuzzer has found.
#include "fuzz_input.hpp"
#include "seeds.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

void run(const Bytes& input) { LLVMFuzzerTestOneInput(input.data(), input.size()); }

class Generator {
public:
    explicit Generator(const std::vector<Bytes>& seeds) : m_seeds(seeds) {}

    Bytes next() {
        if (below(4) == 0) return random_bytes();
        Bytes bytes = m_seeds[below(m_seeds.size())];
        for (std::size_t changes = below(4); changes > 0; --changes) change(bytes);
        return bytes;
    }

private:
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(m_random() % count); }
    std::uint8_t byte() { return static_cast<std::uint8_t>(m_random()); }

    Bytes random_bytes() {
        Bytes bytes(below(120));
        for (std::uint8_t& value : bytes) value = byte();
        return bytes;
    }
    void change(Bytes& bytes) {
        const auto at = static_cast<std::ptrdiff_t>(below(bytes.size()));
        switch (below(5)) {
        case 0: bytes.insert(bytes.begin() + at, byte()); break;
        case 1:
            if (bytes.size() > 1) bytes.erase(bytes.begin() + at);
            break;
        case 2:
            bytes[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1U << below(8));
            break;
        case 3:
            bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(192 + below(14));
            break;
        default: bytes[static_cast<std::size_t>(at)] = byte(); break;
        }
    }

    const std::vector<Bytes>& m_seeds;
    std::mt19937_64 m_random{20'261'121};
};

int run_files(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        std::ifstream file(argv[i], std::ios::binary);
        if (!file) {
            std::fprintf(stderr, "%s cannot be read\n", argv[i]);
            return EXIT_FAILURE;
        }
        run(Bytes(std::istreambuf_iterator<char>(file), {}));
    }
    return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
    char* end = nullptr;
    const long count = argc > 1 ? std::strtol(argv[1], &end, 10) : 0;
    if (argc > 1 && *end != '\0') return run_files(argc, argv);

    const std::vector<Bytes> seeds = distview::fuzz::seed_inputs();
    for (const Bytes& seed : seeds) run(seed);
    Generator generator(seeds);
    for (long i = 0; i < count; ++i) run(generator.next());

    const distview::fuzz::Reached& reached = distview::fuzz::reached();
    std::printf(
        "%lld sections, %lld taken; %lld arrays, %lld conform, %lld of these changed; %lld "
        "tensors, "
        "%lld taken\n",
        static_cast<long long>(reached.sections), static_cast<long long>(reached.sections_taken),
        static_cast<long long>(reached.arrays), static_cast<long long>(reached.arrays_conform),
        static_cast<long long>(reached.arrays_changed), static_cast<long long>(reached.tensors),
        static_cast<long long>(reached.tensors_taken));
    // At least one input in twenty (tensors: forty) must be accepted, or the code behind the checks
    // stays untested.
    const bool deep =
        reached.sections_taken * 20 > count / 3 && reached.arrays_conform * 20 > count / 3 &&
        reached.arrays_changed * 150 > count && reached.tensors_taken * 40 > count / 3;
    std::puts(deep ? "DISTVIEW-TEST-PASSED" : "DISTVIEW-TEST-FAILED");
    return deep ? EXIT_SUCCESS : EXIT_FAILURE;
}
