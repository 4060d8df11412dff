# SPDX-License-Identifier: MIT
# cmake/Programs.cmake - the command, the examples, the benchmarks and the fuzz targets

# bdio_programs(FOLDER PATTERN LIBRARY OUTPUT_LIST): one program per file of FOLDER that
# matches PATTERN; the other .c files of the folder are linked into each of them.
function(bdio_programs folder pattern library output_list)
	file(GLOB mains CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
	file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
	if(mains)
		list(REMOVE_ITEM shared ${mains})
	endif()
	set(names)
	foreach(main IN LISTS mains)
		cmake_path(GET main STEM name)
		add_executable(${name} ${main} ${shared})
		target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/${folder})
		target_link_libraries(${name} PRIVATE ${library} bdio_flags)
		set_target_properties(${name} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
		list(APPEND names ${name})
	endforeach()
	set(${output_list} ${names} PARENT_SCOPE)
endfunction()

# The command uses the public interface alone, as any other user; its bench measures io_uring
# without the library, too.
pkg_check_modules(LIBURING REQUIRED IMPORTED_TARGET liburing)
file(GLOB tool_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/*.c)
if(tool_sources)
	add_executable(btrfsdio_command ${tool_sources})
	set_target_properties(btrfsdio_command PROPERTIES
		OUTPUT_NAME btrfsdio
		INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
	target_include_directories(btrfsdio_command PRIVATE ${PROJECT_SOURCE_DIR}/tools)
	# The ring is for `bench --raw`, which measures the limit that the library is compared with.
	pkg_check_modules(BDIO_URING REQUIRED IMPORTED_TARGET liburing)
	target_link_libraries(btrfsdio_command PRIVATE btrfsdio bdio_flags PkgConfig::BDIO_URING m)
endif()

bdio_programs(examples *.c btrfsdio BDIO_EXAMPLES)

if(BDIO_BENCH)
	bdio_programs(bench bench_*.c bdio_internal BDIO_BENCHMARKS)
endif()

if(BDIO_FUZZ)
	bdio_programs(fuzz fuzz_*.c bdio_internal BDIO_FUZZERS)
	foreach(fuzzer IN LISTS BDIO_FUZZERS)
		target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
	endforeach()
	add_custom_target(fuzzers DEPENDS ${BDIO_FUZZERS})
endif()
