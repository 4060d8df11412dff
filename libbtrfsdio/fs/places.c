/* SPDX-License-Identifier: MIT */
/* fs/places.c - all physical places of a logical range */
#include "fs/info.h"

#include "base/err.h"
#include "base/math.h"

struct place_list {
	struct bdio_place *out;
	size_t max, n;
};

static void add_place(struct place_list *list, const struct bd_stripe *stripe,
		      struct bdio_place place)
{
	if (list->n < list->max) {
		place.devid = stripe->member->devid;
		place.missing = !stripe->member->dev;
		list->out[list->n] = place;
	}
	list->n++;
}

static void add_parity(struct place_list *list, const struct bd_chunk *chunk, uint64_t logical,
		       uint64_t length)
{
	struct bd_full_stripe at;

	bd_chunk_full_stripe(chunk, logical, &at);
	for (unsigned int i = 0; i < chunk->raid->parity; i++) {
		const struct bd_stripe *stripe =
			bd_chunk_column(chunk, at.row, chunk->data_stripes + i);

		add_place(list, stripe,
			  (struct bdio_place){
				  .logical = logical,
				  .length = length,
				  .physical =
					  stripe->physical + at.row * BD_STRIPE_LEN + at.in_stripe,
				  .kind = i ? BDIO_PLACE_Q : BDIO_PLACE_PARITY,
			  });
	}
}

ssize_t bd_logical_places(const struct bdio_fs *fs, uint64_t logical, uint64_t length,
			  struct bdio_place *out, size_t max)
{
	struct place_list list = {.out = out, .max = max};
	uint64_t end;

	if (!bd_add_u64(logical, length, &end))
		return BD_FAIL(-EINVAL, PLACES_RANGE, "a range behind the address space");
	while (logical < end) {
		const struct bd_chunk *chunk = bd_chunk_find(&fs->vol.ls.map, logical);
		struct bd_piece piece = {0};

		if (!chunk)
			return BD_FAIL(-EINVAL, PLACES_NO_CHUNK, "logical %llu is not in a chunk",
				       (unsigned long long)logical);
		for (unsigned int copy = 0; copy < chunk->raid->copies; copy++) {
			bd_chunk_piece(chunk, logical, end - logical, copy, &piece);
			add_place(&list, piece.stripe,
				  (struct bdio_place){
					  .logical = logical,
					  .length = piece.length,
					  .physical = piece.physical,
					  .copy = copy,
				  });
		}
		add_parity(&list, chunk, logical, piece.length);
		logical += piece.length;
	}
	return (ssize_t)list.n;
}
