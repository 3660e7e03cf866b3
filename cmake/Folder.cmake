# wright_folder(name SOURCES … TESTS … LIBRARIES … [FORKING cases])
#
# One target a folder of src/: the static library wright_<name> of SOURCES, which links the folders
# below it (Layers.cmake) and LIBRARIES; and the test program wright_<name>_test of TESTS.
function(wright_folder name)
  cmake_parse_arguments(folder "" "FORKING" "SOURCES;TESTS;LIBRARIES" ${ARGN})
  set(target wright_${name})
  add_library(${target} STATIC ${folder_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include"
                                              "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE wright_flags PUBLIC Boost::json fmt::fmt
                                                              ${folder_LIBRARIES})
  wright_precompiled(${target} library)
  wright_compile_together(${target})
  foreach(lower IN LISTS WRIGHT_LAYER_${name})
    target_link_libraries(${target} PUBLIC wright_${lower})
  endforeach()
  if(WRIGHT_TESTS AND folder_TESTS)
    wright_test(${target}_test SOURCES ${folder_TESTS} LIBRARIES ${target} FORKING "${folder_FORKING}")
  endif()
endfunction()

# wright_test(target SOURCES … LIBRARIES … [FORKING cases]): a GoogleTest program, one entry for ctest. A process
# for each case would cost far more than the cases: with g++, LeakSanitizer alone takes seconds at every exit.
# FORKING are cases that fork often: a process of their own has less to copy each time.
function(wright_test target)
  cmake_parse_arguments(test "" "FORKING" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${target} ${test_SOURCES})
  target_link_libraries(${target} PRIVATE wright_flags ${test_LIBRARIES} GTest::gtest_main)
  list(GET test_LIBRARIES 0 tested)
  wright_lighter_sanitizers(${target} ${tested})
  wright_precompiled(${target} test)
  wright_compile_together(${target})
  set(others)
  if(test_FORKING)
    add_test(NAME ${target}_forking COMMAND ${target} --gtest_brief=1 --gtest_filter=${test_FORKING})
    set_tests_properties(${target}_forking PROPERTIES TIMEOUT 1800)
    set(others --gtest_filter=-${test_FORKING})
  endif()
  add_test(NAME ${target} COMMAND ${target} --gtest_brief=1 ${others})
  # Only for what hangs: busy machines take several times as long as quiet ones.
  set_tests_properties(${target} PROPERTIES TIMEOUT 1800)
  if(WRIGHT_COST_${target})
    set_tests_properties(${target} PROPERTIES COST ${WRIGHT_COST_${target}})
  endif()
endfunction()

# wright_compile_together(target): its files are compiled in groups, since most of the time goes into
# headers that they share. The names in unnamed namespaces must therefore differ within a target.
option(WRIGHT_COMPILE_TOGETHER "Compile the files of a target in groups" ON)
set(WRIGHT_GROUP 64 CACHE STRING "How many files are compiled together")
function(wright_compile_together target)
  if(WRIGHT_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${WRIGHT_GROUP})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # It takes a file that is included for a header, where such members would be a fault.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# The seconds that the longest tests take. ctest begins with them, so that at the end no core waits for one;
# what it has measured itself, in the second run of a tree, it prefers.
foreach(cost IN ITEMS cli=150 tools=135 kill=120 faults=90 sandbox=70 postgres=70 postgres_cli=65 context=60
                      entities=60 store=60 simulation=50 http=50 browser=45 offline_questions=35 runtime=30
                      scenario=30 server=30 mcp_client=20 core=20 golden=20 debug_mode=15 offline_tree=15)
  string(REGEX MATCH "^(.+)=(.+)$" matched ${cost})
  set(WRIGHT_COST_wright_${CMAKE_MATCH_1}_test ${CMAKE_MATCH_2})
endforeach()
