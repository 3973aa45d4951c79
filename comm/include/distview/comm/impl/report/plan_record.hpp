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
    bool is_sent = false; ///< else it comes from the partner
    std::string transport{};
    std::int64_t bytes = 0;    ///< 0 where only the other side knows
    std::int64_t messages = 0; ///< of MPI
    bool is_packed = false;    ///< read in place, but of borrowed memory, which its owner packs
    std::string why_not{};     ///< why it is not read in place
    friend bool operator==(const Traffic&, const Traffic&) = default;
};

/// A loop nest of runs of bytes, as a copy meets them in a section.
struct RunNest {
    struct Axis {
        std::int64_t count = 1;
        std::int64_t stride = 0; ///< bytes
    };
    std::int64_t run_bytes = 0;
    std::vector<Axis> axes{}; ///< outermost first
    bool is_packed = false;   ///< goes through packed memory: one strided side, twice

    std::int64_t runs() const noexcept {
        std::int64_t result = 1;
        for (const Axis& axis : axes) result *= axis.count;
        return result;
    }
    std::int64_t bytes() const noexcept { return runs() * run_bytes; }
};

/// A way to make the same exchange, and what one rank then copies.
struct ExchangeShape {
    enum class Kind { as_it_is, process_grid, depth };
    Kind kind = Kind::as_it_is;
    std::string what{}; ///< "1x2", or the depth
    std::vector<RunNest> nests{};
    std::int64_t section_bytes = 0; ///< memory in which the nests lie
    double seconds = 0;             ///< measured time of copying them; 0: not measured

    std::int64_t bytes() const noexcept {
        std::int64_t result = 0;
        for (const RunNest& nest : nests) result += nest.bytes();
        return result;
    }
    /// Bytes of a run, on average.
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
    /// By array: how often its padding was looked at before it was filled, and already had these values.
    std::vector<std::int64_t> looks{};
    std::vector<std::int64_t> unchanged{};
};

/// Times of one execution.
struct TimeSample {
    std::int64_t number = 0; ///< of the execution, among those of the record
    std::int64_t began = 0;  ///< nanoseconds of the node's clock
    double seconds = 0; ///< within the library: what a program computes in between does not count
    double waiting = 0;
    double packing = 0;
    double inside =
        0; ///< seconds that calls of the communicator had taken before it began, on this rank
};

/// Time that a rank has spent in calls of one communicator, waiting included: what is not work of the program.
struct TimeInside {
    double seconds = 0;
    int depth = 0; ///< calls within calls are parts of these
    void enter() noexcept { ++depth; }
    void leave(double call_seconds) noexcept {
        if (--depth == 0) seconds += call_seconds;
    }
};

/// Samples of executions 0, stride, 2 stride, ...: the same ones on all ranks. The stride doubles when there is no more
/// room, so that the memory is bounded and allocated once.
struct TimeSamples {
    static constexpr std::size_t capacity = 512;
    void reserve() { samples.reserve(capacity); }
    void add(const TimeSample& sample) noexcept;
    /// Keeps every other one.
    void thin() noexcept;

    std::vector<TimeSample> samples{};
    std::int64_t stride = 1;
};

/// Plans of one geometry on one communicator.
struct PlanRecord {
    std::string plan{};     ///< "PaddingExchangePlan"
    std::uint64_t first{};  ///< number of the first plan on the communicator
    std::uint64_t key = 0;  ///< of the geometry; the same on all ranks
    std::string geometry{}; ///< for people
    std::int64_t plans = 0;

    std::vector<SetRecord> sets{};
    std::int64_t executions = 0;
    std::int64_t timed = 0; ///< executions whose times are summed up: those that did not bind
    double seconds = 0;     ///< of these, within the library
    double waiting = 0;
    double packing = 0;
    double binding = 0; ///< of those that bound arrays
    TimeSamples samples{};

    int filled_depth = 0;                ///< as deep as padding is filled where it is deepest
    std::int64_t require_calls = 0;      ///< calls of require()
    int asked_depth = 0;                 ///< the deepest that these asked for
    std::vector<ExchangeShape> shapes{}; ///< the first is as it is
};

/// Collective calls that a program makes, by name.
struct CallRecord {
    std::string name{};
    std::int64_t calls = 0;
    double seconds = 0;
};

/// Contribution of one rank to a report.
struct RankReport {
    int rank = -1; ///< -1: nothing came from it
    int node = 0;  ///< the lowest rank of its node that it sees
    int ranks_of_node = 1;
    int processors = 0; ///< usable by this node's ranks together; 0: not known
    bool lacked_shared_memory = false;
    double copy_bandwidth = 0; ///< bytes a second, of a copy by one thread while all ranks copy
    std::vector<PlanRecord> plans{};
    std::vector<CallRecord> calls{};
};

/// As bytes that another process of the same build reads.
std::string packed(const RankReport& report);
/// The same in so many bytes at most: with fewer samples, then one partner for all that are reached alike; empty if that is
/// still too much.
std::string packed(RankReport report, std::size_t most);
/// Throws Error if the bytes end too early or too late.
RankReport unpacked(std::string_view bytes);

} // namespace distview::impl
