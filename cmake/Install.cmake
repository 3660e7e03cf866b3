# What `cmake --install` gives: the headers, the library and the offline planner with their CMake
# package and pkg-config files, the program, its man page and its shell completions. Nothing installed names the folder it
# was built in or installed to, so the prefix can be moved.
#
# Its components are the Debian packages: `program` is wright, `development` is libwright-dev; the licence is
# no part of them, since Debian has it already.
include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(DIRECTORY include/wright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(TARGETS wright wright_planner EXPORT wrightTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET wright_cli)
  install(TARGETS wright_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()

# find_package(wright)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/wright)
install(EXPORT wrightTargets NAMESPACE wright:: DESTINATION ${package_folder})
configure_package_config_file(cmake/wrightConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/wrightConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before version 1.0, a new minor version may change the API.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/wrightConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wrightConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/wrightConfigVersion.cmake
        DESTINATION ${package_folder})

# pkg-config wright
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkgconfig_to_prefix /prefix/${pkgconfig_folder} /prefix)
if(WRIGHT_CODE_OF_HEADERS)
  set(pkgconfig_options " -Wl,--gc-sections")
endif()
foreach(package IN ITEMS wright wright-offline)
  configure_file(cmake/${package}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc DESTINATION ${pkgconfig_folder})
endforeach()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
if(NOT WRIGHT_PACKAGE)  # which has it compressed
  install(FILES docs/man/wright.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES completions/wright.bash RENAME wright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/wright.zsh RENAME _wright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/wright.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
