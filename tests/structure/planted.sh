#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/structure/planted.sh - each rule about the source is broken once; its test must notice
. "$(dirname "$0")/../lib.sh"
need_cmd gcc ar

# A copy of the source and of the libraries, fresh for each case.
copy() {
	mkdir source build
	(cd "$SOURCE" && tar --create --exclude=./build --exclude=./.git .) | tar --extract -C source
	cp "$BUILD"/libbtrfsdio.{a,so} build/
}

# notices SCRIPT RESULT: the script, run on the copy, says `not ok RESULT`
notices() {
	local output
	output=$(BDIO_SOURCE=$PWD/source BDIO_BUILD=$PWD/build python3 "source/tests/structure/$1.py" "$2") &&
		die "$1.py finds nothing"
	grep -x "not ok $1.$2" <<< "$output"
}

line() {	# SCRIPT RESULT FILE LINE: the line is added to the file
	copy
	echo "$4" >> "source/$3"
	notices "$1" "$2"
}

same_name() {
	copy
	cp source/libbtrfsdio/disk/key.h source/libbtrfsdio/tree/key.h
	notices layers unique_names
}

# object RESULT CODE: a file of disk/ with that code joins the static library
object() {
	copy
	echo "$2" > source/libbtrfsdio/disk/planted.c
	gcc -c -O0 source/libbtrfsdio/disk/planted.c -o planted.c.o
	ar r build/libbtrfsdio.a planted.c.o
	notices symbols "$1"
}

not_exported() {
	copy
	sed -i '/bdio_open;/d' source/libbtrfsdio/libbtrfsdio.map
	notices symbols exported
}

include='#include'	# apart, lest this file breaks the rules itself
run_case upward_include line layers layers libbtrfsdio/disk/key.h "$include \"tree/tree.h\""
run_case unknown_include line layers layers libbtrfsdio/disk/key.h "$include \"key.h\""
run_case private_include line layers folders tools/main.c "$include \"disk/key.h\""
run_case system_include line layers words libbtrfsdio/tree/tree.c "$include <liburing.h>"
run_case word_io_uring line layers words libbtrfsdio/tree/tree.c "/* io_uring */"
run_case word_physical line layers words libbtrfsdio/tree/tree.c "int bd_physical;"
run_case cyclic_rules line layers acyclic tests/structure/layers.txt "layer base: disk"
run_case same_name
run_case no_first_lines line style first_lines scripts/new "#!/bin/bash"
run_case format line style format libbtrfsdio/tree/tree.c "int  x ;"
run_case unfinished line style unfinished libbtrfsdio/tree/tree.c "/* TO""DO */"
run_case twin_site line style sites libbtrfsdio/tree/node_read.c \
	"$(grep -hom1 'BD_FAIL(.*, [A-Z_]*,' "$SOURCE/libbtrfsdio/tree/node_read.c")"
run_case shell line style shell scripts/demo "if"
run_case stray_symbol object prefixes "int stray(void) { return 0; }"
run_case output object silent "int puts(const char *); void bd_x(void) { puts(\"\"); }"
run_case exits object silent "void exit(int); void bd_x(void) { exit(1); }"
run_case global_state object no_globals "static int count; int bd_x(void) { return count++; }"
run_case upward_call object layers "void bd_tree_search(void); void bd_x(void) { bd_tree_search(); }"
run_case orphan object no_orphans "int bd_orphan_of_a_test(void) { return 0; }"
run_case not_exported
finish
