// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device_work.hpp"
#include "exchange_in_flight.hpp"
#include "python_objects.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/core/any_dist_view.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

namespace distview::python {

/// alpha or beta, read as what the target's elements are.
struct Number {
    std::int64_t integer = 0; ///< of unsigned ones the same bits
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

/// What becomes of the elements of a target.
struct Update {
    enum class Kind { insert, linear, sum, minimum, maximum };
    Kind kind = Kind::insert;
    Number alpha{};
    Number beta{};
    bool conjugate = false;

    /// Whether elements are moved as they are, whatever they are.
    bool only_moves() const noexcept { return kind == Kind::insert && !conjugate; }
    /// Whether what is in the target goes into the result.
    bool reads_target() const noexcept {
        return kind == Kind::sum || kind == Kind::minimum || kind == Kind::maximum ||
               (kind == Kind::linear &&
                (beta.integer != 0 || beta.real_or_complex != std::complex<double>()));
    }
    /// The same on all ranks that pass the same.
    std::uint64_t digest() const noexcept;
};

/// What ranks show each other whose updates differ.
std::vector<Argument> arguments_of(const Update& update);

/// `argument` is what errors call `combine`.
///
/// Errors: UsageError if combine is given besides alpha and beta or is none of "sum", "min", "max", or a
///         factor is no number that `element` can be; ShapeError if that is nothing to calculate with
Update read_update(nb::handle alpha, nb::handle beta, nb::handle combine, bool conjugate,
                   const ElementType& element, const char* caller,
                   const char* argument = "combine");
/// As callers give it: "sum".
const char* name_of(Update::Kind kind) noexcept;

/// Begins an execution of a plan with arrays of the update's elements.
std::unique_ptr<ExchangeInFlight::Work> start_update(Kernels kernels, RedistributionPlan& plan,
                                                     const Update& update,
                                                     const AnyDistView& source,
                                                     const AnyDistView& target);

/// Combines the padding of arrays of the update's elements.
void execute_combination(Kernels kernels, PaddingExchangePlan& plan, const Update& update,
                         const std::vector<AnyDistView>& views);

/// The same for one element, from and to.
std::function<void(const char*, char*)> element_update(const Update& update,
                                                       const ElementType& element);

} // namespace distview::python
