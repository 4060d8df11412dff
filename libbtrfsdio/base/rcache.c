/* SPDX-License-Identifier: MIT */
/* base/rcache.c - a bounded cache of objects that cover ranges: extents of a file, checksums */
#include "base/rcache.h"

#include <stdlib.h>

static int range_cmp(const struct bd_range *x, const struct bd_range *y)
{
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return 0;
}

/* Not RB_GENERATE_STATIC: it needs BSD's __unused, a name that Linux' own headers use for fields.
 */
RB_GENERATE_INTERNAL(bd_range_tree, bd_range, node, range_cmp, __attribute__((unused)) static)

void bd_rcache_init(struct bd_rcache *cache, size_t limit)
{
	bd_lock_init_short(&cache->lock);
	RB_INIT(&cache->tree);
	TAILQ_INIT(&cache->lru);
	cache->bytes = 0;
	cache->limit = limit;
}

void bd_range_put(struct bd_range *range)
{
	if (range && atomic_fetch_sub_explicit(&range->refs, 1, memory_order_acq_rel) == 1)
		free(range);
}

static void unlink_range(struct bd_rcache *cache, struct bd_range *range)
{
	RB_REMOVE(bd_range_tree, &cache->tree, range);
	TAILQ_REMOVE(&cache->lru, range, lru);
	cache->bytes -= range->bytes;
	bd_range_put(range);
}

void bd_rcache_fini(struct bd_rcache *cache)
{
	while (!TAILQ_EMPTY(&cache->lru))
		unlink_range(cache, TAILQ_FIRST(&cache->lru));
	pthread_mutex_destroy(&cache->lock);
}

/* The object of this space that begins last at or before @pos. */
static struct bd_range *floor_locked(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t pos)
{
	struct bd_range key = {.a = a, .b = b, .start = pos};
	struct bd_range *node = RB_ROOT(&cache->tree), *best = NULL;

	while (node) {
		if (range_cmp(node, &key) <= 0) {
			best = node;
			node = RB_RIGHT(node, node);
		} else {
			node = RB_LEFT(node, node);
		}
	}
	return best && best->a == a && best->b == b ? best : NULL;
}

struct bd_range *bd_rcache_find(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t pos)
{
	struct bd_range *range;

	bd_lock(&cache->lock);
	range = floor_locked(cache, a, b, pos);
	if (range && range->end <= pos)
		range = NULL;
	if (range) {
		bd_range_ref(range);
		if (range != TAILQ_FIRST(&cache->lru)) {
			TAILQ_REMOVE(&cache->lru, range, lru);
			TAILQ_INSERT_HEAD(&cache->lru, range, lru);
		}
	}
	bd_unlock(&cache->lock);
	return range;
}

uint64_t bd_rcache_next(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t pos)
{
	struct bd_range key = {.a = a, .b = b, .start = pos};
	struct bd_range *node;
	uint64_t start = UINT64_MAX;

	bd_lock(&cache->lock);
	node = RB_ROOT(&cache->tree);
	while (node) {
		if (range_cmp(node, &key) > 0) {
			if (node->a == a && node->b == b)
				start = node->start;
			node = RB_LEFT(node, node);
		} else {
			node = RB_RIGHT(node, node);
		}
	}
	bd_unlock(&cache->lock);
	return start;
}

void bd_rcache_add(struct bd_rcache *cache, struct bd_range *range)
{
	struct bd_range *other;

	bd_lock(&cache->lock);
	/* the last one that begins before our end is the only one that can overlap */
	other = floor_locked(cache, range->a, range->b, range->end - 1);
	if (other && other->end > range->start) {
		bd_unlock(&cache->lock);
		return;
	}
	bd_range_ref(range);
	RB_INSERT(bd_range_tree, &cache->tree, range);
	TAILQ_INSERT_HEAD(&cache->lru, range, lru);
	cache->bytes += range->bytes;
	while (cache->bytes > cache->limit && TAILQ_LAST(&cache->lru, bd_range_lru) != range) {
		struct bd_range *oldest = TAILQ_LAST(&cache->lru, bd_range_lru);

		/* What was freed is off the list. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
		unlink_range(cache, oldest);
	}
	bd_unlock(&cache->lock);
}

size_t bd_rcache_bytes(struct bd_rcache *cache)
{
	size_t bytes;

	bd_lock(&cache->lock);
	bytes = cache->bytes;
	bd_unlock(&cache->lock);
	return bytes;
}
