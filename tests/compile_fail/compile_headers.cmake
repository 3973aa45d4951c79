# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DCOMPILER=... -DFLAGS=FILE -DHEADERS=FILE -P compile_headers.cmake
# Makes HEADERS.gch, which GCC takes in place of the text wherever the same flags include HEADERS first.

file(READ "${FLAGS}" flags)
string(REPLACE "SHELL:" "" flags "${flags}")
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND "${COMPILER}" ${flags} -x c++-header "${HEADERS}" -o "${HEADERS}.gch"
                COMMAND_ERROR_IS_FATAL ANY)
