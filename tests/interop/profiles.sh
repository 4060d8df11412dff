#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/interop/profiles.sh - every profile for data and for metadata, whole and with members gone
#
# Which sets of missing members a filesystem survives is worked out from its chunks. In the quick
# tier each profile is tried once for both data and metadata with all sets, and a sample of the
# other pairs with a sample of the sets.
. "$(dirname "$0")/../reader.sh"
need_kernel_btrfs
make_destination
IMAGES='m1 m2 m3 m4'
PROFILES='single dup raid0 raid1 raid1c3 raid1c4 raid10 raid5 raid6'

make_pair() {	# DATA METADATA
	# shellcheck disable=SC2086
	make_image 256M $IMAGES -- --data "$1" --metadata "$2" --label "$1/$2"
	# shellcheck disable=SC2086
	populate '' "basic ${3:-}" $IMAGES
	# shellcheck disable=SC2086
	remember mnt list $IMAGES
	# shellcheck disable=SC2086
	btrfs inspect-internal dump-tree -t chunk $IMAGES > chunks
	raw survivors < chunks > sets
}

# without yes|no DEVID...: as the chunks say, it reads like before or it is refused
without() {
	local survives=$1 image left=()
	shift
	for image in $IMAGES; do
		case " $* " in
		*" ${image#m} "*) ;;
		*) left+=("$image") ;;
		esac
	done
	if [ "$survives" = yes ]; then
		get_matches list --degraded "${left[@]}" || die "without $*"
		refuses 'missing' get "${left[@]:0:1}" / "$DEST/got"
	else
		mapfile -t left < <(members "${left[@]}")
		refuses 'missing|device' get --degraded "${left[@]}" / "$DEST/got"
	fi
}

whole_and_every_set() {
	make_pair "$1" "$2" extents
	# shellcheck disable=SC2086
	get_matches list $IMAGES
	local survives missing
	while read -r survives missing; do
		# shellcheck disable=SC2086
		without "$survives" $missing
	done < sets
}

whole_and_some_set() {
	make_pair "$1" "$2"
	# shellcheck disable=SC2046,SC2086
	get_matches list $(printf '%s\n' $IMAGES | shuffle)
	local survives missing
	while read -r survives missing; do
		# shellcheck disable=SC2086
		without "$survives" $missing
	done < <(shuffle < sets | sort -k 1,1r -s | head -n 2)
}

for profile in $PROFILES; do
	run_case "$profile" whole_and_every_set "$profile" "$profile"
done
pairs() {
	local data metadata
	for data in $PROFILES; do
		for metadata in $PROFILES; do
			[ "$data" = "$metadata" ] || echo "$data $metadata"
		done
	done
}
if [ "$TIER" = long ]; then
	pairs > "$TMP/pairs"
else
	pairs | shuffle | head -n 8 > "$TMP/pairs"
	echo "# seed $SEED: $(paste -s -d , "$TMP/pairs")"
fi
while read -r data metadata; do
	time_left || break
	if [ "$TIER" = long ]; then
		run_case "$data-$metadata" whole_and_every_set "$data" "$metadata"
	else
		run_case "$data-$metadata" whole_and_some_set "$data" "$metadata"
	fi
done < "$TMP/pairs"
finish
