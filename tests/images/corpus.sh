#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/images/corpus.sh - public images, many of them damaged on purpose: an answer or an error
#
# Of some there is a manifest of what the kernel read: then all of it must be found. In the quick
# tier a sample is taken, as large as there is time for.
. "$(dirname "$0")/manifest.bash"
IMAGES=$SHARED/images
[ -d "$IMAGES" ] || skip "no images at $IMAGES"
need_cmd gzip xz zstd unzip tar python3

# unpack FILE: whatever it is, into images in the folder `unpacked`
unpack() {
	local name
	name=$(basename "$1")
	mkdir unpacked
	case $1 in
	*.tar.zst) zstd -dcq "$1" | tar -x --sparse -C unpacked ;;
	*.tar.xz) xz -dc "$1" | tar -x --sparse -C unpacked ;;
	*.gz) gzip -dc "$1" | sparse_copy "unpacked/${name%.gz}" ;;
	*.xz) xz -dc "$1" | sparse_copy "unpacked/${name%.xz}" ;;
	*.zst) zstd -dcq "$1" | sparse_copy "unpacked/${name%.zst}" ;;
	*.zip) unzip -q "$1" -d unpacked ;;
	*) cp "$1" unpacked ;;
	esac
	local image
	for image in unpacked/*; do
		restore "$image"
	done
}

sparse_copy() {
	dd of="$1" bs=64K conv=sparse iflag=fullblock status=none
}

# Dumps of btrfs-image and the disks of virtual machines become images.
restore() {
	case $(head -c 8 "$1" | od -An -tx1 | tr -d ' \n') in
	8b669572e2255cbd)
		need_cmd btrfs-image
		btrfs-image -r "$1" "$1.restored" > restore.log 2>&1 ||
			skip "btrfs-image does not restore it"
		mv "$1.restored" "$1"
		;;
	7668647866696c65)
		command -v qemu-img > /dev/null || skip "a vhdx, and there is no qemu-img"
		qemu-img convert -O raw "$1" "$1.raw"
		mv "$1.raw" "$1"
		;;
	esac
}

# arguments_of PATH IMAGE...: of the command, for these
arguments_of() {
	case $1 in
	discutils/*) echo --offset=1048576 ;;
	esac
	shift
	members "$@"
}

check_image() {	# PATH below IMAGES
	local list=$IMAGES/EXPECT/${1//\//__}.tsv images arguments
	unpack "$IMAGES/$1"
	mapfile -t images < <(find unpacked -type f | sort)
	mapfile -t arguments < <(arguments_of "$1" "${images[@]}")
	run_btrfsdio info "${arguments[@]}" || [ -s err ] || die "info failed without a word"
	if [ -e "$list" ]; then
		matches "$list" "${arguments[@]}"
		return
	fi
	run_btrfsdio ls -R "${arguments[@]}" || [ -s err ] || die "ls failed without a word"
	run_btrfsdio used "${arguments[@]}" || [ -s err ] || die "used failed without a word"
	rm -rf got
	run_btrfsdio get "${arguments[@]}" / got || [ -s err ] || die "get failed without a word"
}

echo "# seed $SEED"
tail -n +2 "$IMAGES/MANIFEST.tsv" | cut -f 1 |
	grep -vE '\.(txt|sendstream|bin)$' | shuffle > "$TMP/paths"
total=$(wc -l < "$TMP/paths")
done=0
while read -r path; do
	time_left || break
	[ -e "$IMAGES/$path" ] || continue
	run_case "$path" check_image "$path"
	done=$((done + 1))
done < "$TMP/paths"
echo "# $done of $total images"
finish
