#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/cli/cli.sh - the command itself: its line, exit status, text, JSON, names, output that fails
. "$(dirname "$0")/../lib.sh"
need_cmd mkfs.btrfs python3
[ -x "$BTRFSDIO" ] || skip "$BTRFSDIO is not built"

# --- the image that all cases read -------------------------------------------------------------

SOURCE_TREE=$TMP/source
IMG=$TMP/img
NEWLINE=$'new\nline' ESCAPE=$'esc\e[31m' INVALID=$'bad\xff\xfeutf' BIDI=$'bidi\xe2\x80\xaex'

make_source() {
	mkdir -p "$SOURCE_TREE/dir/empty"
	cd "$SOURCE_TREE" || exit 1
	seq 100000 > dir/numbers
	python3 -c 'import random, sys
sys.stdout.buffer.write(random.Random(1).randbytes(3 << 20))' > dir/random
	echo hello > small
	touch "$NEWLINE" "$ESCAPE" "$INVALID" "$BIDI" 'back\slash' 'grün' ' space '
	ln small dir/hardlink
	ln -s dir/numbers link
	ln -s nowhere dangling
	mkfifo dir/fifo
	cd / || exit 1
}

make_source
mkfs.btrfs -q --rootdir "$SOURCE_TREE" -L "$ESCAPE" "$IMG" > /dev/null 2>&1 ||
	skip "this mkfs.btrfs has no --rootdir"

# run ARG...: the command's status; its output in out and err
run() {
	"$BTRFSDIO" "$@" > out 2> err
}

# status N ARG...
status() {
	local want=$1 rc=0
	shift
	run "$@" || rc=$?
	[ $rc = "$want" ] || {
		head -n 20 err >&2
		die "btrfsdio $*: status $rc, should be $want"
	}
}

# usage ARG...: status 2, nothing on standard output, and the command or the option is named
usage() {
	status 2 "$@"
	[ ! -s out ] || die "btrfsdio $*: a usage error on standard output"
	grep -q '^btrfsdio' err || die "btrfsdio $*: nothing said"
}

says() {	# PATTERN FILE
	grep -qE -- "$1" "$2" || {
		cat "$2" >&2
		die "does not say /$1/"
	}
}

# python CODE: over the JSON in out, as `j`
check_json() {
	python3 -c "import json, sys
j = json.load(open('out'))
$1"
}

# diff(1) takes two fifos for different.
same_files() {	# DIR
	diff -r --no-dereference --exclude=fifo "$SOURCE_TREE" "$1"
	[ -p "$1/dir/fifo" ] && [ "$1/small" -ef "$1/dir/hardlink" ]
}

# --- the line ----------------------------------------------------------------------------------

usage_errors() {
	status 2
	says 'Usage:' err
	usage nonsense
	usage info
	usage info "$IMG" extra
	usage ls --nonsense "$IMG"
	usage ls -l -0 "$IMG"
	usage stat "$IMG"
	usage cat "$IMG"
	usage get "$IMG" /
	usage get "$IMG" / a b
	usage get --on-error=perhaps "$IMG" / got
	usage get --threads=0 "$IMG" / got
	usage get --threads=65 "$IMG" / got
	usage find-changed "$IMG"
	usage image "$IMG"
	usage image "$IMG" one two
	usage dump --tree=nonsense "$IMG"
	usage dump --tree=5 --block=4096 "$IMG"
	usage dump --json "$IMG"
	usage cat --json "$IMG" /small
	usage bench "$IMG"
	usage bench --raw "$IMG" /small
	usage bench --bs=1000 "$IMG" /dir/random
	usage bench --rw=write "$IMG" /dir/random
	usage info --super=3 "$IMG"
	usage info --backup-root=0 "$IMG"
	usage info --backup-root=5 "$IMG"
	usage info --device
	[ ! -e got ] && [ ! -e one ]
}

numbers() {
	local number
	for number in '' 1x 1KK K -1 +1 ' 1' '1 ' 1.5 0x 0xg 18446744073709551616 16777216T \
		17179869184G 0x10000000000000000; do
		usage cat --length="$number" "$IMG" /small
	done
	for number in 0 6 0x6 1K 1k 1M 1G 1T 16777215T 18446744073709551615; do
		status 0 cat --length="$number" "$IMG" /small
	done
	status 0 cat --length=0x3 "$IMG" /small
	[ "$(cat out)" = hel ]
	status 0 cat --offset=1K --length=2K "$IMG" /dir/random
	cmp out <(dd if="$SOURCE_TREE/dir/random" bs=1K skip=1 count=2 status=none)
}

