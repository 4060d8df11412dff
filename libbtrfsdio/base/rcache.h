/* SPDX-License-Identifier: MIT */
/* base/rcache.h - a bounded cache of objects that cover ranges: extents of a file, checksums */
#ifndef BD_BASE_RCACHE_H
#define BD_BASE_RCACHE_H

#include <stddef.h>
#include <bsd/sys/tree.h>
#include <sys/queue.h>

#include "base/thread.h"

/*
 * An object covers [start, end) of the space that (a, b) names: for checksums the logical
 * space, for extents one file. Objects of one space do not overlap. Embed as the first member;
 * objects never change once they were added and are freed with free().
 */
struct bd_range {
	uint64_t a, b;
	uint64_t start, end;
	size_t bytes;		   /* of memory, for the limit */
	_Atomic unsigned int refs; /* the cache holds one itself */
	RB_ENTRY(bd_range) node;
	TAILQ_ENTRY(bd_range) lru;
};

RB_HEAD(bd_range_tree, bd_range);
TAILQ_HEAD(bd_range_lru, bd_range);

struct bd_rcache {
	pthread_mutex_t lock;
	struct bd_range_tree tree;
	struct bd_range_lru lru; /* most recently used first */
	size_t bytes, limit;
};

void bd_rcache_init(struct bd_rcache *cache, size_t limit);
void bd_rcache_fini(struct bd_rcache *cache);

/* The object that covers @pos, with a reference; NULL: none. */
struct bd_range *bd_rcache_find(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t pos);

/* Start of the first object of the space behind @pos: where a new one must end. UINT64_MAX: none.
 */
uint64_t bd_rcache_next(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t pos);

/*
 * Add a filled object whose one reference is the caller's. When another thread was faster
 * with an overlapping object, the new one simply is not kept.
 */
void bd_rcache_add(struct bd_rcache *cache, struct bd_range *range);

static inline void bd_range_ref(struct bd_range *range)
{
	atomic_fetch_add_explicit(&range->refs, 1, memory_order_relaxed);
}

/* NULL is fine. */
void bd_range_put(struct bd_range *range);

size_t bd_rcache_bytes(struct bd_rcache *cache);

#endif
