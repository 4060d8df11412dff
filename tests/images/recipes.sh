#!/bin/bash
# SPDX-License-Identifier: MIT
# tests/images/recipes.sh - situations of public bug reports, made anew by scripts from elsewhere
#
# Each script makes images and a file of what is expected of them. Making them takes minutes: they
# are kept in the build folder, and in the quick tier as many are made as there is time for.
. "$(dirname "$0")/manifest.bash"
RECIPES=$SHARED/recipes
[ -d "$RECIPES/dev" ] || skip "no recipes at $RECIPES"
need_kernel_btrfs
CACHE=$SOURCE/build/recipes

# The folder of a recipe's images; its name changes with the recipe.
folder_of() {	# RECIPE
	local sum
	sum=$(cat "$1" "$RECIPES"/lib/* 2> /dev/null | sha256sum | head -c 16)
	echo "$CACHE/$(basename "$1" .sh)-$sum"
}

make_images() {	# RECIPE FOLDER
	local left=600
	[ "$DEADLINE" = 0 ] || left=$((DEADLINE - $(date +%s) - 15))
	[ $left -gt 0 ] || skip "no time left"
	mkdir work
	TMPDIR=$PWD/work timeout "$left" bash "$1" "$PWD/made" > log 2>&1 || {
		[ $? != 124 ] || skip "no time left"
		cat log >&2
		return 1
	}
	mkdir -p "$CACHE"
	rm -rf "$2.new"
	cp -a --sparse=always made "$2.new"
	mv "$2.new" "$2"
}

refused() {	# ARGUMENT...
	local status=0
	look - "$@" || status=$?
	[ $status = 1 ] || die "get: status $status, should be 1"
	[ -s get.err ] || die "refused without a word"
}

check_case() {	# FOLDER DEVICES OPTIONS RESULT MANIFEST
	local folder=$1 devices=$2 options=$3 result=$4 manifests=$5 arguments=() option list
	for option in ${options//,/ }; do
		case $option in
		- | default | nologreplay) ;;
		degraded | salvage) arguments+=("--$option") ;;
		ignorecsum) arguments+=(--no-verify) ;;
		super=* | offset=*) arguments+=("--$option") ;;
		subvolid=*) arguments+=("--subvol=${option#*=}") ;;
		rw | replay | ops=*) skip "$option: nothing is written yet" ;;
		*) die "unknown option $option" ;;
		esac
	done
	# shellcheck disable=SC2046,SC2086
	mapfile -t -O ${#arguments[@]} arguments < <(members $(printf "$folder/%s " ${devices//,/ }))
	case $result in
	OK) matches "$folder/$manifests" "${arguments[@]}" ;;
	REFUSE) refused "${arguments[@]}" ;;
	REFUSE_OR_OK) (refused "${arguments[@]}") || matches "$folder/$manifests" "${arguments[@]}" ;;
	OK_OR_EIO) matches --lenient "$folder/$manifests" "${arguments[@]}" ;;
	OK_EITHER)
		for list in ${manifests//,/ }; do
			! (matches "$folder/$list" "${arguments[@]}") || return 0
		done
		die "neither of $manifests"
		;;
	*) skip "result $result: nothing is written yet" ;;
	esac
}

check_recipe() {	# RECIPE
	local folder name field
	name=$(basename "$1" .sh)
	folder=$(folder_of "$1")
	[ -d "$folder" ] || run_case "$name.made" make_images "$1" "$folder"
	[ -d "$folder" ] || return
	while IFS=$'\t' read -r -a field; do
		[ "${field[0]}" = CASE ] || continue
		run_case "$name.${field[1]}" check_case "$folder" "${field[3]}" "${field[5]}" \
			"${field[7]}" "${field[9]}"
	done < "$folder/expect.txt"
}

echo "# seed $SEED"
printf '%s\n' "$RECIPES"/dev/[0-9]*.sh | shuffle > "$TMP/recipes"
# What is there already costs little and comes first.
while read -r recipe; do
	[ -d "$(folder_of "$recipe")" ] && echo "0 $recipe" || echo "1 $recipe"
done < "$TMP/recipes" | sort -s -k 1,1n | cut -d ' ' -f 2- > "$TMP/ordered"
while read -r recipe; do
	if time_left; then
		check_recipe "$recipe"
	else
		run_case "$(basename "$recipe" .sh)" skip "no time left"
	fi
done < "$TMP/ordered"
finish
