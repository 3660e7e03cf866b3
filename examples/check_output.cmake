# Runs PROGRAM in an empty folder and expects success and, on its standard output, every line of
# EXPECTED in that order; other text may stand between them. The first line of EXPECTED may name
# arguments: `$ arguments`.
cmake_minimum_required(VERSION 3.25)

# Takes the first line off the text in `expected` and puts it into `line`.
macro(take_line)
  string(FIND "${expected}" "\n" end)
  string(SUBSTRING "${expected}" 0 ${end} line)
  math(EXPR next_line "${end} + 1")
  string(SUBSTRING "${expected}" ${next_line} -1 expected)
endmacro()

file(READ "${EXPECTED}" expected)
set(arguments "")
if(expected MATCHES "^\\$ ")
  take_line()
  string(SUBSTRING "${line}" 2 -1 line)
  separate_arguments(arguments UNIX_COMMAND "${line}")
endif()
if(NOT expected MATCHES "\n$")
  message(FATAL_ERROR "${EXPECTED} expects nothing, or its last line does not end")
endif()

execute_process(COMMAND mktemp -d OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PROGRAM}" ${arguments} WORKING_DIRECTORY "${folder}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
file(REMOVE_RECURSE "${folder}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}:\n${output}${errors}")
endif()

set(rest "${output}")
while(NOT expected STREQUAL "")
  take_line()
  string(FIND "${rest}" "${line}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "Expected, after what was found before:\n  ${line}\nin:\n${output}")
  endif()
  string(LENGTH "${line}" length)
  math(EXPR after "${at} + ${length}")
  string(SUBSTRING "${rest}" ${after} -1 rest)
endwhile()
