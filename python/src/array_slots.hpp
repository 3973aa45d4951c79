// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Python.h>

namespace distview::python {

/// What the interpreter asks of an Array itself: its buffer, and what it keeps alive.
extern PyType_Slot array_slots[];

} // namespace distview::python
