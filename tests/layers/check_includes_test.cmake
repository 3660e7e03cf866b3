# Proves that check_includes.cmake finds what is missing, and nothing else.
#
#   cmake -D SCRATCH=… -P check_includes_test.cmake
if(NOT SCRATCH)
  message(FATAL_ERROR "SCRATCH is where this test writes: give it")
endif()
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake")

# A tree with two headers, the second of which has <string> from the first.
function(build_tree)
  file(REMOVE_RECURSE "${SCRATCH}")
  file(WRITE "${SCRATCH}/src/core/names.h" "#include <string>\n")
  file(WRITE "${SCRATCH}/src/core/list.h" "#include \"core/names.h\"\n#include \"core/list.h\"\n")
endfunction()

function(expect_pass file content)
  build_tree()
  expect_check_to_pass(check_includes "${file}" "${content}")
endfunction()

function(expect_refusal file content words)
  build_tree()
  expect_check_to_refuse(check_includes "${file}" "${content}" "${words}")
endfunction()

expect_pass(src/core/own.cpp "#include <vector>\nstd::vector<int> x\;\n")
expect_pass(src/core/header.cpp "#include \"core/names.h\"\nstd::string x\;\n")
expect_pass(src/core/deep.cpp "#include \"core/list.h\"\nstd::string_view x\;\n")
expect_pass(src/core/neighbour.cpp "#include \"names.h\"\nstd::string x\;\n")
expect_pass(src/core/comment.cpp "// like std::vector\nint x\;\n")
expect_pass(src/core/unknown.cpp "std::size_t x\;\n")
expect_pass(include/wright/detail/part.h "std::vector<int> x\;\n")

expect_refusal(src/core/none.cpp "std::vector<int> x\;\n" "names std::vector and does not include <vector>")
expect_refusal(src/core/other.cpp "#include <map>\nstd::set<int> x\;\n" "does not include <set>")
expect_refusal(src/core/ranges.cpp "auto x = std::ranges::sort\;\n" "does not include <algorithm>")
expect_refusal(src/core/format.cpp "auto x = fmt::format(1)\;\n" "does not include <fmt/format.h>")
expect_refusal(src/core/second.h "#include \"core/names.h\"\nstd::map<int, int> x\;\n" "does not include <map>")
expect_refusal(include/wright/public.h "std::optional<int> x\;\n" "does not include <optional>")

file(REMOVE_RECURSE "${SCRATCH}")
