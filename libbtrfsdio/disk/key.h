/* SPDX-License-Identifier: MIT */
/* disk/key.h - keys in host order and their total order */
#ifndef BD_DISK_KEY_H
#define BD_DISK_KEY_H

#include <stdbool.h>
#include "disk/format.h"

struct bd_key {
	uint64_t objectid;
	uint64_t offset;
	uint8_t type;
};

#define BD_KEY_MIN ((struct bd_key){0, 0, 0})
#define BD_KEY_MAX ((struct bd_key){UINT64_MAX, UINT64_MAX, UINT8_MAX})

static inline struct bd_key bd_key(uint64_t objectid, uint8_t type, uint64_t offset)
{
	return (struct bd_key){objectid, offset, type};
}

static inline struct bd_key bd_key_decode(const struct bd_disk_key *d)
{
	return (struct bd_key){bd_le64(d->objectid), bd_le64(d->offset), d->type};
}

static inline struct bd_disk_key bd_key_encode(const struct bd_key *k)
{
	return (struct bd_disk_key){bd_to_le64(k->objectid), k->type, bd_to_le64(k->offset)};
}

/* objectid, then type, then offset */
static inline int bd_key_cmp(const struct bd_key *a, const struct bd_key *b)
{
	if (a->objectid != b->objectid)
		return a->objectid < b->objectid ? -1 : 1;
	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return 0;
}

/* Id of a subvolume tree. The top 16 bits must be clear: in quota groups they are the level. */
static inline bool bd_is_subvol(uint64_t objectid)
{
	return objectid == BD_OBJ_FS_TREE || (objectid >= BD_OBJ_FIRST_FREE && !(objectid >> 48));
}

/* Number of an inode: ordinary, the root tree's directory, or an old kernel's inode number cache.
 */
static inline bool bd_is_inode(uint64_t objectid)
{
	return (objectid >= BD_OBJ_FIRST_FREE && objectid <= BD_OBJ_LAST_FREE) ||
	       objectid == BD_OBJ_ROOT_TREE_DIR || objectid == BD_OBJ_FREE_INO;
}

#endif
