// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stored_array.hpp"

#include <distview/comm/communicator.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace distview::impl {

/// Checksums of the blocks of an array's bytes in file order. Block i is [i * block_bytes, (i + 1) * block_bytes); the
/// last block may be shorter.
///
/// One process hashes a whole block, from its first byte to its last. If a rank's part ends within a block that other
/// ranks continue, the block is left open, and is hashed from the file when all ranks have written.
struct Blocks {
    using Hash = std::uint64_t (*)(const void*, std::size_t);
    /// Hashes that many bytes, requested in pieces of at most the second number of bytes.
    using HashOfPieces =
        std::uint64_t (*)(std::int64_t, std::int64_t,
                          const std::function<const std::byte*(std::int64_t, std::int64_t)>&);
    struct Sum {
        std::int64_t block = 0;
        std::uint64_t sum = 0;
    };

    std::int64_t block_bytes = std::int64_t{4} << 20;
    /// If several steps are read at once: bytes of one step; blocks begin anew with each step. 0: no steps.
    std::int64_t step_bytes = 0;
    Hash hash = nullptr;                   ///< for writing; null: no checksums
    HashOfPieces hash_of_pieces = nullptr; ///< for reading
    std::vector<std::uint64_t> expected;   ///< checksums of all blocks, for reading
    std::vector<Sum> found;                ///< checksums computed by this rank, for writing
    std::vector<std::int64_t> open;        ///< blocks that begin in this rank's part, left open

    /// The block that contains byte `at` of `total` bytes: its range and its number.
    struct Block {
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::int64_t number = 0;
        std::int64_t step = 0;
    };
    Block block_at(std::int64_t at, std::int64_t total) const noexcept {
        const std::int64_t step = step_bytes > 0 ? at / step_bytes : 0;
        const std::int64_t base = step * step_bytes;
        const std::int64_t end = step_bytes > 0 ? base + step_bytes : total;
        const std::int64_t number = (at - base) / block_bytes;
        const std::int64_t first = base + number * block_bytes;
        return {first, first + std::min(end - first, block_bytes),
                step * count(step_bytes) + number, step};
    }
    std::int64_t count(std::int64_t bytes) const noexcept {
        return bytes == 0 ? 0 : (bytes - 1) / block_bytes + 1;
    }
};

/// Writes bytes [begin, end) of an array, block by block. bytes(b, e) returns their address, valid until the next call.
void write_piece(const RawFile& file, const StoredArray& stored, Blocks& blocks,
                 const std::string& what, std::int64_t begin, std::int64_t end,
                 const std::function<const std::byte*(std::int64_t, std::int64_t)>& bytes);

/// The memory to which read_piece() reads.
struct PieceTarget {
    /// Returns memory for bytes [b, e).
    std::function<std::byte*(std::int64_t, std::int64_t)> memory;
    /// Called when these bytes are in that memory.
    std::function<void(std::int64_t, std::int64_t)> filled;
};
/// Reads bytes [begin, end) and compares the checksums of the blocks that begin there. `where` names them in errors.
void read_piece(const ByteSource& source, std::int64_t total, const Blocks& blocks,
                const std::string& caller, const std::string& where, std::int64_t begin,
                std::int64_t end, const PieceTarget& target);

/// Hashes open blocks after all ranks have written, and collects all checksums on rank 0, which returns them.
/// Collective.
std::vector<std::uint64_t> finish_blocks(const Communicator& comm, const RawFile& file,
                                         const StoredArray& stored, Blocks& blocks,
                                         const std::string& caller, const std::string& what);

} // namespace distview::impl
