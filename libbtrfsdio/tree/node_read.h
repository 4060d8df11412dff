/* SPDX-License-Identifier: MIT */
/* tree/node_read.h - read a tree block from the first good copy */
#ifndef BD_TREE_NODE_READ_H
#define BD_TREE_NODE_READ_H

#include "tree/node_cache.h"

/* *block: of cache->blocks, checked. Return as bd_node_get(). */
int bd_node_read(struct bd_node_cache *cache, const struct bd_node_expect *want, void **block);

#endif
