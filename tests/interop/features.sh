#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/features.sh - each feature bit, on and off; seeds; images converted from ext4
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

feature() {	# MKFS-OPTION...
	make_image 256M img -- "$@"
	populate '' 'basic extents compressed=zstd' img
	reads_as_kernel img
}

feature_614() {
	need_progs614
	MKFS=$PROGS614/mkfs.btrfs feature "$@"
}

# Files made with one feature set, more files with another: both kinds of items in one tree.
no_holes_turned_on() {
	make_image 256M img -- -O ^no-holes
	populate '' extents img
	btrfstune -n img
	populate '' 'basic compressed=lzo' img
	reads_as_kernel img
}

metadata_uuid() {
	make_image 256M img
	populate '' basic img
	btrfstune -m img
	reads_as_kernel img
	succeeds info --json img
	python3 - out <<-'END'
		import json, sys
		info = json.load(open(sys.argv[1]))
		text = json.dumps(info)
		assert "metadata-uuid" in text.replace("_", "-"), text
	END
}

quota() {
	make_image 256M img
	mount_btrfs mnt img
	btrfs quota enable mnt
	btrfs subvolume create mnt/sub > /dev/null
	btrfs qgroup create 1/1 mnt
	btrfs qgroup limit 100M mnt/sub
	fill mnt/sub basic
	fill mnt basic
	unmount mnt
	reads_as_kernel img
}

simple_quota() {
	need_progs614
	MKFS=$PROGS614/mkfs.btrfs make_image 256M img -- -O squota
	mount_btrfs mnt img || lacks "simple quotas in the kernel"
	btrfs subvolume create mnt/sub > /dev/null
	fill mnt/sub basic extents
	btrfs subvolume snapshot mnt/sub mnt/snap > /dev/null
	unmount mnt
	reads_as_kernel img
}

# A file sealed by fs-verity is read like any other; its items are stored beside its inode.
verity() {
	make_image 256M img
	populate '' basic img
	mount_btrfs mnt img
	fill mnt verity || skip "fs-verity is not in this kernel"
	unmount mnt
	reads_as_kernel img
}

# The bit alone, as a filesystem has it whose sealed files are gone.
verity_bit() {
	make_image 256M img
	populate '' basic img
	raw super-set img 0 compat_ro='|4'
	reads_as_kernel img
}

free_space_cache_v1() {
	make_image 256M img -- -R ^free-space-tree
	populate space_cache=v1 'basic extents' img
	reads_as_kernel img
}

free_space_tree_built() {
	make_image 256M img -- -R ^free-space-tree
	populate '' basic img
	populate space_cache=v2 extents img
	reads_as_kernel img
}

seed() {
	make_image 256M base
	populate '' 'basic extents' base
	btrfstune -S 1 base
	truncate -s 256M sprout
	mount_btrfs mnt base
	btrfs device add -f "$(loop_attach sprout)" mnt > /dev/null
	mount -o remount,rw mnt
	fill mnt compressed=zstd
	echo changed >> mnt/basic/f100
	rm mnt/basic/f1
	unmount mnt
	reads_as_kernel sprout base
	get_matches list base sprout
	# The seed alone is a filesystem too; the sprout alone is not.
	remember mnt seed-list base
	get_matches seed-list base
	refuses 'missing|device' get sprout / "$DEST/got"
}

seed_of_seed() {
	make_image 256M one
	populate '' basic one
	btrfstune -S 1 one
	truncate -s 256M two three
	mount_btrfs mnt one
	btrfs device add -f "$(loop_attach two)" mnt > /dev/null
	mount -o remount,rw mnt
	fill mnt extents
	unmount mnt
	btrfs device scan --forget > /dev/null 2>&1 || true
	local first
	first=$(loop_attach one)
	btrfstune -f -S 1 "$(loop_attach two)" > tune.log 2>&1 || {
		cat tune.log >&2
		skip "btrfstune makes no seed of a sprout"
	}
	mount_btrfs mnt "$(losetup -j two -n -O NAME | tr -d ' ')" "$first"
	btrfs device add -f "$(loop_attach three)" mnt > /dev/null
	mount -o remount,rw mnt
	fill mnt compressed=zlib
	unmount mnt
	reads_as_kernel three two one
	get_matches list one two three
}

converted() {	# CONVERT-OPTION...
	need_cmd mkfs.ext4 btrfs-convert
	truncate -s 256M img
	mkfs.ext4 -q -F -b 4096 -O ^orphan_file,^metadata_csum_seed img
	mkdir mnt
	mount -o loop img mnt
	fill mnt basic special
	fallocate -l 1M mnt/unwritten
	umount mnt
	btrfs-convert "$@" img > convert.log 2>&1 || {
		cat convert.log >&2
		return 1
	}
	reads_as_kernel img
	tree paths list | tr '\0' '\n' | grep -q '^ext2_saved/image$'
}

run_case mixed-bg feature --mixed
run_case mixed-bg-4K feature --mixed --nodesize 4K
run_case no-extref feature -O ^extref
run_case no-skinny-metadata feature -O ^skinny-metadata
run_case no-holes feature -O no-holes
run_case holes feature -O ^no-holes
run_case no-holes-turned-on no_holes_turned_on
run_case free-space-tree feature -R free-space-tree
run_case free-space-cache-v1 free_space_cache_v1
run_case free-space-tree-built free_space_tree_built
run_case oldest feature -O ^extref,^skinny-metadata,^no-holes -R ^free-space-tree
run_case metadata-uuid metadata_uuid
run_case block-group-tree feature_614 -O block-group-tree
run_case quota quota
run_case simple-quota simple_quota
run_case verity verity
run_case verity-bit verity_bit
run_case seed seed
run_case seed-of-seed seed_of_seed
run_case converted converted
run_case converted-16K converted --nodesize 16K --csum xxhash
finish
