#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/members.sh - which files and devices make a filesystem: order, search, wrong ones
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

three() {
	make_image 256M m1 m2 m3 -- -d raid5 -m raid1c3
	populate '' 'basic extents' m1 m2 m3
	remember mnt list m1 m2 m3
}

any_order() {
	three
	local order
	for order in 'm1 m2 m3' 'm1 m3 m2' 'm2 m1 m3' 'm2 m3 m1' 'm3 m1 m2' 'm3 m2 m1'; do
		# shellcheck disable=SC2086
		get_matches list $order
	done
}

block_devices() {
	three
	local devices=() image
	for image in m1 m2 m3; do
		devices+=("$(loop_attach "$image")")
	done
	get_matches list "${devices[@]}"
	# Nobody told of the others: they are missing, or found when asked for.
	refuses missing get "${devices[1]}" / "$DEST/got"
	get_matches list --scan "${devices[1]}"
	succeeds info --json --scan "${devices[2]}"
	python3 - out "${devices[@]}" <<-'END'
		import json, sys
		info = json.load(open(sys.argv[1]))
		assert sorted(d["path"] for d in info["devices"]) == sorted(sys.argv[2:]), info
	END
}

mounted() {
	make_image 256M img
	populate '' basic img
	remember mnt list img
	local device
	device=$(loop_attach img)
	mount -t btrfs -o ro "$device" mnt
	refuses 'mounted|in use' get "$device" / "$DEST/got"
	refuses 'mounted|in use' get img / "$DEST/got"
	get_matches list --force-live "$device"
	umount mnt
	get_matches list "$device"
}

# A member that is not mounted by its own name, as the mount table names one device only.
mounted_by_another_member() {
	make_image 256M m1 m2 -- -d raid1 -m raid1
	populate '' basic m1 m2
	mount_btrfs mnt m1 m2
	refuses 'mounted|in use' info --device=m1 m2
	refuses 'mounted|in use' info --degraded m2
	refuses 'mounted|in use' info --degraded m1
	unmount mnt
}

foreign_member() {
	make_image 256M m1 m2 -- -d raid1 -m raid1
	make_image 256M other
	populate '' basic m1 m2
	refuses 'other|fsid|different|belong' info --device=m2 --device=other m1
	refuses 'other|fsid|different|belong' info --device=other m1
	refuses 'other|fsid|different|belong' info --degraded --device=m1 other
	truncate -s 256M empty
	refuses 'empty' info --device=m2 --device=empty m1
}

member_twice() {
	make_image 256M m1 m2 -- -d raid1 -m raid1
	populate '' basic m1 m2
	cp --sparse=always m2 copy
	ln -s m2 link
	refuses 'twice|same' info --device=m2 --device=m2 m1
	refuses 'twice|same' info --device=m2 --device=copy m1
	refuses 'twice|same' info --device=link --device=m2 m1
	refuses 'twice|same' info --device=m1 m1
}

added_and_removed() {
	make_image 256M m1 m2 -- -d single -m raid1
	populate '' basic m1 m2
	truncate -s 300M m3
	mount_btrfs mnt m1 m2
	local added
	added=$(loop_attach m3)
	btrfs device add -f "$added" mnt > /dev/null
	fill mnt extents
	btrfs device remove "$(losetup -j m1 -n -O NAME | tr -d ' ')" mnt
	unmount mnt
	remember mnt list m2 m3
	get_matches list m3 m2
	# What was removed is no member any more.
	refuses . info --device=m2 --device=m3 m1
}

resized() {
	make_image 512M img
	populate '' 'basic extents' img
	mount_btrfs mnt img
	btrfs filesystem resize 300M mnt > /dev/null
	fill mnt compressed=lzo
	unmount mnt
	truncate -s 300M img
	reads_as_kernel img
	truncate -s 2G img
	mount_btrfs mnt img
	btrfs filesystem resize max mnt > /dev/null
	fill mnt collisions
	unmount mnt
	reads_as_kernel img
}

balanced() {
	make_image 256M m1 m2 m3 m4 -- -d single -m dup
	populate '' 'basic extents compressed=zstd' m1 m2 m3 m4
	mount_btrfs mnt m1 m2 m3 m4
	btrfs balance start -f -dconvert=raid10 -mconvert=raid1c3 mnt > /dev/null
	unmount mnt
	reads_as_kernel m1 m2 m3 m4
	get_matches list --degraded m2 m3 m4
}

run_case any-order any_order
run_case block-devices block_devices
run_case mounted mounted
run_case mounted-by-another-member mounted_by_another_member
run_case foreign-member foreign_member
run_case member-twice member_twice
run_case added-and-removed added_and_removed
run_case resized resized
run_case balanced balanced
finish
