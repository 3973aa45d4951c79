// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guarded.hpp"
#include "states.hpp"

#include <distview/comm/ghost_exchange_plan.hpp>

#include <cstdint>
#include <vector>

namespace distview::tpetra {

namespace {

/// Maps of each rank's owned rows, and of its owned rows and ghosts.
struct Maps {
    Map owned;
    Map all;
};

Maps maps_of(const char* caller, const GhostExchangePlan& plan, int axis) {
    const Communicator& comm = plan.communicator();
    const CollectiveCall call(comm, caller);
    const ArrayLayout layout = plan.layout();
    std::vector<std::int64_t> owned, all;
    agree_on(comm, caller, [&] {
        require<UsageError>(axis >= 0 && axis < layout.rank() &&
                                layout.axis(axis).type() == DistType::unstructured,
                            [&] {
                                return text(caller, ": expected an unstructured axis, got axis ",
                                            axis, " of\n", layout.describe());
                            });
        const UnstructuredLayout& labels = layout.axis(axis).as_unstructured();
        const int at = layout.coordinates(comm.rank())[static_cast<std::size_t>(axis)];
        const std::int64_t* first = labels.labels(at);
        owned.assign(first, first + labels.owned_local(at).size());
        all.assign(first, first + labels.local_extent(at));
    });
    return {Map(comm, owned), Map(comm, all)};
}

/// Throws UsageError on all ranks unless the vectors have these maps.
void require_maps(const char* caller, const MultiVector& from, const Map& source,
                  const MultiVector& to, const Map& target) {
    agree_on(source.communicator(), caller, [&] {
        const bool is_source = from.map().state() == source.state();
        require<UsageError>(is_source && to.map().state() == target.state(), [&] {
            return text(caller, ": expected vectors with the maps source() and target(), got a ",
                        is_source ? "second" : "first", " vector with another map");
        });
    });
}

std::vector<std::int64_t> rows_of(const Map& map) {
    std::vector<std::int64_t> rows;
    for (std::int64_t n = 0; n < map.local_size(); ++n) rows.push_back(map.row(n));
    return rows;
}

GhostedLayout ghosted_layout(const Map& owned, const Map& all) {
    return make_ghosted_layout(owned.communicator(), rows_of(owned), rows_of(all));
}

} // namespace

GhostImport::GhostImport(const GhostExchangePlan& plan, int axis) {
    const Maps maps = maps_of("tpetra::GhostImport", plan, axis);
    impl::guarded(plan.communicator(), "tpetra::GhostImport", [&] {
        m_state = std::make_shared<const impl::ImportState>(
            impl::ImportState{maps.owned, maps.all,
                              Teuchos::rcp(new impl::TrilinosImport(maps.owned.state()->map,
                                                                    maps.all.state()->map))});
    });
}

const Map& GhostImport::source() const { return m_state->source; }
const Map& GhostImport::target() const { return m_state->target; }

void GhostImport::execute(const MultiVector& owned, const MultiVector& all) const {
    const char* caller = "tpetra::GhostImport::execute";
    const CollectiveCall call(source().communicator(), caller);
    require_maps(caller, owned, source(), all, target());
    all.state()->array->mark_written();
    impl::guarded(source().communicator(), caller,
                  [&] { rcp(all)->doImport(*rcp(owned), *m_state->import, Tpetra::INSERT); });
}

GhostExport::GhostExport(const GhostExchangePlan& plan, int axis) {
    const Maps maps = maps_of("tpetra::GhostExport", plan, axis);
    impl::guarded(plan.communicator(), "tpetra::GhostExport", [&] {
        m_state = std::make_shared<const impl::ExportState>(
            impl::ExportState{maps.all, maps.owned,
                              Teuchos::rcp(new impl::TrilinosExport(maps.all.state()->map,
                                                                    maps.owned.state()->map))});
    });
}

const Map& GhostExport::source() const { return m_state->source; }
const Map& GhostExport::target() const { return m_state->target; }

void GhostExport::execute(const MultiVector& all, const MultiVector& owned) const {
    const char* caller = "tpetra::GhostExport::execute";
    const CollectiveCall call(source().communicator(), caller);
    require_maps(caller, all, source(), owned, target());
    owned.state()->array->mark_written();
    impl::guarded(source().communicator(), caller, [&] {
        Teuchos::RCP<const impl::TrilinosVector> from = rcp(all);
        if (all.data() == owned.data()) // one array
            from = Teuchos::rcp(new impl::TrilinosVector(*from, Teuchos::Copy));
        rcp(owned)->putScalar(0); // an Export adds the owned rows, too
        rcp(owned)->doExport(*from, *m_state->exporter, Tpetra::ADD);
    });
}

Teuchos::RCP<const Tpetra::Import<>> rcp(const GhostImport& import) {
    return import.state()->import;
}
Teuchos::RCP<const Tpetra::Export<>> rcp(const GhostExport& exporter) {
    return exporter.state()->exporter;
}

GhostedLayout ghosted_layout(const Communicator& comm, const Tpetra::Import<>& import) {
    return ghosted_layout(make_map(comm, import.getSourceMap()),
                          make_map(comm, import.getTargetMap()));
}
GhostedLayout ghosted_layout(const Communicator& comm, const Tpetra::Export<>& exporter) {
    return ghosted_layout(make_map(comm, exporter.getTargetMap()),
                          make_map(comm, exporter.getSourceMap()));
}

} // namespace distview::tpetra