help_and_version() {
	local name
	status 0 --help
	says 'Usage: btrfsdio COMMAND' out
	sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' out > names
	[ "$(wc -l < names)" -ge 11 ]
	while read -r name; do
		status 0 "$name" --help
		says "^Usage: btrfsdio $name" out
		says '--device=FILE' out
	done < names
	status 0 --version
	says '^btrfsdio [0-9]+\.[0-9]+\.[0-9]+ \(libbtrfsdio [0-9.]+\)$' out
	status 0 ls --version
}

# Options may stand anywhere, and behind -- nothing is one.
order_of_arguments() {
	status 0 ls "$IMG" /dir --json
	check_json 'assert len(j["entries"]) == 5, j'
	status 0 ls --json -- "$IMG" /dir
	status 1 ls -- "$IMG" --json
}

exit_statuses() {
	status 0 info "$IMG"
	status 1 info nowhere
	says '^btrfsdio: nowhere: ' err
	status 1 info /dev/null
	status 1 ls "$IMG" /nowhere
	says '^btrfsdio: /nowhere: ' err
	status 1 ls "$IMG" /nowhere /dir
	says '^numbers$' out
	status 1 stat "$IMG" /small /nowhere
	status 1 cat "$IMG" /dir
	status 1 cat "$IMG" /dir/fifo
	status 1 cat "$IMG" /dangling
	status 1 ls --subvol=nowhere "$IMG"
	status 1 dump --tree=12345 "$IMG"
	status 1 dump --block=1 "$IMG"
	status 1 used --devid=7 "$IMG"
	status 1 bench --bs=1G "$IMG" /small
	status 1 bench "$IMG" /dir
	status 1 get "$IMG" /nowhere got
	status 1 image "$IMG" /nowhere/dest
	status 1 info --offset=1M "$IMG"
}

# --- output that fails -------------------------------------------------------------------------

full_disk() {
	local words rc
	for words in --help --version 'ls --help' "info $IMG" "ls -lR $IMG" "stat $IMG /small" \
		"cat $IMG /dir/random" "cat $IMG /small" "map $IMG /dir/random" "used $IMG" \
		"dump $IMG" "find-changed --since=0 $IMG" "info --json $IMG" \
		"bench $IMG /dir/random"; do
		rc=0
		"$BTRFSDIO" $words > /dev/full 2> err || rc=$?
		[ $rc = 1 ] || die "btrfsdio $words > /dev/full: status $rc"
		says '^btrfsdio: standard output: ' err
	done
}

# A reader that goes away is no error to talk about, also where SIGPIPE is ignored.
closed_pipe() {
	local words
	for words in "cat $IMG /dir/random" "dump $IMG" "ls -lR $IMG"; do
		(
			trap '' PIPE
			"$BTRFSDIO" $words 2> err || true
		) | true
		[ ! -s err ] || die "btrfsdio $words | true: $(cat err)"
	done
	"$BTRFSDIO" cat "$IMG" /dir/random 2> err | head -c 1 > /dev/null || true
	[ ! -s err ]
}

# --- names -------------------------------------------------------------------------------------

escaped_names() {
	status 0 ls "$IMG"
	says '^new\\x0aline$' out
	says '^esc\\x1b\[31m$' out
	says '^bad\\xff\\xfeutf$' out
	says '^bidi\\xe2\\x80\\xaex$' out
	says '^back\\\\slash$' out
	says '^grün$' out
	says '^ space $' out
	[ "$(wc -l < out)" = 11 ]
	status 0 info "$IMG"
	says '^label: +esc\\x1b\[31m$' out
	status 1 stat "$IMG" "/no$ESCAPE"
	! grep -q $'\e' err || die "an escape sequence on standard error"
}

raw_names() {
	status 0 ls -0 "$IMG"
	ls -A "$SOURCE_TREE" | cat > /dev/null
	(cd "$SOURCE_TREE" && find . -mindepth 1 -maxdepth 1 -printf '%f\0' | sort -z) > want
	cmp out want
	status 0 ls -R -0 "$IMG"
	(cd "$SOURCE_TREE" && find . -mindepth 1 -printf '/%P\0' | sort -z) > want
	cmp <(sort -z out) want
	status 0 ls --raw-names "$IMG"
	grep -q $'^esc\e\[31m$' out
}

