# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# tests/images/manifest.bash - what is done with every image that others made
. "$(dirname "${BASH_SOURCE[0]}")/../reader.sh"
SHARED=${BTRFSDIO_SHARED:-$SOURCE/../shared}
SECONDS_ALLOWED=10

manifest() { python3 "$SOURCE/tests/images/manifest.py" "$@"; }

# look MANIFEST ARGUMENT...: list, stat and extract; into got, ls.json, stat.json, get.err. Its
# status is that of `get`. Without a manifest (-) there are no paths to stat.
look() {
	local list=$1 paths=() status=0
	shift
	run_btrfsdio ls -lR --json "$@" / || true
	cp out ls.json
	echo '{"files": []}' > stat.json
	if [ "$list" != - ]; then
		mapfile -t -d '' paths < <(manifest --paths "$list")
		run_btrfsdio stat --json "$@" "${paths[@]}" || true
		cp out stat.json
	fi
	rm -rf got
	run_btrfsdio get "$@" / got || status=$?
	cp err get.err
	return $status
}

# matches [--lenient] MANIFEST ARGUMENT...: all that the manifest says, and the status fits
matches() {
	local lenient='' list status=0
	if [ "$1" = --lenient ]; then
		lenient=$1
		shift
	fi
	list=$1
	shift
	look "$list" "$@" || status=$?
	[ $status -le 1 ] || die "get: status $status"
	# shellcheck disable=SC2086
	manifest $lenient "$list" got ls.json stat.json get.err || {
		head -n 10 get.err >&2
		return 1
	}
	[ -z "$lenient" ] || return 0
	if manifest --has-errors "$list"; then
		[ $status = 1 ] || die "get: status $status though some cannot be read"
	else
		[ $status = 0 ] || die "get: status $status: $(head -n 5 get.err)"
	fi
}
