// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/comm/agreement.hpp>
#include <distview/comm/collectives.hpp>
#include <distview/comm/combine.hpp>
#include <distview/comm/communicator.hpp>
#include <distview/comm/elements.hpp>
#include <distview/comm/gather_plan.hpp>
#include <distview/comm/ghost_exchange_plan.hpp>
#include <distview/comm/global_access.hpp>
#include <distview/comm/grid_placement.hpp>
#include <distview/comm/import_dist_view.hpp>
#include <distview/comm/index_list.hpp>
#include <distview/comm/make_dist_view.hpp>
#include <distview/comm/migration_plan.hpp>
#include <distview/comm/mpi_error.hpp>
#include <distview/comm/other_program.hpp>
#include <distview/comm/padding_exchange_plan.hpp>
#include <distview/comm/padding_exchange_schedule.hpp>
#include <distview/comm/redistribution_plan.hpp>
#include <distview/comm/redistribution_schedule.hpp>
#include <distview/comm/runtime.hpp>
#include <distview/comm/section_access.hpp>
#include <distview/core.hpp>
