# SPDX-License-Identifier: MIT
# cmake/Library.cmake - libbtrfsdio, shared and static, from one set of objects
set(BDIO_LAYERS base disk codec dev chunk alloc tree txn inode dio fs ops api)
set(library_sources)
foreach(layer IN LISTS BDIO_LAYERS)
	file(GLOB layer_sources CONFIGURE_DEPENDS
		${PROJECT_SOURCE_DIR}/libbtrfsdio/${layer}/*.c)
	list(APPEND library_sources ${layer_sources})
endforeach()
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/btrfsdio/*.h)
set(BDIO_MAP ${PROJECT_SOURCE_DIR}/libbtrfsdio/libbtrfsdio.map)

add_library(bdio_objects OBJECT ${library_sources} ${public_headers})
set_target_properties(bdio_objects PROPERTIES
	LINKER_LANGUAGE C
	POSITION_INDEPENDENT_CODE ON)
target_compile_definitions(bdio_objects PRIVATE BDIO_BUILDING_SHARED)
target_include_directories(bdio_objects
	PUBLIC ${PROJECT_SOURCE_DIR}/include
	PRIVATE ${PROJECT_SOURCE_DIR}/libbtrfsdio ${BDIO_LIBBSD_INCLUDE})
target_link_libraries(bdio_objects PRIVATE bdio_flags PkgConfig::BDIO_DEPS)

add_library(btrfsdio SHARED $<TARGET_OBJECTS:bdio_objects> ${public_headers})
add_library(btrfsdio_static STATIC $<TARGET_OBJECTS:bdio_objects> ${public_headers})
add_library(btrfsdio::btrfsdio ALIAS btrfsdio)
add_library(btrfsdio::btrfsdio_static ALIAS btrfsdio_static)

foreach(target btrfsdio btrfsdio_static)
	set_target_properties(${target} PROPERTIES
		LINKER_LANGUAGE C
		OUTPUT_NAME btrfsdio)
	target_include_directories(${target} PUBLIC
		$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
		$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

# The soname changes by decision only, when a released interface breaks.
set_target_properties(btrfsdio PROPERTIES
	VERSION ${PROJECT_VERSION}
	SOVERSION 0
	LINK_DEPENDS ${BDIO_MAP})
target_link_options(btrfsdio PRIVATE -Wl,--version-script=${BDIO_MAP})
if(NOT BDIO_SANITIZE)
	target_link_options(btrfsdio PRIVATE -Wl,-z,defs)
endif()
target_link_libraries(btrfsdio PRIVATE $<BUILD_INTERFACE:bdio_flags> PkgConfig::BDIO_DEPS)

# By name, not as targets: the installed CMake package must not drag pkg-config in.
target_link_libraries(btrfsdio_static
	PRIVATE $<BUILD_INTERFACE:bdio_flags>
	INTERFACE ${BDIO_DEPS_LINK_LIBRARIES} Threads::Threads)

# What tests, benchmarks and fuzz targets link: every internal function can be called.
add_library(bdio_internal INTERFACE)
target_include_directories(bdio_internal INTERFACE
	${PROJECT_SOURCE_DIR}/libbtrfsdio ${BDIO_LIBBSD_INCLUDE})
target_link_libraries(bdio_internal INTERFACE
	btrfsdio_static bdio_flags PkgConfig::BDIO_DEPS)
