// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding exchanges of Python's arrays.
#include "array.hpp"

#include "device_work.hpp"
#include "read_indices.hpp"
#include "redistribution_update.hpp"
#include "runtime.hpp"

#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/core/checked_events.hpp>
#include <distview/core/error.hpp>
#include <distview/core/memory_overlap.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/pair.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace distview::python {

namespace {

constexpr const char* combine_caller = "combine_padding";
constexpr const char* require_caller = "require_padding";

std::vector<AnySection> pending_sections(const std::vector<ArrayState*>& arrays) {
    std::vector<AnySection> result;
    for (const ArrayState* array : arrays) result.push_back(array->pending_section());
    return result;
}

std::vector<const AnySection*> pointers(const std::vector<AnySection>& sections) {
    std::vector<const AnySection*> result;
    for (const AnySection& section : sections) result.push_back(&section);
    return result;
}

/// Calls update(from, to) for the elements of a region whose other side is in the same section.
template <class Update>
void for_each_own(const AnySection& section, const PaddingRegion& region, const Update& update) {
    const int rank = section.rank();
    std::vector<std::int64_t> at(static_cast<std::size_t>(rank), 0);
    for (std::int64_t i = 0; i < region.elements; ++i) {
        char* to = static_cast<char*>(section.data);
        const char* from = to;
        for (int d = 0; d < rank; ++d) {
            const auto a = static_cast<std::size_t>(d);
            to += (region.begin[a].value() + at[a]) * section.strides[a];
            from += (region.peer_begin[a].value() + at[a]) * section.strides[a];
        }
        update(from, to);
        for (int d = rank - 1; d >= 0; --d) {
            const auto a = static_cast<std::size_t>(d);
            if (++at[a] < region.extents[a]) break;
            at[a] = 0;
        }
    }
}

PaddingExchangeSchedule own_schedule(const AnyDistView& view, Stencil stencil) {
    return {view.layout(), view.process(), {.stencil = stencil, .widths = {}}};
}

/// The checking mode's record of an array; null if it has none.
impl::CheckedSection* checked(const AnyDistView& view) {
    const auto& state = state_of(view);
    return state ? state->checked.get() : nullptr;
}

// Checks of elements for arrays of one process, as plans make them before moving any.

void check_own_elements(const char* caller, const AnyDistView& view) {
    if (const auto* const section = checked(view)) impl::require_no_poison(caller, *section);
}

void check_own_contributions(const char* caller, const AnyDistView& view) {
    auto* const section = checked(view);
    if (!section) return;
    impl::require_own_contributions(caller, *section);
    impl::restore(*section);
    impl::require_no_poison(caller, *section);
}

/// Copies within the section: a whole exchange for an array of one process. Kokkos need not run.
void copy_own_padding(const AnyDistView& view, Stencil stencil) {
    const AnySection& section = view.section();
    const PaddingExchangeSchedule schedule = own_schedule(view, stencil);
    schedule.for_each_incoming([&](const PaddingRegion& region) {
        for_each_own(section, region, [&](const char* from, char* to) {
            std::copy_n(from, section.element.bytes, to);
        });
    });
    view.mark_padding_valid(schedule.filled());
    if (auto* const known = checked(view)) impl::note_filled(*known, {}, 0); // counted
}

/// Whether PaddingExchangePlan::require() would fill the padding of this array of one process.
bool needs_own_padding(const AnyDistView& view, Stencil stencil, Widths depth) {
    const ValidPadding needed = own_schedule(view, stencil).filled().limited_to(depth);
    return needed.deepest() != Widths(0) && !view.valid_padding().reaches(needed);
}

/// Throws UsageError if no exchange of the array fills padding so deep.
void check_depth(const AnyDistView& view, Stencil stencil, Widths depth) {
    const Widths deepest = own_schedule(view, stencil).greatest_depth();
    const auto is_within = [](std::int64_t asked, std::int64_t most) {
        return asked <= most || most == 0; // no padding is filled on that side
    };
    require<UsageError>(
        is_within(depth.low, deepest.low) && is_within(depth.high, deepest.high), [&] {
            return text(require_caller, ": expected depths in [0, ", deepest.low, "] and [0, ",
                        deepest.high,
                        "], as deep as padding is filled on low and on high sides, got (",
                        depth.low, ", ", depth.high, ')');
        });
}

Widths read_depth(nb::handle given) {
    std::pair<nb::object, nb::object> widths;
    const bool is_pair = nb::try_cast(given, widths);
    const ReadInteger low = read_integer(is_pair ? widths.first : given);
    const ReadInteger high = read_integer(is_pair ? widths.second : given);
    const auto is_width = [](const ReadInteger& read) {
        return read.what == ReadInteger::fits && read.value >= 0;
    };
    require<UsageError>(is_width(low) && is_width(high), [&] {
        return text(require_caller,
                    ": expected depth to be a width or (low, high), none of "
                    "them negative, got ",
                    short_repr(given));
    });
    return {low.value, high.value};
}

/// Combines padding within the section: combine_padding() for an array of one process.
void combine_own_padding(const AnyDistView& view, Stencil stencil, const Update& update) {
    const auto combine = element_update(update, view.section().element);
    own_schedule(view, stencil).for_each_outgoing([&](const PaddingRegion& region) {
        for_each_own(view.section(), region, combine);
    });
    view.mark_written();
}

/// Throws UsageError if arrays of one process share memory.
void check_own_memory(const char* caller, const std::vector<ArrayState*>& arrays) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            require<UsageError>(!memory_overlaps(arrays[j]->section(), arrays[i]->section()), [&] {
                return text(caller, ": fields ", j, " and ", i,
                            " share memory: their padding would be combined twice");
            });
}

