# SPDX-License-Identifier: MIT
# tests/lib.sh - what the test scripts share: cases, skips, loop devices, mounts, the kernel log
#
#	. "$(dirname "$0")/../lib.sh"
#	need_kernel_btrfs
#
#	reads_raid1() {		# runs under `set -e`, in a folder of its own
#		truncate -s 256M a.img b.img
#		mkfs.btrfs -q -d raid1 a.img b.img
#		mount_btrfs mnt a.img b.img
#		...
#		unmount mnt
#		kernel_log_clean
#	}
#	run_case reads_raid1
#	run_case other_name other_function its arguments
#	finish
#
# A case passes when its function returns 0. It is skipped by `skip REASON` or one of the
# need_* functions; called outside of a case these skip the whole script. Loop devices,
# mounts and files of a case go away with it, whatever happens. scripts/test adds up the lines
# `ok NAME`, `not ok NAME` and `skip NAME: reason` that this prints.

set -u -o pipefail
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

SOURCE=${BDIO_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
BUILD=${BDIO_BUILD:-$SOURCE/build/dev}
BTRFSDIO=$BUILD/btrfsdio		# the command under test
SCRIPT=$(basename "$0" .sh)
SEED=${BDIO_SEED:-1}			# printed by scripts/test; for sampling
DEADLINE=${BDIO_DEADLINE:-0}		# epoch second at which this kind's budget ends; 0: none
TIER=${BDIO_TIER:-quick}		# quick, sanitize or long

passed=0 failed=0 skipped=0
in_case=

# --- cases -----------------------------------------------------------------------------------

pass() {
	passed=$((passed + 1))
	echo "ok $SCRIPT.$1"
}

fail() {	# NAME [WHY]
	failed=$((failed + 1))
	[ -z "${2:-}" ] || echo "# $2"
	echo "not ok $SCRIPT.$1"
}

# Inside a case: end it as skipped. Outside: end the whole script as skipped.
skip() {	# REASON
	echo "SKIP: $*"
	[ -n "$in_case" ] || echo "skip $SCRIPT: $*"
	exit 77
}

# Inside a case: end it as failed.
die() {
	echo "FAIL: $*" >&2
	exit 1
}

run_case() {	# NAME [FUNCTION [ARG...]]
	local name=$1 rc=0
	shift
	[ $# -gt 0 ] || set -- "$name"
	local dir=$TMP/case log=$TMP/case.log
	mkdir "$dir"
	(
		in_case=$name
		trap 'status=$?; cd /; sweep "$dir"; exit $status' EXIT
		trap 'exit 143' TERM INT
		cd "$dir" || exit 1
		kernel_log_mark
		set -eE
		trap 'echo "at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND: status $?" >&2' ERR
		"$@"
	) > "$log" 2>&1
	rc=$?
	case $rc in
	0)
		pass "$name"
		;;
	77)
		skipped=$((skipped + 1))
		echo "skip $SCRIPT.$name: $(sed -n 's/^SKIP: //p' "$log" | tail -n 1)"
		;;
	*)
		tail -n 60 "$log" | sed 's/^/# /'
		fail "$name" "exit status $rc"
		;;
	esac
}

# The last line of every script.
finish() {
	finished=1
	[ "$failed" -eq 0 ] || exit 1
	[ "$passed" -gt 0 ] && exit 0
	[ "$skipped" -gt 0 ] && exit 77
	echo "# no case ran"
	exit 1
}

# --- what a test needs -----------------------------------------------------------------------

# BDIO_REQUIRE_ORACLES=1 says that this machine has everything: then nothing is excused.
lacks() {	# WHAT
	[ "${BDIO_REQUIRE_ORACLES:-0}" = 0 ] || die "needs $*, which this machine should have"
	skip "needs $*"
}

need_cmd() {
	local cmd
	for cmd; do
		command -v "$cmd" > /dev/null || lacks "the command $cmd"
	done
}

need_root() {
	[ "$(id -u)" = 0 ] || lacks root
}

need_loop() {
	need_root
	need_cmd losetup
	losetup --find > /dev/null 2>&1 || lacks "loop devices"
}

need_kernel_btrfs() {
	need_loop
	grep -qw btrfs /proc/filesystems || modprobe btrfs 2> /dev/null ||
		lacks "btrfs in the kernel"
}

# Sets PROGS614 to the folder of the newer mkfs.btrfs, btrfs, ...; plain names are Debian 12's.
need_progs614() {
	PROGS614=$SOURCE/build/btrfs-progs-6.14/bin
	[ -x "$PROGS614/btrfs" ] || skip "btrfs-progs 6.14 is not in build/ (scripts/fetch-btrfs-progs)"
}

# --- devices and mounts ----------------------------------------------------------------------

