/* SPDX-License-Identifier: MIT */
/* disk/print_node.c - a tree block as text: header, then every pointer or item */
#include "disk/node_check.h"
#include "disk/print_priv.h"

#define UNKNOWN_BYTES 64u /* how much of an item is shown that nothing is known about */

static const struct bd_bit_name header_flags[] = {
	{BD_HEADER_FLAG_WRITTEN, "WRITTEN"}, {BD_HEADER_FLAG_RELOC, "RELOC"}, {0, NULL}};

static void print_name(struct bd_text *t, const struct bd_item_view *item)
{
	bd_text_put(t, "    ");
	bd_text_quoted(t, item->data, item->size);
	bd_text_put(t, "\n");
}

static void print_bytes(struct bd_text *t, const struct bd_item_view *item)
{
	if (!item->size)
		return;
	bd_text_put(t, "    bytes=");
	bd_text_hex(t, item->data, item->size < UNKNOWN_BYTES ? item->size : UNKNOWN_BYTES);
	bd_text_put(t, item->size > UNKNOWN_BYTES ? "...\n" : "\n");
}

static bd_item_printer *const printers[UINT8_MAX + 1] = {
	[0] = bd_print_space_cache,
	[BD_KEY_INODE_ITEM] = bd_print_inode_item,
	[BD_KEY_INODE_REF] = bd_print_inode_ref,
	[BD_KEY_INODE_EXTREF] = bd_print_inode_extref,
	[BD_KEY_XATTR_ITEM] = bd_print_dir_entries,
	[BD_KEY_VERITY_DESC] = bd_print_verity_desc,
	[BD_KEY_DIR_LOG_ITEM] = bd_print_dir_log,
	[BD_KEY_DIR_LOG_INDEX] = bd_print_dir_log,
	[BD_KEY_DIR_ITEM] = bd_print_dir_entries,
	[BD_KEY_DIR_INDEX] = bd_print_dir_entries,
	[BD_KEY_EXTENT_DATA] = bd_print_file_extent,
	[BD_KEY_EXTENT_CSUM] = bd_print_csums,
	[BD_KEY_ROOT_ITEM] = bd_print_root_item,
	[BD_KEY_ROOT_BACKREF] = bd_print_root_ref,
	[BD_KEY_ROOT_REF] = bd_print_root_ref,
	[BD_KEY_EXTENT_ITEM] = bd_print_extent_item,
	[BD_KEY_METADATA_ITEM] = bd_print_extent_item,
	[BD_KEY_EXTENT_DATA_REF] = bd_print_data_refs,
	[BD_KEY_SHARED_DATA_REF] = bd_print_shared_data_ref,
	[BD_KEY_BLOCK_GROUP_ITEM] = bd_print_block_group,
	[BD_KEY_FREE_SPACE_INFO] = bd_print_free_space_info,
	[BD_KEY_DEV_EXTENT] = bd_print_dev_extent,
	[BD_KEY_DEV_ITEM] = bd_print_dev_item,
	[BD_KEY_CHUNK_ITEM] = bd_print_chunk,
	[BD_KEY_QGROUP_STATUS] = bd_print_qgroup_status,
	[BD_KEY_QGROUP_INFO] = bd_print_qgroup_info,
	[BD_KEY_QGROUP_LIMIT] = bd_print_qgroup_limit,
	[BD_KEY_TEMPORARY_ITEM] = bd_print_balance,
	[BD_KEY_PERSISTENT_ITEM] = bd_print_dev_stats,
	[BD_KEY_DEV_REPLACE] = bd_print_dev_replace,
	[BD_KEY_UUID_SUBVOL] = bd_print_uuid_ids,
	[BD_KEY_UUID_RECEIVED] = bd_print_uuid_ids,
	[BD_KEY_STRING_ITEM] = print_name,
};

/* Types of unchecked size that are known at one size only. */
static bool unexpected(uint8_t type, uint32_t size)
{
	switch (type) {
	case BD_KEY_TEMPORARY_ITEM:
		return size != sizeof(struct bd_disk_balance);
	case BD_KEY_DEV_REPLACE:
		return size != sizeof(struct bd_disk_dev_replace);
	default:
		return false;
	}
}

static void print_item(struct bd_text *t, const struct bd_super *super, const void *block,
		       unsigned int slot)
{
	struct bd_item_view item = {.super = super, .key = bd_node_key(block, slot)};
	bd_item_printer *print = printers[item.key.type];
	char text[BD_KEY_TEXT_MAX];

	item.data = bd_leaf_data(block, slot, &item.size);
	bd_text_put(t, "  [%u] %s %u bytes at %u\n", slot, bd_key_text(&item.key, text), item.size,
		    bd_le32(bd_leaf_item(block, slot)->offset));
	if (!print || unexpected(item.key.type, item.size))
		print = print_bytes;
	print(t, &item);
}

static void print_pointer(struct bd_text *t, const void *block, unsigned int slot)
{
	const struct bd_disk_key_ptr *ptr = bd_node_ptr(block, slot);
	struct bd_key key = bd_node_key(block, slot);
	char text[BD_KEY_TEXT_MAX];

	bd_text_put(t, "  [%u] %s block=%" PRIu64 " generation=%" PRIu64 "\n", slot,
		    bd_key_text(&key, text), bd_le64(ptr->blockptr), bd_le64(ptr->generation));
}

static void print_header(struct bd_text *t, const struct bd_super *super,
			 const struct bd_disk_header *h)
{
	uint64_t flags = bd_le64(h->flags);

	bd_text_put(t, "%s %" PRIu64 " level=%u items=%u generation=%" PRIu64,
		    h->level ? "node" : "leaf", bd_le64(h->bytenr), h->level, bd_le32(h->nritems),
		    bd_le64(h->generation));
	bd_text_tree(t, "owner", bd_le64(h->owner));
	bd_text_bits(t, "flags", flags & ((1ULL << 56) - 1), header_flags);
	bd_text_put(t, " backref=%u\n ", (unsigned int)(flags >> 56));
	bd_text_uuid(t, "fsid", h->fsid);
	bd_text_uuid(t, "chunk_tree_uuid", h->chunk_tree_uuid);
	bd_text_put(t, " csum=");
	bd_text_hex(t, h->csum, super->csum_size);
	bd_text_put(t, "\n");
}

int bd_print_node(const struct bd_printer *out, const struct bd_super *super, const void *block)
{
	const struct bd_disk_header *h = block;
	struct bd_text t = {out, 0};

	print_header(&t, super, h);
	for (uint32_t i = 0; i < bd_le32(h->nritems) && t.err >= 0; i++) {
		if (h->level)
			print_pointer(&t, block, i);
		else
			print_item(&t, super, block, i);
	}
	return t.err < 0 ? t.err : 0;
}
