/* SPDX-License-Identifier: MIT */
/* tree/tree.c - search and iterate a tree */
#include "tree/tree.h"

#include "base/err.h"

void bd_path_release(struct bd_path *path)
{
	for (unsigned int i = 0; i < BD_MAX_LEVEL; i++) {
		bd_node_put(path->nodes[i]);
		path->nodes[i] = NULL;
	}
	path->top = 0;
}

int bd_tree_root(const struct bd_tree *tree, struct bd_node **out)
{
	struct bd_node_expect want = {
		.logical = tree->bytenr,
		.generation = tree->generation,
		.owner = tree->id,
		.level = tree->level,
	};

	return bd_node_get(tree->cache, &want, out);
}

/*
 * The level goes down by one with each step, the first key is the pointer's own and the last one is
 * below the limit: no cycle can be followed, and no block be reached twice by one walk.
 */
int bd_tree_child(const struct bd_tree *tree, const struct bd_node *node, uint32_t slot,
		  struct bd_key limit, struct bd_node **out)
{
	const struct bd_disk_key_ptr *ptr = bd_node_ptr(node->block, slot);
	struct bd_node_expect want = {
		.logical = bd_le64(ptr->blockptr),
		.generation = bd_le64(ptr->generation),
		.owner = tree->id,
		.level = (uint8_t)(node->level - 1),
		.has_first_key = true,
		.first_key = bd_key_decode(&ptr->key),
	};
	struct bd_node *child;
	struct bd_key last;
	int err = bd_node_get(tree->cache, &want, &child);

	if (err)
		return err;
	last = bd_node_key(child->block, child->nritems - 1);
	if (bd_key_cmp(&last, &limit) >= 0) {
		bd_node_put(child);
		return BD_FAIL(
			-EUCLEAN, NODE_BEYOND,
			"corrupt node: logical %llu, its keys overlap those of its neighbour",
			(unsigned long long)want.logical);
	}
	*out = child;
	return 0;
}

int bd_path_child(const struct bd_tree *tree, const struct bd_path *path, unsigned int level,
		  struct bd_node **out)
{
	struct bd_key limit = BD_KEY_MAX;

	for (unsigned int i = path->top; i >= level; i--)
		limit = bd_tree_limit(path->nodes[i], path->slots[i], limit);
	return bd_tree_child(tree, path->nodes[level], path->slots[level], limit, out);
}

/* First slot whose key is >= @key; *exact: it is equal. */
static uint32_t lower_bound(const struct bd_node *node, const struct bd_key *key, bool *exact)
{
	uint32_t lo = 0, hi = node->nritems;

	*exact = false;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		struct bd_key at = bd_node_key(node->block, mid);
		int cmp = bd_key_cmp(&at, key);

		if (cmp == 0) {
			*exact = true;
			return mid;
		}
		if (cmp < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int bd_tree_search(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path)
{
	struct bd_node *node;
	bool exact;
	int err;

	bd_path_release(path);
	bd_count(&tree->cache->searches, 1);
	err = bd_tree_root(tree, &node);
	if (err)
		return err;
	path->top = node->level;
	for (;;) {
		uint32_t slot = lower_bound(node, key, &exact);

		path->nodes[node->level] = node;
		if (node->level == 0) {
			path->slots[0] = slot;
			return exact ? 0 : 1;
		}
		/* the child that begins at or before the key; the first one for keys below all */
		if (!exact && slot > 0)
			slot--;
		path->slots[node->level] = slot;
		err = bd_path_child(tree, path, node->level, &node);
		if (err) {
			bd_path_release(path);
			return err;
		}
	}
}

/* Fill the levels below @level along the first (or last) children. */
static int descend(const struct bd_tree *tree, struct bd_path *path, unsigned int level, bool last)
{
	while (level > 0) {
		struct bd_node *child;
		int err = bd_path_child(tree, path, level, &child);

		if (err)
			return err;
		level--;
		bd_node_put(path->nodes[level]);
		path->nodes[level] = child;
		path->slots[level] = last && child->nritems ? child->nritems - 1 : 0;
	}
	return 0;
}

static int step_leaf(const struct bd_tree *tree, struct bd_path *path, bool forward)
{
	unsigned int level = 1;

	while (level <= path->top) {
		if (forward ? path->slots[level] + 1 < path->nodes[level]->nritems
			    : path->slots[level] > 0)
			break;
		level++;
	}
	if (level > path->top)
		return 1;
	path->slots[level] += forward ? 1u : -1u;
	return descend(tree, path, level, !forward);
}

/* Stand on an item: a slot behind its leaf's last means the next leaf. */
static int settle(const struct bd_tree *tree, struct bd_path *path)
{
	if (path->slots[0] < path->nodes[0]->nritems)
		return 0;
	return step_leaf(tree, path, true);
}

int bd_path_next(const struct bd_tree *tree, struct bd_path *path)
{
	if (path->slots[0] < path->nodes[0]->nritems)
		path->slots[0]++;
	return settle(tree, path);
}

static int step_back(const struct bd_tree *tree, struct bd_path *path)
{
	if (path->slots[0] > 0) {
		path->slots[0]--;
		return 0;
	}
	return step_leaf(tree, path, false);
}

int bd_tree_first(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path,
		  struct bd_key *found)
{
	int ret = bd_tree_search(tree, key, path);

	if (ret == 1)
		ret = settle(tree, path);
	if (ret == 0)
		*found = bd_path_key(path);
	return ret;
}

int bd_tree_last(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path,
		 struct bd_key *found)
{
	int ret = bd_tree_search(tree, key, path);

	if (ret == 1)
		ret = step_back(tree, path);
	if (ret == 0)
		*found = bd_path_key(path);
	return ret;
}
