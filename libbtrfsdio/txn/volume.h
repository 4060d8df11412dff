/* SPDX-License-Identifier: MIT */
/* txn/volume.h - the devices, chunks and global trees of one filesystem */
#ifndef BD_TXN_VOLUME_H
#define BD_TXN_VOLUME_H

#include "btrfsdio/fs.h"
#include "tree/tree.h"
#include "txn/super_load.h"

struct bd_volume {
	struct bd_super super;
	unsigned int super_copy; /* 0..2 */
	uint32_t super_remarks;	 /* of all devices */
	uint64_t open_flags;	 /* BDIO_OPEN_* */
	uint64_t generation;	 /* of the roots that are read */
	unsigned int missing;	 /* members */
	struct bd_lspace ls;
	struct bd_node_cache nodes;

	/* committed roots; .bytenr 0: the filesystem has no such tree */
	struct bd_tree root_tree;
	struct bd_tree chunk_tree;
	struct bd_tree dev_tree;
	struct bd_tree extent_tree;
	struct bd_tree csum_tree;
	struct bd_tree block_group_tree;
};

/*
 * Open and assemble. @opts is complete: every default is filled in.
 * Return: 0; else as bdio_open(), nothing left open, *vol to be dropped.
 */
int bd_volume_open(struct bd_volume *vol, const char *const *paths, size_t npaths,
		   const struct bdio_open_opts *opts);
void bd_volume_close(struct bd_volume *vol);

/*
 * The newest root item of a tree. *item is in the form of the full struct, whatever its age: fields
 * that an old one does not have are zero. @offset: the item's key offset, may be NULL. Return: 0;
 * -ENOENT (reported); errors of a tree read.
 */
int bd_root_item(struct bd_volume *vol, uint64_t id, struct bd_disk_root_item *item,
		 uint64_t *offset);
void bd_root_item_decode(const void *data, uint32_t size, struct bd_disk_root_item *item);
/* The tree that a root item describes. */
struct bd_tree bd_root_tree_of(struct bd_volume *vol, uint64_t id,
			       const struct bd_disk_root_item *item);

/* Load the global trees' roots out of the root tree. */
int bd_roots_load(struct bd_volume *vol);

/*
 * Bootstrap from the superblock's array, then read the chunk tree: members and chunks. Members take
 * over their candidates' devices. Return: 0; -EUCLEAN, -EIO; -ENXIO devices are missing.
 */
int bd_members_load(struct bd_volume *vol, struct bd_candidate *candidates, size_t n);

#endif
