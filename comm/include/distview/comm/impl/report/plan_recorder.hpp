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

/// Phases of an execution, as an ExchangeHandle goes through them. The others lie within start and finish.
enum class Phase { start, finish, wait, pack };

/// Measures the executions of one plan into the record of its geometry. Allocates when arrays are bound, never in an
/// execution, and communicates nothing.
class PlanRecorder {
public:
    using Clock = std::chrono::steady_clock;
    /// Memory of an array: to tell whose elements are filled.
    struct ByteSpan {
        const char* begin = nullptr;
        const char* end = nullptr;
    };

    PlanRecorder(std::shared_ptr<PlanRecord> record, std::shared_ptr<TimeInside> inside);

    /// A set of arrays was bound, in the execution that has begun or before; `binding` is what set() names.
    void bound(const void* binding, std::vector<Traffic> traffic, std::vector<ByteSpan> arrays);
    /// The binding is destroyed.
    void dropped(const void* binding) noexcept { m_bound.erase(binding); }
    bool has_shapes() const noexcept { return !m_record->shapes.empty(); }
    void set_shapes(std::vector<ExchangeShape> shapes) { m_record->shapes = std::move(shapes); }
    void set_filled_depth(int depth) noexcept { m_record->filled_depth = depth; }
    void note_require(int depth) noexcept;

    void enter(Phase phase) noexcept;
    void leave(Phase phase) noexcept;
    /// Whether an execution has been set and has not ended: a further start is refused, and not measured.
    bool is_in_flight() const noexcept { return m_in_flight; }
    /// The execution that is in flight is one with these arrays.
    void set(const void* binding) noexcept;
    /// Whether the array, by its number among those of a padding exchange, is known not to be as that left it: it is not looked at then.
    void set_written(std::size_t array, bool is_written) noexcept;
    /// The execution has come to its end.
    void end() noexcept;

    /// Whether this execution looks if what it fills has changed; its times do not count then.
    bool looks() const noexcept { return m_looks; }
    /// Padding that is about to be filled, with what it has already or not.
    void look(const char* destination, bool is_same) noexcept;

private:
    struct Bound {
        std::size_t set = 0;
        std::vector<ByteSpan> arrays{};
        std::vector<char>
            seen{}; ///< by array, in this execution: 0 nothing, 1 all the same, 2 a change, 3 not looked at
    };
    std::size_t set_of(std::vector<Traffic> traffic, int arrays);

    std::shared_ptr<PlanRecord> m_record;
    std::shared_ptr<TimeInside> m_inside;
    std::map<const void*, Bound> m_bound;
    Bound* m_current = nullptr;
    std::array<Clock::time_point, 4> m_entered{};
    TimeSample m_sample{};
    bool m_binds = false; ///< in the execution in flight
    bool m_looks = false;
    bool m_in_flight = false;
};

} // namespace distview::impl
