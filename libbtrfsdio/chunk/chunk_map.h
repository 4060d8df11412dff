/* SPDX-License-Identifier: MIT */
/* chunk/chunk_map.h - chunks, members, and where a logical byte lies */
#ifndef BD_CHUNK_CHUNK_MAP_H
#define BD_CHUNK_CHUNK_MAP_H

#include "chunk/raid.h"
#include "dev/dev.h"
#include "disk/chunk_item.h"

/* A member device of the filesystem, there or missing. */
struct bd_member {
	uint64_t devid;
	uint8_t uuid[BD_UUID_SIZE];
	uint8_t fsid[BD_FSID_SIZE];
	uint64_t total_bytes;
	uint64_t bytes_used;
	uint64_t generation; /* of its superblock */
	struct bd_dev *dev;  /* NULL: missing */
	bool seed;
	bool stale; /* its superblock's generation lags: never read for data without checksums */
};

struct bd_stripe {
	struct bd_member *member;
	uint64_t physical;
};

struct bd_chunk {
	uint64_t logical;
	uint64_t length;
	uint64_t flags; /* BD_BG_* */
	const struct bd_raid_attr *raid;
	uint16_t num_stripes;
	uint16_t sub_stripes;
	uint16_t data_stripes; /* that hold distinct data */
	struct bd_stripe stripes[];
};

/* Sorted by logical address; no overlaps. Filled at open, then only read. */
struct bd_chunk_map {
	struct bd_chunk **chunks;
	size_t n;
	size_t cap;
};

/*
 * Add a decoded item. @members: one for each stripe of it.
 * A chunk that is there already, equal in place, is replaced (the bootstrap's copy of a SYSTEM
 * chunk). Return: 0; -EUCLEAN it overlaps another; -ENOMEM.
 */
int bd_chunk_map_add(struct bd_chunk_map *map, const struct bd_chunk_item *item, const void *data,
		     struct bd_member *const *members);
void bd_chunk_map_fini(struct bd_chunk_map *map);

/* The chunk that holds @logical; NULL: none. */
const struct bd_chunk *bd_chunk_find(const struct bd_chunk_map *map, uint64_t logical);

static inline uint64_t bd_chunk_end(const struct bd_chunk *chunk)
{
	return chunk->logical + chunk->length;
}

/*
 * Every stripe lies inside its device, as far as the filesystem says how large that is.
 * Return: 0; -EUCLEAN (reported).
 */
int bd_chunk_check_bounds(const struct bd_chunk *chunk);

/* A range that is contiguous on one device. */
struct bd_piece {
	const struct bd_stripe *stripe;
	uint64_t physical;
	uint64_t length;
};

/* The first piece of copy @copy (< raid->copies) of [logical, logical + len), inside the chunk. */
void bd_chunk_piece(const struct bd_chunk *chunk, uint64_t logical, uint64_t len, unsigned int copy,
		    struct bd_piece *out);

/* The full stripe of a RAID5/6 chunk that holds a logical byte. */
struct bd_full_stripe {
	unsigned int column; /* data stripe that holds the byte, 0..data_stripes-1 */
	uint64_t row;	     /* full stripe number */
	uint32_t in_stripe;  /* byte inside the stripe */
};
void bd_chunk_full_stripe(const struct bd_chunk *chunk, uint64_t logical,
			  struct bd_full_stripe *out);
/* Device stripe of column @column (data, then P, then Q) in full stripe @row. */
const struct bd_stripe *bd_chunk_column(const struct bd_chunk *chunk, uint64_t row,
					unsigned int column);

#endif
