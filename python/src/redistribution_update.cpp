// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redistribution_update.hpp"

#include "integer.hpp"

#include <distview/comm/combine.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace distview::python {

namespace {

/// Calls function<T>() for the type T of elements that support arithmetic; false for other elements.
template <class Function>
bool with_number_type(const ElementType& element, Function&& function) {
    const auto is = [&]<class T>() { return element == element_type<T>(); };
    const auto call = [&]<class... T>() {
        return ((is.template operator()<T>() && (function.template operator()<T>(), true)) || ...);
    };
    return call.template operator()<double, float, Kokkos::complex<double>, Kokkos::complex<float>,
                                    std::int64_t, std::int32_t, std::uint64_t, std::uint32_t>();
}

template <class T>
inline constexpr bool has_order = std::is_arithmetic_v<T>;

/// Whether `given` has a complex type, or is an array of complex elements.
bool is_complex(nb::handle given) {
    // The most common types of factors, tested first: this avoids reading attributes.
    if (nb::isinstance<nb::float_>(given) || nb::isinstance<nb::int_>(given)) return false;
    if (PyComplex_Check(given.ptr())) return true;
    const nb::object dtype = nb::getattr(given, "dtype", nb::none());
    return nb::getattr(dtype, "kind", nb::none()).equal(nb::str("c"));
}

/// Reads a real number. Refuses complex numbers first: float() of NumPy's complex numbers drops the imaginary part.
bool read_real(nb::handle given, double& number) {
    return !is_complex(given) && nb::try_cast(given, number);
}

/// Whether a factor has this value, which is its default.
bool is_number(nb::handle given, double value) {
    double number = 0;
    return read_real(given, number) && number == value;
}

template <class T>
bool read_number(nb::handle given, Number& number) {
    if constexpr (std::is_integral_v<T>) {
        Integer<T> read;
        if (!nb::try_cast(given, read)) return false;
        number.integer = static_cast<std::int64_t>(read.value);
        number.is_unsigned = std::is_unsigned_v<T>;
        return true;
    } else if constexpr (std::is_floating_point_v<T>) {
        double value = 0;
        if (!read_real(given, value)) return false;
        number.real_or_complex = value;
        return true;
    } else {
        return nb::try_cast(given, number.real_or_complex);
    }
}

Number factor(nb::handle given, const char* which, const ElementType& element, const char* caller) {
    Number number;
    bool is_read = false;
    with_number_type(element, [&]<class T>() { is_read = read_number<T>(given, number); });
    require<UsageError>(is_read, [&] {
        return text(caller, ": expected ", which, " to be a number that can be converted to ",
                    distview::describe(element), ", got ", nb::cast<std::string>(nb::repr(given)));
    });
    return number;
}

void add(std::uint64_t& digest, std::uint64_t value) {
    digest = digest * 0x9e3779b97f4a7c15u + value + 1;
}

} // namespace

std::uint64_t Update::digest() const noexcept {
    std::uint64_t digest = static_cast<std::uint64_t>(kind);
    for (const Number& number : {alpha, beta}) {
        add(digest, static_cast<std::uint64_t>(number.integer));
        add(digest, std::bit_cast<std::uint64_t>(number.real_or_complex.real()));
        add(digest, std::bit_cast<std::uint64_t>(number.real_or_complex.imag()));
    }
    return digest;
}

std::vector<Argument> arguments_of(const Update& update) {
    const bool is_linear = update.kind == Update::Kind::linear;
    const auto shown = [&](const Number& number, int otherwise) {
        const std::complex<double> value = number.real_or_complex;
        if (!is_linear) return text(otherwise);
        if (number.is_unsigned) return text(static_cast<std::uint64_t>(number.integer));
        if (value == std::complex<double>()) return text(number.integer);
        const std::string real = exact_text(value.real());
        return value.imag() == 0 ? real : text('(', real, ", ", exact_text(value.imag()), ')');
    };
    // The hash distinguishes values whose texts are equal.
    return {{"combine", name_of(update.kind)},
            {"alpha", shown(update.alpha, 1)},
            {"beta", shown(update.beta, 0)},
            {"hash of alpha, beta and operation", text(update.digest())}};
}

Update read_update(nb::handle alpha, nb::handle beta, nb::handle combine, bool conjugate,
                   const ElementType& element, const char* caller, const char* argument) {
    Update update;
    update.conjugate = conjugate;
    const bool has_factors = !is_number(alpha, 1) || !is_number(beta, 0);
    std::string operation;
    if (!combine.is_none()) {
        require<UsageError>(!has_factors, [&] {
            return text(caller, ": expected alpha and beta, or combine, got both");
        });
        const bool is_text = nb::try_cast(combine, operation);
        require<UsageError>(
            is_text && (operation == "sum" || operation == "min" || operation == "max"), [&] {
                return text(caller, ": expected ", argument, " to be 'sum', 'min' or 'max', got ",
                            nb::cast<std::string>(nb::repr(combine)));
            });
    }
    if (operation == "min") update.kind = Update::Kind::minimum;
    if (operation == "max") update.kind = Update::Kind::maximum;
    if (operation == "sum") update.kind = Update::Kind::sum;
    if (has_factors) update.kind = Update::Kind::linear;
    if (update.only_moves()) return update;

    require<ShapeError>(!conjugate || element.kind == ElementKind::complex, [&] {
        return text(caller, ": the plan conjugates: expected complex elements, got ",
                    distview::describe(element));
    });
    bool is_known = false;
    bool is_ordered = false;
    with_number_type(element, [&]<class T>() {
        is_known = true;
        is_ordered = has_order<T>;
    });
    require<ShapeError>(is_known, [&] {
        return text(caller,
                    ": expected elements of int32, int64, uint32, uint64, float32, float64, "
                    "complex64 or complex128 to calculate with, got ",
                    distview::describe(element));
    });
    const bool orders =
        update.kind == Update::Kind::minimum || update.kind == Update::Kind::maximum;
    require<ShapeError>(is_ordered || !orders, [&] {
        return text(caller, ": complex numbers have no order, ", argument, " cannot be '",
                    operation, "'");
    });
    if (has_factors) {
        update.alpha = factor(alpha, "alpha", element, caller);
        update.beta = factor(beta, "beta", element, caller);
    }
    return update;
}

