// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device_work.hpp"
#include "exchange_in_flight.hpp"
#include "python_objects.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/any_dist_view.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace distview::python {

/// alpha or beta, read in the target's element type.
struct Number {
    std::int64_t integer = 0; ///< for unsigned types the same bits
    bool is_unsigned = false;
    std::complex<double> real_or_complex{};

    template <class T>
    T as() const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(integer);
        else if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(real_or_complex.real());
        else
            return T(static_cast<typename T::value_type>(real_or_complex.real()),
                     static_cast<typename T::value_type>(real_or_complex.imag()));
    }
};

/// The operation on the elements of a target.
struct Update {
    enum class Kind { insert, linear, sum, minimum, maximum };
    Kind kind = Kind::insert;
    Number alpha{};
    Number beta{};
    bool conjugate = false;

    /// Whether elements are only moved, which works for all types.
    bool only_moves() const noexcept { return kind == Kind::insert && !conjugate; }
    /// Whether the result depends on the target's old elements.
    bool reads_target() const noexcept {
        return kind == Kind::sum || kind == Kind::minimum || kind == Kind::maximum ||
               (kind == Kind::linear &&
                (beta.integer != 0 || beta.real_or_complex != std::complex<double>()));
    }
    /// A hash that is the same on all ranks with the same update.
    std::uint64_t digest() const noexcept;
};

/// The arguments for the error of ranks whose updates differ.
std::vector<Argument> arguments_of(const Update& update);

/// Reads an update from Python's arguments. `argument` is the name of `combine` in errors.
///
/// Errors: UsageError if combine is passed together with alpha or beta, or is not "sum", "min" or "max", or a
///         factor is not a number that `element` can be (an integer in range; a real number; a complex number);
///         ShapeError if `element` does not support arithmetic
Update read_update(nb::handle alpha, nb::handle beta, nb::handle combine, bool conjugate,
                   const ElementType& element, const char* caller,
                   const char* argument = "combine");
/// The name that callers use, such as "sum".
const char* name_of(Update::Kind kind) noexcept;

/// Begins an execution of a plan for arrays of the update's element type.
std::unique_ptr<ExchangeInFlight::Work> start_update(Kernels kernels, RedistributionPlan& plan,
                                                     const Update& update,
                                                     const AnyDistView& source,
                                                     const AnyDistView& target);

/// Combines the padding of arrays of the update's element type.
void execute_combination(Kernels kernels, PaddingExchangePlan& plan, const Update& update,
                         const std::vector<AnyDistView>& views);

/// An update that only combines, as an object of Python.
struct Combination {
    Update update;
};
/// Combines elements of an array with values of the update's element type.
void execute_combination(GatherPlan& plan, const Update& update, std::span<const std::byte> values,
                         const AnyDistView& view);
/// Combines owners' elements with their ghosts.
void execute_combination(GhostExchangePlan& plan, const Update& update, const AnyDistView& view);

/// The update of one element: a function of its source and target addresses.
std::function<void(const char*, char*)> element_update(const Update& update,
                                                       const ElementType& element);

} // namespace distview::python
