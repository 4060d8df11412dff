#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/structure/tidy.sh [deep] - clang-tidy over library and command, by the rules of .clang-tidy
#
# `deep` runs clang's static analyzer, which takes seconds a file; without it all other checks.
. "$(dirname "$0")/../lib.sh"
need_cmd clang-tidy gcc

export FLAGS="-std=gnu17 -D_GNU_SOURCE -I$SOURCE/include -I$SOURCE/libbtrfsdio -I$SOURCE/tools"
export CHECKS=-clang-analyzer-*
[ "${1:-}" != deep ] || CHECKS=-bugprone-*,-misc-*,-readability-*

# A file that was found clean is not looked at again until it changes, headers included.
export CACHE=$SOURCE/build/tidy-cache
mkdir -p "$CACHE"

look_at() {	# FILE
	local key
	key=$({ clang-tidy --version; echo "$CHECKS"; cat .clang-tidy; gcc $FLAGS -E "$1"; } | sha256sum)
	key=$CACHE/${key%% *}
	[ -e "$key" ] && exit 0
	clang-tidy --quiet --checks="$CHECKS" "$1" -- $FLAGS 2> /dev/null && touch "$key"
}
export -f look_at

tidy() {	# FOLDER...
	cd "$SOURCE"
	find "$@" -name '*.c' -print0 | xargs -0 -r -n 1 -P "$(nproc)" bash -c 'look_at "$0"' |
		sed -n '/error:/p'
}

run_case library tidy libbtrfsdio
run_case command tidy tools
finish
