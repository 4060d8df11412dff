/* SPDX-License-Identifier: MIT */
/* disk/node_check.c - checks of one tree block */
#include "disk/node_check.h"

#include <inttypes.h>
#include <string.h>
#include "base/err.h"
#include "base/math.h"
#include "disk/csum.h"
#include "disk/item_check.h"
#include "disk/print.h"

static int check_csum(const void *block, const struct bd_super *super, uint64_t logical)
{
	const struct bd_disk_header *h = block;
	uint8_t found[BD_CSUM_SIZE];

	bd_csum(super->csum_type, h->fsid, super->nodesize - BD_CSUM_SIZE, found);
	if (!memcmp(found, h->csum, super->csum_size))
		return 0;
	int err = BD_FAIL(-EIO, NODE_CSUM, "corrupt node: logical %" PRIu64 ", wrong %s checksum",
			  logical, bd_csum_name(super->csum_type));
	bd_err_csums(h->csum, found, super->csum_size);
	return err;
}

static bool known_fsid(const struct bd_super *super, const uint8_t *fsid)
{
	if (!memcmp(fsid, super->metadata_uuid, BD_FSID_SIZE))
		return true;
	for (unsigned int i = 0; i < super->num_seeds; i++) {
		if (!memcmp(fsid, super->seed_fsid[i], BD_FSID_SIZE))
			return true;
	}
	return false;
}

static bool owner_fits(uint64_t want, uint64_t found)
{
	/* The items that point to log and reloc trees name the subvolume in their offset only. */
	if (!want || want == BD_OBJ_TREE_LOG || want == BD_OBJ_TREE_RELOC)
		return true;
	if (!bd_is_subvol(want))
		return found == want;
	return bd_is_subvol(found) || found == BD_OBJ_TREE_RELOC || found == BD_OBJ_DATA_RELOC_TREE;
}

/* Is it the block that lives at this address? */
static int check_identity(const struct bd_disk_header *h, const struct bd_super *super,
			  const struct bd_node_expect *want)
{
	char uuid[37];

	if (bd_le64(h->bytenr) != want->logical)
		return BD_FAIL(-EUCLEAN, NODE_BYTENR,
			       "corrupt node: logical %" PRIu64 ", says it is another, %" PRIu64,
			       want->logical, bd_le64(h->bytenr));
	if (!known_fsid(super, h->fsid)) {
		bd_uuid_text(h->fsid, uuid);
		return BD_FAIL(-EUCLEAN, NODE_FSID,
			       "corrupt node: logical %" PRIu64 ", belongs to another filesystem"
			       ", %s",
			       want->logical, uuid);
	}
	return 0;
}

/* Is it in the state that the parent knows? */
static int check_promise(const struct bd_disk_header *h, const struct bd_node_expect *want)
{
	if (h->level >= BD_MAX_LEVEL || (want->level != UINT8_MAX && h->level != want->level))
		return BD_FAIL(-EUCLEAN, NODE_LEVEL,
			       "corrupt node: logical %" PRIu64 ", wrong level, %u expected %u",
			       want->logical, h->level, want->level);
	if (want->generation && bd_le64(h->generation) != want->generation)
		return BD_FAIL(-EUCLEAN, NODE_GENERATION,
			       "corrupt node: logical %" PRIu64 ", wrong generation, %" PRIu64
			       " expected %" PRIu64,
			       want->logical, bd_le64(h->generation), want->generation);
	if (!owner_fits(want->owner, bd_le64(h->owner)))
		return BD_FAIL(-EUCLEAN, NODE_OWNER,
			       "corrupt node: logical %" PRIu64 ", wrong owner, %" PRIu64
			       " expected %" PRIu64,
			       want->logical, bd_le64(h->owner), want->owner);
	return 0;
}

static int check_first_key(const void *block, const struct bd_node_expect *want)
{
	char have[BD_KEY_TEXT_MAX], expected[BD_KEY_TEXT_MAX];
	struct bd_key first;

	if (!want->has_first_key)
		return 0;
	if (!bd_node_nritems(block))
		return BD_FAIL(-EUCLEAN, NODE_EMPTY_CHILD,
			       "corrupt node: logical %" PRIu64 ", no items below a parent",
			       want->logical);
	first = bd_node_key(block, 0);
	if (bd_key_cmp(&first, &want->first_key))
		return BD_FAIL(-EUCLEAN, NODE_FIRST_KEY,
			       "corrupt node: logical %" PRIu64 ", wrong first key, %s expected %s",
			       want->logical, bd_key_text(&first, have),
			       bd_key_text(&want->first_key, expected));
	return 0;
}

int bd_node_check_promise(const void *block, const struct bd_node_expect *want)
{
	int err = check_promise(block, want);

	return err ? err : check_first_key(block, want);
}

int bd_node_check_header(const void *block, const struct bd_super *super,
			 const struct bd_node_expect *want)
{
	int err = check_csum(block, super, want->logical);

	if (!err)
		err = check_identity(block, super, want);
	if (!err)
		err = bd_node_check_promise(block, want);
	if (err)
		bd_err_at_logical(want->logical, super->nodesize);
	return err;
}

