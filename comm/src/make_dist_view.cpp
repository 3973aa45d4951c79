// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/make_dist_view.hpp>

#include <distview/core/text.hpp>

namespace distview::impl {

void check_grid(const char* caller, const Communicator& comm, const ArrayLayout& layout) {
    require<UsageError>(layout.process_count() == comm.size(), [&] {
        return text(caller, ": expected a process grid for the ", comm.size(),
                    comm.size() == 1 ? " rank" : " ranks", " of the communicator, got ",
                    layout.grid().describe(), " = ", layout.process_count());
    });
}

} // namespace distview::impl
