#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/cli/extract.sh - get at the limits of the host: depth, descriptors, links, space, ACLs
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs

# get STATUS ARG...
get() {
	local want=$1 rc=0
	shift
	run_btrfsdio get "$@" || rc=$?
	[ $rc = "$want" ] || {
		head -n 20 err >&2
		die "get $*: status $rc, should be $want"
	}
}

# Thousands of levels, each with files: neither paths nor descriptors may run out.
deep_tree() {
	make_image 512M img
	mount_btrfs mnt img
	cat > deep.py <<-'END'
		import os, sys
		verb, where = sys.argv[1:]
		os.chdir(where)
		for level in range(3000):
		    if verb == "make":
		        for name in ("a", "z"):
		            with open(name, "w") as f:
		                f.write("%s%d" % (name, level))
		        os.mkdir("name-of-a-folder")
		    for name in "az":
		        assert open(name).read() == "%s%d" % (name, level), level
		    if verb == "check":
		        assert os.stat(".").st_mtime == 1000000000 + level, level
		    os.chdir("name-of-a-folder")
		if verb == "make":
		    for level in range(2999, -1, -1):
		        os.chdir("..")
		        os.utime(".", (1000000000 + level,) * 2)
	END
	python3 deep.py make mnt
	unmount mnt
	(
		ulimit -n 200
		get 0 img / got
	)
	python3 deep.py check got
}

# More folders than descriptors, one file in each.
wide_tree() {
	make_image 256M img
	mount_btrfs mnt img
	python3 -c '
import os
for i in range(3000):
    os.mkdir("mnt/d%d" % i)
    open("mnt/d%d/f" % i, "w").write(str(i))'
	remember_mounted
	(
		ulimit -n 200
		get 0 --threads=32 img / got
	)
	tree diff --ignore dirsize,dirnlink,map list got
}

remember_mounted() {
	tree scan mnt > list
	unmount mnt
}

# Links into one folder from many, and more links than the destination can give one file.
links() {
	make_image 512M img
	mount_btrfs mnt img
	python3 -c '
import os
for d in range(20):
    os.makedirs("mnt/day%d/x/y" % d)
    for i in range(200):
        name = "/x/y/f%d" % i
        if d == 0 or i % 50 == d:
            open("mnt/day%d" % d + name, "w").write("%d %d" % (d, i))
        else:
            os.link("mnt/day%d" % (d - 1) + name, "mnt/day%d" % d + name)
        if i < 20:
            os.link("mnt/day%d" % d + name, "mnt/day%d/s%d" % (d, i))'
	remember_mounted
	get 0 --threads=3 img / got
	tree diff --ignore dirsize,dirnlink,map list got
}

too_many_links() {
	make_image 512M img
	mount_btrfs mnt img
	python3 -c '
import os
open("mnt/0", "w").write("hello")
for i in range(1, 65300):
    os.link("mnt/0", "mnt/%d" % i)'
	unmount mnt
	truncate -s 512M small.img
	mkfs.ext4 -q small.img
	mkdir small
	mount -o loop small.img small
	# ext4 ends at 65,000: what is beyond becomes a second file, and that is said once.
	get 1 img / small/got
	[ "$(grep -c 'make a link' err)" = 1 ]
	[ "$(ls small/got | wc -l)" = 65300 ]
	[ "$(find small/got -type f -printf '%i %n\n' | sort -u | awk '{ print $2 }' | sort -n |
		xargs)" = '300 65000' ]
	umount small
}

# A full destination ends it, and the command says so.
full_destination() {
	make_image 512M img
	mount_btrfs mnt img
	head -c 100M /dev/urandom > mnt/large
	for i in $(seq 500); do
		echo "$i" > "mnt/$i"
	done
	unmount mnt
	mkdir small
	mount -t tmpfs -o size=20M tmpfs small
	get 1 img / small
	grep -qi 'no space' err
	[ "$(grep -ci 'no space' err)" -le 10 ]
	umount small
}

