// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blocks.hpp"

#include "damage.hpp"

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/core/error.hpp>
#include <distview/core/text.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace distview::impl {

void write_piece(const RawFile& file, const StoredArray& stored, Blocks& blocks,
                 const std::string& what, std::int64_t begin, std::int64_t end,
                 const std::function<const std::byte*(std::int64_t, std::int64_t)>& bytes) {
    const std::int64_t total = stored.bytes();
    for (std::int64_t at = begin; at < end;) {
        const std::int64_t block = at / blocks.block_bytes;
        const std::int64_t first = block * blocks.block_bytes;
        const std::int64_t last = first + std::min(total - first, blocks.block_bytes);
        const std::int64_t next = std::min(end, last);
        const std::byte* const memory = bytes(at, next);
        stored.write(file, at, next, memory, what);
        if (blocks.hash && at == first) {
            if (next == last)
                blocks.found.push_back(
                    {block, blocks.hash(memory, static_cast<std::size_t>(next - at))});
            else
                blocks.open.push_back(block);
        }
        at = next;
    }
}

namespace {

/// Bytes are read in pieces of this size, and hashed while they are in the processor's cache.
constexpr std::int64_t cached_bytes = std::int64_t{256} << 10;

/// Reads a block into `memory` and compares its checksum.
void read_block(const ByteSource& source, const Blocks& blocks, const std::string& caller,
                const std::string& where, const Blocks::Block& block, std::byte* memory) {
    const std::int64_t first = block.first, last = block.last;
    const std::uint64_t found = blocks.hash_of_pieces(
        last - first, cached_bytes, [&](std::int64_t b, std::int64_t e) -> const std::byte* {
            source.read(first + b, first + e, memory + b);
            return memory + b;
        });
    require<DamageError>(found == blocks.expected[static_cast<std::size_t>(block.number)], [&] {
        return text(caller, ": expected the bytes that were written, got damaged bytes among [",
                    first, ", ", last, ") of ", where,
                    blocks.step_bytes > 0 ? text(" (step ", block.step, ')') : std::string(),
                    ": the checksum of block ", block.number, " of ", blocks.expected.size(),
                    " differs");
    });
}

} // namespace

void read_piece(const ByteSource& source, std::int64_t total, const Blocks& blocks,
                const std::string& caller, const std::string& where, std::int64_t begin,
                std::int64_t end, const PieceTarget& target) {
    const bool is_checked = blocks.hash_of_pieces && !blocks.expected.empty();
    std::vector<std::byte> beyond; // for a block that continues behind `end`
    for (std::int64_t at = begin; at < end;) {
        const Blocks::Block block = blocks.block_at(at, total);
        const std::int64_t first = block.first, last = block.last;
        const std::int64_t next = std::min(end, last);
        std::byte* const memory = target.memory(at, next);
        if (is_checked && at == first && next < last) {
            beyond.resize(static_cast<std::size_t>(last - first));
            read_block(source, blocks, caller, where, block, beyond.data());
            std::memcpy(memory, beyond.data(), static_cast<std::size_t>(next - at));
        } else if (is_checked && at == first) {
            read_block(source, blocks, caller, where, block, memory);
        } else {
            source.read(at, next, memory);
        }
        target.filled(at, next);
        at = next;
    }
}

std::vector<std::uint64_t> finish_blocks(const Communicator& comm, const RawFile& file,
                                         const StoredArray& stored, Blocks& blocks,
                                         const std::string& caller, const std::string& what) {
    agree_on(comm, caller.c_str(), [&] {
        const std::int64_t total = stored.bytes();
        std::vector<std::byte> memory;
        for (const std::int64_t block : blocks.open) {
            const std::int64_t first = block * blocks.block_bytes;
            const std::int64_t last = first + std::min(total - first, blocks.block_bytes);
            memory.resize(static_cast<std::size_t>(last - first));
            stored.read(file, first, last, memory.data(), what);
            blocks.found.push_back({block, blocks.hash(memory.data(), memory.size())});
        }
        blocks.open.clear();
    });
    const auto mine = static_cast<std::int64_t>(blocks.found.size() * sizeof(Blocks::Sum));
    const std::vector<std::int64_t> sizes = all_gather(comm, mine);
    std::int64_t all_bytes = 0;
    for (const std::int64_t size : sizes) all_bytes += size;
    std::vector<Blocks::Sum> all;
    if (comm.rank() == 0) all.resize(static_cast<std::size_t>(all_bytes) / sizeof(Blocks::Sum));
    gather_bytes(comm, 0, std::as_bytes(std::span(blocks.found)), sizes,
                 std::as_writable_bytes(std::span(all)));
    std::vector<std::uint64_t> sums;
    if (comm.rank() == 0) sums.resize(static_cast<std::size_t>(blocks.count(stored.bytes())));
    for (const Blocks::Sum& each : all) sums[static_cast<std::size_t>(each.block)] = each.sum;
    return sums;
}

} // namespace distview::impl
