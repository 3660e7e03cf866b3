# Checks that the code below ROOT keeps to the house that ROOT/cmake/Layers.cmake describes:
#
#   cmake -D ROOT=… -P check_layers.cmake
#
# - the layers have no cycle: a folder stands only on folders listed before it;
# - every folder of src/ is one of WRIGHT_FOLDERS;
# - where a folder x has parts (WRIGHT_PARTS_x), a part likewise sees itself and those listed for it;
# - what is there for tests is named x_testing.h, and nothing but tests includes it;
# - a file of src/x includes "wright/…", "x/…", a neighbour "y.h", and the folders of its layer;
# - a public header includes wright/, the standard library and boost/json, nothing else;
# - where Layers.cmake says who owns the public headers (WRIGHT_HEADERS_x), each has one owner, and a
#   header and a file of src/x, tests aside, see only what x and the folders of its layer own.
#
# Lists everything that is wrong, and fails if anything is.
cmake_minimum_required(VERSION 3.25)

set(problems "")
macro(report)
  string(CONCAT problem ${ARGV})
  list(APPEND problems "${problem}")
endmacro()

# includes_of(file): sets `includes` to the file's includes, each with its quotes or brackets.
function(includes_of file)
  file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*include")
  set(found "")
  foreach(line IN LISTS lines)
    if(line MATCHES "include[ \t]*([<\"][^>\"]+[>\"])")
      list(APPEND found "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(includes "${found}" PARENT_SCOPE)
endfunction()

include("${ROOT}/cmake/Layers.cmake")

# owner_of_x.h is the folder that owns wright/x.h.
set(has_owners NO)
foreach(folder IN LISTS WRIGHT_FOLDERS)
  foreach(header IN LISTS WRIGHT_HEADERS_${folder})
    set(has_owners YES)
    if(DEFINED "owner_of_${header}")
      report("Layers.cmake: wright/${header} has two owners")
    endif()
    set("owner_of_${header}" ${folder})
    if(NOT EXISTS "${ROOT}/include/wright/${header}")
      report("Layers.cmake: ${folder} owns wright/${header}, which is not there")
    endif()
  endforeach()
endforeach()

# check_owner(who folder include): complains where `folder` may not see the owner of the header.
macro(check_owner who folder include)
  if(has_owners AND "${include}" MATCHES "^.wright/([a-z_/]+\\.h).$")
    set(owner "${owner_of_${CMAKE_MATCH_1}}")
    if(NOT owner)
      report("${who} includes ${include}, which no folder owns")
    elseif(NOT owner STREQUAL "${folder}" AND NOT owner IN_LIST WRIGHT_LAYER_${folder})
      report("${who} includes ${include}: ${folder} may not see ${owner}")
    endif()
  endif()
endmacro()

# check_order(prefix FOLDERS …): each stands only on folders listed before it.
macro(check_order prefix)
  set(listed_before "")
  foreach(each IN ITEMS ${ARGN})
    foreach(lower IN LISTS "WRIGHT_LAYER_${prefix}${each}")
      if(NOT lower IN_LIST listed_before)
        report("Layers.cmake: ${prefix}${each} stands on ${lower}, which is not listed before it")
      endif()
    endforeach()
    list(APPEND listed_before ${each})
  endforeach()
endmacro()
check_order("" ${WRIGHT_FOLDERS})
foreach(folder IN LISTS WRIGHT_FOLDERS)
  check_order("${folder}/" ${WRIGHT_PARTS_${folder}})
endforeach()

# check_parts(folder source include): what a file of a part includes of its own folder.
macro(check_parts part_of source include)
  if("${source}" MATCHES "^[^/]+/([^/]+)/" AND CMAKE_MATCH_1 IN_LIST WRIGHT_PARTS_${part_of})
    set(part "${CMAKE_MATCH_1}")
    if("${include}" MATCHES "^.${part_of}/([^/]+)/?")
      set(other_part "${CMAKE_MATCH_1}")
      if(NOT other_part STREQUAL part
         AND NOT other_part IN_LIST "WRIGHT_LAYER_${part_of}/${part}")
        report("src/${source} includes ${include}: ${part_of}/${part} may not see "
               "${part_of}/${other_part}")
      endif()
    endif()
  endif()
endmacro()

file(GLOB_RECURSE sources RELATIVE "${ROOT}/src" "${ROOT}/src/*.h" "${ROOT}/src/*.cpp")
list(LENGTH sources checked)
foreach(source IN LISTS sources)
  string(REGEX MATCH "^[^/]+" folder "${source}")
  if(NOT folder IN_LIST WRIGHT_FOLDERS)
    report("src/${source}: the folder '${folder}' is not listed in Layers.cmake")
    continue()
  endif()
  includes_of("${ROOT}/src/${source}")
  foreach(include IN LISTS includes)
    if(include MATCHES "_testing\\.h.$" AND NOT source MATCHES "_(test|testing|tests)\\.(cpp|h)$")
      report("src/${source} includes ${include}: what is for tests is not for the product")
    elseif(include MATCHES "\\.\\./")
      report("src/${source} includes ${include}: write the path from src/, not a relative one")
    elseif(include MATCHES "^.([^/]+)/")
      set(other "${CMAKE_MATCH_1}")
      check_parts(${folder} "${source}" "${include}")
      if(other STREQUAL "wright" AND NOT source MATCHES "_(test|testing|tests)\\.(cpp|h)$")
        check_owner("src/${source}" ${folder} "${include}")
      endif()
      if(other STREQUAL folder OR other IN_LIST WRIGHT_LAYER_${folder} OR other STREQUAL "wright")
        continue()
      endif()
      if(other IN_LIST WRIGHT_FOLDERS)
        report("src/${source} includes ${include}: ${folder} may not see ${other}")
      elseif(include MATCHES "^\"")
        report("src/${source} includes ${include}: there is no folder '${other}' in the house")
      endif()
    endif()
  endforeach()
endforeach()

file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/include/*")
foreach(header IN LISTS headers)
  includes_of("${ROOT}/${header}")
  string(REGEX REPLACE "^include/wright/" "" name "${header}")
  set(folder "${owner_of_${name}}")
  if(has_owners AND NOT folder AND NOT name STREQUAL "wright.h")
    report("Layers.cmake: no folder owns ${header}")
  endif()
  foreach(include IN LISTS includes)
    if(folder)
      check_owner(${header} ${folder} "${include}")
    endif()
    if(NOT include MATCHES "^\"wright/(detail/)?[a-z_]+\\.h\"$" AND NOT include MATCHES "^<[a-z_0-9]+>$"
       AND NOT include MATCHES "^<boost/json/[a-z_]+\\.hpp>$")
      report("${header} includes ${include}: public headers see wright/, the standard library and "
             "boost/json only")
    endif()
  endforeach()
endforeach()

if(checked EQUAL 0 OR NOT headers)
  report("No sources or no headers found below ${ROOT}")
endif()
if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "The house is not in order:\n  ${text}")
endif()
message(STATUS "${checked} files of src/ and the public headers keep to their layers")
