// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/star_forest.hpp>

#include "owned.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/core/text.hpp>
#include <distview/petsc/checked.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace distview::petsc {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr const char* caller = "petsc::star_forest";

// A mark encodes the place of an element: the process, and the position in its section.
constexpr int position_bits = 40;
constexpr std::int64_t unmarked = -1;
std::int64_t mark_of(int process, std::int64_t position) {
    return (std::int64_t(process) << position_bits) | position;
}

template <class T, int Rank>
struct PointersTo {
    using type = typename PointersTo<T*, Rank - 1>::type;
};
template <class T>
struct PointersTo<T, 0> {
    using type = T;
};

/// Calls action(array) with an array for marks in the given layout.
template <int Rank, class Action>
void with_array_of_rank(const Communicator& comm, const ArrayLayout& layout, const Action& action) {
    const Exec exec;
    const auto array =
        make_dist_view<typename PointersTo<std::int64_t, Rank>::type, Kokkos::LayoutRight,
                       Kokkos::HostSpace>(exec, "distview::petsc::star_forest", comm, layout);
    exec.fence("distview::petsc::star_forest: the array is there");
    action(array);
}
template <class Action>
void with_array(const Communicator& comm, const ArrayLayout& layout, const Action& action) {
    switch (layout.rank()) {
    case 1: return with_array_of_rank<1>(comm, layout, action);
    case 2: return with_array_of_rank<2>(comm, layout, action);
    case 3: return with_array_of_rank<3>(comm, layout, action);
    case 4: return with_array_of_rank<4>(comm, layout, action);
    default: break; // require_section() refused it
    }
}

void require_section(const Communicator& comm, const ArrayLayout& layout) {
    agree_on(comm, caller, [&] {
        require<UsageError>(layout.rank() <= 4, [&] {
            return text(caller, ": expected a layout of up to 4 axes, got ", layout.rank());
        });
        std::int64_t elements = 1;
        for (int d = 0; d < layout.rank(); ++d)
            elements *= layout.local_extents(comm.rank())[static_cast<std::size_t>(d)];
        constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<PetscInt>::max());
        require<UsageError>(elements <= most && elements < (std::int64_t{1} << position_bits), [&] {
            return text(caller, ": expected a section of at most ", most,
                        " elements (the largest PetscInt of this PETSc), got ", elements);
        });
    });
}

/// Whether the element at a position in C order is neither padding nor a ghost.
template <class Array>
bool is_interior(const Array& array, std::int64_t position) {
    for (int d = Array::rank() - 1; d >= 0; --d) {
        const auto extent = static_cast<std::int64_t>(array.view().extent(d));
        const LocalIndex at(position % extent);
        const LocalRange interior = array.interior_range(d);
        if (at < interior.begin || at >= interior.end) return false;
        position /= extent;
    }
    return true;
}

/// A named PetscSFNode: nvcc 13 fails on a vector of PETSc's struct, which has no name.
struct Origin : PetscSFNode {};
static_assert(sizeof(Origin) == sizeof(PetscSFNode));

struct Leaves {
    std::int64_t roots = 0;
    std::vector<PetscInt> places{}; ///< positions of the leaves; empty: 0, 1, ...
    std::vector<Origin> origins{};

    void add(std::int64_t mark) {
        Origin origin{};
        origin.rank = static_cast<PetscInt>(mark >> position_bits);
        origin.index = static_cast<PetscInt>(mark & ((std::int64_t{1} << position_bits) - 1));
        origins.push_back(origin);
    }
};

StarForest make_forest(const Communicator& comm, Leaves& leaves) {
    StarForest forest;
    checked(comm, caller, [&]() -> int {
        PetscSF made = nullptr;
        PetscCall(PetscSFCreate(comm.mpi(), &made));
        forest = StarForest(made);
        PetscCall(PetscSFSetGraph(made, static_cast<PetscInt>(leaves.roots),
                                  static_cast<PetscInt>(leaves.origins.size()),
                                  leaves.places.empty() ? nullptr : leaves.places.data(),
                                  PETSC_COPY_VALUES, leaves.origins.data(), PETSC_COPY_VALUES));
        PetscCall(PetscSFSetUp(made));
        return PETSC_SUCCESS;
    });
    return forest;
}

} // namespace

