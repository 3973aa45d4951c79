// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <utility>

namespace distview::impl {

/// A datatype of MPI, or none: freed with its owner, unless MPI has ended. Messages under way keep what they
/// need of it.
class OwnedDatatype {
public:
    OwnedDatatype() = default;
    OwnedDatatype(OwnedDatatype&& other) noexcept
        : m_type(std::exchange(other.m_type, MPI_DATATYPE_NULL)) {}
    OwnedDatatype& operator=(OwnedDatatype&& other) noexcept {
        std::swap(m_type, other.m_type);
        return *this;
    }
    ~OwnedDatatype() {
        if (m_type == MPI_DATATYPE_NULL) return;
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (!finalized) MPI_Type_free(&m_type);
    }

    MPI_Datatype get() const noexcept { return m_type; }
    /// For the calls that make and commit it.
    MPI_Datatype* address() noexcept { return &m_type; }

private:
    MPI_Datatype m_type = MPI_DATATYPE_NULL;
};

} // namespace distview::impl
