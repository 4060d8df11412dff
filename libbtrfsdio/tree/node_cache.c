/* SPDX-License-Identifier: MIT */
/* tree/node_cache.c - checked tree blocks in memory, bounded */
#include "tree/node_cache.h"

#include <string.h>

#include "base/err.h"
#include "base/math.h"
#include "base/mem.h"
#include "tree/node_read.h"

static uint64_t node_hash(uint64_t logical)
{
	return (logical >> 12) * 0x9E3779B97F4A7C15ULL;
}

static struct bd_node_shard *shard_of(struct bd_node_cache *cache, uint64_t logical)
{
	return &cache->shards[(node_hash(logical) >> 60) & (cache->num_shards - 1)];
}

static struct bd_node **bucket_of(struct bd_node_shard *shard, uint64_t logical)
{
	return &shard->buckets[(node_hash(logical) >> 20) & (shard->num_buckets - 1)];
}

int bd_node_cache_init(struct bd_node_cache *cache, struct bd_lspace *ls,
		       const struct bd_super *super, size_t bytes)
{
	size_t nodes = bytes / (super->nodesize + sizeof(struct bd_node));

	cache->ls = ls;
	cache->super = super;
	bd_slab_init(&cache->blocks, super->nodesize);
	cache->num_shards = BD_NODE_SHARDS;
	while (cache->num_shards > 1 && cache->num_shards > nodes)
		cache->num_shards /= 2;
	cache->max_per_shard = bd_max_u64(nodes / cache->num_shards, 1);
	for (unsigned int i = 0; i < cache->num_shards; i++) {
		struct bd_node_shard *shard = &cache->shards[i];
		size_t buckets = 16;

		while (buckets < cache->max_per_shard)
			buckets *= 2;
		bd_lock_init_short(&shard->lock);
		TAILQ_INIT(&shard->lru);
		shard->num_buckets = buckets;
		shard->buckets = bd_calloc(buckets, sizeof(*shard->buckets));
		if (!shard->buckets)
			return BD_FAIL(-ENOMEM, NODE_CACHE_INIT, "no memory for the node cache");
	}
	return 0;
}

static void node_free(struct bd_node *node)
{
	bd_slab_put(&node->cache->blocks, (void *)(uintptr_t)node->block);
	free(node);
}

void bd_node_put(struct bd_node *node)
{
	if (node && atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) == 1)
		node_free(node);
}

static void unlink_node(struct bd_node_shard *shard, struct bd_node *node)
{
	struct bd_node **link = bucket_of(shard, node->logical);

	while (*link != node)
		link = &(*link)->hash_next;
	*link = node->hash_next;
	TAILQ_REMOVE(&shard->lru, node, lru);
	shard->num_nodes--;
	bd_node_put(node);
}

void bd_node_cache_fini(struct bd_node_cache *cache)
{
	for (unsigned int i = 0; i < cache->num_shards; i++) {
		struct bd_node_shard *shard = &cache->shards[i];

		if (!shard->num_buckets)
			continue;
		while (!TAILQ_EMPTY(&shard->lru))
			unlink_node(shard, TAILQ_FIRST(&shard->lru));
		free(shard->buckets);
		pthread_mutex_destroy(&shard->lock);
	}
	if (cache->num_shards)
		bd_slab_fini(&cache->blocks);
}

size_t bd_node_cache_bytes(struct bd_node_cache *cache)
{
	size_t nodes = 0;

	for (unsigned int i = 0; i < cache->num_shards; i++) {
		bd_lock(&cache->shards[i].lock);
		nodes += cache->shards[i].num_nodes;
		bd_unlock(&cache->shards[i].lock);
	}
	return nodes * (cache->super->nodesize + sizeof(struct bd_node));
}

static struct bd_node *find_locked(struct bd_node_shard *shard, uint64_t logical)
{
	struct bd_node *node = *bucket_of(shard, logical);

	while (node && node->logical != logical)
		node = node->hash_next;
	return node;
}

static struct bd_node *cache_find(struct bd_node_cache *cache, uint64_t logical)
{
	struct bd_node_shard *shard = shard_of(cache, logical);
	struct bd_node *node;

	bd_lock(&shard->lock);
	node = find_locked(shard, logical);
	if (node) {
		bd_node_ref(node);
		if (node != TAILQ_FIRST(&shard->lru)) {
			TAILQ_REMOVE(&shard->lru, node, lru);
			TAILQ_INSERT_HEAD(&shard->lru, node, lru);
		}
	}
	bd_unlock(&shard->lock);
	return node;
}

/* Two threads may have read the same block: the later one wins, both are sound. */
static void cache_add(struct bd_node_cache *cache, struct bd_node *node)
{
	struct bd_node_shard *shard = shard_of(cache, node->logical);
	struct bd_node **bucket, *old;

	bd_lock(&shard->lock);
	old = find_locked(shard, node->logical);
	if (old)
		unlink_node(shard, old);
	while (shard->num_nodes >= cache->max_per_shard) {
		struct bd_node *oldest = TAILQ_LAST(&shard->lru, bd_node_lru);

		/* What was freed is off the list. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
		unlink_node(shard, oldest);
	}
	bd_node_ref(node);
	bucket = bucket_of(shard, node->logical);
	node->hash_next = *bucket;
	*bucket = node;
	TAILQ_INSERT_HEAD(&shard->lru, node, lru);
	shard->num_nodes++;
	bd_unlock(&shard->lock);
}

static struct bd_node *node_new(struct bd_node_cache *cache, void *block)
{
	const struct bd_disk_header *header = block;
	struct bd_node *node = bd_zalloc(sizeof(*node));

	if (!node)
		return NULL;
	node->logical = bd_le64(header->bytenr);
	node->generation = bd_le64(header->generation);
	node->owner = bd_le64(header->owner);
	node->nritems = bd_le32(header->nritems);
	node->level = header->level;
	node->block = block;
	node->cache = cache;
	node->refs = 1;
	return node;
}

int bd_node_get(struct bd_node_cache *cache, const struct bd_node_expect *want,
		struct bd_node **out)
{
	struct bd_node *node = cache_find(cache, want->logical);
	void *block;
	int err;

	if (node) {
		/* Sound in itself, but is it what this parent means? Ask again, cheaply. */
		err = bd_node_check_promise(node->block, want);
		if (!err) {
			bd_count(&cache->hits, 1);
			*out = node;
			return 0;
		}
		bd_node_put(node);
	}
	err = bd_node_read(cache, want, &block);
	if (err)
		return err;
	node = node_new(cache, block);
	if (!node) {
		bd_slab_put(&cache->blocks, block);
		return BD_FAIL(-ENOMEM, NODE_NEW, "no memory for a tree block");
	}
	bd_count(&cache->reads, 1);
	cache_add(cache, node);
	*out = node;
	return 0;
}
