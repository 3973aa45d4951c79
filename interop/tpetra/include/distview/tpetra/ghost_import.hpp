// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/tpetra/map.hpp>
#include <distview/tpetra/multi_vector.hpp>

#include <memory>

namespace distview {
// The plan's header takes long to compile; programs that have a plan include it themselves.
class GhostExchangePlan;
} // namespace distview

namespace distview::tpetra {

namespace impl {
struct ImportState;
struct ExportState;
} // namespace impl

/// A Tpetra::Import that communicates as a GhostExchangePlan does: from each rank's owned rows to its owned rows and
/// ghosts. Copies are shallow.
///
///     const tpetra::GhostImport import(plan);
///     const tpetra::MultiVector owned(import.source(), u), all(import.target(), v, tpetra::Rows::with_ghosts);
///     import.execute(owned, all);    // owned elements of v = u, ghosts of v = their owners' elements of u
///
/// Collective: construction and execute(), over the plan's communicator
/// Errors:     UsageError if `axis` is no unstructured axis of the plan's layout; SolverError with the text of Tpetra's
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

/// A Tpetra::Export that adds ghosts to their owners' elements, as combine() of a GhostExchangePlan does with Sum: from
/// each rank's owned rows and ghosts to its owned rows. Copies are shallow.
///
///     const tpetra::GhostExport back(plan);
///     const tpetra::MultiVector all(back.source(), v, tpetra::Rows::with_ghosts), owned(back.target(), u);
///     back.execute(all, owned);    // owned elements of u = owned elements of v + their ghosts; v may be u
///
/// Collective: construction and execute(), over the plan's communicator
/// Cost:       if v is u, each execute() copies the array
/// Errors:     those of GhostImport
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
