# What tests need from npm. `npm` is called by its name, and Node.js is chosen in the build: on a new machine they are
# being installed while the compilers run, and Debian 12 has a Node.js that is too old for most of it. Without a
# network such tests fail and say so: a test that is left out in silence proves nothing.

# The Node.js that all tests run with.
set(WRIGHT_NODE "${PROJECT_BINARY_DIR}/tests/node/node")
add_custom_command(
  OUTPUT "${WRIGHT_NODE}"
  COMMAND "${PROJECT_SOURCE_DIR}/tests/npm/choose_node.sh" "${PROJECT_BINARY_DIR}/tests/node"
  DEPENDS "${PROJECT_SOURCE_DIR}/tests/npm/choose_node.sh"
  COMMENT "Choosing a Node.js"
  ${WRIGHT_NPM_POOL}
  VERBATIM)
add_custom_target(wright_node ALL DEPENDS "${WRIGHT_NODE}")

# wright_npm(TARGET
#   INSTALLED file below node_modules  [BY script instead of tests/npm/install.sh]  [SCRIPTS file.mjs …])
#
# Makes a target that installs the folder's package.json below ${npm_folder}, and copies the scripts there: Node.js
# finds modules from where a script lies.
function(wright_npm target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "INSTALLED;BY" "SCRIPTS")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/npm")
  set(common "${PROJECT_SOURCE_DIR}/tests/npm/install.sh")
  if(NOT given_BY)
    set(given_BY "${common}")
  endif()
  cmake_path(ABSOLUTE_PATH given_BY)
  set(made "${folder}/node_modules/${given_INSTALLED}")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME suite)
  add_custom_command(
    OUTPUT "${made}"
    COMMAND "${given_BY}" "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}"
    DEPENDS package.json "${given_BY}" "${common}"
    COMMENT "Installing from npm: tests/${suite}"
    ${WRIGHT_NPM_POOL}
    VERBATIM)
  foreach(script IN LISTS given_SCRIPTS)
    add_custom_command(
      OUTPUT "${folder}/${script}"
      COMMAND "${CMAKE_COMMAND}" -E copy "${CMAKE_CURRENT_SOURCE_DIR}/${script}" "${folder}"
      DEPENDS ${script} "${made}"
      VERBATIM)
    list(APPEND copies "${folder}/${script}")
  endforeach()
  # By one target: two that copy the same file at a time fail.
  add_custom_target(${target} ALL DEPENDS "${made}" ${copies})
  add_dependencies(${target} wright_node)
  set(npm_folder "${folder}" PARENT_SCOPE)
endfunction()
