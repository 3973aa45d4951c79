// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registers.hpp"

#include <distview/comm/runtime.hpp>

namespace distview::python {

namespace {

unsigned long main_thread = 0; // Python's number of the only thread that runs signal handlers

/// Runs Python's handlers of pending signals; throws their exceptions, for example KeyboardInterrupt after Ctrl-C.
void run_signal_handlers() {
    if (!Py_IsInitialized() || PyThread_get_thread_ident() != main_thread) return;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

} // namespace

void register_signals(nb::module_& package) {
    const nb::object thread = nb::module_::import_("threading").attr("main_thread")();
    main_thread = nb::cast<unsigned long>(thread.attr("ident"));
    set_interrupt_check(run_signal_handlers);
    package.def(
        "ignore_signals", [] { set_interrupt_check(nullptr); },
        "From now on waiting calls do not check for signals: for the interpreter's exit. Local.");
}

} // namespace distview::python
