// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/gather_plan.hpp>

#include "plan/agree_on_plan.hpp"
#include <distview/comm/impl/plan/gather_role.hpp>

#include <distview/comm/impl/mpi/known_labels.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/memory_overlap.hpp>

#include <utility>

namespace distview {

namespace {

std::shared_ptr<impl::GatherCore> make_core(const Communicator& comm, const ArrayLayout& layout,
                                            const IndexList& indices) {
    const CollectiveCall call(comm, plan_names::gather);
    const auto check = [&] {
        impl::check_grid(plan_names::gather, comm, layout);
        impl::check_known_labels(plan_names::gather, layout, comm.rank(), "array");
        require<UsageError>(indices.rank() == layout.rank(), [&] {
            return text(plan_names::gather, ": expected a list of elements with ", layout.rank(),
                        " indices each, got ", indices.rank());
        });
    };
    const auto required = impl::agree_on_plan(comm, plan_names::gather, check,
                                              [&](auto& visitor) { visitor("layout", layout); });
    const std::uint64_t number = impl::state_of(comm)->next_plan();
    impl::GatherRole role = impl::find_gather_role(comm, plan_names::gather, layout, indices);
    return agree_on(comm, plan_names::gather, [&] {
        return std::make_shared<impl::GatherCore>(comm, plan_names::gather, number, layout,
                                                  std::move(role), impl::GatherCore::Side::list,
                                                  required);
    });
}

} // namespace

void impl::check_list_bytes(const char* caller, const ListBytes& list, std::int64_t expected,
                            std::int64_t element_bytes) {
    require<ShapeError>(list.bytes == expected * element_bytes, [&] {
        return text(caller, ": expected ", expected, " values of ", element_bytes, " bytes, got ",
                    list.bytes, " bytes");
    });
}

void impl::check_apart(const char* caller, std::span<const Field> arrays,
                       std::span<const ListBytes> lists, bool are_written) {
    const auto place = [](const ListBytes& list) { return ElementPlaces{list.data, list.bytes}; };
    for (std::size_t i = 0; i < lists.size(); ++i) {
        for (std::size_t j = 0; j < arrays.size(); ++j)
            require<UsageError>(!overlaps(arrays[j], place(lists[i])), [&] {
                return text(caller, ": list of values ", i, " shares memory with array ", j);
            });
        for (std::size_t j = 0; are_written && j < i; ++j)
            require<UsageError>(!memory_overlaps(place(lists[i]), place(lists[j])), [&] {
                return text(caller, ": lists of values ", j, " and ", i,
                            " share memory, but this call writes them");
            });
    }
}

GatherPlan::GatherPlan(const Communicator& comm, const ArrayLayout& layout,
                       const IndexList& indices, const std::source_location& where)
    : PlanBase(plan_names::gather, make_core(comm, layout, indices), where) {}

} // namespace distview
