# Compiles CASE and compares what the compiler says with the case's first lines (see CMakeLists.txt).
# The expected words must be in the compiler's first error: that is the one people read. It must be the
# only one, and few lines may stand around it.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${CASE}" first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${CASE} does not begin with '// expect: '")
endif()
set(expected "${CMAKE_MATCH_1}")

set(standard c++23)
set(most_lines 11)
file(STRINGS "${CASE}" settings LIMIT_COUNT 3 REGEX "^// (standard|lines): ")
foreach(setting IN LISTS settings)
  if(setting MATCHES "^// standard: (.+)$")
    set(standard "${CMAKE_MATCH_1}")
  elseif(setting MATCHES "^// lines: (.+)$")
    set(most_lines "${CMAKE_MATCH_1}")
  endif()
endforeach()

# What FIRST includes is compiled already, for this standard.
set(compiled_headers)
if(standard STREQUAL "c++23")
  set(compiled_headers -include ${FIRST} -Winvalid-pch)
endif()
execute_process(COMMAND ${COMPILER} -std=${standard} -fsyntax-only -fdiagnostics-color=never
                        ${compiled_headers} -I ${INCLUDE} ${CASE}
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(expected STREQUAL "success")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "This must compile, and does not:\n${output}")
  endif()
  return()
endif()

if(status EQUAL 0)
  message(FATAL_ERROR "This compiles, and must not")
endif()
string(REGEX MATCH "error: [^\n]*" first_error "${output}")
string(FIND "${first_error}" "${expected}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "The first error should say:\n  ${expected}\nand says:\n  ${first_error}")
endif()
string(REGEX MATCHALL "\n" line_ends "${output}")
list(LENGTH line_ends lines)
if(lines GREATER most_lines)
  message(FATAL_ERROR "The compiler says ${lines} lines, and may say ${most_lines}:\n${output}")
endif()
