// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduced_array.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace distview::c {

namespace {

void check_host(const distview_array& array, const char* function) {
    require<ShapeError>(array.view.section().device.host_accessible(), [&] {
        return text(function, ": expected memory that the host can access, got device type ",
                    static_cast<int>(array.view.section().device.type));
    });
}

/// Copies all elements of a section to `to` in C order.
template <class From, class To>
void convert(const AnySection& section, To* to) {
    std::array<std::int64_t, max_rank> at{};
    const std::int64_t count = section.count();
    const char* from = static_cast<const char*>(section.data);
    for (std::int64_t n = 0; n < count; ++n) {
        From value;
        std::memcpy(&value, from, sizeof(From));
        to[n] = static_cast<To>(value);
        for (std::size_t d = section.extents.size(); d-- > 0;) {
            from += section.strides[d];
            if (++at[d] < section.extents[d]) break;
            from -= at[d] * section.strides[d];
            at[d] = 0;
        }
    }
}

} // namespace

template <class To>
Wide<const To> converted(const distview_array& array) {
    const AnySection& section = array.view.section();
    const auto memory =
        std::make_shared<std::vector<To>>(static_cast<std::size_t>(section.count()));
    with_real(section.element,
              [&]<class From>(OfType<From>) { convert<From>(section, memory->data()); });
    AnySection result;
    result.data = memory->data();
    result.element = element_type<To>();
    result.extents = section.extents;
    result.strides = AnySection::contiguous_strides(section.extents, sizeof(To));
    result.owner = memory;
    const AnyDistView view(result, array.view.layout(), array.view.process());
    return dist_view_cast<Wide<const To>>(widened(view, Added::before, false));
}
template Wide<const std::int64_t> converted<std::int64_t>(const distview_array& array);
template Wide<const double> converted<double>(const distview_array& array);

void check_reduced(const distview_array& array, const char* function, bool allows_complex) {
    const ElementType element = array.view.section().element;
    check_host(array, function);
    const auto as_it_is = [&]<class T>(OfType<T>) {
        if constexpr (!std::is_integral_v<T> || sizeof(T) == sizeof(std::int64_t))
            wide<const T>(array, added_for(array));
    };
    if (with_real(element, as_it_is)) return;
    if (allows_complex && with_complex(element, as_it_is)) return;
    throw_element(function,
                  allows_complex ? "integers, real or complex numbers" : "integers or real numbers",
                  element);
}

} // namespace distview::c
