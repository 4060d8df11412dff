#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/super.sh - superblock copies, backup roots, log tree, byte offset, feature bits
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

# info_has EXPRESSION: true of the JSON that `info` printed into out
info_has() {
	python3 - out "$1" <<-'END'
		import json, sys
		info = json.load(open(sys.argv[1]))
		if not eval(sys.argv[2]):
		    sys.exit("not so: %s\n%s" % (sys.argv[2], {k: v for k, v in info.items() if k != "chunks"}))
	END
}

# Made once: an earlier state and the present one, and what the kernel reads of the latter.
make_two_states() {
	set -e
	mkdir "$TMP/base"
	cd "$TMP/base"
	make_image 512M img
	populate '' basic img
	cp --sparse=always img old.img
	populate '' extents img
	remember mnt list img
}
(make_two_states) || exit 1

two_states() {	# old.img, img and its list
	cp --sparse=always "$TMP"/base/{img,old.img,list} .
}

# warned PATTERN
warned() {
	grep -qiE "$1" err || die "no warning /$1/: $(cat err)"
}

all_good() {
	two_states
	succeeds info --json img
	info_has 'info["super_copy"] == 0 and not info["super_remarks"]'
	[ ! -s err ] || die "$(cat err)"
	get_matches list --super=1 img
}

primary_destroyed() {	# HOW...
	two_states
	"$@"
	succeeds info --json img
	info_has 'info["super_copy"] == 1 and info["super_remarks"]'
	warned 'superblock.*copy'
	get_matches list img
	get_matches list --super=1 img
	refuses 'corrupt super: copy 0, |no btrfs superblock' info --super=0 img
}

zero_primary() {
	dd if=/dev/zero of=img bs=4096 seek=16 count=1 conv=notrunc status=none
}

flip_primary() {
	raw flip img $((65536 + 2000)) 1
}

wrong_magic() {
	raw super-set img 0 magic=0x4d5f53665248425e
}

wrong_place() {
	raw super-copy img 1 img 0
}

# Not damaged, as a change of its ids leaves it that was interrupted: no mirror stands in for it.
primary_unusable() {
	two_states
	raw super-set img 0 fsid=000102030405060708090a0b0c0d0e0f
	refuses 'corrupt super: copy 0, .*fsid' get img / "$DEST/got"
	get_matches list --super=1 img
}

both_destroyed() {
	two_states
	zero_primary
	dd if=/dev/zero of=img bs=1M seek=64 count=1 conv=notrunc status=none
	refuses 'superblock|btrfs' info img
	refuses 'superblock|btrfs' info --super=1 img
	refuses 'superblock|btrfs' info --super=2 img
}

older_mirror() {
	two_states
	raw super-copy old.img 1 img 1
	succeeds info --json img
	info_has 'info["super_copy"] == 0 and info["super_remarks"]'
	get_matches list img
}

newer_mirror() {
	two_states
	cp --sparse=always img new.img
	raw super-copy old.img 0 img 0
	succeeds info --json img
	info_has 'info["super_copy"] == 0 and info["super_remarks"]'
	warned newer
	# The primary's state: its blocks may be gone by now, but they are not mixed with newer ones.
	[ "$(raw super img 0 | cut -d ' ' -f 1)" -lt "$(raw super img 1 | cut -d ' ' -f 1)" ]
	get_matches list --super=1 img
}

# After mkfs over an old filesystem a copy of the old one can survive, and be newer.
foreign_mirror() {
	two_states
	make_image 512M other
	populate '' basic other
	raw super-set other 1 generation=+1000
	raw super-copy other 1 img 1
	succeeds info --json img
	info_has 'info["super_copy"] == 0 and info["super_remarks"]'
	get_matches list img
	zero_primary
	# It is the only one left, but it does not fit what it points to.
	refuses . get img / "$DEST/got"
}

# Every backup root leads to a state that was there once: the older they are the less is in it.
backup_roots() {
	make_image 512M img
	mount_btrfs mnt img
	local i
	for i in 1 2 3 4 5 6; do
		mkdir "mnt/step$i"
		fill "mnt/step$i" basic
		sync -f mnt
	done
	unmount mnt
	remember mnt list img
	local n found=0
	for n in 1 2 3 4; do
		run_btrfsdio ls --backup-root=$n img || continue
		found=$((found + 1))
		grep -q step1 out
	done
	[ $found -ge 1 ] || die "no backup root can be read"
	get_matches list --backup-root=1 img
	# The tree root that the superblock names is lost: the backup is what is left.
	raw super-set img 0 root=+4096
	refuses . get img / "$DEST/got"
	get_matches list --backup-root=1 img
}

