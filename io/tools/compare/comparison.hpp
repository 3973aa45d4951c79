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

/// The first element that differs, in the order of C.
struct FirstDifference {
    std::vector<std::int64_t> index;
    std::string a; ///< its values, as text
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
    /// Why no elements were compared: the field is in one file only, or of another type or shape. Empty: they were.
    std::string mismatch;
    bool has_numbers = true;
    bool has_steps = false;
    Differences all;                   ///< of all steps
    std::vector<StepComparison> steps; ///< that differ; of what has no steps at most one

    bool differs() const { return !mismatch.empty() || all.count > 0; }
};

/// Two files; the same on every rank.
struct Comparison {
    std::vector<std::string> remarks; ///< what differs besides fields: attributes, times of steps
    std::vector<FieldComparison> fields;

    bool differs() const;
};

/// Compares two files.
///
/// Collective: over comm
/// Cost:       memory for one field, of a series one step of it, of both files, dealt out to the ranks
/// Errors:     those of look_at() and load(); distview::UsageError for a field that neither file has (thrown on all
///             ranks)
Comparison compare_files(const distview::Communicator& comm, const Options& options);

/// A line for each field.
std::string to_text(const Comparison& comparison, const Options& options);

} // namespace compare
