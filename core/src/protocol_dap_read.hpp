// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/exported_section.hpp>
#include <distview/dap.h>

namespace distview::protocol::impl {

/// The content of a C struct, without an owner; the section's memory is not touched.
///
/// Errors: as from_dap(), for a section that is not released and has this library's ABI version
ExportedSection read_dap(const distview_dap_section& in);

} // namespace distview::protocol::impl
