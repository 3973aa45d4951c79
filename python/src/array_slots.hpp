// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Python.h>

namespace distview::python {

/// Slots of Array that the interpreter calls: its buffer, and garbage collection.
extern PyType_Slot array_slots[];

} // namespace distview::python
