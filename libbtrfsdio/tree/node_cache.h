/* SPDX-License-Identifier: MIT */
/* tree/node_cache.h - checked tree blocks in memory, bounded */
#ifndef BD_TREE_NODE_CACHE_H
#define BD_TREE_NODE_CACHE_H

#include <sys/queue.h>

#include "base/slab.h"
#include "base/thread.h"
#include "chunk/lspace.h"
#include "disk/node_check.h"

/* A tree block that passed every check. Never changes: a writer makes a new one. */
struct bd_node {
	uint64_t logical;
	uint64_t generation;
	uint64_t owner;
	uint32_t nritems;
	uint8_t level;
	const void *block; /* nodesize bytes, of the cache's slab */
	struct bd_node_cache *cache;

	_Atomic unsigned int refs; /* the cache holds one itself */
	struct bd_node *hash_next;
	TAILQ_ENTRY(bd_node) lru;
};

#define BD_NODE_SHARDS 16u

struct bd_node_shard {
	pthread_mutex_t lock;
	struct bd_node **buckets;
	size_t num_buckets;
	TAILQ_HEAD(bd_node_lru, bd_node) lru; /* most recently used first */
	size_t num_nodes;
};

struct bd_node_cache {
	struct bd_lspace *ls;
	const struct bd_super *super;
	unsigned int num_shards; /* a power of two; fewer than BD_NODE_SHARDS in a tiny cache */
	size_t max_per_shard;	 /* nodes */
	struct bd_node_shard shards[BD_NODE_SHARDS];
	struct bd_slab blocks;
	bd_counter hits, reads, bad_copies, searches;
};

/* @bytes: limit of what the cache keeps; nodes in use may exceed it. */
int bd_node_cache_init(struct bd_node_cache *cache, struct bd_lspace *ls,
		       const struct bd_super *super, size_t bytes);
void bd_node_cache_fini(struct bd_node_cache *cache);
size_t bd_node_cache_bytes(struct bd_node_cache *cache);

/*
 * The tree block that @want describes, from the cache or from the first copy that is sound and
 * is the block that was meant. Blocks for device I/O; thread-safe.
 * Return: 0, release with bd_node_put(); -EIO, -EUCLEAN, -ENXIO no such copy (reported, with the
 * error of the first); -ENOMEM.
 */
int bd_node_get(struct bd_node_cache *cache, const struct bd_node_expect *want,
		struct bd_node **out);
/* NULL is fine. */
void bd_node_put(struct bd_node *node);
static inline void bd_node_ref(struct bd_node *node)
{
	atomic_fetch_add_explicit(&node->refs, 1, memory_order_relaxed);
}

#endif
