// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "states.hpp"

#include <cstdint>
#include <vector>

namespace distview::tpetra {

GhostImport::GhostImport(const GhostExchangePlan& plan, int axis) {
    const Communicator& comm = plan.communicator();
    const CollectiveCall call(comm, "tpetra::GhostImport");
    const ArrayLayout layout = plan.layout();
    std::vector<std::int64_t> owned, all;
    agree_on(comm, "tpetra::GhostImport", [&] {
        require<UsageError>(
            axis >= 0 && axis < layout.rank() && layout.axis(axis).type() == DistType::unstructured,
            [&] {
                return text("tpetra::GhostImport: expected an unstructured axis, got "
                            "axis ",
                            axis, " of\n", layout.describe());
            });
        const UnstructuredLayout& labels = layout.axis(axis).as_unstructured();
        const int at = layout.coordinates(comm.rank())[static_cast<std::size_t>(axis)];
        const std::int64_t* first = labels.labels(at);
        owned.assign(first, first + labels.owned_local(at).size());
        all.assign(first, first + labels.local_extent(at));
    });
    const Map source(comm, owned), target(comm, all);
    impl::guarded(comm, "tpetra::GhostImport", [&] {
        m_state = std::make_shared<const impl::ImportState>(impl::ImportState{
            source, target,
            Teuchos::rcp(new impl::TrilinosImport(source.state()->map, target.state()->map))});
    });
}

const Map& GhostImport::source() const { return m_state->source; }
const Map& GhostImport::target() const { return m_state->target; }

void GhostImport::execute(const MultiVector& owned, const MultiVector& all) const {
    const Communicator& comm = m_state->source.communicator();
    const CollectiveCall call(comm, "tpetra::GhostImport::execute");
    agree_on(comm, "tpetra::GhostImport::execute", [&] {
        require<UsageError>(owned.map().state() == m_state->source.state() &&
                                all.map().state() == m_state->target.state(),
                            "tpetra::GhostImport::execute: expected vectors of the maps source() "
                            "and target(), got one of another map");
    });
    impl::guarded(comm, "tpetra::GhostImport::execute",
                  [&] { rcp(all)->doImport(*rcp(owned), *m_state->import, Tpetra::INSERT); });
}

Teuchos::RCP<const Tpetra::Import<>> rcp(const GhostImport& import) {
    return import.state()->import;
}

} // namespace distview::tpetra
