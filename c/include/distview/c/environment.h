// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ENVIRONMENT_H
#define DISTVIEW_C_ENVIRONMENT_H

#include <distview/c/types.h>

/// How much a function checks of what it is given.
enum distview_contracts_level {
    DISTVIEW_CONTRACTS_OFF = 0,   ///< null pointers in executions of plans are not looked for
    DISTVIEW_CONTRACTS_CHEAP = 1, ///< all that this rank can see; the default
    DISTVIEW_CONTRACTS_FULL =
        2 ///< ranks also compare their arguments before every execution of a plan, but of redistributions
};

/// What is checked besides arguments.
enum distview_check {
    DISTVIEW_CHECK_NOTHING = 0,
    DISTVIEW_CHECK_PADDING = 1 ///< that nobody computes with padding that is not valid
};

/// How distview_initialize() starts what does not run yet.
typedef struct distview_init_options {
    int32_t thread_level; ///< asked of MPI: MPI_THREAD_MULTIPLE ...; 0: MPI_THREAD_FUNNELED
    /// Of Kokkos, per process; 0: as the environment says, else cores divided by ranks of the node.
    int32_t threads;
    int32_t show_warnings; ///< whether Kokkos may print warnings when it starts
} distview_init_options;

DISTVIEW_BEGIN_C

/// Starts MPI and Kokkos as far as nobody has started them. What runs already is left alone, now and at the end.
///
/// Calls are counted, so that a library may call it within a program that has. All other functions that need Kokkos or
/// MPI may also be called where the program has started both itself.
///
/// Collective: over all processes of the program if MPI does not run, else no
/// Errors:     USAGE_ERROR if MPI or Kokkos was finalised before; OTHER_ERROR, on this rank alone, if Kokkos does not
///             start
DISTVIEW_API int distview_initialize(const distview_init_options* options);

/// Takes back one distview_initialize(). The last one ends Kokkos, then MPI, each if distview_initialize() started it.
/// Handles may be released before or after. MPI may have been finalised by the program already.
///
/// Collective: over all processes of the program if distview_initialize() started MPI, else no
/// Errors:     USAGE_ERROR without a distview_initialize() before it
DISTVIEW_API int distview_finalize(void);

/// 1 while MPI and Kokkos run, whoever started them; else 0.
DISTVIEW_API int distview_is_initialized(void);

/// "major.minor.patch", and the same as one number: 1.2.3 is 10203. Of the library that the program runs with.
DISTVIEW_API const char* distview_version(void);
DISTVIEW_API int distview_version_number(void);

/// Version, compiler and its flags, build type, Kokkos with its devices, and commit: a line each, "name: value".
DISTVIEW_API const char* distview_build_info(void);

/// Sets how much is checked from now on, in all threads; any time.
///
/// Errors: USAGE_ERROR for what is no distview_contracts_level
DISTVIEW_API int distview_set_contracts(int level);
DISTVIEW_API int distview_contracts(void);

/// Switches the checking mode on or off, as DISTVIEW_CHECK=padding does for a whole run: padding that is no longer valid is
/// filled with poison, and what was computed of it is a USAGE_ERROR of the next reduction, gather or exchange that meets
/// it. Slow: for tests and small runs. docs/valid_padding.md has more.
///
/// Collective: no, but to be called on all ranks, before arrays are made
/// Errors:     USAGE_ERROR for what is no distview_check
DISTVIEW_API int distview_set_check(int check);
/// What is checked now: a distview_check.
DISTVIEW_API int distview_current_check(void);

DISTVIEW_END_C

#endif
