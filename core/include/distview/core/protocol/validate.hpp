// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/dim_data.hpp>
#include <distview/core/protocol/version.hpp>
#include <distview/core/protocol/violation.hpp>

#include <span>

namespace distview::protocol {

/// Whether one process's export conforms, as far as that process can see.
///
/// Order of the rules: E4, E7; then axis by axis K3, K1/K2, K6, B7, K7, K8, K9; block B1, B2, B3,
/// B4, B9, B5; cyclic start >= 0, C1, C2, C4; unstructured U3, U4, U6; finally X8. The first broken rule is
/// returned.
///
/// Collective: no (local)
/// Shapes:     section.extents are the buffer's, padding included
/// Cost:       O(number of axes); unstructured axes O(n log n) of the process's indices
/// Source:     protocol specification, sections 1.1 to 1.5
Verdict check_local(const Version& version, const SectionDescription& section, int process);

/// Whether the exports of all processes of an array conform, each and together.
///
/// First check_local of every process in order; then X1, X2, X3/X4, X5 over all axes; then axis by
/// axis B8, B10, B12, B11 (block) or U5, U6 (unstructured), X8. The first broken rule is returned;
/// it names the lowest process that breaks it. So all processes that check the same
/// data get the same verdict (rule X9).
///
/// Collective: no (local): `sections` holds the descriptions of all processes in rank order
/// Cost:       O(processes x axes); unstructured axes O(n log n) of all indices
/// Errors:     UsageError if `sections` is empty
/// Source:     protocol specification, section 1.6
Verdict check_all(const Version& version, std::span<const SectionDescription> sections);

/// Throws the violation that check_local() or check_all() finds.
///
/// Errors: ProtocolError with the reason code, axis, key and process; UsageError as check_all
void require_conforming(const Version& version, const SectionDescription& section, int process);
void require_conforming(const Version& version, std::span<const SectionDescription> sections);

} // namespace distview::protocol
