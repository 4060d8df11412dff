#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/subvolumes.sh - nested ones, snapshots, the default one, deleted ones
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

quiet_btrfs() {
	btrfs "$@" > btrfs.log 2>&1 || {
		cat btrfs.log >&2
		return 1
	}
}

shapes() {
	make_image 512M img
	mount_btrfs mnt img
	quiet_btrfs subvolume create mnt/@
	quiet_btrfs subvolume create mnt/@home
	mkdir -p mnt/@/var/lib
	quiet_btrfs subvolume create mnt/@/var/lib/machines
	quiet_btrfs subvolume create 'mnt/@/var/lib/machines/with space'
	fill mnt/@ basic special
	fill 'mnt/@/var/lib/machines/with space' xattrs
	mkdir mnt/snapshots
	quiet_btrfs subvolume snapshot -r mnt/@ mnt/snapshots/first
	rm -r mnt/@/basic/a
	fill mnt/@ extents
	quiet_btrfs subvolume snapshot mnt/@ mnt/snapshots/second
	fill mnt/snapshots/second collisions
	quiet_btrfs subvolume snapshot -r mnt/@home mnt/@home/of-itself
	quiet_btrfs subvolume create mnt/moving
	echo moved > mnt/moving/file
	mkdir mnt/deep
	mv mnt/moving mnt/deep/moved
	quiet_btrfs subvolume create mnt/shared
	cp --reflink=always mnt/@/basic/big mnt/shared/clone
	default=$(btrfs subvolume list mnt | awk '$NF == "@" { print $2 }')
	quiet_btrfs subvolume set-default "$default" mnt
	btrfs subvolume list -a mnt | sed 's/ID \([0-9]*\) .* path \(<FS_TREE>\/\)\?/\1 /' | sort > ids
	btrfs subvolume list -ar mnt | sed 's/ID \([0-9]*\) .*/\1/' | sort > read-only
	unmount mnt
}

whole() {
	shapes
	MOUNT_OPTIONS=subvolid=5 remember mnt list img
	get_matches list --subvol=5 img
	facts_subvolumes
}

facts_subvolumes() {
	succeeds info --json img
	python3 - out <<-'END'
		import json
		info = json.load(open("out"))
		found = {s["id"]: s for s in info["subvolumes"] if s["id"] != 5}
		ids = dict(line.rstrip("\n").split(" ", 1) for line in open("ids"))
		assert {str(i): s["path"] for i, s in found.items()} == ids, (found, ids)
		read_only = set(open("read-only").read().split())
		assert {str(i) for i, s in found.items() if s["read_only"]} == read_only, read_only
		default = [i for i, p in ids.items() if p == "@"]
		assert [str(info["default_subvol"])] == default
	END
}

each_by_itself() {
	shapes
	local id path
	remember mnt list img
	get_matches list img
	while read -r id path; do
		MOUNT_OPTIONS=subvolid=$id remember mnt list img
		get_matches list "--subvol=$id" img
		get_matches list "--subvol=$path" img
	done < ids
	refuses 'no such|not found' ls --subvol=no/such img
	refuses 'there is no subvolume 99999' ls --subvol=99999 img
	refuses 'subvol|invalid' ls --subvol=snapshots img
}

# Deleted, and not cleaned up yet when the power went: no part of it is shown.
in_deletion() {
	make_image 512M img
	mount_btrfs -o commit=300 mnt img
	quiet_btrfs subvolume create mnt/gone
	quiet_btrfs subvolume create mnt/stays
	fill mnt/gone directory=30000
	fill mnt/stays basic
	sync -f mnt
	quiet_btrfs subvolume delete -c mnt/gone
	cp --sparse=always img crashed.img
	unmount mnt
	btrfs inspect-internal dump-tree -t root crashed.img > dump
	grep -q 'ORPHAN ORPHAN_ITEM 256' dump || skip "the kernel had cleaned up already"
	MOUNT_OPTIONS=rescue=nologreplay remember mnt list crashed.img
	get_matches list crashed.img
	succeeds info --json crashed.img
	python3 - <<-'END'
		import json
		ids = {s["id"] for s in json.load(open("out"))["subvolumes"]}
		assert ids == {5, 257}, ids
	END
	refuses 'no such|not found|delet' ls --subvol=256 crashed.img
	refuses 'no such|not found|delet' ls --subvol=gone crashed.img
}

# Opened and unlinked when the power went: an orphan has no name and is not shown.
orphan_files() {
	make_image 256M img
	mount_btrfs mnt img
	fill mnt basic
	python3 - <<-'END' &
		import os, time
		f = open("mnt/orphan", "w")
		f.write("x" * 100000)
		f.flush()
		os.unlink("mnt/orphan")
		open("ready", "w").close()
		while not os.path.exists("finished"):
		    time.sleep(0.05)
	END
	while [ ! -e ready ]; do
		sleep 0.05
	done
	sync -f mnt
	cp --sparse=always img crashed.img
	touch finished
	wait
	unmount mnt
	MOUNT_OPTIONS=rescue=nologreplay remember mnt list crashed.img
	get_matches list crashed.img
}

# Numbers of inodes repeat in every subvolume, and so do names.
many() {
	make_image 512M img
	mount_btrfs mnt img
	local i
	for i in $(seq 60); do
		quiet_btrfs subvolume create "mnt/s$i"
		echo "$i" > "mnt/s$i/file"
		ln "mnt/s$i/file" "mnt/s$i/link"
	done
	unmount mnt
	reads_as_kernel img
}

received() {
	make_image 512M img
	mount_btrfs mnt img
	quiet_btrfs subvolume create mnt/origin
	fill mnt/origin basic
	quiet_btrfs subvolume snapshot -r mnt/origin mnt/sent
	mkdir mnt/in
	btrfs send -q mnt/sent -f stream
	quiet_btrfs receive -f stream mnt/in
	unmount mnt
	reads_as_kernel img
}

run_case whole whole
run_case each-by-itself each_by_itself
run_case in-deletion in_deletion
run_case orphan-files orphan_files
run_case many many
run_case received received
finish
