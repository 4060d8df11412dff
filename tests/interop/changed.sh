#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/changed.sh - find-changed names all that was changed after a generation, no more
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs

generation() {
	raw super-get img 0 generation
}

# changes_since GENERATION [OPTION...]: into changes, a line per change: KIND PATH DETAIL
changes_since() {
	local since=$1
	shift
	succeeds find-changed --since "$since" --json "$@" img
	python3 - > changes <<-'END'
		import json, os, sys
		def text(record, key):
		    if key + "_hex" in record:
		        return os.fsdecode(bytes.fromhex(record[key + "_hex"]))
		    return record[key]
		for c in json.load(open("out"))["changes"]:
		    for path in c["paths"] or [{"path": "?"}]:
		        detail = {"data": lambda: "%d+%d" % (c["offset"], c["length"]),
		                  "name": lambda: text(c, "name"), "xattr": lambda: text(c, "name"),
		                  "inode": lambda: "created" if c["created"] else "changed"}[c["kind"]]()
		        print(c["kind"], text(path, "path"), detail)
	END
}

# has LINE... / has_not PATTERN...
has() {
	local line
	for line; do
		grep -qxF -- "$line" changes || die "not listed: $line, but $(cat changes)"
	done
}

has_not() {
	local pattern
	for pattern; do
		! grep -qE -- "$pattern" changes || die "listed: $(grep -E -- "$pattern" changes)"
	done
}

known_changes() {
	make_image 256M img -- "$@"
	populate '' 'basic extents' img
	local before
	before=$(generation)
	mount_btrfs mnt img
	python3 - <<-'END'
		import os
		with open("mnt/basic/big", "r+b") as f:
		    f.seek(409600)
		    f.write(b"x" * 8192)
		with open("mnt/basic/new", "wb") as f:
		    f.write(b"n" * 20000)
		os.mkdir("mnt/basic/newdir")
		os.link("mnt/basic/f4095", "mnt/basic/newdir/hard")
		os.chmod("mnt/basic/f2048", 0o600)
		os.setxattr("mnt/basic/f2049", "user.new", b"v")
		os.rename("mnt/basic/f65536", "mnt/basic/renamed")
		with open("mnt/basic/f3900", "ab") as f:
		    f.write(b"a" * 9000)
		os.truncate("mnt/basic/tail", 600000)
		os.unlink("mnt/basic/f1")
	END
	unmount mnt
	changes_since "$before"
	has 'data /basic/big 409600+8192' 'inode /basic/big changed' \
		'inode /basic/new created' 'name /basic new' 'data /basic/new 0+20480' \
		'name /basic newdir' 'inode /basic/newdir created' 'name /basic/newdir hard' \
		'inode /basic/f2048 changed' 'xattr /basic/f2049 user.new' \
		'name /basic renamed' 'inode /basic/renamed changed' \
		'inode /basic/tail changed'
	has_not '^data /basic/big [0-35-9]' '^[a-z]* /extents' '^[a-z]* /basic/f(0|100|131072)\b' \
		'^data /basic/(f2048|f2049|renamed) '
	# Nothing happened after the last generation, and everything after none.
	changes_since "$(generation)"
	[ ! -s changes ] || die "$(cat changes)"
	changes_since 0
	has 'inode /basic/big created' 'name / basic' 'name / extents' 'inode / created'
}

# Many files, few changes: what did not change is not read.
cost_goes_with_change() {
	make_image 512M img
	populate '' directory=30000 img
	local before
	before=$(generation)
	mount_btrfs mnt img
	echo one > mnt/directory=30000/entry-12345
	unmount mnt
	changes_since "$before"
	has 'inode /directory=30000/entry-12345 changed'
	[ "$(wc -l < changes)" -le 3 ] || die "$(cat changes)"
}

of_a_subvolume() {
	make_image 256M img
	mount_btrfs mnt img
	btrfs subvolume create mnt/sub > /dev/null
	fill mnt/sub basic
	unmount mnt
	local before
	before=$(generation)
	mount_btrfs mnt img
	btrfs subvolume snapshot mnt/sub mnt/snap > /dev/null
	echo changed > mnt/snap/basic/f100
	echo top > mnt/top
	unmount mnt
	changes_since "$before" --subvol=snap
	has 'inode /basic/f100 changed'
	has_not 'f1 ' ' /top'
	changes_since "$before" --subvol=sub
	has_not f100
	changes_since "$before"
	has 'name / top' 'name / snap' 'inode /top created'
}

# What a rebuilt image gets: the old one with only the listed ranges copied equals the new one.
ranges_suffice() {
	make_image 256M img
	populate compress=zstd 'basic extents compressed=lzo' img
	local before
	before=$(generation)
	mount_btrfs -o ro mnt img
	cp -a --sparse=always mnt old
	unmount mnt
	mount_btrfs mnt img
	python3 - "$SEED" <<-'END'
		import os, random, sys
		rng = random.Random(int(sys.argv[1]))
		files = sorted(os.path.join(d, n) for d, _, names in os.walk("mnt") for n in names
		               if os.path.isfile(os.path.join(d, n)) and n != "nocow"
		               and not os.path.islink(os.path.join(d, n)))
		for path in rng.sample(files, 25):
		    size = os.path.getsize(path)
		    with open(path, "r+b") as f:
		        f.seek(rng.randint(0, size))
		        f.write(rng.randbytes(rng.choice((1, 100, 5000, 70000))))
	END
	unmount mnt
	mount_btrfs -o ro mnt img
	cp -a --sparse=always mnt new
	unmount mnt
	changes_since "$before"
	python3 - <<-'END'
		import os
		for line in open("changes"):
		    kind, rest = line.rstrip("\n").split(" ", 1)
		    path, detail = rest.rsplit(" ", 1)
		    if kind == "inode" and os.path.isfile("new" + path):
		        os.truncate("old" + path, os.path.getsize("new" + path))
		for line in open("changes"):
		    kind, rest = line.rstrip("\n").split(" ", 1)
		    path, detail = rest.rsplit(" ", 1)
		    if kind != "data":
		        continue
		    offset, length = map(int, detail.split("+"))
		    with open("new" + path, "rb") as n, open("old" + path, "r+b") as o:
		        n.seek(offset)
		        o.seek(offset)
		        o.write(n.read(length))
	END
	diff -r --no-dereference old new
}

run_case known-changes known_changes
run_case known-changes-4K known_changes --nodesize 4K -O ^no-holes
run_case cost cost_goes_with_change
run_case subvolume of_a_subvolume
run_case ranges-suffice ranges_suffice
finish
