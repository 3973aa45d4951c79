// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution.hpp"

#include "device_work.hpp"
#include "runtime.hpp"

#include <distview/core/error.hpp>
#include <distview/core/memory_overlap.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace distview::python {

namespace {

bool same_elements(const ArrayState& a, const ArrayState& b) {
    const ElementType element = a.section().element;
    return element == b.section().element &&
           element_text(element, a.format()) == element_text(element, b.format());
}

/// Whether elements of one type may be converted to another type: not if the conversion would drop a part, such as a
/// fraction or an imaginary part.
bool converts(const ElementType& from, const ElementType& to) {
    const auto order = [](ElementKind kind) {
        switch (kind) {
        case ElementKind::boolean: return 0;
        case ElementKind::unsigned_integer:
        case ElementKind::signed_integer: return 1;
        case ElementKind::floating_point: return 2;
        case ElementKind::complex: return 3;
        case ElementKind::opaque:
        case ElementKind::bfloat: break;
        }
        return -1;
    };
    return order(from.kind) >= 0 && order(from.kind) <= order(to.kind);
}

/// Calls visit(source, target) for the elements that move between the sections of one process, in an order
/// that is the same every time.
template <class Visit>
void for_each_element(const RedistributionSchedule& schedule, const AnySection& from,
                      const AnySection& to, const Visit& visit) {
    const auto rank = static_cast<std::size_t>(schedule.rank());
    schedule.for_each_piece(0, 0, [&](const RedistributionPiece& piece) {
        std::array<std::int64_t, max_rank> at{};
        for (std::int64_t n = 0; n < piece.elements; ++n) {
            auto* target = static_cast<char*>(to.data);
            const auto* source = static_cast<const char*>(from.data);
            for (std::size_t d = 0; d < rank; ++d) {
                const auto a = static_cast<std::size_t>(schedule.permutation(static_cast<int>(d)));
                const std::int64_t j = at[d] % piece.length[d];
                const std::int64_t i = at[d] / piece.length[d];
                target += to.strides[d] * (piece.to_begin[d].value() + j * piece.to_step[d] +
                                           i * piece.to_period[d]);
                source += from.strides[a] * (piece.from_begin[a].value() + j * piece.from_step[a] +
                                             i * piece.from_period[a]);
            }
            visit(source, target);
            for (std::size_t d = rank; d-- > 0;) {
                if (++at[d] < piece.length[d] * piece.repeats[d]) break;
                at[d] = 0;
            }
        }
    });
}

/// A whole redistribution for arrays of one process. If `buffer` has room for the elements that move, all of them are read
/// before any is written.
void copy_alone(const RedistributionSchedule& schedule, const Update& update,
                const AnySection& from, const AnySection& to, std::vector<char>& buffer) {
    const auto move = element_update(update, to.element);
    if (buffer.empty()) return for_each_element(schedule, from, to, move);
    const auto bytes = static_cast<std::size_t>(to.element.bytes);
    char* at = buffer.data();
    for_each_element(schedule, from, to, [&](const char* source, char*) {
        std::memcpy(at, source, bytes);
        at += bytes;
    });
    at = buffer.data();
    for_each_element(schedule, from, to, [&](const char*, char* target) {
        move(at, target);
        at += bytes;
    });
}

} // namespace

Redistribution::Redistribution(const std::optional<Communicator>& comm, const ArrayLayout& from,
                               const ArrayLayout& to, const RedistributionOptions& options)
    : m_comm(comm), m_conjugates(options.conjugate), m_in_place(options.in_place),
      m_buffer_bytes(options.buffer_bytes) {
    const nb::gil_scoped_release release;
    if (comm)
        m_plan.emplace(*comm, from, to, options);
    else
        m_schedule.emplace(from, to, options);
}

std::string Redistribution::describe() const {
    return m_plan ? m_plan->describe() : m_schedule->describe();
}

void Redistribution::check(const char* caller, const ArrayState& array, const char* which,
                           const ArrayLayout& layout) const {
    const AnyDistView& view = array.view(caller);
    require<UsageError>(array.communicator() == m_comm, [&] {
        return text(caller, ": expected the ", which,
                    " to be an array of the plan's communicator, got an array of another one");
    });
    require<ShapeError>(view.layout() == layout, [&] {
        return text(caller, ": expected a ", which, " of the plan's layout, got a ",
                    view.layout().describe(), "\nthe plan is for a ", layout.describe(),
                    impl::difference_of(view.layout(), layout));
    });
    require<ShapeError>(!array.holds_objects(), [&] {
        return text(caller, ": the elements of the ", which,
                    " are Python objects or addresses, which mean nothing to other processes");
    });
}

void Redistribution::check(const char* caller, const ArrayState& source,
                           const ArrayState& target) const {
    check(caller, source, "source", schedule().from_layout());
    check(caller, target, "target", schedule().to_layout());
    const AnySection& from = source.section();
    const AnySection& to = target.section();
    require<ShapeError>(!to.read_only, [&] { return text(caller, ": the target is read-only"); });
    require<ShapeError>(same_elements(source, target) || converts(from.element, to.element), [&] {
        return text(caller, ": source and target differ in element type: ",
                    distview::describe(from.element), " ('", shortened(source.format()), "') and ",
                    distview::describe(to.element), " ('", shortened(target.format()),
                    "'); booleans, integers, real and complex numbers can be converted to the "
                    "same kind or a later one in this order");
    });
    constexpr std::array sizes{1, 2, 4, 8, 16};
    require<ShapeError>(
        std::find(sizes.begin(), sizes.end(), to.element.bytes) != sizes.end(), [&] {
            return text(caller, ": expected elements of 1, 2, 4, 8 or 16 bytes, got ",
                        to.element.bytes);
        });
    require<UsageError>(m_in_place || stays(from, to) || !memory_overlaps(from, to), [&] {
        return text(caller,
                    ": source and target share memory: elements could be overwritten before "
                    "they are read; to redistribute in place, build the plan with in_place");
    });
}

