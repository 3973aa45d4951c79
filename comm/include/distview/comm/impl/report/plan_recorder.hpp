// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/report/plan_record.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace distview::impl {

/// Phases of an execution in an ExchangeHandle. Waiting and packing lie within start and finish.
enum class Phase { start, finish, wait, pack };

/// Measures the executions of one plan for the record of its geometry. Allocates when arrays
/// are bound, never in an execution. Does not communicate.
class PlanRecorder {
public:
    using Clock = std::chrono::steady_clock;
    /// Memory of an array: tells to which array filled elements belong.
    struct ByteSpan {
        const char* begin = nullptr;
        const char* end = nullptr;
    };

    PlanRecorder(std::shared_ptr<PlanRecord> record, std::shared_ptr<TimeInside> inside);

    /// Records that a set of arrays was bound, in the execution under way or before. `binding` identifies it for set().
    void bound(const void* binding, std::vector<Traffic> traffic, std::vector<ByteSpan> arrays);
    /// Records that the binding is destroyed.
    void dropped(const void* binding) noexcept { m_bound.erase(binding); }
    bool has_shapes() const noexcept { return !m_record->shapes.empty(); }
    void set_shapes(std::vector<ExchangeShape> shapes) { m_record->shapes = std::move(shapes); }
    void set_filled_depth(int depth) noexcept { m_record->filled_depth = depth; }
    void note_require(int depth) noexcept;

    void enter(Phase phase) noexcept;
    void leave(Phase phase) noexcept;
    /// Whether an execution is set and has not ended: a further start is refused, and not measured.
    bool is_in_flight() const noexcept { return m_in_flight; }
    /// Records that the execution in flight uses these arrays.
    void set(const void* binding) noexcept;
    /// Records whether array number `array` is known to be written since its last exchange: then it is not compared.
    void set_written(std::size_t array, bool is_written) noexcept;
    /// Records the end of the execution.
    void end() noexcept;

    /// Whether this execution compares padding before it fills it; its times then do not count.
    bool looks() const noexcept { return m_looks; }
    /// Records padding that is about to be filled, and whether it already has the new values.
    void look(const char* destination, bool is_same) noexcept;

private:
    struct Bound {
        std::size_t set = 0;
        std::vector<ByteSpan> arrays{};
        std::vector<char>
            seen{}; ///< by array, in this execution: 0 unseen, 1 same, 2 changed, 3 not compared
    };
    std::size_t set_of(std::vector<Traffic> traffic, int arrays);

    std::shared_ptr<PlanRecord> m_record;
    std::shared_ptr<TimeInside> m_inside;
    std::map<const void*, Bound> m_bound;
    Bound* m_current = nullptr;
    std::array<Clock::time_point, 4> m_entered{};
    TimeSample m_sample{};
    bool m_binds = false; ///< whether the execution in flight binds arrays
    bool m_looks = false;
    bool m_in_flight = false;
};

} // namespace distview::impl
