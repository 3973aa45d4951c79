// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/gather_plan.hpp>

#include "plan/find_gather_role.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/directory/find_runs.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace distview {

namespace {

constexpr const char* name = "GatherPlan";

std::shared_ptr<impl::GatherCore> make_core(const Communicator& comm, const ArrayLayout& layout,
                                            const IndexList& indices) {
    const CollectiveCall call(comm, name);
    std::optional<impl::Transport> required;
    std::exception_ptr failure;
    try {
        required = impl::required_transport();
        impl::check_available(required);
        impl::check_grid(name, comm, layout);
        impl::check_known_labels(layout, comm.rank(), "array");
        require<UsageError>(indices.rank() == layout.rank(), [&] {
            return text(name, ": expected a list of elements with ", layout.rank(),
                        " indices each, got ", indices.rank());
        });
    } catch (...) {
        failure = std::current_exception();
    }
    agree(comm, name, failure,
          layout.fingerprint() * 31 + (required ? static_cast<std::uint64_t>(*required) + 1 : 0),
          [&] {
              return std::vector<Argument>{
                  {"layout", layout.describe()},
                  {"DISTVIEW_TRANSPORT",
                   required ? std::string(impl::to_string(*required)) : "not set"}};
          });
    const std::uint64_t number = comm.state()->next_plan();
    impl::GatherRole role = impl::find_gather_role(comm, name, layout, indices);
    return agree_on(comm, name, [&] {
        return std::make_shared<impl::GatherCore>(comm, name, number, layout, std::move(role),
                                                  impl::GatherCore::Side::list, required);
    });
}

} // namespace

GatherPlan::GatherPlan(const Communicator& comm, const ArrayLayout& layout,
                       const IndexList& indices)
    : m_core(name, make_core(comm, layout, indices)) {}

} // namespace distview
