# Headers that almost every file includes, compiled once and not for every file. What a file may use it
# must include nevertheless: tests/layers checks that, since the compiler then cannot.
option(WRIGHT_PRECOMPILED "Compile the heavy headers once" OFF)

# Without them ccache could not tell whether the compiled headers are the same.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(WRIGHT_PRECOMPILED_OPTIONS -Xclang -fno-pch-timestamp -pthread)
else()
  set(WRIGHT_PRECOMPILED_OPTIONS -fpch-preprocess -pthread)
endif()

# wright_heavy_headers(target libraries headers): they become a part of an otherwise empty target.
function(wright_heavy_headers target libraries headers)
  target_link_libraries(${target} PRIVATE wright_flags ${libraries})
  target_compile_options(${target} PRIVATE ${WRIGHT_PRECOMPILED_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# wright_lighter_sanitizers(target library): sanitizers take a third and more of the time that a test takes
# to compile. They are for the library, which the tests call; `make sanitize` has them in the tests, too.
# Many functions of headers are in both, and the linker takes the first: so the library, whole, with all that
# it uses, stands before the test, and its copies are the ones that run. Only lld finds what stands in that order.
# A test that fails says its line itself.
option(WRIGHT_SANITIZE_TESTS "Compile the tests with all sanitizers, not only what they test" OFF)
if(WRIGHT_SANITIZE MATCHES "address" AND LLD AND NOT WRIGHT_SANITIZE_TESTS)
  set(WRIGHT_LIGHTER_TESTS -fno-sanitize=address,undefined -g0)
  set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> \
<LINK_LIBRARIES> <OBJECTS> -o <TARGET>")
endif()
function(wright_lighter_sanitizers target)
  if(WRIGHT_LIGHTER_TESTS)
    target_compile_options(${target} PRIVATE ${WRIGHT_LIGHTER_TESTS})
    # The cheap checks of the standard library remain.
    target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
    if(ARGC GREATER 1)
      target_link_options(${target} PRIVATE
                          "LINKER:--whole-archive,$<TARGET_FILE:${ARGV1}>,--no-whole-archive")
    endif()
  elseif(WRIGHT_SANITIZE MATCHES "undefined" AND NOT WRIGHT_SANITIZE_TESTS)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  endif()
endfunction()

if(WRIGHT_PRECOMPILED)
  # ccache has to be told that it may look into them.
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${CCACHE}")
  endif()
  set(headers <boost/json.hpp> <fmt/format.h> <algorithm> <array> <chrono> <expected> <filesystem>
      <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread>
      <variant> <vector>)
  # Three of them: programs are compiled with other options than libraries, and tests with more headers.
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/heavy_headers.cpp" CONTENT "int main() {}\n")
  add_library(wright_heavy_headers OBJECT "${CMAKE_BINARY_DIR}/heavy_headers.cpp")
  wright_heavy_headers(wright_heavy_headers "Boost::json;fmt::fmt" "${headers}")
  if(WRIGHT_TESTS)
    add_executable(wright_heavy_test_headers "${CMAKE_BINARY_DIR}/heavy_headers.cpp")
    set(test_headers <gtest/gtest.h> ${headers})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # Not for g++: with that one the builds at night see a test that includes too little.
      list(APPEND test_headers "${PROJECT_SOURCE_DIR}/cmake/compiled_once.h")
      target_include_directories(wright_heavy_test_headers PRIVATE "${PROJECT_SOURCE_DIR}/include")
    endif()
    wright_heavy_headers(wright_heavy_test_headers "Boost::json;fmt::fmt;GTest::gtest" "${test_headers}")
    wright_lighter_sanitizers(wright_heavy_test_headers)
    add_executable(wright_heavy_program_headers "${CMAKE_BINARY_DIR}/heavy_headers.cpp")
    wright_heavy_headers(wright_heavy_program_headers "Boost::json;fmt::fmt" "${headers}")
    wright_lighter_sanitizers(wright_heavy_program_headers)
  endif()
endif()

# wright_precompiled(target from): a target that uses the heavy headers compiled by another.
function(wright_precompiled target from)
  if(WRIGHT_PRECOMPILED)
    target_link_libraries(${target} PRIVATE Boost::json fmt::fmt)  # for the macros they define
    target_compile_options(${target} PRIVATE ${WRIGHT_PRECOMPILED_OPTIONS})
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
