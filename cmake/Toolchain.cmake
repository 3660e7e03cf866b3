# How everything is compiled: the standard, warnings, sanitizers, and faster tools when present.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# What only waits for a network takes no compiler's place.
set(WRIGHT_JOBS "" CACHE STRING "Compilers and linkers at once, where a build runs more jobs (Ninja)")
if(WRIGHT_JOBS)
  set_property(GLOBAL PROPERTY JOB_POOLS compilers=${WRIGHT_JOBS} npm=2)
  set(CMAKE_JOB_POOL_COMPILE compilers)
  set(CMAKE_JOB_POOL_LINK compilers)
  set(WRIGHT_NPM_POOL JOB_POOL npm)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()
find_program(LLD ld.lld)
if(LLD)
  add_link_options(-fuse-ld=lld)
endif()

add_library(wright_flags INTERFACE)
target_compile_options(wright_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # They are wrong about std::string when optimising: gcc.gnu.org/PR105651 and its relatives.
  target_compile_options(wright_flags INTERFACE -Wno-restrict -Wno-stringop-overflow
                                                -Wno-array-bounds)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It takes GoogleTest's `if (…) EXPECT_EQ(…)` for a dangling else; Clang tells the two apart.
  target_compile_options(wright_flags INTERFACE -Wno-dangling-else)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # Signs are g++'s business, and a member that is left out has its initialiser.
  target_compile_options(wright_flags INTERFACE -Wno-sign-conversion
                                                -Wno-missing-designated-field-initializers
                                                -Wno-deprecated-declarations)
endif()
if(WRIGHT_WERROR)
  target_compile_options(wright_flags INTERFACE -Werror)
endif()
if(WRIGHT_SANITIZE)
  # The cheap checks of the standard library.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_compile_options(-fsanitize=${WRIGHT_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WRIGHT_SANITIZE})
  # Tests start programs by the thousand; one at a fixed address has nothing to relocate, which is a fourth
  # of its start with AddressSanitizer.
  add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  if(WRIGHT_SANITIZE MATCHES "address" AND NOT WRIGHT_SANITIZE_TESTS AND NOT WRIGHT_FUZZ
     AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # What stood on a stack that is gone, `make sanitize` looks for: it is a fourth of the time that tests take.
    add_compile_options(-fsanitize-address-use-after-return=never)
  endif()
  if(WRIGHT_SANITIZE MATCHES "undefined" AND NOT WRIGHT_FUZZ)
    # Nearly half of the time that a file takes to compile. A null pointer that is used is reported by
    # AddressSanitizer, too; the fuzz targets check them all.
    add_compile_options(-fno-sanitize=null,alignment,vptr,object-size,pointer-overflow)
  endif()
endif()
if(WRIGHT_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