std::vector<ArrayLayout> layouts_of(const std::vector<ArrayState*>& arrays) {
    std::vector<ArrayLayout> layouts;
    for (const ArrayState* array : arrays)
        layouts.push_back(array->view("exchange_padding").layout());
    return layouts;
}

const char* name_of(Stencil stencil) { return stencil == Stencil::faces ? "faces" : "box"; }

Stencil read_stencil(const char* caller, nb::handle given) {
    for (const Stencil stencil : {Stencil::box, Stencil::faces})
        if (nb::isinstance<nb::str>(given) && nb::borrow(given).equal(nb::str(name_of(stencil))))
            return stencil;
    throw UsageError(
        text(caller, ": expected stencil to be 'box' or 'faces', got ", short_repr(given)));
}

constexpr const char* earlier =
    "an earlier exchange of these arrays was abandoned or failed: their plan";

} // namespace

void ArrayState::check_exchange(const char* caller, const std::vector<ArrayState*>& arrays) const {
    for (const ArrayState* array : arrays) {
        const AnyDistView& view = array->view(caller);
        require<UsageError>(array->m_comm == m_comm,
                            [&] { return text(caller, ": expected arrays of one communicator"); });
        require<ShapeError>(!view.section().read_only, [&] {
            return text(caller, ": the array is read-only: an exchange writes its ",
                        std::string_view(caller) == combine_caller ? "cells" : "padding");
        });
        require<ShapeError>(!array->holds_objects(), [&] {
            return text(caller, ": the elements are Python objects or addresses, which mean "
                                "nothing to other processes");
        });
    }
}

const ArrayState::Plan* ArrayState::find_plan(const std::vector<ArrayLayout>& layouts,
                                              Stencil stencil) {
    const auto known = std::find_if(m_plans.begin(), m_plans.end(), [&](const Plan& plan) {
        return plan.stencil == stencil && plan.layouts == layouts;
    });
    if (known == m_plans.end()) return nullptr;
    if (!known->plan->is_usable()) {
        m_plans.erase(known);
        return nullptr;
    }
    return &*known;
}