# What the destination's default ACL would add is not there afterwards.
inherited_acl() {
	need_cmd setfacl getfacl
	make_image 256M img
	mount_btrfs mnt img
	mkdir -p mnt/d/e
	echo x > mnt/d/f
	mkdir mnt/own
	echo y > mnt/own/g
	setfacl -m u:1234:r mnt/own/g
	setfacl -d -m g:4321:rx mnt/own
	remember_mounted
	mkdir got
	setfacl -d -m u:5555:rwx got
	get 0 img / got
	tree diff --ignore dirsize,dirnlink,map list got
	getfacl -Rn got > acls 2> /dev/null
	grep -q 1234 acls
	grep -q 4321 acls
	! grep -q 5555 acls
}

# Programs that run as their owner do not come to run as root.
set_id_programs() {
	make_image 256M img
	mount_btrfs mnt img
	cp /bin/true mnt/root
	cp /bin/true mnt/user
	chown 1234:1234 mnt/user
	chmod 6755 mnt/root mnt/user
	unmount mnt
	get 0 --no-owner img / got
	[ "$(stat -c '%u %a' got/root)" = '0 6755' ]
	[ "$(stat -c '%u %a' got/user)" = '0 755' ]
	rm -r got
	get 0 img / got
	[ "$(stat -c '%u %a' got/user)" = '1234 6755' ]
}

# A second time over the same folder, as somebody who cannot write where the modes forbid it.
again_as_user() {
	need_cmd setpriv
	make_image 256M img
	mount_btrfs mnt img
	mkdir -p mnt/closed/er mnt/open
	echo 1 > mnt/closed/f
	echo 2 > mnt/closed/er/g
	ln mnt/closed/f mnt/open/h
	chmod 444 mnt/closed/f mnt/closed/er/g
	chmod 555 mnt/closed/er mnt/closed
	remember_mounted
	chmod a+r img
	mkdir mine
	chmod a+rwx mine . "$TMP"
	local user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${user[@]}" test -x "$BTRFSDIO" || skip "another user cannot run the command"
	"${user[@]}" "$BTRFSDIO" get img / mine/got
	"${user[@]}" "$BTRFSDIO" get img / mine/got
	tree diff --ignore uid,gid,dirsize,dirnlink,map list mine/got
}

# Large files are read in parallel pieces, across the borders of their extents.
large_files() {
	make_image 1G img
	mount_btrfs mnt img
	head -c 150M /dev/urandom > mnt/plain
	cp --reflink=always mnt/plain mnt/copy
	dd if=/dev/zero of=mnt/copy bs=7000 seek=5000 count=100 conv=notrunc status=none
	mkdir mnt/zip
	btrfs property set mnt/zip compression zstd
	seq 8000000 > mnt/zip/text
	truncate -s 10G mnt/sparse
	for i in 1 5 9; do
		dd if=mnt/plain of=mnt/sparse bs=1M count=2 seek=${i}000 conv=notrunc status=none
	done
	remember_mounted
	get 0 img / got
	tree diff --ignore dirsize,dirnlink,map,xattrs list got
	[ "$(du -m got/sparse | cut -f 1)" -le 8 ]
}

# From a device many small files are read at once.
from_device() {
	make_image 512M img
	populate '' 'basic extents compressed=lzo' img
	mount_btrfs mnt img
	mkdir mnt/small
	python3 -c '
import random
rng = random.Random(1)
for i in range(2000):
    open("mnt/small/%d" % i, "wb").write(rng.randbytes(rng.randrange(70000) // (i % 9 + 1)))'
	remember_mounted
	local device
	device=$(loop_attach img)
	get 0 "$device" / got
	loop_detach "$device"
	tree diff --ignore dirsize,dirnlink,map,xattrs list got
}

run_case from-device from_device
run_case deep-tree deep_tree
run_case wide-tree wide_tree
run_case links links
run_case too-many-links too_many_links
run_case full-destination full_destination
run_case inherited-acl inherited_acl
run_case set-id-programs set_id_programs
run_case again-as-user again_as_user
run_case large-files large_files
finish
