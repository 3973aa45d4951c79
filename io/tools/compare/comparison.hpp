// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elements.hpp"
#include "files.hpp"
#include "options.hpp"

#include <distview/comm/communicator.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace compare {

/// The first element that differs, in C order.
struct FirstDifference {
    std::vector<std::int64_t> index;
    std::string a; ///< the element's values in both files, as text
    std::string b;
};

struct StepComparison {
    std::int64_t step = 0;
    double time = 0;
    Differences found;
    FirstDifference first; ///< if found.count > 0
};

/// One field of both files.
struct FieldComparison {
    std::string name;
    /// Why no elements were compared: the field is in one file only, or its types or shapes differ. Empty otherwise.
    std::string mismatch;
    bool has_numbers = true;
    bool has_steps = false;
    Differences all;                   ///< over all steps
    std::vector<StepComparison> steps; ///< steps with differences; at most one without a series

    bool differs() const { return !mismatch.empty() || all.count > 0; }
};

/// The result for two files; the same on every rank.
struct Comparison {
    std::vector<std::string> remarks; ///< differences outside of fields: attributes, times of steps
    std::vector<FieldComparison> fields;

    bool differs() const;
};

/// Compares two files.
///
/// Collective: over comm
/// Cost:       memory for one field of both files (one step of a series), distributed over the ranks
/// Errors:     those of look_at() and load(); distview::UsageError if options name a field that neither file has
///             (thrown on all ranks)
Comparison compare_files(const distview::Communicator& comm, const Options& options);

/// Describes the result, one line for each field.
std::string to_text(const Comparison& comparison, const Options& options);

} // namespace compare