std::shared_ptr<PaddingExchangePlan> ArrayState::plan_for(const std::vector<ArrayState*>& arrays,
                                                          Stencil stencil) {
    constexpr std::size_t most_plans = 4;
    const std::vector<ArrayLayout> layouts = layouts_of(arrays);
    if (const Plan* const known = find_plan(layouts, stencil)) {
        // Reorder only here, after the agreement: the oldest plan must be the same on all ranks.
        const auto at = m_plans.begin() + (known - m_plans.data());
        std::rotate(at, at + 1, m_plans.end());
        return m_plans.back().plan;
    }
    const PaddingExchangeOptions options{.stencil = stencil, .widths = {}};
    std::vector<FieldExchange> fields;
    for (const ArrayLayout& layout : layouts) fields.push_back({layout, options});
    // A plan of one layout, if possible: with it require_padding() exchanges only the outdated arrays.
    const bool are_alike = std::ranges::count(layouts, layouts.front()) == std::ssize(layouts);
    std::shared_ptr<PaddingExchangePlan> plan;
    {
        const nb::gil_scoped_release release;
        plan = are_alike ? std::make_shared<PaddingExchangePlan>(*m_comm, layouts.front(), options)
                         : std::make_shared<PaddingExchangePlan>(*m_comm, fields);
    }
    if (m_plans.size() == most_plans) m_plans.erase(m_plans.begin());
    m_plans.push_back({layouts, stencil, plan, ++m_plan_count});
    return plan;
}

ArrayState::Exchange ArrayState::agree_on_exchange(const char* caller,
                                                   const std::vector<ArrayState*>& arrays,
                                                   nb::handle stencil, Failure failure,
                                                   const std::function<Argument()>& check,
                                                   bool trusts_plan) {
    Exchange exchange;
    // Plans do not compare the ranks' arguments: ranks with different arrays would wait for ever.
    std::uint64_t digest = arrays.size();
    std::vector<AnySection> sections;
    Argument own{"operation", {}};
    if (!failure.image) {
        try {
            check_exchange(caller, arrays);
            own = check();
            exchange.stencil = read_stencil(caller, stencil);
            sections = pending_sections(arrays);
            exchange.kernels = kernels_for(caller, pointers(sections), m_comm.has_value());
            if (m_comm) require_kokkos(caller, &*m_comm);
            begin_work(caller, exchange.kernels, pointers(sections));
        } catch (...) {
            failure = current_failure();
        }
        for (const ArrayState* array : arrays)
            digest = digest * 0x9e3779b97f4a7c15u + array->m_number;
        for (const char c : own.value) digest = digest * 31 + static_cast<unsigned char>(c);
        digest = digest * 31 + static_cast<std::uint64_t>(exchange.stencil);
    }
    // A rank that knows that the plan was abandoned makes a new plan: then all ranks must do so.
    const Plan* const known =
        m_comm && !failure.image ? find_plan(layouts_of(arrays), exchange.stencil) : nullptr;
    const std::uint64_t plan_number = known ? known->number : 0;
    digest = digest * 0x9e3779b97f4a7c15u + plan_number;
    if (!m_comm) {
        if (failure.image) std::rethrow_exception(failure.image);
        return exchange;
    }
    const auto add_views = [&] {
        for (const ArrayState* array : arrays) exchange.views.push_back(*array->m_view);
    };
    if (trusts_plan && known) {
        exchange.plan = known->plan;
        add_views();
        return exchange;
    }
    try {
        agree(*m_comm, caller, failure, digest, [&] {
            std::vector<Argument> arguments{own,
                                            {"stencil", name_of(exchange.stencil)},
                                            {"number of arrays", text(arrays.size())}};
            for (std::size_t i = 0; i < arrays.size(); ++i)
                arguments.push_back(
                    {text("creation number of array ", i), text(arrays[i]->m_number)});
            arguments.push_back({earlier, plan_number == 0 ? "new" : "in use"});
            return arguments;
        });
    } catch (const UsageError& error) {
        // All ranks get this error, and all make a new plan in the next exchange.
        if (std::string_view(error.what()).find(earlier) != std::string_view::npos)
            std::erase_if(m_plans, [&](const Plan& plan) { return plan.number == plan_number; });
        throw;
    }
    exchange.plan = plan_for(arrays, exchange.stencil);
    add_views();
    return exchange;
}

