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

/// Checksums of the blocks of an array's bytes in file order; block i is [i * block_bytes, (i + 1) * block_bytes), the last
/// one may be shorter.
///
/// One process hashes a block at once, from its first byte to its last. What a rank writes ends within blocks that others
/// go on with: these are left open, and hashed from the file when everybody has written.
struct Blocks {
    using Hash = std::uint64_t (*)(const void*, std::size_t);
    /// Of so many bytes, which are asked for in pieces of at most so many.
    using HashOfPieces =
        std::uint64_t (*)(std::int64_t, std::int64_t,
                          const std::function<const std::byte*(std::int64_t, std::int64_t)>&);
    struct Sum {
        std::int64_t block = 0;
        std::uint64_t sum = 0;
    };

    std::int64_t block_bytes = std::int64_t{4} << 20;
    /// When reading several steps at once: bytes of one, with each of which blocks begin anew; 0: there are none.
    std::int64_t step_bytes = 0;
    Hash hash = nullptr;                   ///< when writing; null: no checksums
    HashOfPieces hash_of_pieces = nullptr; ///< the same when reading
    std::vector<std::uint64_t> expected;   ///< of all blocks, when reading
    std::vector<Sum> found;                ///< by this rank, when writing
    std::vector<std::int64_t> open;        ///< that begin in what this rank has written

    /// What of `total` bytes the block at `at` has, and which it is.
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

/// Writes bytes [begin, end) of an array, block by block. bytes(b, e) is where these are until the next call.
void write_piece(const RawFile& file, const StoredArray& stored, Blocks& blocks,
                 const std::string& what, std::int64_t begin, std::int64_t end,
                 const std::function<const std::byte*(std::int64_t, std::int64_t)>& bytes);

/// Where read_piece() puts bytes.
struct PieceTarget {
    /// Memory for bytes [b, e).
    std::function<std::byte*(std::int64_t, std::int64_t)> memory;
    /// They are there, and what was written.
    std::function<void(std::int64_t, std::int64_t)> filled;
};
/// Reads bytes [begin, end) and compares the checksums of the blocks that begin there. `where` is said in errors.
void read_piece(const ByteSource& source, std::int64_t total, const Blocks& blocks,
                const std::string& caller, const std::string& where, std::int64_t begin,
                std::int64_t end, const PieceTarget& target);

/// Hashes open blocks, which all ranks have written before, and brings all checksums to rank 0, which returns them.
/// Collective.
std::vector<std::uint64_t> finish_blocks(const Communicator& comm, const RawFile& file,
                                         const StoredArray& stored, Blocks& blocks,
                                         const std::string& caller, const std::string& what);

} // namespace distview::impl
