// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rank_group.hpp"

#include <distview_testing/ranks.hpp>

#include <cstdlib>
#include <stdexcept>

namespace distview::testing {

namespace {

impl::RankGroup* g_rank_group = nullptr;

} // namespace

namespace impl {

RankGroup& rank_group() {
    if (g_rank_group == nullptr) {
        throw std::logic_error("distview::testing: no main of the test support library is running");
    }
    return *g_rank_group;
}

void set_rank_group(RankGroup* group) { g_rank_group = group; }

void append_field(std::string& record, const std::string& field) {
    record += std::to_string(field.size());
    record += ':';
    record += field;
}

std::string take_field(const std::string& record, std::size_t& position) {
    const std::size_t colon = record.find(':', position);
    if (colon == std::string::npos) {
        throw std::logic_error("distview::testing: truncated record");
    }
    const std::size_t size = std::stoul(record.substr(position, colon - position));
    position = colon + 1 + size;
    return record.substr(colon + 1, size);
}

std::string rank_list(const std::vector<int>& ranks, int rank_count) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    return text + " of " + std::to_string(rank_count);
}

} // namespace impl

int rank() { return impl::rank_group().rank(); }

int rank_count() { return impl::rank_group().size(); }

bool all_ranks(bool condition) { return impl::rank_group().all(condition); }

std::vector<std::string> gather_on_all_ranks(const std::string& text) {
    return impl::rank_group().gather(text);
}

} // namespace distview::testing
