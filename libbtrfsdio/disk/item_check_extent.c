/* SPDX-License-Identifier: MIT */
/* disk/item_check_extent.c - extents and their references, inline and keyed */
#include "disk/item_check_priv.h"

#include "disk/csum.h"

/* An inline reference while an item's references are walked. */
struct inline_ref {
	const struct bd_disk_extent_inline_ref *disk;
	uint64_t order; /* descends among references of one type */
	uint64_t count;
};

unsigned int bd_inline_ref_size(uint8_t type)
{
	switch (type) {
	case BD_KEY_TREE_BLOCK_REF:
	case BD_KEY_SHARED_BLOCK_REF:
	case BD_KEY_EXTENT_OWNER_REF:
		return sizeof(struct bd_disk_extent_inline_ref);
	case BD_KEY_SHARED_DATA_REF:
		return sizeof(struct bd_disk_extent_inline_ref) +
		       sizeof(struct bd_disk_shared_data_ref);
	case BD_KEY_EXTENT_DATA_REF:
		return offsetof(struct bd_disk_extent_inline_ref, offset) +
		       sizeof(struct bd_disk_extent_data_ref);
	default:
		return 0;
	}
}

uint64_t bd_data_ref_hash(const struct bd_disk_extent_data_ref *ref)
{
	uint32_t high = bd_crc32c_raw(~0u, &ref->root, sizeof(ref->root));
	uint32_t low = bd_crc32c_raw(~0u, &ref->objectid, sizeof(ref->objectid));

	low = bd_crc32c_raw(low, &ref->offset, sizeof(ref->offset));
	return ((uint64_t)high << 31) ^ low;
}

/* Subvolumes have data, and so have the root tree (its space cache) and relocation. */
static bool valid_data_owner(uint64_t root, uint64_t inode)
{
	bool has_data =
		bd_is_subvol(root) || root == BD_OBJ_ROOT_TREE || root == BD_OBJ_DATA_RELOC_TREE;

	return has_data && bd_is_inode(inode);
}

static int check_data_ref(const struct bd_item *it, const struct bd_disk_extent_data_ref *ref)
{
	if (!valid_data_owner(bd_le64(ref->root), bd_le64(ref->objectid)))
		return ITEM_FAIL(it, DATA_REF_OWNER,
				 "no inode has data there, root %" PRIu64 " inode %" PRIu64,
				 bd_le64(ref->root), bd_le64(ref->objectid));
	if (!bd_is_aligned(bd_le64(ref->offset), it->ctx->super->sectorsize))
		return ITEM_FAIL(it, DATA_REF_OFFSET, "unaligned reference, %" PRIu64,
				 bd_le64(ref->offset));
	if (!bd_le32(ref->count))
		return ITEM_FAIL(it, DATA_REF_COUNT, "data reference with count 0");
	return 0;
}

/* Content of one reference that fits the item. */
static int check_inline_ref(const struct bd_item *it, struct inline_ref *ref)
{
	const struct bd_disk_extent_data_ref *data_ref = (const void *)&ref->disk->offset;
	const struct bd_disk_shared_data_ref *shared = (const void *)(ref->disk + 1);
	uint8_t type = ref->disk->type;

	ref->count = 1;
	if (type == BD_KEY_EXTENT_DATA_REF) {
		ref->order = bd_data_ref_hash(data_ref);
		ref->count = bd_le32(data_ref->count);
		return check_data_ref(it, data_ref);
	}
	ref->order = bd_le64(ref->disk->offset);
	if (type == BD_KEY_EXTENT_OWNER_REF)
		ref->count = 0;
	if (type == BD_KEY_SHARED_DATA_REF)
		ref->count = bd_le32(shared->count);
	if (type == BD_KEY_SHARED_DATA_REF && !ref->count)
		return ITEM_FAIL(it, SHARED_REF_COUNT, "shared reference with count 0");
	if ((type == BD_KEY_SHARED_DATA_REF || type == BD_KEY_SHARED_BLOCK_REF) &&
	    !bd_is_aligned(ref->order, it->ctx->super->sectorsize))
		return ITEM_FAIL(it, SHARED_REF_PARENT, "unaligned parent, %" PRIu64, ref->order);
	return 0;
}

static bool fits_extent(uint8_t type, bool tree_block)
{
	bool data_ref = type == BD_KEY_EXTENT_DATA_REF || type == BD_KEY_SHARED_DATA_REF;
	bool tree_ref = type == BD_KEY_TREE_BLOCK_REF || type == BD_KEY_SHARED_BLOCK_REF;

	return type == BD_KEY_EXTENT_OWNER_REF || (tree_block ? tree_ref : data_ref);
}

/* Types ascend; among equal types the hash or the offset descends. */
static bool in_order(const struct inline_ref *prev, const struct inline_ref *ref)
{
	if (!prev->disk || prev->disk->type != ref->disk->type)
		return !prev->disk || prev->disk->type < ref->disk->type;
	return ref->order <= prev->order;
}