std::shared_ptr<ExchangeInFlight>
ArrayState::start_exchange(const char* caller,
                           const std::vector<std::shared_ptr<ArrayState>>& others,
                           nb::handle stencil, Failure failure) {
    const std::vector<ArrayState*> arrays = with_others(others);
    Exchange exchange = agree_on_exchange(caller, arrays, stencil, std::move(failure),
                                          [] { return Argument{"operation", "fill"}; });
    std::unique_ptr<ExchangeInFlight::Work> work;
    if (m_comm) {
        const nb::gil_scoped_release release;
        with_exec(exchange.kernels, [&](const auto& exec) {
            auto handle = exchange.plan->start(exec, std::span<const AnyDistView>(exchange.views));
            work = work_of(std::move(handle), std::move(exchange.views));
        });
    } else {
        for (const ArrayState* array : arrays) check_own_elements(caller, *array->m_view);
        for (const ArrayState* array : arrays) copy_own_padding(*array->m_view, exchange.stencil);
    }
    return ExchangeInFlight::begin(std::move(work));
}

void ArrayState::exchange_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                                  nb::handle stencil, Failure failure) {
    const std::shared_ptr<ExchangeInFlight> exchange =
        start_exchange("exchange_padding", others, stencil, std::move(failure));
    const nb::gil_scoped_release release;
    exchange->finish();
}

bool ArrayState::require_padding(nb::handle depth,
                                 const std::vector<std::shared_ptr<ArrayState>>& others,
                                 nb::handle stencil, Failure failure) {
    const std::vector<ArrayState*> arrays = with_others(others);
    Widths widths;
    const auto read = [&] {
        widths = read_depth(depth);
        for (const ArrayState* array : arrays)
            check_depth(*array->m_view, read_stencil(require_caller, stencil), widths);
        return Argument{"depth", text('(', widths.low, ", ", widths.high, ')')};
    };
    const Exchange exchange =
        agree_on_exchange(require_caller, arrays, stencil, std::move(failure), read, true);
    if (!m_comm) {
        std::vector<const AnyDistView*> stale;
        for (const ArrayState* array : arrays)
            if (needs_own_padding(*array->m_view, exchange.stencil, widths))
                stale.push_back(&*array->m_view);
        for (const AnyDistView* view : stale) check_own_elements(require_caller, *view);
        for (const AnyDistView* view : stale) copy_own_padding(*view, exchange.stencil);
        return !stale.empty();
    }
    bool filled = false;
    const nb::gil_scoped_release release;
    with_exec(exchange.kernels, [&](const auto& exec) {
        filled = exchange.plan->require(exec, widths, std::span<const AnyDistView>(exchange.views));
    });
    return filled;
}

void ArrayState::combine_padding(const std::vector<std::shared_ptr<ArrayState>>& others,
                                 nb::handle operation, nb::handle stencil, Failure failure) {
    constexpr const char* caller = combine_caller;
    const std::vector<ArrayState*> arrays = with_others(others);
    Update update;
    const auto read = [&] {
        require<UsageError>(!operation.is_none(), [&] {
            return text(caller, ": expected operation to be 'sum', 'min' or 'max', got None");
        });
        const ElementType& element = m_view->section().element;
        update =
            read_update(nb::int_(1), nb::int_(0), operation, false, element, caller, "operation");
        for (const ArrayState* array : arrays)
            require<ShapeError>(array->m_view->section().element == element, [&] {
                return text(caller, ": expected arrays of one element type, got ",
                            distview::describe(element), " and ",
                            distview::describe(array->m_view->section().element));
            });
        return Argument{"operation", name_of(update.kind)};
    };
    const Exchange exchange = agree_on_exchange(caller, arrays, stencil, std::move(failure), read);
    if (!m_comm) {
        check_own_memory(caller, arrays);
        for (const ArrayState* array : arrays) check_own_contributions(caller, *array->m_view);
        for (const ArrayState* array : arrays)
            combine_own_padding(*array->m_view, exchange.stencil, update);
        return;
    }
    const nb::gil_scoped_release release;
    execute_combination(exchange.kernels, *exchange.plan, update, exchange.views);
}

std::vector<ArrayState*>
ArrayState::with_others(const std::vector<std::shared_ptr<ArrayState>>& others) {
    std::vector<ArrayState*> arrays{this};
    for (const auto& array : others) arrays.push_back(array.get());
    return arrays;
}

} // namespace distview::python
