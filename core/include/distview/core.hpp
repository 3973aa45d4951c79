// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/core/any_dist_view.hpp>
#include <distview/core/array_layout.hpp>
#include <distview/core/axis_slice.hpp>
#include <distview/core/concepts.hpp>
#include <distview/core/device.hpp>
#include <distview/core/device_layout.hpp>
#include <distview/core/dim_layout.hpp>
#include <distview/core/dist_view.hpp>
#include <distview/core/element_type.hpp>
#include <distview/core/error.hpp>
#include <distview/core/index_types.hpp>
#include <distview/core/local_box.hpp>
#include <distview/core/message_sink.hpp>
#include <distview/core/mirror.hpp>
#include <distview/core/print.hpp>
#include <distview/core/process_grid.hpp>
#include <distview/core/protocol/canonical.hpp>
#include <distview/core/protocol/convert.hpp>
#include <distview/core/protocol/dap.hpp>
#include <distview/core/protocol/exported_section.hpp>
#include <distview/core/protocol/validate.hpp>
#include <distview/core/slice.hpp>
#include <distview/core/version.hpp>
#include <distview/dap.h>
