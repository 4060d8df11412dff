#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/damage.sh - one copy damaged or stale, of data and of metadata: the other is read
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

# make_raid COUNT PROFILE [METADATA-PROFILE]: that many images, named in images
make_raid() {
	local i
	images=()
	for i in $(seq "$1"); do
		images+=("m$i")
	done
	make_image 256M "${images[@]}" -- --data "$2" --metadata "${3:-$2}"
	populate '' 'basic compressed=zstd extents' "${images[@]}"
	remember mnt list "${images[@]}"
}

# All that a member holds is wrong, but its superblocks say that it is a good one.
garbled_members() {	# COUNT PROFILE GARBLED
	make_raid "$1" "$2"
	local i first
	for first in $(seq "$1"); do
		mkdir bad
		cp --sparse=always "${images[@]}" bad
		for i in $(seq 0 $(($3 - 1))); do
			raw garble "bad/m$(((first - 1 + i) % $1 + 1))"
		done
		# What has no checksum cannot be told from garbage.
		grep -v '"extents/nocow"' list > checked
		rm -rf "$DEST/got"
		# shellcheck disable=SC2046
		run_btrfsdio get $(members "${images[@]/#/bad/}") / "$DEST/got" || {
			cat err >&2
			die "member $first garbled: status $?"
		}
		rm "$DEST/got/extents/nocow"
		tree diff --ignore dirmtime,dirsize checked "$DEST/got"
		rm -r bad
	done
}

# DUP: both copies are on one device, and each is damaged in turn.
garbled_copy() {	# DATA METADATA COPY
	make_image 512M img -- --data "$1" --metadata "$2"
	populate '' 'basic compressed=lzo' img
	remember mnt list img
	local offset length type
	btrfs inspect-internal dump-tree -t chunk img > chunks
	while read -r _ offset length type _; do
		[ "$type" != dup ] || raw flip img "$offset" "$length"
	done < <(raw stripes "$3" < chunks)
	get_matches list img
}

# Sectors of the data of one file: with another copy nobody notices, without it is said where.
data_sector_of_dup() {
	make_image 512M img -- --data dup
	populate '' basic img
	remember mnt list img
	mount_btrfs -o ro mnt img
	dd if=mnt/basic/big bs=4096 skip=7 count=1 of=sector status=none
	unmount mnt
	raw find img < sector > places
	[ "$(wc -l < places)" = 2 ] || die "the sector has no two places"
	# shellcheck disable=SC2046
	raw flip $(head -n 1 places) 1
	get_matches list img
	# shellcheck disable=SC2046
	raw flip $(tail -n 1 places) 4096
	refuses 'basic/big.*28672|28672.*basic/big' get img / "$DEST/got"
	lost_exactly basic/big 28672 4096
}

# lost_exactly FILE OFFSET LENGTH: zeros there, all else as LIST says
lost_exactly() {
	cp --sparse=always img good.img
	local place
	while read -r _ place; do
		dd if=sector of=good.img bs=4096 seek=$((place / 4096)) conv=notrunc status=none
	done < places
	mount_btrfs -o ro mnt good.img
	cp "mnt/$1" want
	unmount mnt
	dd if=/dev/zero of=want bs=4096 seek=$(($2 / 4096)) count=$(($3 / 4096)) conv=notrunc \
		status=none
	cmp want "$DEST/got/$1"
	rm "$DEST/got/$1"
	grep -v "\"$1\"" list > rest
	tree diff --ignore dirmtime,dirsize rest "$DEST/got"
}

on_error_ways() {
	make_image 256M img -- --data single
	populate '' basic img
	mount_btrfs -o ro mnt img
	dd if=mnt/basic/big bs=4096 skip=9 count=1 of=sector status=none
	dd if=mnt/basic/f100 bs=1 count=100 of=small status=none
	unmount mnt
	raw find img < sector > places
	# shellcheck disable=SC2046
	raw flip $(cat places) 4096
	refuses 36864 get --on-error=zero img / "$DEST/got"
	[ "$(stat -c %s "$DEST/got/basic/big")" = 1300003 ]
	cmp small "$DEST/got/basic/f100"
	rm -rf "$DEST/got"
	refuses 36864 get --on-error=skip img / "$DEST/got"
	[ "$(stat -c %s "$DEST/got/basic/big")" = 1300003 ]
	cmp small "$DEST/got/basic/f100"
	rm -rf "$DEST/got"
	refuses basic/big get --on-error=stop img / "$DEST/got"
	# Only on request are bytes returned that their checksums deny.
	succeeds cat --no-verify --offset 36864 --length 4096 img /basic/big
	python3 -c '
import sys
print(end="", file=sys.stdout)
a, b = (open(p, "rb").read() for p in sys.argv[1:])
sys.exit(bytes(255 - x for x in a) != b)' sector out
	refuses 36864 cat img /basic/big
}

