#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/install/install.sh - install to a scratch prefix and build against it as a user would
. "$(dirname "$0")/../lib.sh"
need_cmd cmake ninja pkg-config gcc g++ groff

PREFIX=$TMP/prefix
VERSION=$(awk '/^#define BDIO_VERSION_/ { v = v s $3; s = "." } END { print v }' \
	"$SOURCE/include/btrfsdio/predef.h")

# The smallest program that needs header and library to agree; valid C and C++.
cat > "$TMP/version.c" << 'END'
#include <btrfsdio/btrfsdio.h>
#include <stdio.h>
int main(void)
{
	puts(bdio_version());
	return 0;
}
END
cp "$TMP/version.c" "$TMP/version.cpp"

prefix_env() {
	local libdir
	libdir=$(dirname "$(find "$PREFIX" -name libbtrfsdio.pc)")
	export PKG_CONFIG_PATH=$libdir LD_LIBRARY_PATH=${libdir%/pkgconfig}
}

installs() {
	cmake --install "$BUILD" --prefix "$PREFIX"
	local wanted file
	for wanted in btrfsdio.h libbtrfsdio.so libbtrfsdio.so.0 "libbtrfsdio.so.$VERSION" \
		libbtrfsdio.a libbtrfsdio.pc btrfsdioConfig.cmake btrfsdio btrfsdio.1; do
		file=$(find "$PREFIX" -name "$wanted" -print -quit)
		[ -n "$file" ] || die "$wanted is not installed"
	done
	for file in "$SOURCE"/include/btrfsdio/*.h; do
		cmp "$file" "$PREFIX/include/btrfsdio/$(basename "$file")"
	done
}

soname() {
	prefix_env
	readelf -d "$LD_LIBRARY_PATH/libbtrfsdio.so" | grep -F 'Library soname: [libbtrfsdio.so.0]'
}

# The installed command finds its library by itself.
command_runs() {
	env -u LD_LIBRARY_PATH "$PREFIX/bin/btrfsdio" --version | grep -F "$VERSION"
}

man_page_is_sound() {
	local said
	said=$(groff -man -Tutf8 -ww -z "$PREFIX/share/man/man1/btrfsdio.1" 2>&1)
	[ -z "$said" ] || die "$said"
}

program() {	# COMPILER SOURCE
	prefix_env
	"$1" -Wall -Wextra -Werror $(pkg-config --cflags libbtrfsdio) "$2" -o program \
		$(pkg-config --libs libbtrfsdio)
	[ "$(./program)" = "$VERSION" ]
}

static_program() {
	prefix_env
	gcc $(pkg-config --cflags libbtrfsdio) "$TMP/version.c" -o program \
		"$LD_LIBRARY_PATH/libbtrfsdio.a" $(pkg-config --libs --static libbtrfsdio |
			sed 's/-lbtrfsdio//')
	! readelf -d program | grep libbtrfsdio
	[ "$(env -u LD_LIBRARY_PATH ./program)" = "$VERSION" ]
}

example() {	# NAME [COMPILER]: builds it as a user would
	prefix_env
	"${2:-gcc}" -Wall -Wextra -Werror $(pkg-config --cflags libbtrfsdio) \
		"$SOURCE/examples/$1.c" -o "$1" -pthread $(pkg-config --libs libbtrfsdio)
}

# A small image without root: /numbers and /noise.
make_image() {
	need_cmd mkfs.btrfs
	mkdir root
	seq 100000 > root/numbers
	head -c 5000001 /dev/urandom > root/noise
	truncate -s 128M disk.img
	mkfs.btrfs -q --rootdir root disk.img
}

simple() {	# COMPILER
	example simple "$1"
	make_image
	./simple disk.img /numbers | cmp - root/numbers
	! ./simple disk.img /nothing
}

verified_copy() {
	example verified_copy
	make_image
	./verified_copy disk.img /noise copy
	cmp copy root/noise
}

parallel_reader() {
	example parallel_reader
	make_image
	python3 -c 'import sys; data = sys.stdin.buffer.read()
print(f"{len(data)} bytes, sum {sum(data)}")' < root/noise > expected
	local threads
	for threads in 1 2 7; do
		./parallel_reader disk.img /noise $threads | diff expected -
	done
}

changed_extents() {
	example changed_extents
	make_image
	./changed_extents disk.img 0 > all
	grep -q /numbers all
	grep -q /noise all
	./changed_extents disk.img "$(sed -n 's/^next time: //p' all)" > none
	[ "$(wc -l < none)" = 1 ]
}

custom_device() {
	example custom_device
	make_image
	python3 -c 'import sys
table = bytes(byte ^ 90 for byte in range(256))
sys.stdout.buffer.write(sys.stdin.buffer.read().translate(table))' < disk.img > secret.img
	./custom_device secret.img 90 | sort | diff - <(printf 'noise\nnumbers\n')
	! ./custom_device secret.img 91
}

# No example goes without a case here.
all_examples() {
	local file
	for file in "$SOURCE"/examples/*.c; do
		[ "$(type -t "$(basename "$file" .c)")" = function ] || die "$file is not run"
	done
}

readme_shows_simple() {
	sed -n '/^```c$/,/^```$/p' "$SOURCE/README.md" | sed '1d;$d' |
		diff - <(sed 1,2d "$SOURCE/examples/simple.c")
}

find_package() {
	cat > CMakeLists.txt << END
cmake_minimum_required(VERSION 3.25)
project(user C CXX)
find_package(btrfsdio $VERSION REQUIRED)
add_executable(in_c $TMP/version.c)
target_link_libraries(in_c btrfsdio::btrfsdio)
add_executable(in_cxx $TMP/version.cpp)
target_link_libraries(in_cxx btrfsdio::btrfsdio_static)
END
	cmake -G Ninja -DCMAKE_PREFIX_PATH="$PREFIX" -B build
	cmake --build build
	[ "$(build/in_c)" = "$VERSION" ]
	[ "$(build/in_cxx)" = "$VERSION" ]
}

run_case installs
[ "$failed" = 0 ] || finish	# nothing else can work
run_case soname
run_case command_runs
run_case man_page_is_sound
run_case pkg_config_c program gcc "$TMP/version.c"
run_case pkg_config_cxx program g++ "$TMP/version.cpp"
run_case pkg_config_static static_program
run_case simple_c simple gcc
run_case simple_cxx simple g++
run_case verified_copy
run_case parallel_reader
run_case changed_extents
run_case custom_device
run_case all_examples
run_case readme_shows_simple
run_case find_package
finish