names_in_json() {
	status 0 ls -lR --json "$IMG"
	check_json '
by = {e["path"]: e for e in j["entries"]}
assert by["/new\nline"]["name"] == "new\nline"
assert by["/esc\x1b[31m"]["type"] == "file"
assert by["/back\\slash"] and by["/grün"] and by["/ space "]
assert not any("_hex" in k for k in by["/grün"])
bad = [e for e in j["entries"] if "name_hex" in e]
assert len(bad) == 1 and bytes.fromhex(bad[0]["name_hex"]) == b"bad\xff\xfeutf"
assert bytes.fromhex(bad[0]["path_hex"]) == b"/bad\xff\xfeutf"
assert bad[0]["name"] == "bad\ufffd\ufffdutf"
assert by["/link"]["target"] == "dir/numbers"
assert by["/dir/hardlink"]["inode"] == by["/small"]["inode"]'
	status 0 stat --json "$IMG" "/$INVALID" "/$NEWLINE"
	check_json 'assert j["files"][0]["path_hex"] and j["files"][1]["path"] == "/new\nline"'
}

json_is_valid() {
	local words
	for words in "info" "used" "find-changed --since=0"; do
		status 0 $words --json "$IMG"
		check_json 'assert j'
	done
	for words in 'map --csums --json' 'stat --json' 'ls --json'; do
		status 1 $words "$IMG" /small /nowhere /dir/random
		check_json 'assert len(j[list(j)[0]]) == 2, j'
	done
	status 0 bench --json --runtime=1 --numjobs=2 --batch=4 "$IMG" /dir/random
	check_json '
read = j["jobs"][0]["read"]
assert read["io_bytes"] == 4096 * read["total_ios"] > 0
assert read["iops"] > 0 and read["bw"] > 0 and read["runtime"] >= 1000
p = read["clat_ns"]["percentile"]
assert 0 < p["50.000000"] <= p["99.000000"] <= read["clat_ns"]["max"]
assert j["counters"]["verified_bytes"] >= read["io_bytes"]'
}

# --- commands ----------------------------------------------------------------------------------

listing() {
	status 0 ls "$IMG" /dir
	[ "$(tr '\n' ' ' < out)" = 'empty fifo hardlink numbers random ' ]
	status 0 ls "$IMG" /dir/
	status 0 ls -l "$IMG" /link
	says '^lrwxrwxrwx .* /link -> dir/numbers$' out
	status 0 ls "$IMG" /dangling
	says '^/dangling$' out
	status 0 ls "$IMG" /small /dir
	says '^/dir:$' out
	status 0 ls -R "$IMG" /dir
	says '^/dir/empty:$' out
	status 0 ls "$IMG" dir/../dir/./empty
	[ ! -s out ]
	TZ=UTC status 0 ls -l "$IMG" /small
	says "^-rw-r--r-- +2 +$(id -u) +$(id -g) +6 $(TZ=UTC date -d "@$(stat -c %Y "$SOURCE_TREE/small")" '+%F %T') /small\$" out
}

ranges_of_cat() {
	local offset length
	while read -r offset length; do
		status 0 cat --offset="$offset" --length="$length" "$IMG" /dir/random
		cmp out <(tail -c +$((offset + 1)) "$SOURCE_TREE/dir/random" | head -c "$length")
	done <<-'END'
		0 1
		0 4096
		1 4095
		4095 2
		4097 8192
		1000000 1000001
		3145727 5
		3145728 5
		99999999 5
		0 99999999
	END
	status 0 cat "$IMG" /dir/numbers /small /link
	cmp out <(cat "$SOURCE_TREE/dir/numbers" "$SOURCE_TREE/small" "$SOURCE_TREE/link")
	status 0 cat --blocking "$IMG" /dir/random
	cmp out "$SOURCE_TREE/dir/random"
	status 0 cat --offset=2 "$IMG" /small
	[ "$(cat out)" = llo ]
}

