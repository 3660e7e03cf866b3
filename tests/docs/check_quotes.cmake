# Checks that programs in README.md and docs/*.md are the files they are said to be:
#
#   cmake -D ROOT=… -P check_quotes.cmake
#
# A line `<!-- examples/NAME.cpp -->` says that the block of code behind it is that file, whole. Lists
# everything that is wrong, and fails if anything is, or if nothing is quoted.
cmake_minimum_required(VERSION 3.25)

set(problems "")
set(quoted 0)
file(GLOB pages "${ROOT}/README.md" "${ROOT}/docs/*.md")
foreach(page IN LISTS pages)
  file(READ "${page}" rest)
  while(rest MATCHES "<!-- (examples/[a-z_0-9]+\\.cpp) -->\n")
    set(program "${CMAKE_MATCH_1}")
    string(FIND "${rest}" "<!-- ${program} -->\n" at)
    string(LENGTH "<!-- ${program} -->\n" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${rest}" ${after} -1 rest)
    math(EXPR quoted "${quoted} + 1")
    set(content "no such file")
    if(EXISTS "${ROOT}/${program}")
      file(READ "${ROOT}/${program}" content)
    endif()
    string(FIND "${rest}" "```cpp\n${content}```\n" at)
    if(NOT at EQUAL 0)
      cmake_path(RELATIVE_PATH page BASE_DIRECTORY "${ROOT}" OUTPUT_VARIABLE shown)
      list(APPEND problems "${shown} quotes ${program} otherwise than it is")
    endif()
  endwhile()
endforeach()

if(quoted EQUAL 0)
  list(APPEND problems "No page quotes a program")
endif()
if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "Programs in the documents:\n  ${text}")
endif()
message(STATUS "${quoted} programs are quoted as they are")