static int check_inline_refs(const struct bd_item *it, const struct bd_disk_extent_item *extent,
			     const uint8_t *p, uint32_t left)
{
	bool tree_block = bd_le64(extent->flags) & BD_EXTENT_FLAG_TREE_BLOCK;
	struct inline_ref prev = {NULL, 0, 0};
	uint64_t total = 0;

	while (left) {
		struct inline_ref ref = {(const void *)p, 0, 0};
		uint32_t size = bd_inline_ref_size(*p);

		if (!size || size > left || !fits_extent(*p, tree_block))
			return ITEM_FAIL(it, INLINE_REF_TYPE,
					 "invalid inline reference, type %u, %u bytes left", *p,
					 left);
		int err = check_inline_ref(it, &ref);
		if (err)
			return err;
		if (!in_order(&prev, &ref))
			return ITEM_FAIL(it, INLINE_REF_ORDER,
					 "inline references out of order, type %u", *p);
		total += ref.count;
		prev = ref;
		p += size;
		left -= size;
	}
	if (total > bd_le64(extent->refs))
		return ITEM_FAIL(it, EXTENT_REFS,
				 "more inline references than %" PRIu64 ", %" PRIu64,
				 bd_le64(extent->refs), total);
	return 0;
}

/* A key of an extent that passed check_key() tells where the extent ends. */
static uint64_t extent_end(const struct bd_super *super, const struct bd_key *key)
{
	return key->objectid + (key->type == BD_KEY_METADATA_ITEM ? super->nodesize : key->offset);
}

static bool is_extent(const struct bd_key *key)
{
	return key->type == BD_KEY_EXTENT_ITEM || key->type == BD_KEY_METADATA_ITEM;
}

static bool valid_length(const struct bd_super *super, const struct bd_key *key, bool tree_block)
{
	uint64_t length = key->offset, end;

	if (key->type == BD_KEY_METADATA_ITEM) {
		if (!tree_block || key->offset >= BD_MAX_LEVEL)
			return false;
		length = super->nodesize;
	} else if (tree_block && length != super->nodesize) {
		return false;
	}
	return length && bd_is_aligned(key->objectid | length, super->sectorsize) &&
	       bd_add_u64(key->objectid, length, &end);
}

static int check_key(const struct bd_item *it, bool tree_block)
{
	bool skinny = it->ctx->super->incompat_flags & BD_INCOMPAT_SKINNY_METADATA;

	if (it->key->type == BD_KEY_METADATA_ITEM && !skinny)
		return ITEM_FAIL(it, EXTENT_SKINNY, "metadata item without its feature");
	if (!valid_length(it->ctx->super, it->key, tree_block))
		return ITEM_FAIL(it, EXTENT_KEY, "invalid key of an extent");
	if (it->ctx->prev_key && is_extent(it->ctx->prev_key) &&
	    extent_end(it->ctx->super, it->ctx->prev_key) > it->key->objectid)
		return ITEM_FAIL(it, EXTENT_OVERLAP,
				 "overlaps the extent before, which ends at %" PRIu64,
				 extent_end(it->ctx->super, it->ctx->prev_key));
	return 0;
}

int bd_check_extent_item(const struct bd_item *it)
{
	const struct bd_disk_extent_item *extent = it->data;
	const struct bd_disk_tree_block_info *info = (const void *)(extent + 1);
	uint64_t flags = bd_le64(extent->flags);
	bool tree_block = flags & BD_EXTENT_FLAG_TREE_BLOCK;
	uint32_t head = sizeof(*extent);
	int err;

	if (tree_block == !!(flags & BD_EXTENT_FLAG_DATA) ||
	    (!tree_block && (flags & BD_EXTENT_FLAG_FULL_BACKREF)))
		return ITEM_FAIL(it, EXTENT_FLAGS, "invalid extent flags, 0x%" PRIx64, flags);
	err = check_key(it, tree_block);
	if (err)
		return err;
	if (bd_item_future(it, bd_le64(extent->generation)))
		return ITEM_FAIL(it, EXTENT_GENERATION, "generation in the future, %" PRIu64,
				 bd_le64(extent->generation));
	if (tree_block && it->key->type == BD_KEY_EXTENT_ITEM) {
		head += (uint32_t)sizeof(*info);
		if (it->size < head || info->level >= BD_MAX_LEVEL)
			return ITEM_FAIL(it, EXTENT_BLOCK_INFO,
					 "invalid tree block info in %u bytes", it->size);
	}
	return check_inline_refs(it, extent, (const uint8_t *)it->data + head, it->size - head);
}

int bd_check_tree_ref(const struct bd_item *it)
{
	uint64_t parent = it->key->type == BD_KEY_TREE_BLOCK_REF ? 0 : it->key->offset;

	if (!bd_is_aligned(it->key->objectid | parent, it->ctx->super->sectorsize))
		return ITEM_FAIL(it, REF_KEY, "unaligned key of a reference");
	return 0;
}

int bd_check_shared_data_ref(const struct bd_item *it)
{
	const struct bd_disk_shared_data_ref *ref = it->data;

	if (!bd_le32(ref->count))
		return ITEM_FAIL(it, SHARED_KEYED_COUNT, "shared reference with count 0");
	return bd_check_tree_ref(it);
}

int bd_check_data_refs(const struct bd_item *it)
{
	const struct bd_disk_extent_data_ref *ref = it->data;
	int err = 0;

	/* The key's offset is the hash, but a collision moves it on: it cannot be checked. */
	if (it->size % sizeof(*ref) ||
	    !bd_is_aligned(it->key->objectid, it->ctx->super->sectorsize))
		return ITEM_FAIL(it, DATA_REFS_SIZE, "invalid data references, %u bytes", it->size);
	for (uint32_t i = 0; !err && i < it->size / sizeof(*ref); i++)
		err = check_data_ref(it, &ref[i]);
	return err;
}
