#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/used.sh - the used ranges, and images of nothing but them
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination

# checks_clean IMAGE...: btrfs check likes it, data included
checks_clean() {
	local devices=() image
	for image; do
		devices+=("$(loop_attach "$image")")
	done
	btrfs device scan "${devices[@]}" > /dev/null
	btrfs check --check-data-csum "${devices[0]}" > check.log 2>&1 || {
		cat check.log >&2
		return 1
	}
	loop_detach "${devices[@]}"
}

# Only the listed ranges are copied, by another hand: the copy is the filesystem.
ranges_suffice() {	# COUNT MKFS-OPTION...
	local count=$1 images=() copies=() i
	shift
	for i in $(seq "$count"); do
		images+=("m$i")
		copies+=("copies/m$i")
	done
	make_image 256M "${images[@]}" -- "$@"
	populate '' 'basic extents compressed=zstd' "${images[@]}"
	remember mnt list "${images[@]}"
	mkdir copies
	truncate -s 256M "${copies[@]}"
	# shellcheck disable=SC2046
	succeeds used --json $(members "${images[@]}")
	python3 - "${images[@]}" <<-'END'
		import json, sys
		listed = json.load(open("out"))
		assert listed["complete"]
		end = {}
		for r in listed["ranges"]:
		    name = sys.argv[r["devid"]]
		    # Ascending and apart, device by device.
		    assert r["physical"] >= end.get(r["devid"], 0), r
		    end[r["devid"]] = r["physical"] + r["length"]
		    assert r["length"] > 0 and set(r["kind"]) <= {"super", "metadata", "data", "parity"}, r
		    with open(name, "rb") as f, open("copies/" + name, "r+b") as t:
		        f.seek(r["physical"])
		        t.seek(r["physical"])
		        t.write(f.read(r["length"]))
		total = sum(r["length"] for r in listed["ranges"])
		assert total == listed["bytes"], listed["bytes"]
		assert len(end) == len(sys.argv) - 1, end
		# Not simply everything: these images are nearly empty.
		assert total < 100 << 20, total
	END
	checks_clean "${copies[@]}"
	get_matches list "${copies[@]}"
	remember mnt copied "${copies[@]}"
	diff list copied
}

# The amount of each kind is what the block groups say is used.
amounts_agree() {
	make_image 512M img -- -d single -m single
	populate '' 'basic extents compressed=zstd' img
	succeeds used --json img
	cp out used.json
	succeeds info --json img
	python3 - <<-'END'
		import json
		ranges = json.load(open("used.json"))["ranges"]
		info = json.load(open("out"))
		for kind, names in (("data", ("data",)), ("metadata", ("metadata", "system"))):
		    listed = sum(r["length"] for r in ranges if kind in r["kind"])
		    used = sum(u["used"] for u in info["usage"] if u["type"].split("|")[0] in names)
		    assert listed == used, (kind, listed, used)
	END
}

image_opens() {	# COUNT MKFS-OPTION...
	local count=$1 images=() copies=() i
	shift
	for i in $(seq "$count"); do
		images+=("m$i")
	done
	make_image 256M "${images[@]}" -- "$@"
	populate '' 'basic extents compressed=lzo' "${images[@]}"
	remember mnt list "${images[@]}"
	mkdir copies
	copies=("${images[@]/#/copies/}")
	# shellcheck disable=SC2046
	succeeds image $(members "${images[@]}") "${copies[@]}"
	[ "$(stat -c %s "${copies[0]}")" = $((256 << 20)) ]
	[ "$(du -m "${copies[0]}" | cut -f 1)" -lt 60 ] || die "not sparse"
	get_matches list "${copies[@]}"
	checks_clean "${copies[@]}"
	mount_btrfs mnt "${copies[@]}"
	btrfs scrub start -B mnt > scrub.log
	grep -q 'no errors found' scrub.log
	tree diff --ignore dirmtime list mnt
	echo more > mnt/written
	unmount mnt
}

run_case ranges-single ranges_suffice 1 -m dup
run_case ranges-mixed ranges_suffice 1 --mixed --nodesize 4K
run_case ranges-raid1 ranges_suffice 2 -d raid1 -m raid1
run_case ranges-raid0 ranges_suffice 3 -d raid0 -m raid1c3
run_case ranges-raid10 ranges_suffice 4 -d raid10 -m raid10
run_case ranges-raid5 ranges_suffice 3 -d raid5 -m raid5
run_case ranges-raid6 ranges_suffice 4 -d raid6 -m raid6
run_case amounts amounts_agree
run_case image image_opens 1
run_case image-old-features image_opens 1 -O ^skinny-metadata,^no-holes -R ^free-space-tree
run_case image-raid1 image_opens 2 -d raid1 -m raid1
run_case image-raid0 image_opens 4 -d raid0 -m raid0
run_case image-raid10 image_opens 4 -d raid10 -m raid10
run_case image-raid5 image_opens 3 -d raid5 -m raid1
finish
