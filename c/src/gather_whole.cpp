// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local_copies.hpp"

#include <distview/c/algorithms.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace distview::c;

namespace {

/// Provides the whole array on `root`; `copy` reads or writes its elements.
template <class Copy>
void with_whole(const distview_array* array, int root, int order, std::int64_t count,
                const void* whole, int intent, const char* function, Copy&& copy) {
    const distview_array& used = checked(array, function, "an array");
    const distview::CollectiveCall collective(used.comm, function);
    LocalCopyCall call{.array = used, .options = {}};
    call.part = Part::whole;
    call.root = root;
    call.name = function;
    call.options.intent = intent;
    call.options.order = order;
    call.options.writes_all = 1;
    together(used.comm, function,
             [&] {
                 checked_options(&call.options, function);
                 distview::require<distview::UsageError>(root >= 0 && root < used.comm.size(), [&] {
                     return distview::text(function, ": expected a root in [0, ", used.comm.size(),
                                           "), got ", root);
                 });
                 check_local_copy(call);
                 if (intent == DISTVIEW_IN) check_elements(used, function);
                 if (used.comm.rank() != root) return;
                 if (used.view.size() > 0)
                     checked(static_cast<const char*>(whole), function, "a whole array");
                 distview::require<distview::ShapeError>(count == used.view.size(), [&] {
                     return distview::text(function, ": expected ", used.view.size(),
                                           " elements on the root, got ", count);
                 });
             },
             {{"root", root}, {"order", order}}, {array});
    const auto bytes =
        static_cast<std::size_t>(used.view.size() * used.view.section().element.bytes);
    call.function = [&](const distview_plain_array& all) {
        if (bytes > 0) copy(all.data, bytes);
    };
    run_local_copy(call);
}

} // namespace

int distview_gather(const distview_array* array, int root, int order, int64_t count, void* whole) {
    return guard(__func__, [&](const char* function) {
        with_whole(array, root, order, count, whole, DISTVIEW_IN, function,
                   [&](const void* all, std::size_t bytes) { std::memcpy(whole, all, bytes); });
    });
}

int distview_scatter(distview_array* array, int root, int order, int64_t count, const void* whole) {
    return guard(__func__, [&](const char* function) {
        with_whole(array, root, order, count, whole, DISTVIEW_OUT, function,
                   [&](void* all, std::size_t bytes) { std::memcpy(all, whole, bytes); });
    });
}
