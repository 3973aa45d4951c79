// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <distview/core/protocol/exported_section.hpp>

#include <distview/core/error.hpp>
#include <distview/core/protocol/convert.hpp>

namespace distview::protocol {

ExportedSection export_section(const AnyDistView& view, const Version& version) {
    require<UsageError>(view.identity() != 0,
                        "export_section: expected an array, got a default-constructed one");
    ExportedSection exported;
    exported.version = version;
    exported.dim_data = export_dim_data(view.layout(), view.process(), version);
    exported.section = view.section();
    exported.process = view.process();
    exported.process_count = view.layout().process_count();
    return exported;
}

} // namespace distview::protocol
