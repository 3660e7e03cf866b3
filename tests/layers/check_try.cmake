# Checks that every TRY below ROOT stands alone, as src/core/try.h asks:
#
#   cmake -D ROOT=… -P check_try.cmake
#
# It is a whole statement, a whole initialiser, the right side of an assignment, what a `return`
# returns, or the range of a `for`. As an argument, an operand or an element of a list in braces it
# would leak with g++ 12 what was made before it.
#
# Lists everything that is wrong, and fails if anything is.
cmake_minimum_required(VERSION 3.25)

# without_literals(text): blanks comments and literals, so that only code is left. Semicolons become
# '@' and brackets '<' and '>', which CMake's lists do not misread.
function(without_literals text)
  while(text MATCHES "R\"([A-Za-z_]*)\\(")
    set(opening "${CMAKE_MATCH_0}")
    string(FIND "${text}" "${opening}" first)
    string(FIND "${text}" ")${CMAKE_MATCH_1}\"" last)
    if(last LESS first)
      break()
    endif()
    string(LENGTH ")${CMAKE_MATCH_1}\"" length)
    math(EXPR last "${last} + ${length}")
    string(SUBSTRING "${text}" 0 ${first} before)
    string(SUBSTRING "${text}" ${last} -1 after)
    set(text "${before}0${after}")
  endwhile()
  string(REGEX REPLACE "'(\\\\[^\n]|[^'\\\\\n])'" "0" text "${text}")
  string(REGEX REPLACE "\"(\\\\[^\n]|[^\"\\\\\n])*\"" "0" text "${text}")
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REPLACE ";" "@" text "${text}")
  string(REPLACE "[" "<" text "${text}")
  string(REPLACE "]" ">" text "${text}")
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  # A label is followed by a statement.
  string(REGEX REPLACE "(case [A-Za-z_0-9]+(::[A-Za-z_0-9]+)*|default) ?: " "@ " text "${text}")
  set(text "${text}" PARENT_SCOPE)
endfunction()

set(problems "")
set(checked 0)
file(GLOB_RECURSE files "${ROOT}/src/*.h" "${ROOT}/src/*.cpp" "${ROOT}/tests/*.h" "${ROOT}/tests/*.cpp")
list(FILTER files EXCLUDE REGEX "/core/try\\.h$")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  if(NOT text MATCHES "[^A-Z_]TRY\\(")
    continue()
  endif()
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${ROOT}" OUTPUT_VARIABLE shown)
  without_literals("${text}")
  # From the inside out: what stands in parentheses goes, except after TRY, until those have none inside.
  string(REGEX REPLACE "([^A-Za-z_0-9])TRY\\(" "\\1TRY{(" text "${text}")
  set(before "")
  while(NOT text STREQUAL before)
    set(before "${text}")
    string(REGEX REPLACE "([^{])\\([^()]*\\)" "\\1" text "${text}")
    string(REGEX REPLACE " +" " " text "${text}")
    while(text MATCHES "[A-Za-z_0-9]* ?[^ ]? ?TRY{\\([^()]*\\) ?.?")
      set(use "${CMAKE_MATCH_0}")
      math(EXPR checked "${checked} + 1")
      if(NOT use MATCHES "([@{})]|if|for|while|else) ?TRY{.*\\) ?@$"
         AND NOT use MATCHES "[^=!<>]= ?TRY{.*\\) ?[@)]$" AND NOT use MATCHES "return ?TRY{.*\\) ?@$"
         AND NOT use MATCHES "[^:]: ?TRY{.*\\) ?\\)$")
        string(REPLACE "TRY{(" "TRY(" shown_use "${use}")
        string(REPLACE "@" "" shown_use "${shown_use}")
        list(APPEND problems "${shown}: '${shown_use}' is not a whole statement or initialiser")
      endif()
      string(REGEX REPLACE "TRY{\\([^()]*\\)" "tried" done "${use}")
      string(FIND "${text}" "${use}" first)
      string(LENGTH "${use}" length)
      math(EXPR last "${first} + ${length}")
      string(SUBSTRING "${text}" 0 ${first} start)
      string(SUBSTRING "${text}" ${last} -1 rest)
      set(text "${start}${done}${rest}")
    endwhile()
  endwhile()
endforeach()

if(NOT files)
  list(APPEND problems "No sources found below ${ROOT}")
endif()
if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "TRY does not stand alone:\n  ${text}")
endif()
message(STATUS "${checked} uses of TRY stand alone")
