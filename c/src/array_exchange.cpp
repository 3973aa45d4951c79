// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "together.hpp"

#include <distview/dap.h>

#include <distview/comm/import_dist_view.hpp>
#include <distview/core/protocol/dap.hpp>

using namespace distview::c;

int distview_array_import(const distview_communicator* comm, distview_dap_section* section,
                          distview_array** result) {
    return guard(__func__, [&](const char* function) {
        const distview::Communicator& all = communicator_of(comm, function);
        const distview::AnyDistView view = distview::import_dist_view(all, [&] {
            checked(result, function, "a place for the result");
            return distview::protocol::from_dap(&checked(section, function, "a section"));
        });
        give(result, function, all, view);
    });
}

int distview_array_export(const distview_array* array, distview_dap_section* section) {
    return guard(__func__, [&](const char* function) {
        distview::protocol::to_dap(checked(array, function, "an array").view,
                                   &checked(section, function, "a place for the section"));
    });
}