bool Redistribution::stays(const AnySection& from, const AnySection& to) const {
    return schedule().is_identity() && from.data == to.data && from.strides == to.strides;
}

std::vector<char> Redistribution::buffer_alone(const char* caller, const Update& update,
                                               const AnySection& from, const AnySection& to) const {
    if (stays(from, to) || !memory_overlaps(from, to)) return {};
    require<UsageError>(!update.reads_target(), [&] {
        return text(caller,
                    ": source and target share memory, so old values of the target cannot be kept: "
                    "expected beta = 0 and no combination");
    });
    const std::int64_t bytes = schedule().elements() * to.element.bytes;
    require<UsageError>(m_buffer_bytes == 0 || bytes <= m_buffer_bytes, [&] {
        return text(caller, ": expected buffer_bytes of at least ", bytes,
                    " (or 0: as much as is needed), got ", m_buffer_bytes);
    });
    return std::vector<char>(static_cast<std::size_t>(bytes));
}

void Redistribution::check_ready(const char* caller) const {
    require<UsageError>(!m_plan || m_plan->is_usable(), [&] {
        return text(caller, ": an earlier execution was abandoned or failed; this plan cannot be "
                            "used again, build a new one");
    });
    const std::shared_ptr<ExchangeInFlight> last = m_last.lock();
    require<UsageError>(!last || !last->is_in_flight(), [&] {
        return text(caller,
                    ": an execution is in flight; first call finish() on the object that start() "
                    "returned");
    });
}

std::shared_ptr<ExchangeInFlight>
Redistribution::start(const char* caller, std::shared_ptr<ArrayState> source,
                      const std::shared_ptr<ArrayState>& target, Failure failure,
                      const std::function<Update(const ElementType&)>& read,
                      const std::function<std::shared_ptr<ArrayState>()>& convert) {
    // Plans do not compare the ranks' arguments: ranks with different arrays would wait for ever.
    std::uint64_t digest = 0;
    Update update;
    Kernels kernels = Kernels::host;
    if (!failure.image) {
        try {
            check(caller, *source, *target);
            check_ready(caller);
            update = read(target->section().element);
            const AnySection from = source->pending_section();
            const AnySection to = target->pending_section();
            const std::array<const AnySection*, 2> sections{&from, &to};
            kernels = kernels_for(caller, sections, m_comm.has_value());
            if (m_comm) require_kokkos(caller, &*m_comm);
            begin_work(caller, kernels, sections);
            // The ranks then convert the source together, into an array that is made once.
            if (!same_elements(*source, *target))
                digest = static_cast<std::uint64_t>(from.device.type);
        } catch (...) {
            failure = current_failure();
        }
        digest = (digest * 0xd6e8feb86659fd93u + source->number()) * 0x9e3779b97f4a7c15u +
                 target->number();
        digest = digest * 0x9e3779b97f4a7c15u + update.digest();
    }
    if (m_comm)
        agree(*m_comm, caller, failure, digest, [&] {
            std::vector<Argument> arguments{
                {"creation number of the source", text(source->number())},
                {"creation number of the target", text(target->number())}};
            std::ranges::move(arguments_of(update), std::back_inserter(arguments));
            return arguments;
        });
    else if (failure.image)
        std::rethrow_exception(failure.image);
    if (!same_elements(*source, *target)) {
        Failure of_conversion;
        try {
            source = convert();
        } catch (...) {
            of_conversion = current_failure();
        }
        if (m_comm)
            agree(*m_comm, caller, of_conversion, 0);
        else if (of_conversion.image)
            std::rethrow_exception(of_conversion.image);
    }
    std::unique_ptr<ExchangeInFlight::Work> work;
    if (m_comm) {
        const AnyDistView from = source->view(caller);
        const AnyDistView to = target->view(caller);
        const nb::gil_scoped_release release;
        work = start_update(kernels, *m_plan, update, from, to);
    } else {
        std::vector<char> buffer =
            buffer_alone(caller, update, source->section(), target->section());
        copy_alone(*m_schedule, update, source->section(), target->section(), buffer);
        target->view(caller).mark_written();
    }
    const std::shared_ptr<ExchangeInFlight> started = ExchangeInFlight::begin(std::move(work));
    m_last = started;
    return started;
}

void Redistribution::execute(const char* caller, std::shared_ptr<ArrayState> source,
                             const std::shared_ptr<ArrayState>& target, Failure failure,
                             const std::function<Update(const ElementType&)>& read,
                             const std::function<std::shared_ptr<ArrayState>()>& convert) {
    const std::shared_ptr<ExchangeInFlight> started =
        start(caller, std::move(source), target, std::move(failure), read, convert);
    const nb::gil_scoped_release release;
    started->finish();
}

} // namespace distview::python