# Everything that lives below DIR, found by asking the kernel: nothing has to be remembered.
sweep() {	# DIR
	local dir=$1 what back
	awk -v d="$dir/" 'index($5, d) == 1 { print $5 }' /proc/self/mountinfo | tac |
		while read -r what; do
			umount "$(printf %b "$what")" || umount -l "$(printf %b "$what")"
		done
	if [ "$(id -u)" = 0 ] && command -v losetup > /dev/null; then
		losetup --list --noheadings --output NAME,BACK-FILE 2> /dev/null |
			while read -r what back; do
				case $back in
				"$dir"/*) losetup --detach "$what" ;;
				esac
			done
	fi
	chmod -R u+rwX "$dir" 2> /dev/null
	rm -rf "$dir"
}

loop_attach() {	# FILE [LOSETUP-OPTION...]: prints the device
	local file
	file=$(realpath "$1")
	shift
	losetup --find --show "$@" "$file"
}

loop_detach() {	# DEVICE...
	local device
	for device; do
		btrfs device scan --forget "$device" > /dev/null 2>&1 || true
		losetup --detach "$device"
	done
}

# mount_btrfs [-o OPTIONS] MOUNTPOINT FILE...: attaches what is no device yet, mounts all of it
mount_btrfs() {
	local options='' point file device first=
	if [ "$1" = -o ]; then
		options=$2
		shift 2
	fi
	point=$1
	shift
	for file; do
		device=$file
		[ -b "$file" ] || device=$(loop_attach "$file") || return 1
		first=${first:-$device}
		options=${options:+$options,}device=$device
	done
	mkdir -p "$point"
	mount -t btrfs -o "$options" "$first" "$point"
}

# unmount MOUNTPOINT: unmounts and detaches the loop devices of this case's files
unmount() {
	local device back
	umount "$1"
	losetup --list --noheadings --output NAME,BACK-FILE | while read -r device back; do
		case $back in
		"$PWD"/*) loop_detach "$device" ;;
		esac
	done
}

# --- the kernel's opinion --------------------------------------------------------------------

kernel_log_mark() {
	read -r log_mark _ < /proc/uptime
}

# Lines of the kernel log since the case began that speak of btrfs trouble. Several scripts may
# run at a time: messages that name a loop device count only if its file is ours.
kernel_log() {
	local ours
	ours=$(losetup --list --noheadings --output NAME,BACK-FILE 2> /dev/null |
		awk -v d="$TMP/" 'index($2, d) == 1 { sub("/dev/", "", $1); print $1 }')
	dmesg 2> /dev/null | awk -v mark="$log_mark" -v ours="$ours" '
		BEGIN { split(ours, list); for (i in list) mine[list[i]] = 1 }
		{
			time = $0
			sub(/^\[ */, "", time); sub(/\].*/, "", time)
			if (time + 0 < mark + 0)
				next
			if (match($0, /device loop[0-9]+/)) {
				device = substr($0, RSTART + 7, RLENGTH - 7)
				if (!(device in mine))
					next
			}
		}
		/BTRFS (warning|error|critical)|BTRFS: error/ { print; next }
		/WARNING:|BUG:|kernel BUG|Oops|KASAN/ { print }'
}

# Call it before the loop devices are detached.
kernel_log_clean() {
	local lines
	lines=$(kernel_log)
	[ -z "$lines" ] || die "the kernel log speaks: $lines"
}

# --- bounds ----------------------------------------------------------------------------------

# bounded SECONDS MIB COMMAND...: its status; 124 when it took too long, 125 too much memory
bounded() {
	local seconds=$1 mib=$2 peak rc=0
	shift 2
	timeout --kill-after=5 "$seconds" /usr/bin/time -q -f %M -o "$TMP/peak" "$@" || rc=$?
	peak=$(tail -n 1 "$TMP/peak" 2> /dev/null || echo 0)
	if [ "${peak:-0}" -gt $((mib * 1024)) ]; then
		echo "used $((peak / 1024)) MiB of memory, the limit is $mib" >&2
		return 125
	fi
	return $rc
}

# True while this kind of test has time left; loops over large sets stop when it is not.
time_left() {
	[ "$DEADLINE" = 0 ] || [ "$(date +%s)" -lt $((DEADLINE - 10)) ]
}

# shuffle: standard input's lines in an order that SEED alone decides
shuffle() {
	shuf --random-source=<(yes "$SEED")
}

# --- comparing -------------------------------------------------------------------------------

# tree_listing DIR: a line per entry with its metadata, file contents as checksums
tree_listing() {
	(
		cd "$1" || exit 1
		find . -mindepth 1 -printf '%y %m %U %G %n %s %T@ %p -> %l\n' |
			sed -E 's/^(d [0-7]+ [0-9]+ [0-9]+) [0-9]+ [0-9]+/\1 - -/' | sort -k 8
		find . -type f -print0 | sort -z | xargs -0 -r sha256sum
		if command -v getfattr > /dev/null; then
			find . -print0 | sort -z | xargs -0 -r getfattr -h -d -m - -e hex 2> /dev/null
		fi
	)
}

# same_tree A B: both folders hold the same names, metadata and bytes
same_tree() {
	diff -u <(tree_listing "$1") <(tree_listing "$2") | head -n 40
}

# --- start -----------------------------------------------------------------------------------

finished=
TMP=$(mktemp -d "${BDIO_TMP:-${TMPDIR:-/tmp}}/btrfsdio-$SCRIPT.XXXXXX") || exit 1
at_exit() {
	local status=$?
	if [ -z "$finished" ] && [ $status != 77 ]; then
		echo "not ok $SCRIPT: ended before its last line, status $status"
		[ $status != 0 ] || status=1
	fi
	sweep "$TMP"
	exit $status
}
trap at_exit EXIT
trap 'exit 143' TERM INT
