/* SPDX-License-Identifier: MIT */
/* txn/super_load.c - choose a superblock among a device's copies */
#include "txn/super_load.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum copy_state {
	COPY_ABSENT,
	COPY_BAD,
	COPY_UNUSABLE, /* whole, but what it says cannot be: a change that was interrupted */
	COPY_GOOD,
};

struct super_copies {
	enum copy_state state[BD_SUPER_COPIES];
	struct bd_super super[BD_SUPER_COPIES];
	struct bdio_error error; /* of the first bad copy */
};

static void note_error(struct super_copies *copies)
{
	if (!copies->error.code)
		copies->error = *bd_err_self();
}

static enum copy_state read_copy(struct bd_dev *dev, unsigned int copy, void *block,
				 struct super_copies *copies)
{
	uint64_t offset = bd_super_offset(copy);
	int err;

	if (offset + BD_SUPER_SIZE > dev->size)
		return COPY_ABSENT;
	err = bd_dev_read(dev, block, BD_SUPER_SIZE, offset);
	if (err) {
		BD_FAIL(-EIO, SUPER_READ, "read error %d on %s at superblock %u", -err, dev->name,
			copy);
		note_error(copies);
		return COPY_BAD;
	}
	if (!bd_super_has_magic(block))
		return COPY_ABSENT;
	if (bd_super_decode(block, copy, &copies->super[copy])) {
		note_error(copies);
		return bd_super_check_seal(block, copy) ? COPY_BAD : COPY_UNUSABLE;
	}
	return COPY_GOOD;
}

static bool same_origin(const struct bd_super *a, const struct bd_super *b)
{
	return !memcmp(a->fsid, b->fsid, BD_FSID_SIZE) &&
	       !memcmp(a->metadata_uuid, b->metadata_uuid, BD_FSID_SIZE) &&
	       !memcmp(a->dev.uuid, b->dev.uuid, BD_UUID_SIZE);
}

static uint32_t remark_mirrors(const struct super_copies *copies)
{
	const struct bd_super *primary = &copies->super[0];
	uint32_t remarks = 0;

	for (unsigned int i = 1; i < BD_SUPER_COPIES; i++) {
		if (bd_super_offset(i) + BD_SUPER_SIZE > primary->dev.total_bytes)
			break;
		if (copies->state[i] != COPY_GOOD)
			remarks |= BDIO_SUPER_MIRROR_BAD;
		else if (!same_origin(primary, &copies->super[i]))
			remarks |= BDIO_SUPER_MIRROR_FOREIGN;
		else if (copies->super[i].generation > primary->generation)
			remarks |= BDIO_SUPER_MIRROR_NEWER;
		else if (copies->super[i].generation < primary->generation)
			remarks |= BDIO_SUPER_MIRROR_OLDER;
	}
	return remarks;
}

/*
 * -1: no copy is good. A mirror stands in for a primary that was damaged, not for one that says
 * something else than the mirror does.
 */
static int choose_copy(const struct super_copies *copies)
{
	int best = -1;

	if (copies->state[0] == COPY_GOOD)
		return 0;
	if (copies->state[0] == COPY_UNUSABLE)
		return -1;
	for (int i = 1; i < BD_SUPER_COPIES; i++) {
		if (copies->state[i] != COPY_GOOD)
			continue;
		if (best < 0 || copies->super[i].generation > copies->super[best].generation)
			best = i;
	}
	return best;
}

static int no_super(const struct bd_candidate *candidate, const struct super_copies *copies)
{
	if (copies->error.code) {
		*bd_err_self() = copies->error;
		return copies->error.code;
	}
	return BD_FAIL(-EUCLEAN, SUPER_NONE, "no btrfs superblock on %s", candidate->dev->name);
}

static int choose(struct bd_candidate *candidate, const struct super_copies *copies,
		  unsigned int only)
{
	int copy = choose_copy(copies);

	if (copy < 0)
		return no_super(candidate, copies);
	candidate->super = copies->super[copy];
	candidate->copy = (unsigned int)copy;
	if (only)
		candidate->remarks = 0;
	else
		candidate->remarks = copy ? BDIO_SUPER_PRIMARY_BAD : remark_mirrors(copies);
	return 0;
}

int bd_super_load(struct bd_candidate *candidate, unsigned int only)
{
	struct super_copies *copies = bd_zalloc(sizeof(*copies));
	void *block = bd_alloc_aligned(BD_SUPER_SIZE, BD_SUPER_SIZE);
	int err;

	if (!copies || !block) {
		err = BD_FAIL(-ENOMEM, SUPER_LOAD, "no memory to read superblocks");
	} else {
		for (unsigned int i = 0; i < BD_SUPER_COPIES; i++) {
			if (!only || i == only - 1)
				copies->state[i] = read_copy(candidate->dev, i, block, copies);
		}
		err = choose(candidate, copies, only);
	}
	free(block);
	free(copies);
	return err;
}
