# What `make package` builds beside what is installed anyway: the Debian packages wright and libwright-dev,
# and a tarball that is unpacked anywhere. Included where WRIGHT_PACKAGE is set (preset `package`).
#
#   build/package/wright             the program of the Debian package: Debian's shared libraries
#   build/package/portable/wright    the program of the tarball: nothing shared but the C library
#
# Both open libcurl and libpq, and the first one OpenSSL, when they are used first (cmake/Late.cmake).
set(packaging "${PROJECT_SOURCE_DIR}/packaging")
set(WRIGHT_MAINTAINER "Wright maintainers <wright@example.org>" CACHE STRING
    "Who is named in the packages, as Name <address>")

# ---- the program of the tarball -----------------------------------------------------------------------
# The same objects, linked with static libraries. Debian has none of fmt and toml++, but their sources.
function(wright_find_static variable name)
  find_library(${variable} NAMES ${name} REQUIRED)
  list(APPEND static_libraries "${${variable}}")
  set(static_libraries "${static_libraries}" PARENT_SCOPE)
endfunction()
foreach(name IN ITEMS boost_json boost_container re2 gumbo sqlite3 seccomp ssl crypto)
  wright_find_static(WRIGHT_STATIC_${name} lib${name}.a)
endforeach()

find_package(Threads REQUIRED)
set(folder_libraries "")
foreach(folder IN LISTS WRIGHT_FOLDERS)
  list(APPEND folder_libraries $<TARGET_FILE:wright_${folder}>)
endforeach()
add_executable(wright_portable src/app/main.cpp ${packaging}/program/own_fmt.cpp
                               ${packaging}/program/own_toml.cpp $<TARGET_OBJECTS:wright_late>)
add_dependencies(wright_portable wright_app)
set_target_properties(wright_portable PROPERTIES
  OUTPUT_NAME wright RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/portable")
target_include_directories(wright_portable PRIVATE include src)
target_compile_definitions(wright_portable PRIVATE TOML_HEADER_ONLY=0)
target_compile_options(wright_portable PRIVATE -w)  # others' sources
target_link_options(wright_portable PRIVATE -static-libstdc++ -static-libgcc -Wl,--as-needed)
target_link_libraries(wright_portable PRIVATE
  -Wl,--start-group ${folder_libraries} ${static_libraries} -Wl,--end-group Threads::Threads
  ${CMAKE_DL_LIBS} m)

# ---- what they stand on: SPDX ---------------------------------------------------------------------------
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(sbom_of_deb "${PROJECT_BINARY_DIR}/wright.spdx.json")
set(sbom_of_tarball "${PROJECT_BINARY_DIR}/portable/wright.spdx.json")
foreach(pair IN ITEMS "wright_cli;${sbom_of_deb}" "wright_portable;${sbom_of_tarball}")
  list(GET pair 0 target)
  list(GET pair 1 sbom)
  add_custom_command(OUTPUT "${sbom}"
    COMMAND Python3::Interpreter -B ${packaging}/sbom.py --build "${PROJECT_BINARY_DIR}" --program
            $<TARGET_FILE:${target}> --version ${PROJECT_VERSION} --output "${sbom}"
    DEPENDS ${target} ${packaging}/sbom.py VERBATIM)
endforeach()
add_custom_target(wright_sbom ALL DEPENDS "${sbom_of_deb}" "${sbom_of_tarball}")

# ---- documents of the Debian packages -----------------------------------------------------------------
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${packaging}/debian/changelog.sh "${PROJECT_SOURCE_DIR}" ${PROJECT_VERSION}
                        "${WRIGHT_MAINTAINER}"
                OUTPUT_FILE "${PROJECT_BINARY_DIR}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
configure_file(CHANGELOG.md "${PROJECT_BINARY_DIR}/changelog" COPYONLY)
configure_file(docs/man/wright.1 "${PROJECT_BINARY_DIR}/wright.1" COPYONLY)
foreach(file IN ITEMS changelog.Debian changelog wright.1)
  execute_process(COMMAND ${GZIP} -9nkf "${PROJECT_BINARY_DIR}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(documents "${packaging}/debian/copyright" "${PROJECT_BINARY_DIR}/changelog.Debian.gz"
              "${PROJECT_BINARY_DIR}/changelog.gz")

install(FILES "${PROJECT_BINARY_DIR}/wright.1.gz" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
        COMPONENT program)
# In the packages as Debian wants them; `cmake --install` without a component leaves them out.
set(doc /usr/share/doc)
install(FILES ${documents} "${sbom_of_deb}" DESTINATION ${doc}/wright COMPONENT program EXCLUDE_FROM_ALL)
install(FILES ${documents} DESTINATION ${doc}/libwright-dev COMPONENT development EXCLUDE_FROM_ALL)
install(FILES ${packaging}/systemd/wright-serve.service ${packaging}/systemd/wright-serve.socket
              ${packaging}/systemd/wright-worker.service
        DESTINATION /lib/systemd/system COMPONENT program EXCLUDE_FROM_ALL)
install(FILES ${packaging}/systemd/wright.sysusers RENAME wright.conf DESTINATION /usr/lib/sysusers.d
        COMPONENT program EXCLUDE_FROM_ALL)

# ---- CPack ------------------------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wright)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "native runtime for agents that use tools")
set(CPACK_PACKAGE_CONTACT "${WRIGHT_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
                                                GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME wright)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"Wright runs agents: it asks a language model, executes the tools that the
model calls, and keeps every step in SQLite or PostgreSQL, so that a session
goes on after whatever happened. Rules and a sandbox stand between a model
and the machine; people approve what rules ask about.
.
This package has the program wright, and units of systemd for its server and
for workers. None of them is started by itself.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# They are opened when used, so nothing finds them by itself.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS
    "libcurl4 (>= 7.85) | libcurl4t64, libssl3 | libssl3t64, ca-certificates, systemd-standalone-sysusers | systemd")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libpq5 (>= 14)")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "git, ripgrep, universal-ctags")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
    "${packaging}/debian/postinst;${packaging}/debian/prerm;${packaging}/debian/postrm")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwright-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"Wright runs agents: it asks a language model, executes the tools that the
model calls, and keeps every step in SQLite or PostgreSQL.
.
This package has the headers, the static libraries, and the files for CMake
(find_package) and pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libboost1.81-dev, libboost-json1.81-dev, libfmt-dev, libsqlite3-dev, libpq-dev, libcurl4-openssl-dev | libcurl4-gnutls-dev, libssl-dev, libgumbo-dev, libre2-dev, libseccomp-dev, libtomlplusplus-dev")
include(CPack)
