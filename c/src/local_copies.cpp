// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local_copies.hpp"

#include <distview/algorithms/with_local_copy.hpp>

#include <array>
#include <cstddef>

namespace distview::c {

namespace {

/// Calls use(OfType<T>()). Floating-point and complex numbers keep their type, since with_local_copy() detects by their
/// values which elements a function has not written; all others are bytes.
template <class Use>
void with_copied(const ElementType& element, const char* function, Use&& use) {
    if (element == element_type<float>()) return use(OfType<float>());
    if (element == element_type<double>()) return use(OfType<double>());
    if (with_complex(element, use)) return;
    with_raw(element, function, use);
}

/// The side on which axes are added, so that the fastest axis of the order stays the fastest.
Added added_for(const LocalCopyCall& call) noexcept {
    return call.options.order == DISTVIEW_COLUMN_MAJOR ? Added::behind : Added::before;
}

/// The array for a function that may write it only as the intent allows.
template <class T>
Wide<T> copied_array(const LocalCopyCall& call) {
    if (call.options.intent != DISTVIEW_IN) check_may_write(call.array, call.name);
    if (!call.array.view.section().read_only) return wide<T>(call.array, added_for(call));
    AnySection section = call.array.view.section();
    section.read_only = false;
    const AnyDistView readable(section, call.array.view.layout(), call.array.view.process());
    return dist_view_cast<Wide<T>>(widened(readable, added_for(call), impl::IsRaw<T>::value));
}

template <class Plain>
distview_plain_array described(const LocalCopyCall& call, const Plain& array) {
    distview_plain_array result{};
    result.data = array.data();
    result.element = number_of(call.array.view.section().element);
    result.rank = call.array.view.rank();
    const int first = added_for(call) == Added::before ? max_rank - result.rank : 0;
    for (int d = 0; d < result.rank; ++d) result.extents[d] = array.extent(first + d);
    result.leading_dimension = array.leading_dimension();
    result.order = call.options.order;
    result.is_copy = array.is_copy() ? 1 : 0;
    return result;
}

/// Checks the box here, so that errors name the program's axes.
void check_box(const LocalCopyCall& call) {
    const ArrayLayout& layout = call.array.view.layout();
    for (int d = 0; d < layout.rank(); ++d) {
        if (layout.axis(d).type() == DistType::unstructured || call.begin[d] >= call.end[d])
            continue;
        require<LayoutError>(call.begin[d] >= 0 && call.end[d] <= layout.extent(d), [&] {
            return text(call.name, ": expected a box within [0, ", layout.extent(d),
                        ") along axis ", d, ", got [", call.begin[d], ", ", call.end[d], ")");
        });
    }
}

std::array<GlobalRange, max_rank> box_of(const LocalCopyCall& call) {
    std::array<GlobalRange, max_rank> box;
    box.fill({GlobalIndex(0), GlobalIndex(1)});
    const int rank = call.array.view.rank();
    const int first = added_for(call) == Added::before ? max_rank - rank : 0;
    for (int d = 0; d < rank; ++d)
        box[static_cast<std::size_t>(first + d)] = {GlobalIndex(call.begin[d]),
                                                    GlobalIndex(call.end[d])};
    return box;
}

template <class View>
LocalCopyBytes run(const LocalCopyCall& call, const View& view) {
    const Exec exec = host_for_kernels(call.name);
    const auto intent = static_cast<Intent>(call.options.intent);
    const auto order = static_cast<MemoryOrder>(call.options.order);
    const LocalCopyOptions options{
        .cells = call.options.cells == DISTVIEW_OWNED ? Cells::owned : Cells::interior,
        .takes_leading_dimension = call.options.takes_leading_dimension != 0,
        .writes_all = call.options.writes_all != 0};
    const auto function = [&](const auto& array) { call.function(described(call, array)); };
    switch (call.part) {
    case Part::box:
        return with_local_copy(exec, call.array.comm, view, intent, order, box_of(call), function,
                               options);
    case Part::whole:
        return with_local_copy(exec, call.array.comm, view, intent, order,
                               WholeArray{.root = call.root}, function, options);
    case Part::own: break;
    }
    return with_local_copy(exec, view, intent, order, function, options);
}

} // namespace

distview_local_copy_options checked_options(const distview_local_copy_options* options,
                                            const char* function) {
    if (!options) return {};
    require<UsageError>(options->intent >= DISTVIEW_IN && options->intent <= DISTVIEW_INOUT, [&] {
        return text(function, ": expected the intent in (0), out (1) or inout (2), got ",
                    options->intent);
    });
    require<UsageError>(
        options->order == DISTVIEW_ROW_MAJOR || options->order == DISTVIEW_COLUMN_MAJOR, [&] {
            return text(function, ": expected row-major (0) or column-major order (1), got ",
                        options->order);
        });
    require<UsageError>(
        options->cells == DISTVIEW_INTERIOR || options->cells == DISTVIEW_OWNED, [&] {
            return text(function, ": expected interior (0) or owned cells (1), got ",
                        options->cells);
        });
    return *options;
}

void check_local_copy(const LocalCopyCall& call) {
    host_for_kernels(call.name);
    if (call.part == Part::box) check_box(call);
    with_copied(call.array.view.section().element, call.name,
                [&]<class T>(OfType<T>) { copied_array<T>(call); });
}

distview_local_copy_bytes run_local_copy(const LocalCopyCall& call) {
    LocalCopyBytes bytes;
    if (call.options.intent != DISTVIEW_IN) note_written(call.array);
    with_copied(call.array.view.section().element, call.name, [&]<class T>(OfType<T>) {
        // Walks along the fastest axis of a copy.
        with_walked<T>(copied_array<T>(call), added_for(call),
                       [&](const auto& view) { bytes = run(call, view); });
    });
    return {bytes.bytes_copied_in, bytes.bytes_copied_out};
}

} // namespace distview::c