StarForest star_forest(GhostExchangePlan& plan) {
    const Communicator& comm = plan.communicator();
    const CollectiveCall call(comm, caller);
    require_section(comm, plan.layout());
    Leaves leaves;
    with_array(comm, plan.layout(), [&](const auto& array) {
        std::int64_t* const marks = array.view().data();
        leaves.roots = static_cast<std::int64_t>(array.view().size());
        for (std::int64_t n = 0; n < leaves.roots; ++n)
            marks[n] = is_interior(array, n) ? mark_of(comm.rank(), n) : unmarked;
        plan.execute(Exec(), array);
        agree_on(comm, caller, [&] {
            for (std::int64_t n = 0; n < leaves.roots; ++n) {
                if (marks[n] == unmarked || is_interior(array, n)) continue;
                leaves.places.push_back(static_cast<PetscInt>(n));
                leaves.add(marks[n]);
            }
        });
    });
    return make_forest(comm, leaves);
}

StarForest star_forest(GatherPlan& plan) {
    const Communicator& comm = plan.communicator();
    const CollectiveCall call(comm, caller);
    require_section(comm, plan.layout());
    agree_on(comm, caller, [&] {
        constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<PetscInt>::max());
        require<UsageError>(plan.size() <= most, [&] {
            return text(caller, ": expected a list of at most ", most, " elements, got ",
                        plan.size());
        });
    });
    Leaves leaves;
    with_array(comm, plan.layout(), [&](const auto& array) {
        std::int64_t* const marks = array.view().data();
        leaves.roots = static_cast<std::int64_t>(array.view().size());
        for (std::int64_t n = 0; n < leaves.roots; ++n) marks[n] = mark_of(comm.rank(), n);
        const auto list = agree_on(comm, caller, [&] {
            leaves.origins.reserve(static_cast<std::size_t>(plan.size()));
            return Kokkos::View<std::int64_t*, Kokkos::HostSpace>(
                "distview::petsc::star_forest::list", static_cast<std::size_t>(plan.size()));
        });
        plan.execute(Exec(), array, list);
        for (std::size_t k = 0; k < list.size(); ++k) leaves.add(list(k));
    });
    return make_forest(comm, leaves);
}

GhostedLayout ghosted_layout(const Communicator& comm, PetscSF forest) {
    const char* name = "petsc::ghosted_layout";
    const CollectiveCall call(comm, name);
    PetscInt roots = 0, count = 0;
    const PetscSFNode* origins = nullptr;
    checked(comm, name, [&]() -> int {
        impl::require_processes(name, comm, reinterpret_cast<PetscObject>(forest));
        PetscCall(PetscSFGetGraph(forest, &roots, &count, nullptr, &origins));
        require<UsageError>(roots >= 0, [&] {
            return text(name, ": expected a PetscSF with a graph (PetscSFSetGraph()), got none");
        });
        return PETSC_SUCCESS;
    });
    const auto all_roots = all_gather(comm, static_cast<std::int64_t>(roots));
    std::vector<std::int64_t> owned, needed;
    agree_on(comm, name, [&] {
        std::vector<std::int64_t> first{0};
        for (const std::int64_t theirs : all_roots) first.push_back(first.back() + theirs);
        for (std::int64_t n = 0; n < roots; ++n)
            owned.push_back(first[static_cast<std::size_t>(comm.rank())] + n);
        for (PetscInt k = 0; k < count; ++k)
            needed.push_back(first[static_cast<std::size_t>(origins[k].rank)] + origins[k].index);
    });
    return make_ghosted_layout(comm, owned, needed);
}

} // namespace distview::petsc
