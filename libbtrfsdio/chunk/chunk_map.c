/* SPDX-License-Identifier: MIT */
/* chunk/chunk_map.c - chunks, members, and where a logical byte lies */
#include "chunk/chunk_map.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"

/* Index of the first chunk that ends behind @logical. */
static size_t chunk_lower_bound(const struct bd_chunk_map *map, uint64_t logical)
{
	size_t lo = 0, hi = map->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (bd_chunk_end(map->chunks[mid]) <= logical)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct bd_chunk *bd_chunk_find(const struct bd_chunk_map *map, uint64_t logical)
{
	size_t i = chunk_lower_bound(map, logical);

	if (i == map->n || map->chunks[i]->logical > logical)
		return NULL;
	return map->chunks[i];
}

static struct bd_chunk *chunk_new(const struct bd_chunk_item *item, const void *data,
				  struct bd_member *const *members)
{
	const struct bd_raid_attr *raid = bd_raid_attr(item->type);
	struct bd_chunk *chunk =
		bd_zalloc(sizeof(*chunk) + item->num_stripes * sizeof(chunk->stripes[0]));

	if (!chunk)
		return NULL;
	chunk->logical = item->logical;
	chunk->length = item->length;
	chunk->flags = item->type;
	chunk->raid = raid;
	chunk->num_stripes = item->num_stripes;
	chunk->sub_stripes = item->sub_stripes;
	chunk->data_stripes = 1;
	if (raid->striped)
		chunk->data_stripes = (uint16_t)((item->num_stripes - raid->parity) / raid->copies);
	for (unsigned int i = 0; i < item->num_stripes; i++) {
		struct bd_chunk_item_stripe stripe;

		bd_chunk_item_stripe(data, i, &stripe);
		chunk->stripes[i].member = members[i];
		chunk->stripes[i].physical = stripe.physical;
	}
	return chunk;
}

int bd_chunk_map_add(struct bd_chunk_map *map, const struct bd_chunk_item *item, const void *data,
		     struct bd_member *const *members)
{
	size_t i = chunk_lower_bound(map, item->logical);
	struct bd_chunk *chunk, *other = i < map->n ? map->chunks[i] : NULL;
	bool same = other && other->logical == item->logical && other->length == item->length;

	if (!same && other && other->logical < item->logical + item->length)
		return BD_FAIL(-EUCLEAN, CHUNK_OVERLAP,
			       "corrupt chunk: logical %llu, overlaps the chunk at %llu",
			       (unsigned long long)item->logical,
			       (unsigned long long)other->logical);
	if (!same && bd_array_grow((void **)&map->chunks, &map->cap, map->n + 1, sizeof(chunk)))
		return BD_FAIL(-ENOMEM, CHUNK_MAP_GROW, "no memory for the chunk map");
	chunk = chunk_new(item, data, members);
	if (!chunk)
		return BD_FAIL(-ENOMEM, CHUNK_NEW, "no memory for a chunk");
	if (same) {
		free(other);
	} else {
		memmove(&map->chunks[i + 1], &map->chunks[i],
			(map->n - i) * sizeof(map->chunks[0]));
		map->n++;
	}
	map->chunks[i] = chunk;
	return 0;
}

void bd_chunk_map_fini(struct bd_chunk_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->chunks[i]);
	free(map->chunks);
	memset(map, 0, sizeof(*map));
}

void bd_chunk_full_stripe(const struct bd_chunk *chunk, uint64_t logical,
			  struct bd_full_stripe *out)
{
	uint64_t offset = logical - chunk->logical;
	uint64_t nr = offset / BD_STRIPE_LEN;

	out->in_stripe = (uint32_t)(offset % BD_STRIPE_LEN);
	out->row = nr / chunk->data_stripes;
	out->column = (unsigned int)(nr % chunk->data_stripes);
}

const struct bd_stripe *bd_chunk_column(const struct bd_chunk *chunk, uint64_t row,
					unsigned int column)
{
	/* Parity rotates: each row starts one device further. */
	return &chunk->stripes[(column + row) % chunk->num_stripes];
}

void bd_chunk_piece(const struct bd_chunk *chunk, uint64_t logical, uint64_t len, unsigned int copy,
		    struct bd_piece *out)
{
	struct bd_full_stripe at;

	if (!chunk->raid->striped) {
		out->stripe = &chunk->stripes[copy];
		out->physical = out->stripe->physical + (logical - chunk->logical);
		out->length = bd_min_u64(len, bd_chunk_end(chunk) - logical);
		return;
	}
	bd_chunk_full_stripe(chunk, logical, &at);
	if (chunk->raid->parity)
		out->stripe = bd_chunk_column(chunk, at.row, at.column);
	else
		out->stripe = &chunk->stripes[at.column * chunk->raid->copies + copy];
	out->physical = out->stripe->physical + at.row * BD_STRIPE_LEN + at.in_stripe;
	out->length = bd_min_u64(bd_min_u64(len, BD_STRIPE_LEN - at.in_stripe),
				 bd_chunk_end(chunk) - logical);
}

int bd_chunk_check_bounds(const struct bd_chunk *chunk)
{
	uint64_t size = chunk->length / chunk->data_stripes;

	for (unsigned int i = 0; i < chunk->num_stripes; i++) {
		const struct bd_stripe *stripe = &chunk->stripes[i];
		uint64_t total = stripe->member->total_bytes, end;

		if (total && (!bd_add_u64(stripe->physical, size, &end) || end > total))
			return BD_FAIL(-EUCLEAN, CHUNK_BEYOND,
				       "corrupt chunk: logical %llu, behind the end of device %llu",
				       (unsigned long long)chunk->logical,
				       (unsigned long long)stripe->member->devid);
	}
	return 0;
}
