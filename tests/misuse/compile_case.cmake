# Compiles CASE and compares what the compiler says with the case's first line (see CMakeLists.txt).
# The expected words must be in the compiler's first error: that is the one people read.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${CASE}" first_line LIMIT_COUNT 1)
if(NOT first_line MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${CASE} does not begin with '// expect: '")
endif()
set(expected "${CMAKE_MATCH_1}")

execute_process(COMMAND ${COMPILER} -std=c++23 -fsyntax-only -fdiagnostics-color=never
                        -I ${INCLUDE} ${CASE}
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
