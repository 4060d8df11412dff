#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/badinput.sh - images that are none, or no longer: a clear error, no crash, no hang
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
export SECONDS_ALLOWED=10

make_base() {
	set -e
	mkdir "$TMP/base"
	cd "$TMP/base"
	make_image 256M img -- --metadata single --data single --nodesize 4K
	populate '' 'basic special xattrs=1000 extents compressed=zstd' img
	remember mnt list img
	raw nodes img > nodes
}
(make_base) || exit 1

base() {
	cp --sparse=always "$TMP"/base/{img,list,nodes} .
}

# Whatever comes back, it comes back in time, with a status of the command's own.
survives() {	# IMAGE
	local rc
	for verb in info 'ls -lR' used 'find-changed --since 0' dump; do
		rc=0
		# shellcheck disable=SC2086
		run_btrfsdio $verb "$1" || rc=$?
		[ $rc -le 1 ] || die "$verb: status $rc"
		[ $rc = 0 ] || [ -s err ] || [ "$verb" = dump ] || die "$verb failed without a word"
	done
	rc=0
	rm -rf got
	run_btrfsdio get "$1" / got || rc=$?
	[ $rc -le 1 ] || die "get: status $rc"
	[ $rc = 0 ] || [ -s err ] || die "get failed without a word"
	return $rc
}

no_filesystem() {
	: > empty
	head -c 100 /dev/zero > tiny
	head -c 65536 /dev/zero > short
	truncate -s 100M zeros
	head -c 4M /dev/urandom > random
	mkdir folder
	mkfifo fifo
	local bad
	for bad in empty tiny short zeros random /dev/null nowhere folder; do
		refuses "$bad" info "$bad"
		refuses "$bad" get "$bad" / got
	done
	refuses fifo info fifo
}

truncated() {
	base
	local size
	for size in 65536 66000 69632 1048576 4194304 10000000 100000000 268431360 268435455; do
		truncate -s "$size" cut.img
		dd if=img of=cut.img bs=64K iflag=count_bytes count="$size" conv=sparse,notrunc \
			status=none
		truncate -s "$size" cut.img
		refuses . get cut.img / got
		rm -f cut.img
	done
	# Cut short, and asked for what is left: what is read is right, what is not is said.
	truncate -s 100000000 img
	survives img || true
	local rc=0
	rm -rf got
	run_btrfsdio get --salvage img / got || rc=$?
	[ $rc -le 1 ]
}

# Noise over the whole image, more and more of it.
noise() {
	local i
	for i in 1 2 3 4 5 6 7 8; do
		base
		python3 - "$SEED" "$i" <<-'END'
			import os, random, sys
			rng = random.Random("%s-%s" % tuple(sys.argv[1:]))
			nodes = [int(line.split()[0]) for line in open("nodes")]
			with open("img", "r+b") as f:
			    for _ in range(2 ** int(sys.argv[2])):
			        f.seek(rng.choice(nodes) + rng.randrange(4096))
			        f.write(rng.randbytes(rng.choice((1, 2, 8, 100))))
		END
		survives img || true
	done
}

