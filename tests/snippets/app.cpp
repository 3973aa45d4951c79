// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program that the projects on Markdown pages build.
#include <distview/algorithms.hpp>

#include <cstdio>

int main() {
    const distview::ArrayLayout layout(distview::ProcessGrid{1}, {distview::block(11)});
    std::printf("%d elements\n", static_cast<int>(layout.size()));
    return layout.size() == 11 ? 0 : 1;
}
