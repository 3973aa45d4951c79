# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DBUILD=... -DSTAGE=... -DCOMPONENTS=c,fortran -DOTHER_COMPILER=... -P stage_fortran.cmake
# Installs the components; then without the Fortran library and modules, as if another compiler had
# built them.

include("${CMAKE_CURRENT_LIST_DIR}/stage_components.cmake")

file(GLOB_RECURSE modules "${STAGE}/*/distview.mod")
file(GLOB_RECURSE sources "${STAGE}/*/distview.f90")
if(NOT modules OR NOT sources)
    message(FATAL_ERROR "no modules or no sources were installed: '${modules}', '${sources}'")
endif()

file(REMOVE_RECURSE "${OTHER_COMPILER}")
file(COPY "${STAGE}/" DESTINATION "${OTHER_COMPILER}")
file(GLOB_RECURSE theirs "${OTHER_COMPILER}/*.mod" "${OTHER_COMPILER}/*/libdistview_fortran*.a")
file(REMOVE ${theirs})
file(GLOB_RECURSE config "${OTHER_COMPILER}/*/distviewFortran.cmake")
file(READ "${config}" text)
string(REGEX REPLACE "STREQUAL \"[A-Za-z]+-[0-9]+\"" "STREQUAL \"Other-1\"" text "${text}")
file(WRITE "${config}" "${text}")
