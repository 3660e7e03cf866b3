# The headers that almost every test includes, compiled once and not for every test. Library code goes
# without: a header that a file forgets to include would only be missed by those who build otherwise.
option(WRIGHT_PRECOMPILED "Compile the heavy headers of tests once" OFF)

if(WRIGHT_PRECOMPILED AND WRIGHT_TESTS)
  # ccache has to be told that it may look into them.
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        "${CCACHE}")
  endif()
  # A program, because tests are: libraries are compiled with other options.
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/heavy_headers.cpp" CONTENT "int main() {}\n")
  add_executable(wright_heavy_headers "${CMAKE_BINARY_DIR}/heavy_headers.cpp")
  target_link_libraries(wright_heavy_headers PRIVATE wright_flags Boost::json fmt::fmt GTest::gtest)
  target_compile_options(wright_heavy_headers PRIVATE -fpch-preprocess -pthread)
  target_precompile_headers(wright_heavy_headers PRIVATE
    <gtest/gtest.h> <boost/json.hpp> <fmt/format.h> <algorithm> <chrono> <expected> <filesystem>
    <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <thread> <variant> <vector>)
endif()

# wright_precompiled(target): a test that uses them.
function(wright_precompiled target)
  if(WRIGHT_PRECOMPILED)
    target_link_libraries(${target} PRIVATE Boost::json fmt::fmt)  # for the macros they define
    target_compile_options(${target} PRIVATE -fpch-preprocess -pthread)
    target_precompile_headers(${target} REUSE_FROM wright_heavy_headers)
  endif()
endfunction()
