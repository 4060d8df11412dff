#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/structure/headers.sh - every header compiles alone; the public ones in every dialect
. "$(dirname "$0")/../lib.sh"

# public COMPILER LANGUAGE STANDARD: a header a file, included twice
public() {
	local header name extension=$2
	for header in "$SOURCE"/include/btrfsdio/*.h; do
		name=$(basename "$header" .h)
		printf '#include <btrfsdio/%s.h>\n#include <btrfsdio/%s.h>\nextern int x;\n' \
			"$name" "$name" > "$name.$extension"
	done
	"$1" "-std=$3" -pedantic -Wall -Wextra -Werror -I"$SOURCE/include" -fsyntax-only ./*."$extension"
}

internal() {
	"$1" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$SOURCE/include" \
		-I"$SOURCE/libbtrfsdio" -fsyntax-only -x c "$SOURCE"/libbtrfsdio/*/*.h
}

# btrfsdio.h is the one header that names all others.
complete() {
	local header
	for header in "$SOURCE"/include/btrfsdio/*.h; do
		case $header in
		*/btrfsdio.h) continue ;;
		esac
		grep -q "#include \"btrfsdio/$(basename "$header")\"" \
			"$SOURCE/include/btrfsdio/btrfsdio.h" || die "btrfsdio.h lacks $header"
	done
}

run_case c99 public gcc c c99
run_case c17 public gcc c c17
run_case cxx17 public g++ cpp c++17
run_case clang_c99 public clang c c99
run_case clang_cxx17 public clang++ cpp c++17
run_case internal internal gcc
run_case complete
finish
