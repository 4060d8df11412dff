#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/formats.sh - checksums, node sizes, sector sizes
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

checksum_nodesize() {	# CSUM NODESIZE
	make_image 256M img -- --csum "$1" --nodesize "$2"
	populate '' 'basic special' img
	reads_as_kernel img
}

# The kernel of a host with 4 KiB pages may not mount these: mkfs makes them out of a folder,
# and the folder is the judge. Its sizes of folders and its holes are another filesystem's; mkfs
# itself loses fractions of seconds and device numbers, and the older one the root's time.
sectorsize() {	# SECTORSIZE NODESIZE CSUM
	mkdir source
	fill source basic special
	tree scan --seconds source > list
	make_image 256M img -- --sectorsize "$1" --nodesize "$2" --csum "$3" --rootdir source
	IGNORE=dirsize,dirnlink,map,rdev,${ROOT_TIME-rootmtime} get_matches list img
}

sectorsize_614() {
	need_progs614
	ROOT_TIME='' MKFS=$PROGS614/mkfs.btrfs sectorsize "$@"
}

# The segments of LZO and the padding of all three depend on the sector.
compressed_614() {	# SECTORSIZE ALGORITHM
	need_progs614
	mkdir source
	fill source basic
	python3 - "$INTEROP" <<-'END'
		import os, sys
		sys.path.insert(0, sys.argv[1])
		import fill
		for n in (1, 100, 4095, 4097, 65535, 65536, 65537, 131072, 200000, 400001, 1000003):
		    fill.put("source/t%d" % n, fill.prose(n, n))
	END
	tree scan --seconds source > list
	MKFS=$PROGS614/mkfs.btrfs make_image 256M img -- --sectorsize "$1" --nodesize 64K \
		--compress "$2" --rootdir source
	IGNORE=dirsize,dirnlink,map get_matches list img
}

for csum in crc32c xxhash sha256 blake2; do
	for nodesize in 4K 16K 64K; do
		run_case "$csum-$nodesize" checksum_nodesize $csum $nodesize
	done
done
while read -r arguments; do
	name=${arguments%% *}
	# shellcheck disable=SC2086
	run_case "sectorsize-$name" sectorsize $arguments
	# shellcheck disable=SC2086
	run_case "sectorsize-$name-progs614" sectorsize_614 $arguments
done <<-END
	4K 4K crc32c
	8K 16K xxhash
	16K 16K sha256
	64K 64K blake2
END
for sectorsize in 4K 16K 64K; do
	for algorithm in zlib lzo zstd; do
		run_case "$algorithm-$sectorsize" compressed_614 $sectorsize $algorithm
	done
done
finish
