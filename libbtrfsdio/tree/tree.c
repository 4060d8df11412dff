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

int bd_tree_child(const struct bd_tree *tree, const struct bd_node *node, uint32_t slot,
		  struct bd_node **out)
{
	const struct bd_disk_key_ptr *ptr = bd_node_ptr(node->block, slot);
	/*
	 * The level goes down by one with each step and the first key is the pointer's own: no
	 * cycle can be followed, and no block be visited twice by one walk.
	 */
	struct bd_node_expect want = {
		.logical = bd_le64(ptr->blockptr),
		.generation = bd_le64(ptr->generation),
		.owner = tree->id,
		.level = (uint8_t)(node->level - 1),
		.has_first_key = true,
		.first_key = bd_key_decode(&ptr->key),
	};

	return bd_node_get(tree->cache, &want, out);
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
		err = bd_tree_child(tree, node, slot, &node);
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
		int err = bd_tree_child(tree, path->nodes[level], path->slots[level], &child);

		if (err)
			return err;
		level--;
		bd_node_put(path->nodes[level]);
		path->nodes[level] = child;
		path->slots[level] = last && child->nritems ? child->nritems - 1 : 0;
	}
	return 0;
}

/* Blocks were checked alone; keys must also ascend from one leaf to the next. */
static int check_leaf_order(const struct bd_path *path, const struct bd_key *before, bool ascending)
{
	struct bd_key now = bd_path_key(path);
	int cmp = bd_key_cmp(before, &now);

	if (ascending ? cmp < 0 : cmp > 0)
		return 0;
	return BD_FAIL(-EUCLEAN, LEAF_ORDER,
		       "corrupt leaf: block %llu, its keys overlap those of its neighbour",
		       (unsigned long long)path->nodes[0]->logical);
}

static int step_leaf(const struct bd_tree *tree, struct bd_path *path, bool forward)
{
	bool had_items = path->nodes[0]->nritems > 0;
	struct bd_key before = BD_KEY_MIN;
	unsigned int level = 1;
	int err;

	if (had_items)
		before = bd_node_key(path->nodes[0]->block,
				     forward ? path->nodes[0]->nritems - 1 : 0);
	while (level <= path->top) {
		if (forward ? path->slots[level] + 1 < path->nodes[level]->nritems
			    : path->slots[level] > 0)
			break;
		level++;
	}
	if (level > path->top)
		return 1;
	path->slots[level] += forward ? 1u : -1u;
	err = descend(tree, path, level, !forward);
	if (!err && path->nodes[0]->nritems == 0)
		err = BD_FAIL(-EUCLEAN, LEAF_EMPTY, "corrupt leaf: block %llu, empty",
			      (unsigned long long)path->nodes[0]->logical);
	if (!err && had_items)
		err = check_leaf_order(path, &before, forward);
	return err;
}

int bd_path_valid(const struct bd_tree *tree, struct bd_path *path)
{
	if (path->slots[0] < path->nodes[0]->nritems)
		return 0;
	return step_leaf(tree, path, true);
}

int bd_path_next(const struct bd_tree *tree, struct bd_path *path)
{
	if (path->slots[0] < path->nodes[0]->nritems)
		path->slots[0]++;
	return bd_path_valid(tree, path);
}

int bd_path_prev(const struct bd_tree *tree, struct bd_path *path)
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
		ret = bd_path_valid(tree, path);
	if (ret == 0)
		*found = bd_path_key(path);
	return ret;
}

int bd_tree_last(const struct bd_tree *tree, const struct bd_key *key, struct bd_path *path,
		 struct bd_key *found)
{
	int ret = bd_tree_search(tree, key, path);

	if (ret == 1)
		ret = bd_path_prev(tree, path);
	if (ret == 0)
		*found = bd_path_key(path);
	return ret;
}
