/* SPDX-License-Identifier: MIT */
/* inode/inode_item.c - inode items */
#include "inode/inode.h"

#include "base/err.h"

struct bdio_timespec bd_time_decode(const struct bd_disk_timespec *d)
{
	return (struct bdio_timespec){.sec = (int64_t)bd_le64(d->sec), .nsec = bd_le32(d->nsec)};
}

void bd_inode_item_decode(const struct bd_disk_inode_item *d, struct bd_inode_item *out)
{
	*out = (struct bd_inode_item){
		.generation = bd_le64(d->generation),
		.transid = bd_le64(d->transid),
		.size = bd_le64(d->size),
		.nbytes = bd_le64(d->nbytes),
		.rdev = bd_le64(d->rdev),
		.flags = bd_le64(d->flags),
		.sequence = bd_le64(d->sequence),
		.nlink = bd_le32(d->nlink),
		.uid = bd_le32(d->uid),
		.gid = bd_le32(d->gid),
		.mode = bd_le32(d->mode),
		.atime = bd_time_decode(&d->atime),
		.ctime = bd_time_decode(&d->ctime),
		.mtime = bd_time_decode(&d->mtime),
		.otime = bd_time_decode(&d->otime),
	};
}

int bd_inode_item_read(const struct bd_tree *tree, uint64_t ino, struct bd_inode_item *out)
{
	struct bd_key key = bd_key(ino, BD_KEY_INODE_ITEM, 0);
	struct bd_path path;
	uint32_t size;
	int ret;

	bd_path_init(&path);
	ret = bd_tree_search(tree, &key, &path);
	if (ret == 0)
		bd_inode_item_decode(bd_path_data(&path, &size), out);
	bd_path_release(&path);
	if (ret > 0) {
		ret = BD_FAIL(-ENOENT, INODE_NONE, "there is no inode %llu in subvolume %llu",
			      (unsigned long long)ino, (unsigned long long)tree->id);
		bd_err_at_inode(tree->id, ino);
	}
	return ret;
}