const char* name_of(Update::Kind kind) noexcept {
    switch (kind) {
    case Update::Kind::sum: return "sum";
    case Update::Kind::minimum: return "min";
    case Update::Kind::maximum: return "max";
    case Update::Kind::insert:
    case Update::Kind::linear: break;
    }
    return "none";
}

namespace {

/// Begins an execution and calls keep() with its handle.
template <ExecutionSpace Exec, class Keep>
void start_on(const Exec& exec, RedistributionPlan& plan, const Update& update,
              const AnyDistView* source, const AnyDistView* target, const Keep& keep) {
    const ElementType& element = target->section().element;
    if (update.only_moves()) return plan.start(exec, element, source, target, keep);
    with_number_type(element, [&]<class T>() {
        switch (update.kind) {
        case Update::Kind::insert: return keep(plan.start_as<T>(exec, T(1), source, T(0), target));
        case Update::Kind::linear:
            return keep(
                plan.start_as<T>(exec, update.alpha.as<T>(), source, update.beta.as<T>(), target));
        case Update::Kind::sum: return keep(plan.start_combine_as<T>(exec, Sum{}, source, target));
        case Update::Kind::minimum:
            if constexpr (has_order<T>)
                keep(plan.start_combine_as<T>(exec, Minimum{}, source, target));
            return;
        case Update::Kind::maximum:
            if constexpr (has_order<T>)
                keep(plan.start_combine_as<T>(exec, Maximum{}, source, target));
            return;
        }
    });
}

/// Calls combine.operator()<T>(operation) with the type of the elements and the update's operation.
template <class Combine>
void with_operation(const Update& update, const ElementType& element, const Combine& combine) {
    with_number_type(element, [&]<class T>() {
        if (update.kind == Update::Kind::sum) combine.template operator()<T>(Sum{});
        if constexpr (has_order<T>) {
            if (update.kind == Update::Kind::minimum) combine.template operator()<T>(Minimum{});
            if (update.kind == Update::Kind::maximum) combine.template operator()<T>(Maximum{});
        }
    });
}

} // namespace

std::unique_ptr<ExchangeInFlight::Work> start_update(Kernels kernels, RedistributionPlan& plan,
                                                     const Update& update,
                                                     const AnyDistView& source,
                                                     const AnyDistView& target) {
    std::unique_ptr<ExchangeInFlight::Work> work;
    with_exec(kernels, [&](const auto& exec) {
        start_on(exec, plan, update, &source, &target,
                 [&](auto handle) { work = work_of(std::move(handle), {source, target}); });
    });
    return work;
}

void execute_combination(Kernels kernels, PaddingExchangePlan& plan, const Update& update,
                         const std::vector<AnyDistView>& views) {
    with_operation(update, views.front().section().element, [&]<class T>(const auto& operation) {
        with_exec(kernels, [&](const auto& exec) {
            plan.combine_as<T>(exec, operation, std::span<const AnyDistView>(views));
        });
    });
}

void execute_combination(GatherPlan& plan, const Update& update, std::span<const std::byte> values,
                         const AnyDistView& view) {
    with_operation(update, view.section().element, [&]<class T>(const auto& operation) {
        const std::span numbers(reinterpret_cast<const T*>(values.data()),
                                values.size() / sizeof(T));
        plan.combine_as<T>(Kokkos::DefaultHostExecutionSpace(), operation, numbers, view);
    });
}

void execute_combination(GhostExchangePlan& plan, const Update& update, const AnyDistView& view) {
    with_operation(update, view.section().element, [&]<class T>(const auto& operation) {
        plan.combine_as<T>(Kokkos::DefaultHostExecutionSpace(), operation, view);
    });
}

std::function<void(const char*, char*)> element_update(const Update& update,
                                                       const ElementType& element) {
    if (update.only_moves())
        return
            [bytes = element.bytes](const char* from, char* to) { std::copy_n(from, bytes, to); };
    std::function<void(const char*, char*)> result;
    with_number_type(element, [&]<class T>() {
        result = [update](const char* from, char* to) {
            T incoming, here;
            std::memcpy(&incoming, from, sizeof(T));
            std::memcpy(&here, to, sizeof(T));
            if constexpr (!has_order<T>)
                if (update.conjugate) incoming = Kokkos::conj(incoming);
            if (update.kind == Update::Kind::linear) {
                const T beta = update.beta.as<T>();
                incoming = static_cast<T>(update.alpha.as<T>() * incoming);
                if (beta != T(0)) incoming = static_cast<T>(beta * here + incoming);
            }
            if (update.kind == Update::Kind::sum) incoming = Sum{}(here, incoming);
            if constexpr (has_order<T>) {
                if (update.kind == Update::Kind::minimum) incoming = Minimum{}(here, incoming);
                if (update.kind == Update::Kind::maximum) incoming = Maximum{}(here, incoming);
            }
            std::memcpy(to, &incoming, sizeof(T));
        };
    });
    return result;
}

} // namespace distview::python
