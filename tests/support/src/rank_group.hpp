// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace distview::testing::impl {

/// The processes of a test program, as the harness needs them. Each main provides one.
class RankGroup {
public:
    RankGroup() = default;
    RankGroup(const RankGroup&) = delete;
    RankGroup& operator=(const RankGroup&) = delete;
    virtual ~RankGroup() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;

    /// Collective: the texts of all ranks, in the order of the ranks, on every rank.
    virtual std::vector<std::string> gather(const std::string& text) = 0;

    /// Collective: true on every rank if true on all.
    virtual bool all(bool condition) = 0;

    /// Ends all processes with a failure; called from the watchdog's thread.
    [[noreturn]] virtual void abort() = 0;
};

/// The group of this program; set by main before the first test.
RankGroup& rank_group();
void set_rank_group(RankGroup* group);

/// Appends a text preceded by its length, so records of several fields survive any content.
void append_field(std::string& record, const std::string& field);
std::string take_field(const std::string& record, std::size_t& position);

/// "rank 1 of 4" or "ranks 1, 3 of 4".
std::string rank_list(const std::vector<int>& ranks, int rank_count);

} // namespace distview::testing::impl
