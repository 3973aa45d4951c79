// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/error.hpp>
#include <distview/core/text.hpp>
#include <distview/interop/matrix_rows.hpp>

#include <HYPRE_utilities.h>

#include <cstdint>
#include <vector>

namespace distview::hypre::impl {

/// Thrown if a call of hypre returned an error; checked() adds hypre's text.
struct CallFailed {
    int code;
};

/// Ends an action of checked() at the first failing call: after an error, hypre itself would continue with bad data.
inline void call(HYPRE_Int code) {
    if (code != 0) throw CallFailed{static_cast<int>(code)};
}

/// A duplicate on which hypre sends its messages; freed with the library's own communicator.
///
/// Collective: over comm
MPI_Comm comm_of(const Communicator& comm);

/// Whether objects of hypre can still be destroyed.
bool is_alive() noexcept;

/// Throws UsageError if an object of hypre was moved from.
inline void require_object(const char* caller, bool is_there) {
    require<UsageError>(is_there, [&] {
        return text(caller, ": expected a vector, got one whose object was moved to another");
    });
}
/// Throws UsageError unless hypre can number the cells, and count those of this rank.
void require_count(const char* caller, const RowNumbering& rows);
/// As require_count(), and throws UsageError unless rows are contiguous.
void require_rows(const char* caller, const RowNumbering& rows);

/// The lowest row of this process whose diagonal entry is 0 or absent; -1: no row.
std::int64_t find_zero_on_diagonal(const MatrixRows& rows);

/// Converts numbers that were checked before.
template <class To>
std::vector<To> narrow(const std::vector<std::int64_t>& numbers) {
    std::vector<To> narrowed(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) narrowed[i] = static_cast<To>(numbers[i]);
    return narrowed;
}

} // namespace distview::hypre::impl
