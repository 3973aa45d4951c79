// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message_layout.hpp"

#include "exchange_elements.hpp"

#include <distview/comm/impl/array_datatype.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace distview::impl {

namespace {

using Partner = ExchangeCopies::Partner;

/// What MPI sends without asking the receiver first; Open MPI within a node: 4096 with its header.
constexpr std::int64_t sent_at_once = 4000;

/// Runs that MPI copies as fast as several threads do, hence better without a copy before.
constexpr std::int64_t long_piece = 8192;

/// So that elements in a message lie as in memory.
std::int64_t at_element(std::int64_t offset, std::int64_t element_size) {
    constexpr std::int64_t line = 64;
    const std::int64_t alignment = std::min(line, element_size & -element_size);
    return (offset + alignment - 1) / alignment * alignment;
}

class Layout {
public:
    Layout(const std::vector<ExchangePart>& parts, std::span<const Field> fields,
           const MessageRules& rules, const Arena& arena, const DeviceSetting& device)
        : m_parts(parts), m_fields(fields), m_rules(rules), m_arena(arena), m_device(device) {}

    MessageLayout make(const std::function<bool(int)>& has_messages, bool received) {
        join(has_messages);
        MessageLayout result{{}, std::vector<char*>(m_parts.size(), nullptr), {}, {}};
        std::int64_t bytes = 0;
        for (auto& [peer, messages] : m_by_peer)
            for (Joined& joined : messages) {
                PersistentMessages::require_countable(joined.message.bytes, "PaddingExchangePlan");
                find_in_arrays(joined, received);
                if (!joined.message.in_array) bytes += at_line(joined.message.bytes);
            }
        std::tie(result.buffer, result.staged) = message_buffers(m_device, bytes, received);
        char* at = result.buffer.data();
        char* kernel_at = result.staged.size() > 0 ? result.staged.data() : at;
        for (auto& [peer, messages] : m_by_peer)
            for (Joined& joined : messages) {
                Partner& message = joined.message;
                if (!message.in_array) {
                    message.data = at;
                    for (std::size_t i = 0; i < message.parts.size(); ++i)
                        result.places[message.parts[i]] = kernel_at + joined.offsets[i];
                    at += at_line(message.bytes);
                    kernel_at += at_line(message.bytes);
                }
                result.messages.push_back(std::move(message));
            }
        return result;
    }

private:
    struct Joined {
        Partner message;
        std::vector<std::int64_t> offsets; ///< of its parts
        bool has_gaps = false;             ///< between them
    };
    using FieldOfPeer = std::pair<int, std::size_t>;

    std::int64_t element_size(const ExchangePart& part) const {
        return m_fields[part.field].element_size;
    }
    std::int64_t bytes_of(const ExchangePart& part) const {
        return part.region.elements * element_size(part);
    }

    /// Whether a part, the field of which has so many bytes for the peer, begins another message.
    ///
    /// Fields go together, but not so that messages which MPI would send at once become one for which it
    /// asks the receiver first: that takes longer than all of them.
    bool begins_message(const Partner& message, const ExchangePart& part,
                        std::int64_t bytes_of_field) const {
        return m_parts[message.parts.back()].field != part.field && message.bytes <= sent_at_once &&
               bytes_of_field <= sent_at_once && message.bytes + bytes_of_field > sent_at_once;
    }

    void join(const std::function<bool(int)>& has_messages) {
        std::map<FieldOfPeer, std::int64_t> together; // bytes of each field that do not go alone
        for (const ExchangePart& part : m_parts)
            if (!part.alone) together[{part.region.peer, part.field}] += bytes_of(part);
        std::map<int, std::size_t> latest; // the message of a peer that is added to
        for (std::size_t i = 0; i < m_parts.size(); ++i) {
            const ExchangePart& part = m_parts[i];
            const int peer = part.region.peer;
            if (!has_messages(peer)) continue;
            std::vector<Joined>& messages = m_by_peer[peer];
            const auto open = latest.find(peer);
            const bool begins = part.alone || open == latest.end() ||
                                begins_message(messages[open->second].message, part,
                                               together.at({peer, part.field}));
            if (begins) {
                if (!part.alone) latest[peer] = messages.size();
                messages.emplace_back().message.peer = peer;
            }
            add(begins ? messages.back() : messages[open->second], i);
        }
        for (auto& [peer, messages] : m_by_peer)
            for (Joined& joined : messages) {
                joined.message.may_be_in_arrays = may_be_in_arrays(joined);
                if (joined.message.may_be_in_arrays) joined.message.word = word_of(joined.message);
            }
    }
    void add(Joined& joined, std::size_t i) const {
        const ExchangePart& part = m_parts[i];
        Partner& message = joined.message;
        const std::int64_t offset = at_element(message.bytes, element_size(part));
        joined.has_gaps = joined.has_gaps || offset != message.bytes;
        joined.offsets.push_back(offset);
        message.bytes = offset + bytes_of(part);
        message.parts.push_back(i);
        message.boxes.push_back(positions(part));
    }
    /// What is sent at once goes through memory of MPI's own, which it would also have to find if it came
    /// before its receive.
    bool may_be_in_arrays(const Joined& joined) const {
        return m_rules.in_arrays && !joined.has_gaps &&
               joined.message.bytes <= std::numeric_limits<int>::max() &&
               (m_parts[joined.message.parts.front()].alone ||
                joined.message.bytes >= std::min(m_rules.long_run, sent_at_once));
    }