log_tree() {
	make_image 256M img
	mount_btrfs -o commit=300 mnt img
	fill mnt basic
	sync -f mnt
	fill mnt extents
	python3 - <<-'END'
		import os
		for i in range(5):
		    fd = os.open("mnt/fsynced%d" % i, os.O_CREAT | os.O_RDWR)
		    os.write(fd, b"only in the log" * 1000)
		    os.fsync(fd)
	END
	cp --sparse=always img crashed.img
	unmount mnt
	[ "$(raw super-get crashed.img 0 log_root)" != 0 ] || skip "the kernel wrote no log tree"
	MOUNT_OPTIONS=rescue=nologreplay remember mnt list crashed.img
	succeeds info --json crashed.img
	info_has 'info["log_present"]'
	warned 'log'
	get_matches list crashed.img
	warned 'log.*not applied'
}

byte_offset() {	# OFFSET
	make_image 256M img
	populate '' 'basic extents' img
	remember mnt list img
	truncate -s "$1" disk
	dd if=img of=disk bs=1M oflag=seek_bytes seek="$1" conv=sparse,notrunc status=none
	truncate -s $(($1 + (256 << 20))) disk
	refuses 'superblock|btrfs' info disk
	get_matches list "--offset=$1" disk
	succeeds cat "--image-offset=$1" --offset 4096 --length 10000 disk /basic/big
	cp out piece
	succeeds cat --offset 4096 --length 10000 img /basic/big
	cmp out piece
}

label() {
	make_image 256M img -- --label 'a label "with" \ 日本語'
	succeeds info --json img
	info_has 'info["label"] == "a label \"with\" \\ 日本語"'
	[ "$(raw super-get img 0 fsid)" = "$(python3 -c '
import json; print(json.load(open("out"))["fsid"].replace("-", ""))')" ]
}

unknown_bits() {
	two_states
	local bit
	for bit in 20 40 63; do
		cp --sparse=always img bad.img
		bit=$(printf 0x%x $((1 << bit)))
		raw super-set bad.img 0 incompat="|$bit"
		refuses "$bit" info bad.img
	done
	cp --sparse=always img bad.img
	raw super-set bad.img 0 compat_ro="|$((1 << 40))"
	get_matches list bad.img
	cp --sparse=always img bad.img
	raw super-set bad.img 0 compat="|$((1 << 40))"
	get_matches list bad.img
}

# Not read, and refused by their names: zoned, the extent tree of the future, RAID stripe trees.
named_bits() {
	two_states
	local bit name
	while read -r bit name; do
		cp --sparse=always img bad.img
		raw super-set bad.img 0 incompat="|$((1 << bit))"
		refuses "$name" info bad.img
	done <<-END
		12 zoned
		13 extent.tree
		14 raid.?stripe.?tree
	END
}

odd_values() {
	two_states
	local change
	for change in csum_type=9 nodesize=0 nodesize=24576 nodesize=131072 sectorsize=512 \
		sectorsize=0 sectorsize=131072 sys_array_size=0 sys_array_size=0xffffff00 \
		total_bytes=0 num_devices=0 root=+1 chunk_root=+1 chunk_root=0 root_level=8 \
		chunk_root_level=200 bytenr=0; do
		cp --sparse=always img bad.img
		raw super-set bad.img 0 $change
		# Both copies, or the second one would be used.
		raw super-set bad.img 1 $change
		refuses . get bad.img / "$DEST/got"
		rm -rf "$DEST/got"
	done
}

run_case all-good all_good
run_case primary-zeroed primary_destroyed zero_primary
run_case primary-flipped primary_destroyed flip_primary
run_case primary-magic primary_destroyed wrong_magic
run_case primary-wrong-place primary_destroyed wrong_place
run_case primary-unusable primary_unusable
run_case both-destroyed both_destroyed
run_case older-mirror older_mirror
run_case newer-mirror newer_mirror
run_case foreign-mirror foreign_mirror
run_case backup-roots backup_roots
run_case log-tree log_tree
run_case offset-1M byte_offset 1048576
run_case offset-512 byte_offset 32256
run_case label label
run_case unknown-bits unknown_bits
run_case named-bits named_bits
run_case odd-values odd_values
finish
