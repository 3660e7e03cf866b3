# Checks that the code below ROOT includes what it uses of the standard library and of fmt:
#
#   cmake -D ROOT=… -P check_includes.cmake
#
# A file that names std::vector includes <vector>, or a header of ours that does. The compiler tells
# only those who build without precompiled headers (cmake/Precompiled.cmake). Known are the names
# below. What stands in wright/detail is a part of another header, and has what that includes.
#
# Lists everything that is wrong, and fails if anything is.
cmake_minimum_required(VERSION 3.25)

# provides(header NAMES …): the header is the one to include for these names.
function(provides header)
  foreach(name IN LISTS ARGN)
    set("header_of_${name}" "${header}" PARENT_SCOPE)
  endforeach()
endfunction()
provides(algorithm min max clamp sort stable_sort find_if find_if_not any_of all_of none_of count_if
         copy_n fill_n max_element min_element lower_bound upper_bound reverse rotate unique remove_if
         transform shuffle mismatch ranges::sort ranges::stable_sort ranges::find ranges::find_if
         ranges::find_if_not ranges::find_last ranges::any_of ranges::all_of ranges::none_of ranges::count
         ranges::count_if ranges::copy ranges::copy_if ranges::fill ranges::transform ranges::max
         ranges::min ranges::max_element ranges::min_element ranges::lower_bound ranges::upper_bound
         ranges::equal_range ranges::binary_search ranges::equal ranges::mismatch ranges::search
         ranges::reverse ranges::rotate ranges::unique ranges::remove ranges::remove_if
         ranges::contains ranges::starts_with ranges::for_each ranges::is_sorted ranges::replace
         ranges::shuffle ranges::includes ranges::merge ranges::partition ranges::adjacent_find
         ranges::nth_element ranges::partial_sort)
provides(array array to_array)
provides(atomic atomic)
provides(charconv from_chars to_chars)
provides(chrono chrono)
provides(condition_variable condition_variable)
provides(deque deque)
provides(expected expected unexpected)
provides(filesystem filesystem)
provides(functional function move_only_function bind_front invoke hash less greater ref cref)
provides(future future promise async)
provides(iterator back_inserter inserter make_move_iterator istreambuf_iterator next prev advance
         distance ssize)
provides(limits numeric_limits)
provides(map map multimap)
provides(memory unique_ptr shared_ptr weak_ptr make_unique make_shared enable_shared_from_this)
provides(mutex mutex lock_guard unique_lock scoped_lock once_flag call_once)
provides(optional optional nullopt make_optional)
provides(set set multiset)
provides(span span)
provides(stop_token stop_token stop_source stop_callback)
provides(string string to_string)
provides(string_view string_view)
provides(thread thread jthread this_thread)
provides(tuple tuple tie make_tuple)
provides(unordered_map unordered_map)
provides(utility exchange pair in_place to_underlying unreachable)
provides(variant variant visit holds_alternative monostate get_if)
provides(vector vector)

# What a header brings by the standard's own words, or by those of fmt.
set(also_from_algorithm utility)
set(also_from_condition_variable mutex)
set(also_from_filesystem string string_view chrono)
set(also_from_fstream string string_view)
set(also_from_functional utility)
set(also_from_iostream string string_view)
set(also_from_map utility functional)
set(also_from_set functional)
set(also_from_sstream string string_view)
set(also_from_string string_view iterator)
set(also_from_string_view iterator)
set(also_from_array iterator)
set(also_from_deque iterator)
set(also_from_span iterator)
set(also_from_vector iterator)
set(also_from_thread stop_token)
set(also_from_unordered_map utility)
set(also_from_fmt/chrono.h fmt/format.h)
set(also_from_fmt/ranges.h fmt/format.h)

# bring_in(file): sets the property `reaches` of the file to all system headers that it includes, by
# itself or by headers of ours.
function(bring_in file)
  get_property(is_known GLOBAL PROPERTY "reaches ${file}" SET)
  if(is_known)
    return()
  endif()
  set_property(GLOBAL PROPERTY "reaches ${file}" "")  # of a file that includes itself: nothing
  get_filename_component(folder "${file}" DIRECTORY)
  set(reached "")
  file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS lines)
    if(line MATCHES "include[ \t]*<([^>]+)>")
      list(APPEND reached "${CMAKE_MATCH_1}" ${also_from_${CMAKE_MATCH_1}})
    elseif(line MATCHES "include[ \t]*\"([^\"]+)\"")
      foreach(place IN ITEMS "${ROOT}/include" "${ROOT}/src" "${folder}")
        if(EXISTS "${place}/${CMAKE_MATCH_1}")
          bring_in("${place}/${CMAKE_MATCH_1}")
          get_property(more GLOBAL PROPERTY "reaches ${place}/${CMAKE_MATCH_1}")
          list(APPEND reached ${more})
          break()
        endif()
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES reached)
  set_property(GLOBAL PROPERTY "reaches ${file}" "${reached}")
endfunction()

set(problems "")
file(GLOB_RECURSE files "${ROOT}/src/*.h" "${ROOT}/src/*.cpp" "${ROOT}/include/*.h")
list(FILTER files EXCLUDE REGEX "/wright/detail/")
foreach(file IN LISTS files)
  bring_in("${file}")
  get_property(reached GLOBAL PROPERTY "reaches ${file}")
  file(READ "${file}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX MATCHALL "std::(ranges::)?[a-z_0-9]+|fmt::" names "${text}")
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    if(name STREQUAL "fmt::")
      set(header fmt/format.h)
    else()
      string(REGEX REPLACE "^std::" "" short "${name}")
      set(header "${header_of_${short}}")
    endif()
    if(header AND NOT header IN_LIST reached)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${ROOT}" OUTPUT_VARIABLE shown)
      list(APPEND problems "${shown} names ${name} and does not include <${header}>")
    endif()
  endforeach()
endforeach()

if(NOT files)
  list(APPEND problems "No sources found below ${ROOT}")
endif()
if(problems)
  list(JOIN problems "\n  " text)
  message(FATAL_ERROR "Includes are missing:\n  ${text}")
endif()
list(LENGTH files checked)
message(STATUS "${checked} files include what they use")
