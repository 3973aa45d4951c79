// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/comm/impl/transport/reached_sections.hpp>

#include <distview/comm/agreement.hpp>
#include <distview/comm/impl/transport/transport.hpp>
#include <distview/core/error.hpp>
#include <distview/core/hash.hpp>
#include <distview/core/text.hpp>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace distview::impl {

namespace {

void check(const Communicator& comm, const char* caller, const Field& field, DeviceLayer* layer) {
    check_grid(caller, comm, *field.layout);
    require<ShapeError>(field.process == comm.rank(), [&] {
        return text(caller, ": expected the section of process ", comm.rank(),
                    ", got the section of process ", field.process);
    });
    require<ShapeError>(layer || field.host_accessible, [&] {
        return text(caller, ": the array is in memory that the host cannot access");
    });
    const bool is_used = layer && field.data && !is_empty_section(*field.layout, field.process);
    require<ShapeError>(!is_used || layer->reaches(field.data), [&] {
        return text(caller, ": the array is in memory that the device cannot access");
    });
}

} // namespace

ReachedSections reach_sections(const Communicator& comm, const char* caller, const Field& field,
                               DeviceLayer* layer, Access access) {
    CommunicatorState& state = *state_of(comm);
    ReachedSections result;
    std::vector<std::uint64_t> arrays;
    TransportSearch search = agree_on(
        comm, caller,
        [&] {
            arrays = {field.identity};
            const std::optional<Transport> required = required_transport();
            check_available(required);
            check(comm, caller, field, layer);
            std::vector<int> near;
            for (int rank = 0; rank < comm.size(); ++rank)
                if (rank != comm.rank() && state.calls().is_near(rank)) near.push_back(rank);
            result.lines.emplace(state, 0, near);
            // The program handles sections out of reach: a required transport that is not available is no error here.
            const bool in_messages =
                required && *required != Transport::direct && *required != Transport::ipc;
            return TransportSearch(state,
                                   {.caller = caller,
                                    .fields = std::span(&field, 1),
                                    .sources = near,
                                    .lines = &*result.lines,
                                    .required = in_messages ? required : std::nullopt,
                                    .layer = layer,
                                    .access = access},
                                   {.packs = std::vector<const char*>(near.size(), nullptr)});
        },
        field.layout ? hash_of(field.layout->fingerprint(), field.element_code) : 0,
        [&] {
            const ElementType element{static_cast<ElementKind>(field.element_code % 8),
                                      field.element_size};
            return std::vector<Argument>{{"layout", describe_fully(*field.layout)},
                                         {"element type", describe(element)}};
        },
        arrays);
    const int tag = state.next_tag();
    agree_on(comm, caller, [&] {
        PeerTransports found = search.run(tag);
        result.sections[comm.rank()] = {field.data, field.strides,
                                        field.layout->local_extents(field.process)};
        for (auto& [rank, peer] : found.sources) {
            result.sections[rank] = peer.fields.front();
            result.peers.push_back(std::move(peer));
        }
    });
    return result;
}

void throw_out_of_reach(const char* caller, const std::string& label, const ArrayLayout& layout,
                        const std::int64_t* index) {
    std::vector<GlobalIndex> element;
    std::string tuple;
    bool exists = true;
    for (int d = 0; d < layout.rank(); ++d) {
        element.emplace_back(index[d]);
        tuple += text(d == 0 ? "(" : ", ", index[d]);
        const AxisLayout& axis = layout.axis(d);
        if (axis.type() == DistType::unstructured) continue;
        const GlobalRange range = axis.global_range();
        exists = exists && range.begin.value() <= index[d] && index[d] < range.end.value();
    }
    const int owner = exists ? layout.owner(element) : -1;
    throw UsageError(
        owner < 0 ? text(caller, ": a kernel accessed element ", tuple, ") of '", label,
                         "', which has no known owner")
                  : text(caller, ": a kernel accessed element ", tuple, ") of '", label,
                         "', whose owner, process ", owner,
                         ", is on another node or has it in memory that others cannot map; call "
                         "get_elements(), put_elements() or accumulate_elements(), or use an "
                         "InspectedLoop"));
}

} // namespace distview::impl
