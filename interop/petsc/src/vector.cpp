// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/petsc/vector.hpp>

#include "owned.hpp"

#include <distview/comm/collectives.hpp>
#include <distview/core/text.hpp>
#include <distview/petsc/checked.hpp>

#include <petsc/private/petscimpl.h> // PetscObjectStateIncrease(): public calls refuse a locked Vec
#include <petscis.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace distview::petsc {

static_assert(std::is_same_v<PetscScalar, double>,
              "distview::petsc: a PETSc of real double numbers is needed");

namespace impl {

namespace {

// PetscContainerSetUserDestroy() accepts this type; other destroy functions differ between releases of PETSc.
PetscErrorCode let_go(void* owner) {
    delete static_cast<Owner*>(owner);
    return PETSC_SUCCESS;
}

} // namespace

PetscErrorCode keep(PetscObject object, std::unique_ptr<Owner> owner) {
    PetscContainer container = nullptr;
    PetscFunctionBeginUser;
    PetscCall(PetscContainerCreate(PetscObjectComm(object), &container));
    PetscCall(PetscContainerSetPointer(container, owner.release()));
    PetscCall(PetscContainerSetUserDestroy(container, &let_go));
    PetscCall(
        PetscObjectCompose(object, "distview::owner", reinterpret_cast<PetscObject>(container)));
    PetscCall(PetscContainerDestroy(&container));
    PetscFunctionReturn(PETSC_SUCCESS);
}

void require_rows(const char* caller, const RowNumbering& rows) {
    require<UsageError>(rows.is_contiguous(), [&] {
        return text(caller, ": expected contiguous rows on each rank (RowOrder::by_rank), got "
                            "RowOrder::global");
    });
    constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<PetscInt>::max());
    require<UsageError>(rows.rows() <= most, [&] {
        return text(caller, ": expected at most ", most,
                    " rows (the largest PetscInt of this PETSc), got ", rows.rows(),
                    "; a PETSc with 64-bit indices accepts more");
    });
}

void require_processes(const char* caller, const Communicator& comm, PetscObject object) {
    require<UsageError>(object != nullptr, [&] {
        return text(caller,
                    ": expected an object of PETSc, got none: the handle is empty, or it is "
                    "from before PETSc was stopped");
    });
    int relation = MPI_UNEQUAL;
    MPI_Comm_compare(comm.mpi(), PetscObjectComm(object), &relation);
    require<UsageError>(relation == MPI_CONGRUENT || relation == MPI_IDENT, [&] {
        int size = 0;
        MPI_Comm_size(PetscObjectComm(object), &size);
        return text(caller, ": expected an object over the communicator's ", comm.size(),
                    " ranks in the same order, got one over ", size,
                    " ranks, other ones or in another order");
    });
}

std::vector<PetscInt> narrow(const std::vector<std::int64_t>& numbers) {
    std::vector<PetscInt> narrowed(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        narrowed[i] = static_cast<PetscInt>(numbers[i]);
    return narrowed;
}

Vector make_vector(const RowNumbering& rows, const double* data, bool read_only,
                   const Owner& owner) {
    const char* caller = "petsc::vector";
    auto kept = agree_on(rows.communicator(), caller, [&] {
        require_rows(caller, rows);
        return std::make_unique<Owner>(owner);
    });
    Vector vector;
    checked(rows.communicator(), caller, [&]() -> int {
        Vec made = nullptr;
        PetscCall(VecCreateMPIWithArray(comm_of(rows), rows.unknowns_per_cell(),
                                        static_cast<PetscInt>(rows.local_rows()),
                                        static_cast<PetscInt>(rows.rows()), data, &made));
        vector = Vector(made);
        PetscCall(keep(reinterpret_cast<PetscObject>(made), std::move(kept)));
        if (read_only) PetscCall(VecLockReadPush(made));
        return PETSC_SUCCESS;
    });
    return vector;
}

} // namespace impl

void mark_written(Vec vector) {
    require<UsageError>(vector != nullptr, "petsc::mark_written: expected a Vec, got none");
    (void)PetscObjectStateIncrease(reinterpret_cast<PetscObject>(vector));
}

IndexSet index_set(const RowNumbering& rows) {
    const char* caller = "petsc::index_set";
    const CollectiveCall call(rows.communicator(), caller);
    const std::vector<PetscInt> numbers = agree_on(rows.communicator(), caller, [&] {
        require<UsageError>(rows.rows() <= std::numeric_limits<PetscInt>::max(), [&] {
            return text(caller, ": expected at most ", std::numeric_limits<PetscInt>::max(),
                        " rows, got ", rows.rows());
        });
        return impl::narrow(rows.local_row_numbers());
    });
    IndexSet indices;
    checked(rows.communicator(), caller, [&]() -> int {
        IS made = nullptr;
        PetscCall(ISCreateGeneral(impl::comm_of(rows), static_cast<PetscInt>(numbers.size()),
                                  numbers.data(), PETSC_COPY_VALUES, &made));
        indices = IndexSet(made);
        return PETSC_SUCCESS;
    });
    return indices;
}

ArrayLayout layout_of(const Communicator& comm, Vec vector) {
    const CollectiveCall call(comm, "petsc::layout_of");
    std::vector<std::int64_t> bounds;
    checked(comm, "petsc::layout_of", [&]() -> int {
        const PetscInt* ranges = nullptr;
        impl::require_processes("petsc::layout_of", comm, reinterpret_cast<PetscObject>(vector));
        PetscCall(VecGetOwnershipRanges(vector, &ranges));
        bounds.assign(ranges, ranges + comm.size() + 1);
        return PETSC_SUCCESS;
    });
    return agree_on(comm, "petsc::layout_of",
                    [&] { return ArrayLayout(ProcessGrid{comm.size()}, {block_bounds(bounds)}); });
}

ArrayLayout layout_of(const Communicator& comm, IS indices) {
    const CollectiveCall call(comm, "petsc::layout_of");
    std::vector<std::int64_t> labels;
    PetscInt size = 0;
    checked(comm, "petsc::layout_of", [&]() -> int {
        const PetscInt* mine = nullptr;
        PetscInt count = 0;
        impl::require_processes("petsc::layout_of", comm, reinterpret_cast<PetscObject>(indices));
        PetscCall(ISGetSize(indices, &size));
        PetscCall(ISGetLocalSize(indices, &count));
        PetscCall(ISGetIndices(indices, &mine));
        labels.assign(mine, mine + count);
        PetscCall(ISRestoreIndices(indices, &mine));
        return PETSC_SUCCESS;
    });
    const ArrayLayout layout = agree_on(comm, "petsc::layout_of", [&] {
        return ArrayLayout(ProcessGrid{comm.size()},
                           {unstructured_local(size, comm.rank(), labels, true)});
    });
    return RowNumbering(comm, layout).layout(); // reports indices that several processes have
}

} // namespace distview::petsc
