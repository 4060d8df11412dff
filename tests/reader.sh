# SPDX-License-Identifier: MIT
# tests/reader.sh - lib.sh, and what the tests share that compare what the command reads
# shellcheck shell=bash disable=SC2128,SC2178
#
# Images are sparse and small: they live in memory where there is room for that.
memory=$(df --output=avail -B 1M /dev/shm 2> /dev/null | tail -n 1)
[ "${memory:-0}" -lt 4096 ] || BDIO_TMP=${BDIO_TMP:-/dev/shm}
export PYTHONDONTWRITEBYTECODE=1
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
INTEROP=$SOURCE/tests/interop

[ -x "$BTRFSDIO" ] || skip "$BTRFSDIO is not built"

tree() { python3 "$INTEROP/tree.py" "$@"; }
fill() { python3 "$INTEROP/fill.py" "$@"; }
facts() { python3 "$INTEROP/facts.py" "$@"; }
raw() { python3 "$INTEROP/raw.py" "$@"; }

# A folder on a btrfs of its own to extract into: there everything that an image can hold fits,
# and folders have the same sizes and link counts. It stays mounted for the whole script.
make_destination() {
	DEST=$TMP/destination
	truncate -s 64G "$TMP/destination.img"
	mkfs.btrfs -q --nodesize 64K "$TMP/destination.img" > /dev/null
	mkdir "$DEST"
	mount -t btrfs -o loop,noatime "$TMP/destination.img" "$DEST"
}

# make_image SIZE FILE... [-- MKFS-OPTION...]: files of that size with one filesystem over them
make_image() {
	local size=$1 files=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		rm -f "$1"
		truncate -s "$size" "$1"
		files+=("$1")
		shift
	done
	[ $# -eq 0 ] || shift
	"${MKFS:-mkfs.btrfs}" -q -f "$@" "${files[@]}" > mkfs.log 2>&1 || {
		cat mkfs.log >&2
		return 1
	}
}

# run_btrfsdio COMMAND ARG...: within what a reader may take; its output stays in out and err
run_btrfsdio() {
	local rc=0
	bounded "${SECONDS_ALLOWED:-60}" 1024 "$BTRFSDIO" "$@" > out 2> err || rc=$?
	if grep -qE 'Sanitizer|runtime error:' err || [ $rc -gt 2 ]; then
		echo "btrfsdio $*: status $rc" >&2
		tail -n 40 err >&2
		exit 1
	fi
	return $rc
}

# members IMAGE...: the arguments that name these images
members() {
	local first=$1 image
	shift
	for image; do
		printf -- '--device=%s\n' "$image"
	done
	printf '%s\n' "$first"
}

# succeeds COMMAND ARG...: status 0 and nothing said
succeeds() {
	run_btrfsdio "$@" || {
		echo "btrfsdio $*: status $?" >&2
		head -n 20 err >&2
		return 1
	}
}

# refuses PATTERN COMMAND ARG...: status 1, and standard error says why
refuses() {
	local pattern=$1 rc=0
	shift
	run_btrfsdio "$@" || rc=$?
	[ $rc = 1 ] || die "btrfsdio $*: status $rc, should be 1"
	grep -qiE -- "$pattern" err || {
		cat err >&2
		die "btrfsdio $*: standard error does not say /$pattern/"
	}
}

# get_matches LIST OPTION... IMAGE...: what is extracted is what LIST says
get_matches() {
	local list=$1 options=() images
	shift
	while [ "${1#-}" != "$1" ]; do
		options+=("$1")
		shift
	done
	mapfile -t images < <(members "$@")
	rm -rf "$DEST/got"
	succeeds get "${options[@]}" "${images[@]}" / "$DEST/got" || return
	tree diff --ignore "${IGNORE:-}" "$list" "$DEST/got"
}

# remember POINT LIST FILE...: LIST says what the kernel reads from these images
remember() {
	local point=$1 list=$2
	shift 2
	mount_btrfs -o "ro${MOUNT_OPTIONS:+,$MOUNT_OPTIONS}" "$point" "$@"
	tree scan "$point" > "$list"
	unmount "$point"
}

# populate OPTIONS TOPICS FILE...: the kernel puts these topics of fill.py into the images
populate() {
	local options=$1 topics=$2
	shift 2
	mount_btrfs -o "noatime${options:+,$options}" mnt "$@"
	# shellcheck disable=SC2086
	fill mnt $topics
	unmount mnt
}

# reads_as_kernel IMAGE...: remember, then get_matches
reads_as_kernel() {
	remember mnt list "$@"
	get_matches list "$@"
}

# facts_match LIST IMAGE...: `stat` of each path and `ls -lR` say what LIST says
facts_match() {
	local list=$1 paths images
	shift
	mapfile -t images < <(members "$@")
	mapfile -t -d '' paths < <(tree paths "$list")
	succeeds ls -lR --json "${images[@]}" /
	facts ls "$list" out
	succeeds stat --json "${images[@]}" "${paths[@]/#/\/}"
	facts stat "$list" out
}
