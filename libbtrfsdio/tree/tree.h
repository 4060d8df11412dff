/* SPDX-License-Identifier: MIT */
/* tree/tree.h - search and iterate a tree */
#ifndef BD_TREE_TREE_H
#define BD_TREE_TREE_H

#include <assert.h>

#include "tree/node_cache.h"

/* Where a tree begins. A value: copy it freely. */
struct bd_tree {
	struct bd_node_cache *cache;
	uint64_t id; /* objectid of the tree, that its blocks' owner must match; 0: any (dump) */
	uint64_t bytenr;
	uint64_t generation; /* 0: any */
	uint8_t level;	     /* UINT8_MAX: any */
};

/* A position: one node and slot for each level from 0 (the leaf) to top. Holds references. */
struct bd_path {
	struct bd_node *nodes[BD_MAX_LEVEL];
	uint32_t slots[BD_MAX_LEVEL];
	uint8_t top;
};

static inline void bd_path_init(struct bd_path *path)
{
	*path = (struct bd_path){.top = 0};
}

/* Drop all references; the path may be used again. */
void bd_path_release(struct bd_path *path);

/*
 * Descend to the place of @key; the path must be initialised and is released first.
 * Return: 0 the item is there; 1 it is not: the leaf's slot is where it would be inserted, which
 * may be behind the last item of the leaf; -errno, path released.
 */
int bd_tree_search(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path);

/* To the next item of a path that a search has set. Return: 0; 1 the tree ends here; -errno. */
int bd_path_next(const struct bd_tree *tree, struct bd_path *path);

/*
 * Search for the first item >= @key, or the last item <= @key.
 * Return: 0 the path stands on it, *found is its key; 1 there is none; -errno.
 */
int bd_tree_first(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path,
		  struct bd_key *found);
int bd_tree_last(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path,
		 struct bd_key *found);

/* Of a path that stands on an item. Data stays valid while the path holds its leaf. */
static inline struct bd_key bd_path_key(const struct bd_path *path)
{
	assert(path->nodes[0]);
	return bd_node_key(path->nodes[0]->block, path->slots[0]);
}

static inline const void *bd_path_data(const struct bd_path *path, uint32_t *size)
{
	assert(path->nodes[0]);
	return bd_leaf_data(path->nodes[0]->block, path->slots[0], size);
}

/*
 * The child that slot @slot of @node points to. @limit: as bd_tree_limit() says for that slot.
 * Return: 0; -EUCLEAN keys of the child reach the limit (reported); errors of a block read.
 */
int bd_tree_child(const struct bd_tree *tree, const struct bd_node *node, uint32_t slot,
		  struct bd_key limit, struct bd_node **out);

/* Below slot @slot of @node all keys are below its neighbour's; below the last below @limit. */
static inline struct bd_key bd_tree_limit(const struct bd_node *node, uint32_t slot,
					  struct bd_key limit)
{
	return slot + 1 < node->nritems ? bd_node_key(node->block, slot + 1) : limit;
}

/* The child that the path's slot at @level points to; the levels above are filled. */
int bd_path_child(const struct bd_tree *tree, const struct bd_path *path, unsigned int level,
		  struct bd_node **out);

/* The root block. */
int bd_tree_root(const struct bd_tree *tree, struct bd_node **out);

#endif
