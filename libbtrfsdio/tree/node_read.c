/* SPDX-License-Identifier: MIT */
/* tree/node_read.c - read a tree block from the first good copy */
#include "tree/node_read.h"

#include "base/err.h"
#include "base/math.h"

static int check_range(struct bd_node_cache *cache, const struct bd_node_expect *want,
		       const struct bd_chunk **out)
{
	const struct bd_chunk *chunk = bd_chunk_find(&cache->ls->map, want->logical);
	uint32_t nodesize = cache->super->nodesize;

	if (!bd_is_aligned(want->logical, cache->super->sectorsize))
		return BD_FAIL(-EUCLEAN, NODE_ALIGN, "corrupt tree: block %llu, not aligned",
			       (unsigned long long)want->logical);
	if (!chunk || bd_chunk_end(chunk) - want->logical < nodesize)
		return BD_FAIL(-EUCLEAN, NODE_NO_CHUNK, "corrupt tree: block %llu, not in a chunk",
			       (unsigned long long)want->logical);
	if (!(chunk->flags & (BD_BG_METADATA | BD_BG_SYSTEM)))
		return BD_FAIL(-EUCLEAN, NODE_IN_DATA,
			       "corrupt tree: block %llu, in a chunk of data",
			       (unsigned long long)want->logical);
	*out = chunk;
	return 0;
}

static int try_way(struct bd_node_cache *cache, const struct bd_chunk *chunk,
		   const struct bd_node_expect *want, unsigned int way, void *block)
{
	int err = bd_way_read_sync(cache->ls, chunk, want->logical, cache->super->nodesize, way,
				   block);

	if (err)
		return err;
	err = bd_node_check_header(block, cache->super, want);
	if (!err)
		err = bd_node_check_body(block, cache->super);
	if (err)
		bd_err_at_way(chunk, want->logical, cache->super->nodesize, way);
	return err;
}

int bd_node_read(struct bd_node_cache *cache, const struct bd_node_expect *want, void **out)
{
	struct bd_lspace *ls = cache->ls;
	uint32_t nodesize = cache->super->nodesize;
	unsigned int ways, first;
	const struct bd_chunk *chunk = NULL;
	struct bdio_error first_error;
	void *block;
	int err = check_range(cache, want, &chunk);

	if (err)
		return err;
	block = bd_slab_get(&cache->blocks);
	if (!block)
		return BD_FAIL(-ENOMEM, NODE_ALLOC, "no memory for a tree block");
	ways = bd_ways(chunk);
	first = bd_way_prefer(chunk, want->logical);
	bd_pin(&ls->pins, want->logical, nodesize);
	for (unsigned int i = 0; i < ways; i++) {
		err = try_way(cache, chunk, want, (first + i) % ways, block);
		if (!err) {
			if (i)
				bd_count(&ls->mirror_reads, 1);
			break;
		}
		bd_count(&cache->bad_copies, 1);
		/* The error of the first copy says most; later ones may be "device missing". */
		if (i == 0)
			first_error = *bd_err_self();
	}
	bd_unpin(&ls->pins, want->logical, nodesize);
	if (err) {
		*bd_err_self() = first_error;
		bd_slab_put(&cache->blocks, block);
		return first_error.code;
	}
	*out = block;
	return 0;
}
