/* SPDX-License-Identifier: MIT */
/* disk/item_check_inode.c - inodes, their names' back references, verity */
#include "disk/item_check_priv.h"

#include <sys/stat.h>

int bd_check_same_inode(const struct bd_item *it)
{
	/* A log tree may hold any part of an inode. */
	if (!it->ctx->prev_key || !bd_is_subvol(it->ctx->owner) ||
	    it->ctx->prev_key->objectid == it->key->objectid)
		return 0;
	return ITEM_FAIL(it, INODE_MISSING, "no inode item before it, but inode %" PRIu64,
			 it->ctx->prev_key->objectid);
}

static bool valid_mode(uint32_t mode)
{
	if (mode & ~(uint32_t)(S_IFMT | 07777))
		return false;
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
	case S_IFLNK:
	case S_IFCHR:
	case S_IFBLK:
	case S_IFIFO:
	case S_IFSOCK:
		return true;
	default:
		return false;
	}
}

int bd_check_inode_item(const struct bd_item *it)
{
	const struct bd_disk_inode_item *inode = it->data;
	uint32_t mode = bd_le32(inode->mode);
	/* Unknown bits in the upper half do not hinder reading. */
	uint32_t flags = (uint32_t)bd_le64(inode->flags);

	if (!bd_is_inode(it->key->objectid) || it->key->offset)
		return ITEM_FAIL(it, INODE_KEY, "invalid key of an inode");
	if (bd_item_future(it, bd_le64(inode->generation)))
		return ITEM_FAIL(it, INODE_GENERATION, "generation in the future, %" PRIu64,
				 bd_le64(inode->generation));
	if (bd_item_future(it, bd_le64(inode->transid)))
		return ITEM_FAIL(it, INODE_TRANSID, "transid in the future, %" PRIu64,
				 bd_le64(inode->transid));
	if (!valid_mode(mode))
		return ITEM_FAIL(it, INODE_MODE, "invalid mode, 0%o", mode);
	if (S_ISDIR(mode) && bd_le32(inode->nlink) > 1)
		return ITEM_FAIL(it, INODE_DIR_NLINK, "directory with several links, %u",
				 bd_le32(inode->nlink));
	if (flags & ~BD_INODE_FLAG_MASK)
		return ITEM_FAIL(it, INODE_FLAGS, "unknown inode flags, 0x%x", flags);
	return 0;
}

/* Names of either kind of reference: a header of @head bytes whose last two are the length. */
static int check_names(const struct bd_item *it, const uint8_t *p, uint32_t left, uint32_t head)
{
	while (left) {
		uint32_t len = 0;

		if (left > head)
			len = bd_le16(*(const le16 *)(p + head - sizeof(le16)));
		if (!len || len > BD_NAME_MAX || len > left - head)
			return ITEM_FAIL(it, INODE_REF_NAME,
					 "invalid name in a reference, length %u, %u bytes left",
					 len, left);
		p += head + len;
		left -= head + len;
	}
	return 0;
}

int bd_check_inode_ref(const struct bd_item *it)
{
	int err = bd_check_same_inode(it);

	return err ? err : check_names(it, it->data, it->size, sizeof(struct bd_disk_inode_ref));
}

int bd_check_inode_extref(const struct bd_item *it)
{
	int err = bd_check_same_inode(it);

	return err ? err : check_names(it, it->data, it->size, sizeof(struct bd_disk_inode_extref));
}

int bd_check_verity_desc(const struct bd_item *it)
{
	if (!it->key->offset && it->size != sizeof(struct bd_disk_verity_descriptor))
		return ITEM_FAIL(it, VERITY_SIZE, "invalid size of a verity descriptor, %u",
				 it->size);
	return 0;
}
