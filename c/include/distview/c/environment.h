// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DISTVIEW_C_ENVIRONMENT_H
#define DISTVIEW_C_ENVIRONMENT_H

#include <distview/c/types.h>

/// How thoroughly functions check their arguments.
enum distview_contracts_level {
    DISTVIEW_CONTRACTS_OFF = 0,   ///< executions of plans do not check for null pointers
    DISTVIEW_CONTRACTS_CHEAP = 1, ///< all checks that need this rank only; the default
    DISTVIEW_CONTRACTS_FULL =
        2 ///< ranks also compare their arguments before every execution of a plan, except redistributions
};

/// Checks beyond arguments.
enum distview_check {
    DISTVIEW_CHECK_NOTHING = 0,
    DISTVIEW_CHECK_PADDING = 1 ///< finds computations with padding that is not valid
};

/// Options with which distview_initialize() starts MPI and Kokkos.
typedef struct distview_init_options {
    int32_t thread_level; ///< requested from MPI: MPI_THREAD_MULTIPLE ...; 0: MPI_THREAD_FUNNELED
    /// Threads of Kokkos per process; 0: from the environment, else cores divided by the ranks of the node.
    int32_t threads;
    int32_t show_warnings; ///< whether Kokkos may print warnings when it starts
} distview_init_options;

DISTVIEW_BEGIN_C

/// Starts MPI and Kokkos unless they run already. distview_finalize() ends only what this function has started.
///
/// Calls are counted: a library may call it within a program that calls it, too. If the program has started MPI and
/// Kokkos itself, all other functions work without this one.
///
/// Collective: over all processes of the program if MPI does not run, else no
/// Errors:     USAGE_ERROR if MPI or Kokkos was finalised before; OTHER_ERROR, on this rank alone, if Kokkos does not
///             start
DISTVIEW_API int distview_initialize(const distview_init_options* options);

/// Reverses one distview_initialize(). The last call ends Kokkos, then MPI, each if distview_initialize() started it.
/// Handles may be released before or after. The program may have finalised MPI before.
///
/// Collective: over all processes of the program if distview_initialize() started MPI, else no
/// Errors:     USAGE_ERROR without a distview_initialize() before it
DISTVIEW_API int distview_finalize(void);

/// 1 while both MPI and Kokkos run, whoever started them; else 0.
DISTVIEW_API int distview_is_initialized(void);

/// Version of the loaded library: "major.minor.patch", and as one number: 1.2.3 is 10203.
DISTVIEW_API const char* distview_version(void);
DISTVIEW_API int distview_version_number(void);

/// Version, compiler and its flags, build type, Kokkos with its devices, and commit: one line each, "name: value".
DISTVIEW_API const char* distview_build_info(void);

/// Sets the level of checks from now on, for all threads; may be called at any time.
///
/// Errors: USAGE_ERROR for a value that is not a distview_contracts_level
DISTVIEW_API int distview_set_contracts(int level);
DISTVIEW_API int distview_contracts(void);

/// Switches the checking mode on or off, as DISTVIEW_CHECK=padding does for a whole run. The mode fills padding that is
/// no longer valid with poison; the next reduction, gather or exchange that meets an element computed from poison is a
/// USAGE_ERROR. Slow: for tests and small runs. docs/valid_padding.md explains it.
///
/// Collective: no, but all ranks must call it, before arrays are made
/// Errors:     USAGE_ERROR for a value that is not a distview_check
DISTVIEW_API int distview_set_check(int check);
/// The current checking mode: a distview_check.
DISTVIEW_API int distview_current_check(void);

DISTVIEW_END_C

#endif
