# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DCOMPILER=... -DFLAGS=FILE -DHEADERS=FILE -P compile_headers.cmake
# Makes HEADERS.gch, which GCC reads instead of the text if HEADERS is included first with the same flags.

file(READ "${FLAGS}" flags)
string(REPLACE "SHELL:" "" flags "${flags}")
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND "${COMPILER}" ${flags} -x c++-header "${HEADERS}" -o "${HEADERS}.gch"
                COMMAND_ERROR_IS_FATAL ANY)
