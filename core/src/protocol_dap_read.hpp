// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/protocol/exported_section.hpp>
#include <distview/dap.h>

namespace distview::protocol::impl {

/// What a C struct says, without owner; its memory is not touched.
///
/// Errors: as from_dap(), for a section that is not released and of our ABI version
ExportedSection read_dap(const distview_dap_section& in);

} // namespace distview::protocol::impl
