#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/extents.sh - all kinds of extents, all compressions, offsets beyond 4 GiB
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

holds() {	# MOUNT-OPTIONS TOPICS [MKFS-OPTION...]
	local options=$1 topics=$2
	shift 2
	make_image 512M img -- "$@"
	populate "$options" "$topics" img
	reads_as_kernel img
}

# Random ranges, most of them not aligned, over the edges of extents and of the file.
partial_reads() {
	make_image 512M img
	populate '' 'extents compressed=zlib compressed=lzo compressed=zstd' img
	mount_btrfs -o ro mnt img
	mkdir copy
	cp -a --sparse=always mnt/. copy
	unmount mnt
	python3 - "$SEED" copy > reads <<-'END'
		import os, random, sys
		rng = random.Random(int(sys.argv[1]))
		files = sorted(os.path.join(d, n)[len(sys.argv[2]):]
		               for d, _, names in os.walk(sys.argv[2]) for n in names)
		for path in rng.sample(files, 60):
		    size = os.path.getsize(sys.argv[2] + path)
		    for _ in range(2):
		        offset = rng.choice((0, 1, 4095, 131071, rng.randint(0, size), max(size - 1, 0)))
		        print(offset, rng.choice((1, 2, 4096, 131073, rng.randint(1, size + 10))), path)
	END
	local offset length path
	while read -r offset length path; do
		succeeds cat --offset "$offset" --length "$length" img "$path"
		dd if="copy$path" iflag=skip_bytes,count_bytes bs=1M skip="$offset" count="$length" \
			status=none | cmp - out || die "$path: $offset+$length"
	done < reads
}

# Each place that `map` names holds the file's bytes.
map_is_true() {	# IMAGES MKFS-OPTION...
	local images=$1
	shift
	# shellcheck disable=SC2086
	make_image 256M $images -- "$@"
	# shellcheck disable=SC2086
	populate '' 'basic extents' $images
	# shellcheck disable=SC2086
	remember mnt list $images
	local paths
	mapfile -t paths < <(grep '"type": "file"' list |
		python3 -c 'import json, sys
for line in sys.stdin: print("/" + json.loads(line)["path"])')
	# shellcheck disable=SC2046,SC2086
	get_matches list $images
	# shellcheck disable=SC2046,SC2086
	succeeds map --csums --json $(members $images) "${paths[@]}"
	# shellcheck disable=SC2086
	facts map "$DEST/got" out $images
}

run_case plain holds '' extents
run_case hole-items holds '' extents -O ^no-holes
run_case mixed-groups holds '' extents --mixed --nodesize 4K
run_case nodatasum holds nodatasum 'basic extents'
run_case nodatacow holds nodatacow 'basic extents'
run_case no-inline holds max_inline=0 'basic extents'
run_case inline-4K holds max_inline=4096 'basic extents compressed=zlib' --nodesize 64K
for algorithm in zlib lzo zstd; do
	run_case "$algorithm-property" holds '' "compressed=$algorithm"
	run_case "$algorithm-forced" holds "compress-force=$algorithm" 'basic extents compressed'
done
for level in zlib:1 zlib:9 zstd:1 zstd:9 zstd:15; do
	run_case "$level" holds "compress-force=$level" compressed
done
if [ "$TIER" = long ]; then
	for level in zlib:{2..8} zstd:{2..8} zstd:{10..14} zstd:-{1..15}; do
		run_case "$level" holds "compress-force=$level" compressed
	done
	for algorithm in zlib lzo zstd; do
		run_case "$algorithm-4K" holds "compress-force=$algorithm" compressed --nodesize 4K
		run_case "$algorithm-sha256" holds "compress-force=$algorithm" compressed \
			--csum sha256 -O ^no-holes
	done
fi
run_case huge holds '' huge
run_case huge-hole-items holds '' huge -O ^no-holes
run_case partial-reads partial_reads
run_case map-single map_is_true m1
run_case map-raid1 map_is_true 'm1 m2' -d raid1 -m raid1
run_case map-raid10 map_is_true 'm1 m2 m3 m4' -d raid10 -m raid1
run_case map-raid0 map_is_true 'm1 m2 m3' -d raid0 -m raid1
run_case map-raid5 map_is_true 'm1 m2 m3' -d raid5 -m raid1
run_case map-raid6 map_is_true 'm1 m2 m3 m4' -d raid6 -m raid1
finish
