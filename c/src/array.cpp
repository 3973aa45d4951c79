// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory.hpp"
#include "together.hpp"

#include <distview/comm/make_dist_view.hpp>
#include <distview/core/checked_section.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/slice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

using namespace distview::c;
using distview::AnyDistView;
using distview::AnySection;
using distview::ArrayLayout;
using distview::Communicator;
using distview::ElementType;
using distview::require;
using distview::text;
using distview::UsageError;

namespace {

const distview_array& of(const distview_array* array, const char* function) {
    return checked(array, function, "an array");
}

/// Zeroed host memory, shared by the node's processes if possible. It is not Kokkos' memory, since it may outlive Kokkos.
std::shared_ptr<void> allocate(const Communicator& comm, std::size_t bytes) {
    std::shared_ptr<void> memory = distview::allocate_shared(comm, bytes);
    constexpr std::align_val_t alignment{64};
    if (!memory)
        memory = {::operator new(std::max<std::size_t>(bytes, 1), alignment),
                  [](void* freed) { ::operator delete(freed, std::align_val_t{64}); }};
    if (bytes > 0) std::memset(memory.get(), 0, bytes);
    return memory;
}

/// Completes an array: either all ranks have one with this layout, element type and order, or none has.
AnyDistView agree_on_array(const Communicator& comm, const char* function,
                           const distview_layout* layout, std::int32_t element, int order,
                           const auto& make) {
    const distview::CollectiveCall call(comm, function);
    std::exception_ptr failure;
    std::optional<AnyDistView> view;
    try {
        view = make();
    } catch (...) {
        failure = std::current_exception();
    }
    const std::uint64_t digest =
        distview::hash_of(layout ? layout->value.fingerprint() : 0, element, order);
    distview::agree(comm, function, failure, digest, [&] {
        return std::vector<distview::Argument>{
            {"element type", distview::describe(element_of(element, function))},
            {"order", text(order)},
            {"layout", layout ? layout->value.describe() : std::string()}};
    });
    distview::impl::number_array(comm, view->identity());
    return *view;
}

} // namespace

int distview_array_borrow(const distview_communicator* comm, const distview_layout* layout,
                          const distview_memory* memory, distview_array** result) {
    return guard(__func__, [&](const char* function) {
        const Communicator& all = communicator_of(comm, function);
        const auto make = [&] {
            checked(result, function, "a place for the result");
            const ArrayLayout& whole = checked(layout, function, "a layout").value;
            distview::impl::check_grid(function, all, whole);
            return AnyDistView(section_of(checked(memory, function, "memory"), function), whole,
                               all.rank());
        };
        // The order of borrowed memory may differ between ranks.
        const AnyDistView view =
            agree_on_array(all, function, layout, memory ? memory->element : 0, 0, make);
        give(result, function, all, view, memory->order == DISTVIEW_COLUMN_MAJOR);
    });
}

int distview_array_borrow_local(const distview_communicator* comm, const distview_layout* layout,
                                int process, const distview_memory* memory,
                                distview_array** result) {
    return guard(__func__, [&](const char* function) {
        const Communicator& all = communicator_of(comm, function);
        checked(result, function, "a place for the result");
        const ArrayLayout& whole = checked(layout, function, "a layout").value;
        give(result, function, all,
             AnyDistView(section_of(checked(memory, function, "memory"), function), whole, process),
             memory->order == DISTVIEW_COLUMN_MAJOR);
    });
}

int distview_array_create(const distview_communicator* comm, const distview_layout* layout,
                          int32_t element, int order, distview_array** result) {
    return guard(__func__, [&](const char* function) {
        const Communicator& all = communicator_of(comm, function);
        const auto make = [&] {
            checked(result, function, "a place for the result");
            const ArrayLayout& whole = checked(layout, function, "a layout").value;
            distview::impl::check_grid(function, all, whole);
            require<UsageError>(order == DISTVIEW_ROW_MAJOR || order == DISTVIEW_COLUMN_MAJOR, [&] {
                return text(function, ": expected row-major (0) or column-major order (1), got ",
                            order);
            });
            AnySection section;
            section.element = element_of(element, function);
            const distview::Extents extents = whole.local_extents(all.rank());
            section.extents.assign(extents.begin(), extents.begin() + whole.rank());
            section.strides = strides_of(section.extents, section.element.bytes, order);
            // Checked before allocation: the number of bytes may overflow.
            distview::impl::check_memory(section, function);
            section.owner =
                allocate(all, static_cast<std::size_t>(section.count() * section.element.bytes));
            section.data = const_cast<void*>(section.owner.get());
            return AnyDistView(std::move(section), whole, all.rank());
        };
        give(result, function, all, agree_on_array(all, function, layout, element, order, make),
             order == DISTVIEW_COLUMN_MAJOR);
    });
}

