// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan/message_layout.hpp"

namespace distview::impl {

namespace {

/// Makes a buffer for messages of `bytes`, by rank; the program keeps the buffer.
std::map<int, MessagePlace> places_of(ExchangeProgram& program, const char* caller,
                                      const DeviceSetting& device,
                                      const std::map<int, std::int64_t>& bytes, bool received) {
    std::int64_t total = 0;
    for (const auto& [rank, size] : bytes) {
        PersistentMessages::require_countable(size, caller);
        total += at_line(size);
    }
    const auto [buffer, staging] = message_buffers(device, total, received);
    program.workspace_bytes += static_cast<std::size_t>(staging ? 2 * total : total);
    (received ? program.held.emplace_back() : program.sent) = buffer;
    program.held.push_back(staging);
    std::map<int, MessagePlace> places;
    std::int64_t offset = 0;
    for (const auto& [rank, size] : bytes) {
        char* const data = buffer.get() + offset;
        places[rank] = {data, staging ? staging.get() + offset : data, size};
        offset += at_line(size);
    }
    return places;
}

} // namespace

PackedFields packed_fields(std::int64_t elements, std::span<const Field> fields,
                           std::span<const char> packs) {
    PackedFields result;
    for (std::size_t f = 0; f < fields.size(); ++f) {
        result.bytes = at_line(result.bytes);
        result.begins.push_back(result.bytes);
        if (packs.empty() || packs[f] != 0) result.bytes += elements * fields[f].element_size;
    }
    return result;
}

std::vector<char> packed_by(const ReadablePeer& owner) {
    std::vector<char> result;
    for (const ReadablePeer::RemoteField& field : owner.fields)
        result.push_back(field.data ? 0 : 1);
    return result;
}

MessagePlaces lay_out(ExchangeProgram& program, const char* caller, const DeviceSetting& device,
                      const std::map<int, std::int64_t>& sent,
                      const std::map<int, std::int64_t>& received, const ReaderPacks& packs) {
    MessagePlaces places{places_of(program, caller, device, sent, false),
                         places_of(program, caller, device, received, true)};
    for (const auto& [rank, place] : places.sent)
        program.sends.push_back({rank, place.data, place.bytes});
    program.held.push_back(packs.memory());
    program.packs_for_readers = packs.bytes() > 0;
    program.workspace_bytes += static_cast<std::size_t>(packs.bytes());
    return places;
}

} // namespace distview::impl
