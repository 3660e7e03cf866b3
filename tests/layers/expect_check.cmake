# For proving that a check of this folder finds what is wrong. The tree below SCRATCH is the caller's.

# Puts `content` into `file` of the tree and runs the check; sets `status` and `output`.
function(run_check check file content)
  file(WRITE "${SCRATCH}/${file}" "${content}")
  execute_process(COMMAND ${CMAKE_COMMAND} -D "ROOT=${SCRATCH}"
                          -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${check}.cmake"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(status "${status}" PARENT_SCOPE)
  # CMake wraps long messages; the words are what counts.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_check_to_pass check file content)
  run_check(${check} "${file}" "${content}")
  if(NOT status EQUAL 0)
    message(SEND_ERROR "The check refused this in ${file}:\n${content}\n${output}")
  endif()
endfunction()

function(expect_check_to_refuse check file content words)
  run_check(${check} "${file}" "${content}")
  if(status EQUAL 0)
    message(SEND_ERROR "The check accepted this in ${file}:\n${content}")
  elseif(NOT output MATCHES "${words}")
    message(SEND_ERROR "The check refused ${file}, but did not say '${words}':\n${output}")
  endif()
endfunction()
