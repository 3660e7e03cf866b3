# The program opens libcurl, libpq and OpenSSL when they are used first: most commands need none of them, and they
# bring some thirty libraries, whose loading would take most of the time of such a command. See
# packaging/program/late_library.h. Programs that link the library wright link them as usual.
set(late_folder "${PROJECT_SOURCE_DIR}/packaging/program")
add_library(wright_late OBJECT ${late_folder}/late_curl.cpp ${late_folder}/late_pq.cpp)
target_link_libraries(wright_late PRIVATE wright_flags)
target_include_directories(wright_late PRIVATE
  $<TARGET_PROPERTY:CURL::libcurl,INTERFACE_INCLUDE_DIRECTORIES>
  $<TARGET_PROPERTY:PkgConfig::pq,INTERFACE_INCLUDE_DIRECTORIES>)
# Hidden: libcurl itself must not find them.
set_target_properties(wright_late PROPERTIES CXX_VISIBILITY_PRESET hidden)
# The program of the tarball has OpenSSL in it.
add_library(wright_late_ssl OBJECT ${late_folder}/late_ssl.cpp)
target_link_libraries(wright_late_ssl PRIVATE wright_flags)
target_include_directories(wright_late_ssl PRIVATE ${OPENSSL_INCLUDE_DIR})
set_target_properties(wright_late_ssl PROPERTIES CXX_VISIBILITY_PRESET hidden)
target_sources(wright_cli PRIVATE $<TARGET_OBJECTS:wright_late> $<TARGET_OBJECTS:wright_late_ssl>)
target_link_options(wright_cli PRIVATE -Wl,--as-needed)
target_link_libraries(wright_cli PRIVATE ${CMAKE_DL_LIBS})
