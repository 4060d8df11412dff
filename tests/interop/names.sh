#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/names.sh - any bytes in names, equal hashes, many links, large folders, deep paths
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

holds() {	# TOPICS [MKFS-OPTION...]
	local topics=$1
	shift
	make_image 512M img -- "$@"
	populate '' "$topics" img
	reads_as_kernel img
	facts_match list img
}

# Not only what is listed is found: a name that is not there, but hashes alike, is not.
absent_collisions() {
	make_image 256M img
	populate '' collisions img
	python3 - "$INTEROP" > absent <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import fill
		wanted = fill.name_hash(b"first")
		found = [fill.with_hash(b"absent-%d-" % i, wanted) for i in range(40)]
		found = [n for n in found if b"/" not in n and b"\0" not in n][:8]
		sys.stdout.buffer.write(b"\0".join(found))
	END
	local name
	while IFS= read -r -d '' name; do
		refuses 'no such|not found|ENOENT' stat img "/collisions/$name"
	done < <(cat absent; printf '\0')
}

large_directory() {	# COUNT
	make_image 512M img
	populate '' "directory=$1" img
	remember mnt list img
	facts_list_only
	get_matches list img
}

facts_list_only() {
	succeeds ls -lR --json img /
	facts ls list out
}

run_case names holds names
run_case names-4K holds names --nodesize 4K
run_case collisions holds collisions
run_case collisions-4K holds collisions --nodesize 64K
run_case absent-collisions absent_collisions
run_case links holds links=1500
run_case links-4K holds links=500 --nodesize 4K
run_case deepest holds deepest
run_case directory-100000 large_directory 100000
finish
