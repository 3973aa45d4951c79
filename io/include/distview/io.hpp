// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <distview/io/checkpoint.hpp>
#include <distview/io/file_options.hpp>
#include <distview/io/hdf5.hpp>
#include <distview/io/hdf5_series.hpp>
#include <distview/io/npy.hpp>
