# SPDX-License-Identifier: MIT
# cmake/Install.cmake - headers, libraries, command, man page, pkg-config and CMake package
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/btrfsdio)

install(TARGETS btrfsdio btrfsdio_static EXPORT btrfsdioTargets)
if(TARGET btrfsdio_command)
	install(TARGETS btrfsdio_command)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/btrfsdio
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/docs/btrfsdio.1
	DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)

# The installed tree can be moved: the .pc file finds its prefix from where it lies.
file(RELATIVE_PATH BDIO_PC_PREFIX
	${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(JOIN BDIO_REQUIRES " " BDIO_PC_REQUIRES)
configure_file(pkgconfig/libbtrfsdio.pc.in libbtrfsdio.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/libbtrfsdio.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT btrfsdioTargets NAMESPACE btrfsdio:: DESTINATION ${package_dir})
configure_package_config_file(cmake/btrfsdioConfig.cmake.in btrfsdioConfig.cmake
	INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor release may break the interface.
write_basic_package_version_file(btrfsdioConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
	${PROJECT_BINARY_DIR}/btrfsdioConfig.cmake
	${PROJECT_BINARY_DIR}/btrfsdioConfigVersion.cmake
	DESTINATION ${package_dir})