# The same with checksums made right again: now it is the checks behind them that must hold.
sealed_noise() {	# FIRST LAST
	local i
	for i in $(seq "$1" "$2"); do
		base
		python3 - "$SEED" "$i" "$INTEROP" <<-'END'
			import random, struct, sys
			sys.path.insert(0, sys.argv[3])
			import raw
			rng = random.Random("%s-%s" % tuple(sys.argv[1:3]))
			nodes = [int(line.split()[0]) for line in open("nodes")]
			odd = (0, 1, 2, 3, 0x7f, 0xff, 0x7fff, 0xffff, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
			with open("img", "r+b") as f:
			    for _ in range(rng.choice((1, 1, 2, 5, 20))):
			        at = rng.choice(nodes)
			        f.seek(at)
			        block = bytearray(f.read(4096))
			        used = struct.unpack_from("<I", block, 96)[0] * 25 + 101
			        for _ in range(rng.choice((1, 1, 3))):
			            # Headers and item headers matter more than what is between.
			            place = rng.randrange(32, rng.choice((101, min(used, 4088), 4088)))
			            code = rng.choice("BHIQ")
			            size = struct.calcsize(code)
			            value = rng.choice(odd) & (256 ** size - 1)
			            if rng.random() < 0.3:
			                value = rng.getrandbits(8 * size)
			            struct.pack_into("<" + code, block, min(place, 4096 - size), value)
			        struct.pack_into("<I", block, 0, raw.crc32c(block[32:]))
			        f.seek(at)
			        f.write(block)
		END
		survives img || true
	done
}

# A block that names itself as its child, and one that names its parent.
cycles() {
	local at bytenr level
	base
	while read -r at bytenr _ _ level; do
		[ "$level" -gt 0 ] || continue
		base
		python3 - "$at" "$bytenr" "$INTEROP" <<-'END'
			import struct, sys
			sys.path.insert(0, sys.argv[3])
			import raw
			at, bytenr = int(sys.argv[1]), int(sys.argv[2])
			with open("img", "r+b") as f:
			    f.seek(at)
			    block = bytearray(f.read(4096))
			    generation, = struct.unpack_from("<Q", block, 80)
			    for i in range(struct.unpack_from("<I", block, 96)[0]):
			        struct.pack_into("<QQ", block, 101 + 33 * i + 17, bytenr, generation)
			    struct.pack_into("<I", block, 0, raw.crc32c(block[32:]))
			    f.seek(at)
			    f.write(block)
		END
		survives img || true
	done < <(sort -k 3,3n nodes | tail -n 60 | grep -v ' 0$' | tail -n 8)
}

# A folder that contains itself, by a name added to it: neither ls nor get may go round.
folder_in_itself() {
	base
	cat > poison.py <<-'END'
		# Turns the entry "poison" of the folder "d" into one that points to "d" itself.
		import re, struct, sys
		sys.path.insert(0, sys.argv[1])
		import raw
		ino = {n: int(i) for n, i in (a.split("=") for a in sys.argv[2:])}
		# Where it points to, the transaction, two sizes, the type, the name.
		old = re.compile(re.escape(struct.pack("<QBQ", ino["poison"], 1, 0)) +
		                 rb"(.{8}\x00\x00\x06\x00\x02poison)", re.S)
		new = struct.pack("<QBQ", ino["d"], 1, 0)
		changed = 0
		with open("img", "r+b") as f:
		    for line in open("nodes"):
		        at = int(line.split()[0])
		        f.seek(at)
		        block = f.read(4096)
		        edited = bytearray(old.sub(lambda m: new + m[1], block))
		        if edited == block:
		            continue
		        changed += 1
		        struct.pack_into("<I", edited, 0, raw.crc32c(edited[32:]))
		        f.seek(at)
		        f.write(edited)
		assert changed
	END
	mount_btrfs mnt img
	mkdir -p mnt/d/poison
	echo x > mnt/d/file
	local d poison
	d=$(stat -c %i mnt/d)
	poison=$(stat -c %i mnt/d/poison)
	unmount mnt
	raw nodes img > nodes
	python3 poison.py "$INTEROP" "d=$d" "poison=$poison"
	refuses 'poison|director' ls -R img
	rm -rf got
	local rc=0
	run_btrfsdio get img / got || rc=$?
	[ $rc = 1 ] || die "get: status $rc"
	[ "$(cat got/d/file)" = x ]
	[ ! -e got/d/poison/poison/poison ]
}

# Names that would lead out of the destination.
names_that_lead_out() {
	local name
	for name in ../../escape /abs/escape ./a/../.b; do
		base
		mount_btrfs mnt img
		mkdir mnt/d
		# As long as the name that replaces it.
		local stand_in
		stand_in=$(printf 'Z%.0s' $(seq ${#name}))
		echo inside > "mnt/d/$stand_in"
		unmount mnt
		raw nodes img > nodes
		python3 - "$INTEROP" "$stand_in" "$name" <<-'END'
			import struct, sys
			sys.path.insert(0, sys.argv[1])
			import raw
			old, new = (a.encode() for a in sys.argv[2:])
			changed = 0
			with open("img", "r+b") as f:
			    for line in open("nodes"):
			        at = int(line.split()[0])
			        f.seek(at)
			        block = f.read(4096)
			        edited = bytearray(block.replace(old, new))
			        if edited != block:
			            changed += 1
			            struct.pack_into("<I", edited, 0, raw.crc32c(edited[32:]))
			            f.seek(at)
			            f.write(edited)
			assert changed
		END
		mkdir -p deep/er/dest
		local rc=0
		run_btrfsdio get img / deep/er/dest || rc=$?
		[ $rc = 1 ] || die "$name: status $rc"
		[ -z "$(find . -name '*escape*')" ] || die "$name left the destination"
		[ ! -e /abs/escape ]
		rm -rf deep
	done
}

# A link in the destination's way is not followed.
link_in_the_way() {
	base
	mkdir -p dest outside
	ln -s "$PWD/outside" dest/basic
	local rc=0
	run_btrfsdio get img / dest || rc=$?
	[ -z "$(ls -A outside)" ] || die "written through a link: $(ls outside)"
}

# Few bytes that decompress to many: what a file says of itself bounds the memory.
zip_bomb() {
	make_image 256M img
	mount_btrfs -o compress-force=zstd mnt img
	truncate -s 100M mnt/zeros
	dd if=/dev/zero of=mnt/zeros bs=1M count=100 conv=notrunc status=none
	unmount mnt
	raw nodes img > nodes
	python3 - "$INTEROP" <<-'END'
		# Every ram_bytes of a compressed 128 KiB extent becomes absurd.
		import struct, sys
		sys.path.insert(0, sys.argv[1])
		import raw
		old = struct.pack("<QBBHB", 131072, 3, 0, 0, 1)
		new = struct.pack("<QBBHB", 1 << 40, 3, 0, 0, 1)
		with open("img", "r+b") as f:
		    for line in open("nodes"):
		        at = int(line.split()[0])
		        f.seek(at)
		        block = f.read(16384)
		        edited = bytearray(block.replace(old, new))
		        if edited != block:
		            struct.pack_into("<I", edited, 0, raw.crc32c(edited[32:]))
		            f.seek(at)
		            f.write(edited)
	END
	local rc=0
	run_btrfsdio cat img /zeros || rc=$?
	[ $rc = 1 ] || die "cat: status $rc"
	survives img || true
}

# Told one thing, given another.
usage() {
	base
	local rc
	for words in '' nonsense 'get img' 'cat img' 'ls --nonsense img' 'info --super=7 img' \
		'info --super=x img' 'find-changed img' 'get --on-error=perhaps img / got' \
		'info --offset=-1 img' 'info img extra'; do
		rc=0
		# shellcheck disable=SC2086
		run_btrfsdio $words || rc=$?
		[ $rc = 2 ] || die "btrfsdio $words: status $rc, should be 2"
		[ -s err ] || die "btrfsdio $words: not a word"
	done
	refuses 'no such|not found' cat img /no/such/file
	refuses 'director' cat img /basic
	refuses 'director' ls img /basic/f1/below
	refuses 'no such|not found' get img /nowhere got
}

run_case no-filesystem no_filesystem
run_case truncated truncated
run_case noise noise
sets=$([ "$TIER" = long ] && echo 40 || echo 2)
for n in $(seq "$sets"); do
	time_left || break
	run_case "sealed-noise-$n" sealed_noise $((n * 10 - 9)) $((n * 10))
done
run_case cycles cycles
run_case folder-in-itself folder_in_itself
run_case names-that-lead-out names_that_lead_out
run_case link-in-the-way link_in_the_way
run_case zip-bomb zip_bomb
run_case usage usage
finish