    /// The largest that divides all elements.
    std::int64_t word_of(const Partner& message) const {
        std::int64_t word = 8;
        for (const std::size_t i : message.parts) word = std::gcd(word, element_size(m_parts[i]));
        return word;
    }

    ArrayBox here(const ExchangePart& part) const {
        const Field& field = m_fields[part.field];
        const Elements place = elements(field.data, field.strides, part.region.begin, part.rank);
        ArrayBox box{place.first, field.element_size, part.rank, {}, place.strides};
        for (std::size_t d = 0; d < static_cast<std::size_t>(part.rank); ++d)
            box.extents[d] = part.region.extents[d];
        return box;
    }
    /// What lies in the arena is sent from there and received there: as it is, if it is one run; else by a
    /// datatype, if MPI is to do that.
    void find_in_arrays(Joined& joined, bool received) const {
        Partner& message = joined.message;
        if (m_device.layer || !message.may_be_in_arrays) return;
        std::vector<ArrayBox> boxes;
        std::vector<std::weak_ptr<void>> owners;
        for (const std::size_t i : message.parts) {
            const ArrayBox& box = boxes.emplace_back(here(m_parts[i]));
            if (!is_of_words(box, message.word)) return;
            const std::shared_ptr<void> owner = m_arena.owner_of(box.first, box.span());
            if (!owner) return;
            owners.push_back(owner);
        }
        if (received && may_overlap(message, boxes)) return;
        if (boxes.size() == 1 && boxes.front().is_one_run()) {
            message.data = boxes.front().first;
        } else {
            if (!is_for_mpi(boxes, message.word)) return;
            message.datatype = array_datatype(boxes, message.word);
            if (!message.datatype) return;
        }
        message.in_array = true;
        message.arrays = std::move(owners);
    }
    static bool is_of_words(const ArrayBox& box, std::int64_t word) {
        const auto end = box.strides.begin() + box.rank;
        return std::all_of(box.strides.begin(), end, [](std::int64_t s) { return s >= 0; }) &&
               reinterpret_cast<std::uintptr_t>(box.first) % static_cast<std::uintptr_t>(word) == 0;
    }
    bool is_for_mpi(const std::vector<ArrayBox>& boxes, std::int64_t word) const {
        if (m_rules.by_datatype) return *m_rules.by_datatype;
        const auto all = [&](const auto& suits) {
            return std::all_of(boxes.begin(), boxes.end(), suits);
        };
        if (Kokkos::DefaultHostExecutionSpace().concurrency() > 1)
            return all(
                [](const ArrayBox& box) { return box.is_one_run() && box.span() >= long_piece; });
        return all(
            [&](const ArrayBox& box) { return m_rules.suits_datatypes(box.run_bytes(), word); });
    }
    /// Nobody keeps a program from passing an array twice; MPI must not receive into it twice, neither in one
    /// message nor in two that are under way together.
    bool may_overlap(const Partner& message, const std::vector<ArrayBox>& boxes) const {
        for (std::size_t i = 0; i < boxes.size(); ++i)
            for (const ExchangePart& other : m_parts) {
                if (other.field == m_parts[message.parts[i]].field) continue;
                const ArrayBox box = here(other);
                if (boxes[i].first < box.first + box.span() &&
                    box.first < boxes[i].first + boxes[i].span())
                    return true;
            }
        return false;
    }

    const std::vector<ExchangePart>& m_parts;
    std::span<const Field> m_fields;
    MessageRules m_rules;
    const Arena& m_arena;
    DeviceSetting m_device;
    std::map<int, std::vector<Joined>> m_by_peer;
};

} // namespace

MessageLayout lay_out_messages(const std::vector<ExchangePart>& parts,
                               std::span<const Field> fields,
                               const std::function<bool(int)>& has_messages,
                               const MessageRules& rules, const Arena& arena,
                               const DeviceSetting& device, bool received) {
    return Layout(parts, fields, rules, arena, device).make(has_messages, received);
}

} // namespace distview::impl
