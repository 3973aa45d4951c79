// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/tpetra/map.hpp>
#include <distview/tpetra/multi_vector.hpp>

#include <memory>

namespace distview {
// Programs with a plan include its header themselves; it takes long to compile.
class GhostExchangePlan;
} // namespace distview

namespace distview::tpetra {

namespace impl {
struct ImportState;
struct ExportState;
} // namespace impl

/// A Tpetra::Import with the communication of a GhostExchangePlan: from the rows that each rank owns to its owned rows
/// and ghosts. Copies are shallow.
///
///     const tpetra::GhostImport import(plan);
///     const tpetra::MultiVector owned(import.source(), u), all(import.target(), v, tpetra::Rows::with_ghosts);
///     import.execute(owned, all);    // v = u where owned, and ghosts of v are their owners' elements of u
///
/// Collective: construction and execute(), over the plan's communicator
/// Errors:     UsageError if `axis` of the plan's layout is not unstructured, SolverError with the text of Tpetra's
///             exception (thrown on all ranks)
class GhostImport {
public:
    explicit GhostImport(const GhostExchangePlan& plan, int axis = 0);

    const Map& source() const;
    const Map& target() const;
    /// Errors: UsageError if the vectors' maps are not source() and target() (thrown on all ranks)
    void execute(const MultiVector& owned, const MultiVector& all) const;

    const std::shared_ptr<const impl::ImportState>& state() const noexcept { return m_state; }

private:
    std::shared_ptr<const impl::ImportState> m_state;
};

/// The Tpetra::Export that does what a GhostExchangePlan's combine() does with Sum: from the rows and ghosts of each rank
/// to the rows that it owns. Copies are shallow.
///
///     const tpetra::GhostExport back(plan);
///     const tpetra::MultiVector all(back.source(), v, tpetra::Rows::with_ghosts), owned(back.target(), u);
///     back.execute(all, owned);    // u = v where owned, plus all ghosts of it; v may be u
///
/// Collective: construction and execute(), over the plan's communicator
/// Cost:       where v is u, a copy of the array in each execute()
/// Errors:     as of GhostImport
class GhostExport {
public:
    explicit GhostExport(const GhostExchangePlan& plan, int axis = 0);

    const Map& source() const;
    const Map& target() const;
    /// Errors: UsageError if the vectors' maps are not source() and target() (thrown on all ranks)
    void execute(const MultiVector& all, const MultiVector& owned) const;

    const std::shared_ptr<const impl::ExportState>& state() const noexcept { return m_state; }

private:
    std::shared_ptr<const impl::ExportState> m_state;
};

} // namespace distview::tpetra
