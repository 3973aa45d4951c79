// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace distview::impl {

/// Bytes that one execution moves between this rank and a partner, or within its section.
struct Traffic {
    int partner = 0;
    bool is_sent = false; ///< else received from the partner
    std::string transport{};
    std::int64_t bytes = 0;    ///< 0 if only the other side knows them
    std::int64_t messages = 0; ///< MPI messages
    bool is_packed = false;    ///< read in place, but packed by the owner (borrowed memory)
    std::string why_not{};     ///< why elements are not read in place
    friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// A loop nest of runs of bytes, in the order in which a copy visits them in a section.
struct RunNest {
    struct Axis {
        std::int64_t count = 1;
        std::int64_t stride = 0; ///< bytes
    };
    std::int64_t run_bytes = 0;
    std::vector<Axis> axes{}; ///< outermost first
    bool is_packed = false;   ///< copied through packed memory: one strided side, twice

    std::int64_t runs() const noexcept {
        std::int64_t result = 1;
        for (const Axis& axis : axes) result *= axis.count;
        return result;
    }
    std::int64_t bytes() const noexcept { return runs() * run_bytes; }
};

/// A way to make the same exchange, and the bytes that one rank then copies.
struct ExchangeShape {
    enum class Kind { as_it_is, process_grid, depth };
    Kind kind = Kind::as_it_is;
    std::string what{}; ///< "1x2", or the depth
    std::vector<RunNest> nests{};
    std::int64_t section_bytes = 0; ///< bytes of the memory in which the nests lie
    double seconds = 0;             ///< measured time of copying them; 0: not measured

    std::int64_t bytes() const noexcept {
        std::int64_t result = 0;
        for (const RunNest& nest : nests) result += nest.bytes();
        return result;
    }
    /// Average bytes of a run.
    std::int64_t run_bytes() const noexcept {
        std::int64_t runs = 0;
        for (const RunNest& nest : nests) runs += nest.runs();
        return runs == 0 ? 0 : bytes() / runs;
    }
};

/// Executions with sets of arrays that move the same bytes in the same way.
struct SetRecord {
    std::vector<Traffic> traffic{};
    std::int64_t binds = 0;
    std::int64_t executions = 0;
    int arrays = 0;
    /// Per array: how often its padding was compared before it was filled, and how often it was already the same.
    std::vector<std::int64_t> looks{};
    std::vector<std::int64_t> unchanged{};
};

/// Times of one execution.
struct TimeSample {
    std::int64_t number = 0; ///< number of the execution in the record
    std::int64_t began = 0;  ///< beginning, in nanoseconds of the node's clock
    double seconds = 0;      ///< within the library, without what the program computes in between
    double waiting = 0;
    double packing = 0;
    double inside = 0; ///< seconds in calls of the communicator before the execution, on this rank
};

/// Time that a rank spends in calls of one communicator, waits included: time without work of the program.
struct TimeInside {
    double seconds = 0;
    int depth = 0; ///< number of nested calls under way
    void enter() noexcept { ++depth; }
    void leave(double call_seconds) noexcept {
        if (--depth == 0) seconds += call_seconds;
    }
};

/// Samples of executions 0, stride, 2 * stride, ...: the same executions on all ranks. When the
/// memory is full the stride doubles, so that the memory is bounded and allocated once.
struct TimeSamples {
    static constexpr std::size_t capacity = 512;
    void reserve() { samples.reserve(capacity); }
    void add(const TimeSample& sample) noexcept;
    /// Keeps every other sample.
    void thin() noexcept;

    std::vector<TimeSample> samples{};
    std::int64_t stride = 1;
};

/// Plans of one geometry on one communicator.
struct PlanRecord {
    std::string plan{};     ///< "PaddingExchangePlan"
    std::uint64_t first{};  ///< number of the first plan on the communicator
    std::uint64_t key = 0;  ///< key of the geometry; the same on all ranks
    std::string geometry{}; ///< text for the user
    std::int64_t plans = 0;

    std::vector<SetRecord> sets{};
    std::int64_t executions = 0;
    std::int64_t timed = 0; ///< executions in the sums below: those without binding or comparison
    double seconds = 0;     ///< time of these within the library
    double waiting = 0;
    double packing = 0;
    double binding = 0; ///< time of executions that bound arrays
    TimeSamples samples{};

    int filled_depth = 0;                ///< greatest depth to which padding is filled
    std::int64_t require_calls = 0;      ///< calls of require()
    int asked_depth = 0;                 ///< greatest depth that these calls asked for
    std::vector<ExchangeShape> shapes{}; ///< the first is the present one
};

/// Collective calls that a program makes, by name.
struct CallRecord {
    std::string name{};
    std::int64_t calls = 0;
    double seconds = 0;
};

/// Contribution of one rank to a report.
struct RankReport {
    int rank = -1; ///< -1: no report arrived from the rank
    int node = 0;  ///< the lowest rank whose memory the rank can map
    int ranks_of_node = 1;
    int processors = 0; ///< usable by this node's ranks together; 0: not known
    bool lacked_shared_memory = false;
    double copy_bandwidth = 0; ///< bytes per second, of a copy by one thread while all ranks copy
    std::vector<PlanRecord> plans{};
    std::vector<CallRecord> calls{};
};

/// Packs a report into bytes that another process of the same build can read.
std::string packed(const RankReport& report);
/// The same in at most `most` bytes: with fewer samples, then with one partner for each way to
/// reach partners; empty if even that is too long.
std::string packed(RankReport report, std::size_t most);
/// Throws Error if there are too few or too many bytes.
RankReport unpacked(std::string_view bytes);

} // namespace distview::impl
