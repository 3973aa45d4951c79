// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local_copies.hpp"

using namespace distview::c;

namespace {

/// Wraps a function of the program: throws the error that it returns.
std::function<void(const distview_plain_array&)>
function_of_program(distview_local_function function, void* user, const char* caller) {
    distview::require<distview::UsageError>(function != nullptr, [&] {
        return distview::text(caller, ": expected a function, got a null pointer");
    });
    return [=](const distview_plain_array& array) {
        const CallbackErrors errors(caller);
        errors.check(function(&array, user));
    };
}

/// Runs a collective local copy.
void copy(const LocalCopyCall& known, const distview_local_copy_options* options,
          distview_local_function function, void* user, distview_local_copy_bytes* bytes) {
    LocalCopyCall call = known;
    const distview::Communicator& comm = call.array.comm;
    const distview::CollectiveCall collective(comm, call.name);
    const distview_local_copy_options given = options ? *options : distview_local_copy_options{};
    together(comm, call.name,
             [&] {
                 call.options = checked_options(options, call.name);
                 call.function = function_of_program(function, user, call.name);
                 if (call.part == Part::box && call.array.view.rank() > 0) {
                     checked(call.begin, call.name, "the begin of a box");
                     checked(call.end, call.name, "the end of a box");
                 }
                 check_local_copy(call);
             },
             {{"root", call.root},
              {"intent", given.intent},
              {"order", given.order},
              {"cells", given.cells},
              {"takes_leading_dimension", given.takes_leading_dimension},
              {"writes_all", given.writes_all}},
             {&call.array});
    const distview_local_copy_bytes copied = run_local_copy(call);
    if (bytes) *bytes = copied;
}

} // namespace

int distview_with_local_copy(distview_array* array, const distview_local_copy_options* options,
                             distview_local_function function, void* user,
                             distview_local_copy_bytes* bytes) {
    return guard(__func__, [&](const char* caller) {
        LocalCopyCall call{.array = checked(array, caller, "an array"),
                           .options = checked_options(options, caller)};
        call.name = caller;
        call.function = function_of_program(function, user, caller);
        check_local_copy(call);
        const distview_local_copy_bytes copied = run_local_copy(call);
        if (bytes) *bytes = copied;
    });
}

int distview_with_local_copy_of_box(distview_array* array, const int64_t* begin, const int64_t* end,
                                    const distview_local_copy_options* options,
                                    distview_local_function function, void* user,
                                    distview_local_copy_bytes* bytes) {
    return guard(__func__, [&](const char* caller) {
        LocalCopyCall call{.array = checked(array, caller, "an array"), .options = {}};
        call.part = Part::box;
        call.begin = begin;
        call.end = end;
        call.name = caller;
        copy(call, options, function, user, bytes);
    });
}

int distview_with_local_copy_of_whole(distview_array* array, int root,
                                      const distview_local_copy_options* options,
                                      distview_local_function function, void* user,
                                      distview_local_copy_bytes* bytes) {
    return guard(__func__, [&](const char* caller) {
        LocalCopyCall call{.array = checked(array, caller, "an array"), .options = {}};
        call.part = Part::whole;
        call.root = root;
        call.name = caller;
        copy(call, options, function, user, bytes);
    });
}
