# Headers that almost every file includes, compiled once and not for every file. What a file may use it
# must include nevertheless: tests/layers checks that, since the compiler then cannot.
option(WRIGHT_PRECOMPILED "Compile the heavy headers once" OFF)

# Where nothing is inlined, the code of what they hold and instantiate can be compiled once as well: into an
# object of its own, and not into every object that uses it. That one may be optimised, since it is what runs
# most: tests are a fifth faster. Then the headers themselves are compiled once for all, too: libraries,
# programs and tests, although these have other options.
set(WRIGHT_CODE_OF_HEADERS "" CACHE STRING
    "Compile the code of the heavy headers once (clang, without optimisation), with these options")

if(WRIGHT_CODE_OF_HEADERS)
  # No program uses all of it, and some of what nobody uses calls functions that no library has.
  add_link_options(LINKER:--gc-sections)
endif()

# Without them ccache could not tell whether the compiled headers are the same.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(WRIGHT_PRECOMPILED_OPTIONS -Xclang -fno-pch-timestamp -pthread)
else()
  set(WRIGHT_PRECOMPILED_OPTIONS -fpch-preprocess -pthread)
endif()

# wright_heavy_headers(target libraries headers): they become a part of an otherwise empty target, and their
# code the object of another.
function(wright_heavy_headers target libraries headers)
  add_library(${target} OBJECT "${CMAKE_BINARY_DIR}/heavy_headers.cpp")
  target_precompile_headers(${target} PRIVATE ${headers})
  set(targets ${target})
  if(WRIGHT_CODE_OF_HEADERS)
    target_compile_options(${target} PRIVATE -fpch-codegen)
    set(copy "${CMAKE_BINARY_DIR}/${target}.pch")
    set(compiled "${CMAKE_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch")
    add_custom_command(OUTPUT "${copy}" COMMAND ${CMAKE_COMMAND} -E copy "${compiled}" "${copy}"
                       DEPENDS "${compiled}" COMMENT "Copying the compiled headers of ${target}" VERBATIM)
    set_source_files_properties("${copy}" PROPERTIES LANGUAGE CXX)
    cmake_policy(PUSH)
    cmake_policy(SET CMP0119 OLD)  # the compiler sees by itself what kind of file that is
    add_library(${target}_code OBJECT "${copy}")
    cmake_policy(POP)
    target_compile_options(${target}_code PRIVATE -Wno-unused-command-line-argument)
    list(APPEND targets ${target}_code)
  endif()
  foreach(one IN LISTS targets)
    target_include_directories(${one} PRIVATE "${PROJECT_SOURCE_DIR}/include")
    target_link_libraries(${one} PRIVATE wright_flags ${libraries})
    target_compile_options(${one} PRIVATE ${WRIGHT_PRECOMPILED_OPTIONS})
  endforeach()
endfunction()

# wright_lighter_sanitizers(target library): sanitizers take a third and more of the time that a test takes
# to compile. They are for the library, which the tests call; `make sanitize` has them in the tests, too.
# Many functions of headers are in both, and the linker takes the first: so the library, whole, with all that
# it uses, stands before the test, and its copies are the ones that run. Only lld finds what stands in that order.
# A test that fails says its line itself.
if(WRIGHT_SANITIZE MATCHES "address" AND LLD AND NOT WRIGHT_SANITIZE_TESTS)
  set(WRIGHT_LIGHTER_TESTS -fno-sanitize=address,undefined)
  set(CMAKE_CXX_LINK_EXECUTABLE "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> \
<LINK_LIBRARIES> <OBJECTS> -o <TARGET>")
endif()
function(wright_lighter_sanitizers target)
  if(WRIGHT_LIGHTER_TESTS)
    target_compile_options(${target} PRIVATE ${WRIGHT_LIGHTER_TESTS})
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
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Not for g++: with that one the builds at night see a file that includes too little.
    list(APPEND headers "${PROJECT_SOURCE_DIR}/cmake/compiled_once.h")
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/heavy_headers.cpp" CONTENT "")
  set(libraries Boost::json fmt::fmt)
  if(WRIGHT_TESTS AND WRIGHT_CODE_OF_HEADERS)
    list(PREPEND headers <gtest/gtest.h>)
    list(APPEND libraries GTest::gtest)
  endif()
  wright_heavy_headers(wright_heavy_headers "${libraries}" "${headers}")
  if(WRIGHT_CODE_OF_HEADERS)
    target_compile_options(wright_heavy_headers_code PRIVATE ${WRIGHT_CODE_OF_HEADERS})
  elseif(WRIGHT_TESTS)
    # Programs are compiled with other options than libraries, and tests with more headers.
    wright_heavy_headers(wright_heavy_program_headers "Boost::json;fmt::fmt" "${headers}")
    wright_heavy_headers(wright_heavy_test_headers "Boost::json;fmt::fmt;GTest::gtest" "<gtest/gtest.h>;${headers}")
    foreach(target IN ITEMS wright_heavy_program_headers wright_heavy_test_headers)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
      wright_lighter_sanitizers(${target})
    endforeach()
  endif()
endif()

# wright_precompiled(target kind): a target that uses the heavy headers compiled once. The kind is library,
# program or test. Where their code is compiled once, too, it is in wright_core, which all of them link.
function(wright_precompiled target kind)
  if(NOT WRIGHT_PRECOMPILED)
    return()
  endif()
  set(from wright_heavy_headers)
  if(WRIGHT_CODE_OF_HEADERS)
    if(NOT kind STREQUAL "library")
      # Neither fewer sanitizers nor code for programs makes a difference to headers.
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-validate-pch")
    endif()
  elseif(NOT kind STREQUAL "library")
    set(from wright_heavy_${kind}_headers)
  endif()
  target_link_libraries(${target} PRIVATE Boost::json fmt::fmt)  # for the macros they define
  target_compile_options(${target} PRIVATE ${WRIGHT_PRECOMPILED_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM ${from})
endfunction()
