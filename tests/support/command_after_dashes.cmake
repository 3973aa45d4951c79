# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For scripts run as `cmake -P SCRIPT.cmake -- COMMAND...`: sets `command` to the list COMMAND.

set(command "")
set(is_command FALSE)
math(EXPR last_argument "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last_argument})
    if(is_command)
        list(APPEND command "${CMAKE_ARGV${i}}")
    elseif(CMAKE_ARGV${i} STREQUAL "--")
        set(is_command TRUE)
    endif()
endforeach()
