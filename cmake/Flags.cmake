# SPDX-License-Identifier: MIT
# cmake/Flags.cmake - the compiler flags that every target of the project shares
add_library(bdio_flags INTERFACE)
target_compile_definitions(bdio_flags INTERFACE _GNU_SOURCE)
target_compile_options(bdio_flags INTERFACE
	-Wall -Wextra -Wconversion -Wno-sign-conversion
	$<$<BOOL:${BDIO_WERROR}>:-Werror>)
target_link_libraries(bdio_flags INTERFACE Threads::Threads)

if(BDIO_SANITIZE)
	target_compile_options(bdio_flags INTERFACE
		-fsanitize=${BDIO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_link_options(bdio_flags INTERFACE -fsanitize=${BDIO_SANITIZE})
endif()

if(BDIO_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
		message(FATAL_ERROR "BDIO_FUZZ needs clang: CC=clang, or the preset fuzz")
	endif()
	target_compile_options(bdio_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
