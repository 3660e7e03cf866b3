# Proves that check_layers.cmake fails on bad trees, for the right reason, and passes a good one.
#
#   cmake -D SCRATCH=… -P check_layers_test.cmake
if(NOT SCRATCH)
  message(FATAL_ERROR "SCRATCH is where this test writes: give it")
endif()
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/expect_check.cmake")

# A small house in order: core below tools and store, which are neighbours.
function(build_good_house)
  file(REMOVE_RECURSE "${SCRATCH}")
  file(WRITE "${SCRATCH}/cmake/Layers.cmake" "set(WRIGHT_FOLDERS core tools store)
set(WRIGHT_LAYER_core \"\")
set(WRIGHT_LAYER_tools core)
set(WRIGHT_LAYER_store core)
set(WRIGHT_PARTS_store words pages)
set(WRIGHT_LAYER_store/words \"\")
set(WRIGHT_LAYER_store/pages words)
")
  file(WRITE "${SCRATCH}/include/wright/json.h"
       "#include <string>\n#include <boost/json/value.hpp>\n#include \"wright/error.h\"\n")
  file(WRITE "${SCRATCH}/src/core/run.cpp" "#include <fmt/format.h>\n#include \"wright/json.h\"\n")
  file(WRITE "${SCRATCH}/src/tools/grep.cpp"
       "#include \"core/run.h\"\n#include \"tools/walk.h\"\n#include \"neighbour.h\"\n")
  file(WRITE "${SCRATCH}/src/store/sqlite.cpp"
       "#include <sqlite3.h>\n#include \"store/pages/page.h\"\n")
  file(WRITE "${SCRATCH}/src/store/pages/page.cpp"
       "#include \"store/words/word.h\"\n#include \"store/pages/page.h\"\n")
endfunction()

# Puts `content` into `file` of a good house and expects the check to fail and to say `words`.
function(expect_refusal file content words)
  build_good_house()
  expect_check_to_refuse(check_layers "${file}" "${content}" "${words}")
endfunction()

build_good_house()
expect_check_to_pass(check_layers src/core/more.cpp "int more\;\n")
expect_check_to_pass(check_layers src/core/run_test.cpp "#include \"core/run_testing.h\"\n")
expect_check_to_pass(check_layers include/wright/detail/part.h "#include \"wright/detail/rest.h\"\n")

# The same house with owners of its headers.
function(build_house_with_owners)
  build_good_house()
  file(APPEND "${SCRATCH}/cmake/Layers.cmake" "set(WRIGHT_HEADERS_core error.h json.h)
set(WRIGHT_HEADERS_tools tools.h)
set(WRIGHT_HEADERS_store store.h)
")
  file(WRITE "${SCRATCH}/include/wright/error.h" "#include <string>\n")
  file(WRITE "${SCRATCH}/include/wright/tools.h" "#include \"wright/json.h\"\n")
  file(WRITE "${SCRATCH}/include/wright/store.h" "#include \"wright/error.h\"\n")
endfunction()
function(expect_refusal_with_owners file content words)
  build_house_with_owners()
  expect_check_to_refuse(check_layers "${file}" "${content}" "${words}")
endfunction()
build_house_with_owners()
expect_check_to_pass(check_layers include/wright/wright.h "#include \"wright/store.h\"\n")
build_house_with_owners()
expect_check_to_pass(check_layers src/tools/grep_test.cpp "#include \"wright/store.h\"\n")
expect_refusal_with_owners(include/wright/error.h "#include \"wright/store.h\"\n" "core may not see store")
expect_refusal_with_owners(include/wright/tools.h "#include \"wright/store.h\"\n" "tools may not see store")
expect_refusal_with_owners(include/wright/stray.h "#include <string>\n" "no folder owns include/wright/stray.h")
expect_refusal_with_owners(src/tools/find.cpp "#include \"wright/store.h\"\n" "tools may not see store")
expect_refusal_with_owners(src/tools/find.cpp "#include \"wright/wright.h\"\n" "which no folder owns")

expect_refusal(src/core/more.cpp "#include \"core/run_testing.h\"\n" "is not for the product")
expect_refusal(src/core/up.cpp "#include \"store/sqlite.h\"\n" "core may not see store")
expect_refusal(src/core/angle.cpp "#include <tools/walk.h>\n" "core may not see tools")
expect_refusal(src/core/deep/up.h "  #  include \"tools/walk.h\"\n" "core may not see tools")
expect_refusal(src/tools/sideways.h "#include \"store/sqlite.h\"\n" "tools may not see store")
expect_refusal(src/tools/relative.h "#include \"../store/sqlite.h\"\n" "not a relative one")
expect_refusal(src/tools/stranger.h "#include \"legacy/x.h\"\n" "no folder 'legacy'")
expect_refusal(src/store/words/up.cpp "#include \"store/pages/page.h\"\n"
               "store/words may not see store/pages")
expect_refusal(src/store/words/top.cpp "#include \"store/sqlite.h\"\n"
               "store/words may not see store/sqlite.h")
expect_refusal(cmake/Layers.cmake "set(WRIGHT_FOLDERS core tools store)\n
set(WRIGHT_PARTS_store words pages)\nset(WRIGHT_LAYER_store/words pages)\n" "store/words stands on pages")
expect_refusal(src/extra/x.cpp "int x;\n" "'extra' is not listed")
expect_refusal(include/wright/bad.h "#include <fmt/format.h>\n" "see wright/, the standard library and boost/json only")
expect_refusal(include/wright/bad.h "#include \"core/run.h\"\n" "see wright/, the standard library and boost/json only")
expect_refusal(include/wright/bad.h "#include <boost/asio.hpp>\n" "see wright/, the standard library and boost/json only")
expect_refusal(cmake/Layers.cmake "set(WRIGHT_FOLDERS core tools store)\n
set(WRIGHT_LAYER_core tools)\nset(WRIGHT_LAYER_tools core)\n" "core stands on tools")

file(REMOVE_RECURSE "${SCRATCH}")
