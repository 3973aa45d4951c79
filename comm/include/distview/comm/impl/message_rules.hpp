// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/impl/arena.hpp>
#include <distview/comm/impl/field.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace distview::impl {

/// How messages are made.
struct MessageRules {
    std::int64_t long_run = 0;         ///< bytes; the same on all processes
    std::optional<bool> by_datatype{}; ///< as messages_by_datatype(); each process's own

    // Found out when arrays are bound, and the same on all processes:
    bool in_arrays = false; ///< messages may lie in the arrays, all of which are in arenas
    bool by_datatypes =
        false; ///< and all processes leave them to MPI's datatypes where these are fast
    bool short_rows = false; ///< also where their rows are of a few words

    /// Whether a region travels alone: when it is long, and nobody has to pack it. Follows from the geometry,
    /// hence is the same on both sides, though each finds out for itself what its array really is like.
    bool is_alone(const PaddingRegion& region, const PaddingExchangeSchedule& schedule,
                  std::int64_t element_size) const;

    /// MPI copies single words and long rows well. With rows of a few words it depends on the machine, and
    /// on how close to each other the processes' cores are: `short_rows` says what was tried out.
    bool suits_datatypes(std::int64_t run_bytes, std::int64_t word) const {
        constexpr std::int64_t long_row = 256;
        return short_rows || run_bytes == word || run_bytes >= long_row;
    }
};

/// What a process would do with these arrays, which are to be filled by kernels of the host: what all would
/// is done.
struct MessageOffer {
    bool in_arrays = false; ///< as the rules of these names
    bool by_datatypes = false;
    bool short_rows = false;
    bool tries =
        false; ///< not decided: to leave short rows to datatypes as well, if that is faster
};
MessageOffer message_offer(const Arena& arena, std::span<const Field> fields,
                           const MessageRules& rules);

} // namespace distview::impl
