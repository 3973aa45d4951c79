// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/hypre/vector.hpp>

#include "call.hpp"

#include <distview/core/text.hpp>
#include <distview/hypre/checked.hpp>
#include <distview/hypre/session.hpp>

#include <limits>
#include <utility>

namespace distview::hypre {

using impl::call;

void impl::require_count(const char* caller, const RowNumbering& rows) {
    constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<HYPRE_BigInt>::max());
    require<UsageError>(rows.rows() <= most, [&] {
        return text(caller, ": expected at most ", most,
                    " rows (the largest HYPRE_BigInt of this hypre), got ", rows.rows(),
                    "; a hypre with 64-bit indices accepts more");
    });
    constexpr auto most_here = static_cast<std::int64_t>(std::numeric_limits<HYPRE_Int>::max());
    require<UsageError>(rows.local_rows() <= most_here, [&] {
        return text(caller, ": expected at most ", most_here, " cells on a rank, got ",
                    rows.local_rows());
    });
}

void impl::require_rows(const char* caller, const RowNumbering& rows) {
    require<UsageError>(rows.is_contiguous(), [&] {
        return text(caller, ": expected contiguous rows on each rank (RowOrder::by_rank), got "
                            "RowOrder::global");
    });
    require_count(caller, rows);
}

Vector impl::make_vector(const RowNumbering& rows, Cells cells) {
    const char* caller = "hypre::vector";
    const Communicator& comm = rows.communicator();
    agree_on(comm, caller, [&] { impl::require_rows(caller, rows); });
    Vector vector(rows, std::move(cells));
    checked(comm, caller, [&] {
        const auto first = static_cast<HYPRE_BigInt>(rows.first_row());
        const auto last = static_cast<HYPRE_BigInt>(rows.first_row() + rows.local_rows() - 1);
        HYPRE_IJVector made = nullptr;
        call(HYPRE_IJVectorCreate(impl::comm_of(comm), first, last, &made));
        vector.m_vector = Handle<HYPRE_IJVector>(made);
        call(HYPRE_IJVectorSetObjectType(made, HYPRE_PARCSR));
#ifdef DISTVIEW_HYPRE_TAKES_MEMORY
        call(HYPRE_IJVectorInitializeShell(made));
        call(HYPRE_IJVectorSetData(made, const_cast<double*>(vector.m_cells.read)));
#else
        call(HYPRE_IJVectorInitialize(made));
#endif
        call(HYPRE_IJVectorAssemble(made));
        void* object = nullptr;
        call(HYPRE_IJVectorGetObject(made, &object));
        vector.m_object = static_cast<HYPRE_ParVector>(object);
        return 0;
    });
    return vector;
}

void Vector::put() const {
    if (takes_memory()) return;
    checked(m_rows.communicator(), "hypre::Vector::put", [&] {
        impl::require_object("hypre::Vector::put", m_vector != nullptr);
        const std::int64_t count = m_rows.local_rows();
        call(HYPRE_IJVectorSetValues(m_vector, static_cast<HYPRE_Int>(count), nullptr,
                                     m_cells.read));
        distview::impl::count_door_copy(8 * count);
        return 0;
    });
}

void Vector::fetch() const {
    agree_on(m_rows.communicator(), "hypre::Vector::fetch", [&] {
        impl::require_object("hypre::Vector::fetch", m_vector != nullptr);
        require<UsageError>(is_writable(),
                            "hypre::Vector::fetch: expected an array whose elements are "
                            "not const, got const ones");
    });
    if (takes_memory()) return;
    checked(m_rows.communicator(), "hypre::Vector::fetch", [&] {
        const std::int64_t count = m_rows.local_rows();
        call(HYPRE_IJVectorGetValues(m_vector, static_cast<HYPRE_Int>(count), nullptr,
                                     m_cells.write));
        distview::impl::count_door_copy(8 * count);
        return 0;
    });
}

} // namespace distview::hypre
