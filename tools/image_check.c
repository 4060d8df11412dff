/* SPDX-License-Identifier: MIT */
/* tools/image_check.c - verify raw bytes of a device by what they are */
#include "image_check.h"

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>

/* A tree block and a superblock begin alike: 32 bytes for the checksum of all that follows, the
 * fsid, then their own address. */
#define HEADER_CSUM    32
#define HEADER_ADDRESS 48

#define CSUM_MAX    32
#define MAX_SECTORS 512
#define MAX_PLACES  8 /* of one byte: four copies, or one and two parities */

/* One call's arguments, which all the functions below need. */
struct piece {
	uint64_t logical, physical;
	const uint8_t *buf;
	size_t len;
};

static bool csum_matches(const struct image_check *check, const uint8_t *data, size_t len,
			 const uint8_t *expected)
{
	uint8_t csum[CSUM_MAX];

	bdio_csum_compute(check->fs, data, len, csum);
	return memcmp(csum, expected, check->info->csum_size) == 0;
}

/* NULL: @block, of @size bytes, is a sound one that belongs at @address. */
static const char *block_problem(const struct image_check *check, const uint8_t *block, size_t size,
				 uint64_t address)
{
	uint64_t found;

	if (!csum_matches(check, block + HEADER_CSUM, size - HEADER_CSUM, block))
		return "wrong checksum";
	memcpy(&found, block + HEADER_ADDRESS, sizeof(found));
	return le64toh(found) == address ? NULL : "right checksum, but it belongs elsewhere";
}

/*
 * Of parity profiles whole rows are listed, so that a copy can rebuild a lost device: what is in a
 * row need not be in use.
 */
static bool has_parity(const struct image_check *check, uint64_t logical)
{
	struct bdio_place places[MAX_PLACES];
	ssize_t count = bdio_logical_map(check->fs, logical, 1, places, MAX_PLACES);

	for (ssize_t i = 0; i < count && i < MAX_PLACES; i++) {
		if (places[i].kind != BDIO_PLACE_DATA)
			return true;
	}
	return false;
}

static void note(struct image_check *check, uint64_t physical, size_t len, const char *problem)
{
	check->verified += len;
	if (problem)
		check->bad(check->priv, physical, len, problem);
}

static void check_blocks(struct image_check *check, const struct piece *piece, size_t size,
			 uint64_t address)
{
	size_t at = 0;

	for (; piece->len - at >= size; at += size) {
		const char *problem = block_problem(check, piece->buf + at, size, address + at);
		if (problem && has_parity(check, piece->logical + at))
			check->unverified += size;
		else
			note(check, piece->physical + at, size, problem);
	}
	/* A block that goes on in the next stripe, on another device. */
	check->unverified += piece->len - at;
}

/*
 * Sectors with a checksum are data. In mixed block groups (@mixed) the others may be tree blocks,
 * which prove themselves.
 */
static int check_sectors(struct image_check *check, const struct piece *piece, bool mixed)
{
	size_t sectorsize = check->info->sectorsize, nodesize = check->info->nodesize;
	uint8_t csums[MAX_SECTORS * CSUM_MAX], present[MAX_SECTORS];
	size_t sectors = piece->len / sectorsize;

	assert(sectors <= MAX_SECTORS);
	ssize_t count = bdio_csum_get(check->fs, piece->logical, sectors, csums, present);
	if (count < 0)
		return (int)count;
	for (size_t at = 0; at < piece->len;) {
		size_t i = at / sectorsize, step = sectorsize;
		const uint8_t *data = piece->buf + at;
		if (present[i]) {
			bool good = csum_matches(check, data, sectorsize,
						 csums + i * check->info->csum_size);
			note(check, piece->physical + at, step, good ? NULL : "wrong checksum");
		} else if (mixed && piece->len - at >= nodesize &&
			   !block_problem(check, data, nodesize, piece->logical + at)) {
			step = nodesize;
			note(check, piece->physical + at, step, NULL);
		} else {
			check->unverified += step;
		}
		at += step;
	}
	return 0;
}

int image_check(struct image_check *check, const struct bdio_used *range, uint64_t skip,
		const void *buf, size_t len)
{
	const struct piece piece = {.logical = range->logical + skip,
				    .physical = range->physical + skip,
				    .buf = buf,
				    .len = len};

	if (range->kind & BDIO_USED_SUPER) {
		check_blocks(check, &piece, len, piece.physical);
	} else if ((range->kind & BDIO_USED_PARITY) || range->logical == UINT64_MAX) {
		check->unverified += len;
	} else if (range->kind & BDIO_USED_DATA) {
		return check_sectors(check, &piece, range->kind & BDIO_USED_METADATA);
	} else {
		check_blocks(check, &piece, check->info->nodesize, piece.logical);
	}
	return 0;
}