# A member that ends inside of a file: what lies before its end is read, to the sector.
cut_short() {
	make_image 256M m1 m2 -- --data single --metadata raid1
	populate '' basic m1 m2
	mount_btrfs -o ro mnt m1 m2
	cp mnt/basic/big big
	unmount mnt
	dd if=big bs=4096 skip=100 count=1 of=sector status=none
	raw find m1 m2 < sector > places
	[ "$(wc -l < places)" = 1 ] || die "the sector has no single place"
	local image place
	read -r image place < places
	truncate -s $((place + 5000)) "$image"
	refuses 'the filesystem needs' get --device=m2 m1 / "$DEST/got"
	refuses 'basic/big: .* at offset 413696:' get --salvage --device=m2 m1 / "$DEST/got"
	cmp -n 413696 big "$DEST/got/basic/big"
}

# A tree block that is right by its checksum but older, as a lost write leaves it.
lost_metadata_writes() {
	make_image 512M img -- --metadata dup
	populate '' basic img
	cp --sparse=always img old.img
	mount_btrfs mnt img
	fill mnt extents
	rm mnt/basic/f1
	unmount mnt
	remember mnt list img
	local offset length type
	btrfs inspect-internal dump-tree -t chunk img > chunks
	while read -r _ offset length type _; do
		[ "$type" = dup ] || continue
		dd if=old.img of=img iflag=skip_bytes,count_bytes oflag=seek_bytes bs=1M \
			skip="$offset" seek="$offset" count="$length" conv=notrunc status=none
	done < <(raw stripes 0 < chunks)
	get_matches list img
}

# A member that was away while the kernel wrote: its superblock, its trees and its data are old.
stale_member() {	# COUNT PROFILE METADATA
	make_raid "$1" "$2" "$3"
	local stale others=()
	stale=${images[$((SEED % $1))]}
	local image
	for image in "${images[@]}"; do
		[ "$image" = "$stale" ] || others+=("$image")
	done
	mount_btrfs -o degraded mnt "${others[@]}"
	fill mnt collisions
	rm mnt/basic/f1
	python3 - <<-'END'
		import os
		for name, at in (("big", 500000), ("f131072", 4096), ("f200001", 0)):
		    with open("mnt/basic/" + name, "r+b") as f:
		        f.seek(at)
		        f.write(os.urandom(70000))
		with open("mnt/extents/nocow", "r+b") as f:
		    f.write(b"new" * 30000)
	END
	unmount mnt
	MOUNT_OPTIONS=degraded remember mnt list "${others[@]}"
	# Linux 6.18 now and then writes parity degraded that it cannot rebuild from itself.
	! grep -q '"error ' list || skip "the kernel cannot read back what it wrote degraded"
	get_matches list "$stale" "${others[@]}"
	get_matches list "${others[@]}" "$stale"
	get_matches list --degraded "${others[@]}"
}

for copy in 0 1; do
	run_case "dup-copy-$copy" garbled_copy dup dup $copy
	run_case "single-data-dup-copy-$copy" garbled_copy single dup $copy
done
run_case raid1-garbled garbled_members 2 raid1 1
run_case raid1c3-garbled garbled_members 3 raid1c3 2
run_case raid1c4-garbled garbled_members 4 raid1c4 3
run_case raid10-garbled garbled_members 4 raid10 1
run_case raid5-garbled garbled_members 3 raid5 1
run_case raid6-garbled garbled_members 4 raid6 2
run_case data-sector data_sector_of_dup
run_case on-error on_error_ways
run_case cut-short cut_short
run_case lost-metadata-writes lost_metadata_writes
run_case raid1-stale stale_member 2 raid1 raid1
run_case raid1c3-stale stale_member 3 raid1c3 raid1c3
run_case raid10-stale stale_member 4 raid10 raid1
run_case raid5-stale stale_member 3 raid5 raid1
run_case raid6-stale stale_member 4 raid6 raid1c3
finish