partition() {
	{ head -c 5M /dev/zero; cat "$IMG"; } | dd of=disk conv=sparse bs=1M status=none
	status 1 cat disk /small
	status 0 ls --offset=5M disk /dir
	status 0 cat --image-offset=5M --offset=1 disk /small
	[ "$(cat out)" = ello ]
	status 0 image --offset=5M disk copy
	status 0 cat copy /dir/random
	cmp out "$SOURCE_TREE/dir/random"
}

superblock_copies() {
	status 0 info --super=1 "$IMG"
	says '^superblock: +copy 1$' out
	cp --sparse=always "$IMG" img
	dd if=/dev/zero of=img bs=4K seek=16 count=1 conv=notrunc status=none
	status 0 cat img /small
	says '^btrfsdio: warning: .*primary superblock' err
	status 1 info --super=0 img
}

# A sector that nothing can replace: named exactly, and only it is lost.
lost_sector() {
	cp --sparse=always "$IMG" img
	status 0 map --json img /dir/random
	physical=$(check_json 'e = j["files"][0]["extents"][0]
assert e["places"][0]["length"] >= 12288
print(e["places"][0]["physical"])')
	dd if=/dev/zero of=img bs=1 seek=$((physical + 8192)) count=100 conv=notrunc status=none
	status 1 cat img /dir/random
	cmp out <(head -c 8192 "$SOURCE_TREE/dir/random")
	says '^btrfsdio: /dir/random: .*checksum' err
	status 0 cat --no-verify img /dir/random
	[ "$(stat -c %s out)" = 3145728 ]
	local mode
	for mode in zero skip; do
		status 1 get --on-error=$mode img / $mode
		says '/?dir/random: lost 4096 bytes at offset 8192: ' err
		cmp $mode/dir/random <(head -c 8192 "$SOURCE_TREE/dir/random"
			head -c 4096 /dev/zero
			tail -c +12289 "$SOURCE_TREE/dir/random")
		cmp $mode/dir/numbers "$SOURCE_TREE/dir/numbers"
	done
	status 1 get --on-error=stop img /dir/random stop
	status 1 get --json img / json
	check_json '
assert not j["complete"] and j["errors"] == 1 and len(j["lost"]) == 1, j
assert (j["lost"][0]["offset"], j["lost"][0]["length"]) == (8192, 4096)'
	status 1 image --json img copy
	check_json "
assert j['complete'] and len(j['bad']) == 1, j
assert j['bad'][0]['physical'] == $physical + 8192 and j['bad'][0]['length'] == 4096"
}

copies_out() {
	status 0 get "$IMG" / got
	same_files got
	status 0 get "$IMG" / got
	status 0 get "$IMG" dir/numbers one
	cmp one "$SOURCE_TREE/dir/numbers"
	mkdir into
	status 0 get "$IMG" /dir/numbers into
	cmp into/numbers "$SOURCE_TREE/dir/numbers"
	status 0 get --json "$IMG" /dir counted
	check_json 'assert j["complete"] and j["files"] == 3 and j["lost"] == [], j'
	status 0 get --threads=1 --no-owner --no-xattr "$IMG" / single
	same_files single
}

image_of_used() {
	status 0 image --json "$IMG" copy
	check_json '
assert j["complete"] and j["bad"] == [] and j["devices"][0]["dest"] == "copy"
assert j["copied"]["data"] > 3 << 20 and j["verified"] >= j["copied"]["data"]
assert j["devices"][0]["copied"] == sum(j["copied"].values())'
	[ "$(stat -c %s copy)" = "$(stat -c %s "$IMG")" ]
	status 0 get copy / got
	same_files got
	btrfs check --check-data-csum copy > check.log 2>&1 || die "$(cat check.log)"
	status 1 image "$IMG" copy
	status 1 image --force copy copy
	status 0 image --force "$IMG" copy
	status 0 cat copy /small
	# One bad copy of a tree block: found and named, and the image still opens.
	cp --sparse=always "$IMG" img
	status 0 used img
	local physical
	physical=$(awk '$6 == "metadata" { print $2; exit }' out)
	dd if=/dev/urandom of=img bs=1 seek=$((physical + 1000)) count=10 conv=notrunc status=none
	status 1 image img damaged
	says "device 1, [0-9]+ bytes at $physical: wrong checksum" err
	status 0 cat damaged /dir/random
}

used_ranges() {
	status 0 used "$IMG"
	says '^# devid physical length logical copy kind$' out
	says '^1 65536 4096 - 0 super$' out
	awk '!/^#/ { if ($2 < end) exit 1; end = $2 + $3 }' out || die "not ascending: $(cat out)"
}

changes() {
	status 0 find-changed --since=0 "$IMG"
	says 'not shown' err
	says '^[0-9]+ data 0\+3145728 /dir/random$|^[0-9]+ data [0-9]+\+[0-9]+ /dir/random$' out
	says '^[0-9]+ name fifo /dir/fifo$' out
	says '^[0-9]+ name dir /dir$' out
	says '^[0-9]+ name file /new\\x0aline$' out
	status 0 find-changed --since=1G "$IMG"
	[ ! -s out ]
}

dumps() {
	status 0 dump "$IMG"
	says 'numbers' out
	! grep -q $'\e' out || die "an escape sequence in the dump"
	status 0 dump --superblock "$IMG"
	[ -s out ]
	status 0 dump --tree=root "$IMG"
	cp out by-name
	status 0 dump --tree=1 "$IMG"
	cmp out by-name
}

bench_covers_all() {
	local words
	for words in '--rw=read' '--rw=randread' '--rw=randread --batch=8 --iodepth=8' \
		'--rw=read --bs=64K --numjobs=3' '--blocking'; do
		status 0 bench $words --json "$IMG" /dir/random
		check_json 'assert j["jobs"][0]["read"]["io_bytes"] == 3 << 20, j'
	done
	status 0 bench --rw=read --size=1M --json --raw "$IMG"
	check_json 'assert j["jobs"][0]["read"]["io_bytes"] == 1 << 20 and "counters" not in j'
}

# The man page is sound and names every command and every option.
man_page() {
	local word
	need_cmd groff
	groff -ww -mandoc -Tascii -P-cbou "$SOURCE/docs/btrfsdio.1" > page 2> warnings
	[ ! -s warnings ] || die "$(cat warnings)"
	status 0 --help
	sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' out > names
	while read -r word; do
		grep -q "^ *btrfsdio $word" page || die "$word is not in the man page"
		status 0 "$word" --help
		grep -oE -- '--[a-z][a-z-]*' out >> options
	done < names
	while read -r word; do
		grep -qwe "$word" page || die "$word is not in the man page"
	done < <(sort -u options)
}

# --- the examples ------------------------------------------------------------------------------

examples() {
	local bin=$BUILD/examples
	"$bin/simple" "$IMG" /dir/random | cmp - "$SOURCE_TREE/dir/random"
	"$bin/verified_copy" "$IMG" /dir/random copy
	cmp copy "$SOURCE_TREE/dir/random"
	[ "$("$bin/parallel_reader" "$IMG" /dir/random 3)" = \
		"$(python3 -c 'import sys; b = open(sys.argv[1], "rb").read(); print(len(b), "bytes, sum", sum(b))' "$SOURCE_TREE/dir/random")" ]
	"$bin/changed_extents" "$IMG" 0 > out
	says '^inode [0-9]+, bytes [0-9]+ to [0-9]+: /dir/random$' out
	python3 -c 'import sys
sys.stdout.buffer.write(open(sys.argv[1], "rb").read().translate(bytes(i ^ 90 for i in range(256))))' \
		"$IMG" > encrypted
	"$bin/custom_device" encrypted 90 > out
	says '^small$' out
	! "$bin/custom_device" encrypted 91 2> err || die "opened with the wrong key"
	for name in simple verified_copy parallel_reader changed_extents; do
		! "$bin/$name" nowhere 0 x > out 2>&1 || die "$name opened what is not there"
	done
}

run_case usage usage_errors
run_case numbers
run_case help help_and_version
run_case order order_of_arguments
run_case exit exit_statuses
run_case full-disk full_disk
run_case closed-pipe closed_pipe
run_case escaped-names escaped_names
run_case raw-names raw_names
run_case names-in-json names_in_json
run_case json json_is_valid
run_case ls listing
run_case cat ranges_of_cat
run_case partition
run_case super superblock_copies
run_case lost-sector lost_sector
run_case get copies_out
run_case image image_of_used
run_case used used_ranges
run_case find-changed changes
run_case dump dumps
run_case bench bench_covers_all
run_case man man_page
run_case examples
finish