int distview_array_slice(const distview_array* array, const distview_slice* slices,
                         distview_array** result) {
    return guard(__func__, [&](const char* function) {
        const distview_array& whole = of(array, function);
        if (whole.view.rank() > 0) checked(slices, function, "slices");
        std::vector<distview::AxisSlice> parts;
        for (int d = 0; d < whole.view.rank(); ++d)
            parts.push_back({slices[d].begin, slices[d].count, slices[d].step});
        give(result, function, whole.comm, distview::slice(whole.view, parts), whole.column_major);
    });
}

distview_array* distview_array_retain(distview_array* array) { return retain(array); }
void distview_array_release(distview_array* array) { release(array); }

int distview_array_memory(const distview_array* array, distview_memory* memory) {
    return guard(__func__, [&](const char* function) {
        checked(memory, function, "a place for the memory") = memory_of(of(array, function).view);
    });
}

int distview_array_data(const distview_array* array, void** data) {
    return guard(__func__, [&](const char* function) {
        checked(data, function, "a place for the address") =
            of(array, function).view.section().data;
    });
}

int distview_array_layout(const distview_array* array, distview_layout** layout) {
    return guard(__func__, [&](const char* function) {
        give(layout, function, of(array, function).view.layout());
    });
}

int distview_array_process(const distview_array* array, int* process) {
    return guard(__func__, [&](const char* function) {
        checked(process, function, "a place for the process") = of(array, function).view.process();
    });
}

int distview_array_valid_padding(const distview_array* array, int64_t* depths, int* has_corners) {
    return guard(__func__, [&](const char* function) {
        const AnyDistView& view = of(array, function).view;
        if (view.rank() > 0) checked(depths, function, "a place for the depths");
        const distview::ValidPadding valid = view.valid_padding();
        for (int d = 0; d < view.rank(); ++d) {
            depths[2 * d] = valid.depth(d).low;
            depths[2 * d + 1] = valid.depth(d).high;
        }
        if (has_corners) *has_corners = valid.has_corners() ? 1 : 0;
    });
}

int distview_array_mark_written(distview_array* array) {
    return guard(__func__, [&](const char* function) { of(array, function).view.mark_written(); });
}

int distview_array_mark_padding_valid(distview_array* array, const int64_t* depths,
                                      int has_corners) {
    return guard(__func__, [&](const char* function) {
        const AnyDistView& view = of(array, function).view;
        if (view.rank() > 0) checked(depths, function, "the depths");
        distview::ValidPadding valid;
        for (int d = 0; d < view.rank(); ++d) {
            const std::int64_t low = depths[2 * d];
            const std::int64_t high = depths[2 * d + 1];
            require<UsageError>(low >= 0 && high >= 0, [&] {
                return text(function, ": expected depths of at least 0 along axis ", d, ", got (",
                            low, ", ", high, ')');
            });
            valid.set_depth(d, {low, high});
        }
        valid.set_corners(has_corners != 0);
        view.mark_padding_valid(valid);
    });
}

int distview_array_set_label(distview_array* array, const char* label) {
    return guard(__func__, [&](const char* function) {
        const distview_array& labelled = of(array, function);
        labelled.view.set_label(&checked(label, function, "a label"));
        for (const auto& known : labelled.wide)
            if (known && state_of(*known)->checked) state_of(*known)->checked->set_label(label);
    });
}

int distview_array_describe(const distview_array* array, char* buffer, int64_t capacity,
                            int64_t* length) {
    return guard(__func__, [&](const char* function) {
        const AnyDistView& view = of(array, function).view;
        const AnySection& section = view.section();
        give_text(text(view.layout().describe(),
                       "\nelements: ", distview::describe(section.element), "\nsection of process ",
                       view.process(), ": extents ", distview::tuple_text(section.extents),
                       ", strides ", distview::tuple_text(section.strides), " bytes, ",
                       section.owner ? "memory of its own" : "borrowed memory",
                       section.read_only ? ", read-only" : ""),
                  buffer, capacity, length, function);
    });
}