static int check_key_order(const void *block, unsigned int slot)
{
	char have[BD_KEY_TEXT_MAX], before[BD_KEY_TEXT_MAX];
	struct bd_key key, prev;

	if (!slot)
		return 0;
	key = bd_node_key(block, slot);
	prev = bd_node_key(block, slot - 1);
	if (bd_key_cmp(&prev, &key) < 0)
		return 0;
	return BD_FAIL(-EUCLEAN, NODE_KEY_ORDER,
		       "corrupt node: logical %" PRIu64 " slot %u, bad key order, %s after %s",
		       bd_le64(bd_node_header(block)->bytenr), slot, bd_key_text(&key, have),
		       bd_key_text(&prev, before));
}

static int check_pointers(const void *block, const struct bd_super *super)
{
	uint64_t logical = bd_le64(bd_node_header(block)->bytenr);
	uint32_t max = (super->nodesize - (uint32_t)sizeof(struct bd_disk_header)) /
		       (uint32_t)sizeof(struct bd_disk_key_ptr);
	uint32_t n = bd_node_nritems(block);

	if (!n || n > max)
		return BD_FAIL(-EUCLEAN, NODE_NRITEMS,
			       "corrupt node: logical %" PRIu64 ", invalid number of pointers, %u",
			       logical, n);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t child = bd_le64(bd_node_ptr(block, i)->blockptr);
		int err = check_key_order(block, i);

		if (err)
			return err;
		if (!child || !bd_is_aligned(child, super->sectorsize))
			return BD_FAIL(-EUCLEAN, NODE_POINTER,
				       "corrupt node: logical %" PRIu64
				       " slot %u, invalid pointer, %" PRIu64,
				       logical, i, child);
	}
	return 0;
}

static bool never_empty(const struct bd_disk_header *h)
{
	/* Blocks of a relocation tree carry the subvolume's id, but their root may be empty. */
	if (bd_le64(h->flags) & BD_HEADER_FLAG_RELOC)
		return false;
	switch (bd_le64(h->owner)) {
	case 0:
	case BD_OBJ_ROOT_TREE:
	case BD_OBJ_EXTENT_TREE:
	case BD_OBJ_CHUNK_TREE:
	case BD_OBJ_DEV_TREE:
	case BD_OBJ_FS_TREE:
	case BD_OBJ_DATA_RELOC_TREE:
		return true;
	default:
		return false;
	}
}

/* Data of items lie back to back from the end of the leaf, in the order of the items. */
static int check_item_place(const void *block, unsigned int slot, uint32_t leaf_space)
{
	const struct bd_disk_item *item = bd_leaf_item(block, slot);
	uint32_t heads = bd_node_nritems(block) * (uint32_t)sizeof(struct bd_disk_item);
	uint32_t want_end = slot ? bd_le32(bd_leaf_item(block, slot - 1)->offset) : leaf_space;
	uint64_t end = (uint64_t)bd_le32(item->offset) + bd_le32(item->size);

	if (end == want_end && bd_le32(item->offset) >= heads)
		return 0;
	return BD_FAIL(-EUCLEAN, LEAF_ITEM_PLACE,
		       "corrupt leaf: logical %" PRIu64
		       " slot %u, data do not lie before the previous item's, %u bytes at %u",
		       bd_le64(bd_node_header(block)->bytenr), slot, bd_le32(item->size),
		       bd_le32(item->offset));
}

static int check_contents(const void *block, const struct bd_super *super)
{
	struct bd_item_ctx ctx = {.super = super,
				  .leaf = bd_le64(bd_node_header(block)->bytenr),
				  .owner = bd_le64(bd_node_header(block)->owner)};
	struct bd_key keys[2];

	for (uint32_t i = 0, n = bd_node_nritems(block); i < n; i++) {
		struct bd_key *key = &keys[i % 2];
		uint32_t size;
		const void *data = bd_leaf_data(block, i, &size);

		*key = bd_node_key(block, i);
		ctx.slot = i;
		int err = bd_item_check(&ctx, key, data, size);
		if (err)
			return err;
		ctx.prev_key = key;
		ctx.prev_data = data;
		ctx.prev_size = size;
	}
	return 0;
}

static int check_leaf(const void *block, const struct bd_super *super)
{
	uint64_t logical = bd_le64(bd_node_header(block)->bytenr);
	uint32_t space = super->nodesize - (uint32_t)sizeof(struct bd_disk_header);
	uint32_t n = bd_node_nritems(block);

	if (n > space / sizeof(struct bd_disk_item) || (!n && never_empty(block)))
		return BD_FAIL(-EUCLEAN, LEAF_NRITEMS,
			       "corrupt leaf: logical %" PRIu64 ", invalid number of items, %u",
			       logical, n);
	for (unsigned int i = 0; i < n; i++) {
		int err = check_item_place(block, i, space);

		if (!err)
			err = check_key_order(block, i);
		if (err)
			return err;
	}
	return check_contents(block, super);
}

int bd_node_check_body(const void *block, const struct bd_super *super)
{
	const struct bd_disk_header *h = block;
	int err;

	if (h->level >= BD_MAX_LEVEL)
		err = BD_FAIL(-EUCLEAN, NODE_LEVEL_RANGE,
			      "corrupt node: logical %" PRIu64 ", invalid level, %u",
			      bd_le64(h->bytenr), h->level);
	else
		err = h->level ? check_pointers(block, super) : check_leaf(block, super);
	if (err)
		bd_err_at_logical(bd_le64(h->bytenr), super->nodesize);
	return err;
}
