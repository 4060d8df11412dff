#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/attributes.sh - modes, owners, times, inode flags, xattrs, links, special files
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

holds() {	# TOPICS [MKFS-OPTION...]
	local topics=$1
	shift
	make_image 256M img -- "$@"
	populate '' "$topics" img
	reads_as_kernel img
	facts_match list img
}

inode_flags() {
	need_cmd chattr lsattr
	make_image 256M img
	mount_btrfs mnt img
	local flag
	for flag in a A c C d D i m S; do
		touch "mnt/$flag"
		chattr "+$flag" "mnt/$flag" || die "chattr +$flag"
	done
	mkdir mnt/dir
	chattr +CADS mnt/dir
	unmount mnt
	remember mnt list img
	facts_match list img
	get_matches list img
	# A copy that kept these could not be removed.
	chattr -R -ai "$DEST/got"
}

# Where the destination cannot hold something it is said, and the rest is there all the same.
poor_destination() {
	make_image 256M img
	populate '' 'basic xattrs' img
	remember mnt list img
	truncate -s 256M poor.img
	mkfs.ext4 -q poor.img
	mkdir poor
	mount -o loop poor.img poor
	local rc=0
	run_btrfsdio get img / poor/got || rc=$?
	[ $rc = 1 ] || die "status $rc though ext4 cannot hold the attributes"
	grep -q 'xattrs/file' err
	# Links that only ext4's limits change, and its own idea of folders.
	tree diff --ignore dirsize,dirnlink,xattrs,map list poor/got | grep -v 'lost+found' > left ||
		true
	[ ! -s left ] || die "$(cat left)"
}

as_user() {
	need_cmd setpriv
	make_image 256M img
	populate '' 'basic special' img
	remember mnt list img
	chmod a+r img
	mkdir mine
	chmod a+rwx mine . "$TMP"
	# Not root: no owners, no device nodes, and the command says so.
	local rc=0
	chmod a+rx "$BUILD" 2> /dev/null || true
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$BTRFSDIO" ||
		skip "another user cannot run the command where it was built"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$BTRFSDIO" get img /basic mine/got ||
		rc=$?
	[ $rc = 0 ] || die "status $rc"
	grep '"path": "basic' list | sed 's/"path": "basic\/\?/"path": "/; s/"path": ""/"path": "."/;
		s/"same": "basic\//"same": "/' > mine-list
	tree diff --ignore uid,gid,dirsize,dirnlink,map mine-list mine/got
}

run_case special holds special
run_case xattrs holds xattrs
run_case xattrs-4K holds xattrs=3500 --nodesize 4K
run_case xattrs-64K holds xattrs=60000 --nodesize 64K
run_case flags inode_flags
run_case poor-destination poor_destination
run_case as-user as_user
finish
