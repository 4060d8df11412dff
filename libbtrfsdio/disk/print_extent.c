/* SPDX-License-Identifier: MIT */
/* disk/print_extent.c - extents, references, block groups and free space as text */
#include "disk/item_check.h"
#include "disk/print_priv.h"

static const struct bd_bit_name extent_flags[] = {
	{BD_EXTENT_FLAG_DATA, "DATA"},
	{BD_EXTENT_FLAG_TREE_BLOCK, "TREE_BLOCK"},
	{BD_EXTENT_FLAG_FULL_BACKREF, "FULL_BACKREF"},
	{0, NULL},
};
static const struct bd_bit_name free_space_flags[] = {{BD_FREE_SPACE_USING_BITMAPS, "BITMAPS"},
						      {0, NULL}};

static void print_data_ref(struct bd_text *t, const struct bd_disk_extent_data_ref *ref)
{
	bd_text_tree(t, "root", bd_le64(ref->root));
	bd_text_put(t, " inode=%" PRIu64 " offset=%" PRId64 " count=%u", bd_le64(ref->objectid),
		    (int64_t)bd_le64(ref->offset), bd_le32(ref->count));
}

static void print_inline_ref(struct bd_text *t, const struct bd_disk_extent_inline_ref *ref)
{
	const struct bd_disk_shared_data_ref *shared = (const void *)(ref + 1);
	uint64_t offset = bd_le64(ref->offset);

	bd_text_put(t, "    %s", bd_key_type_name(ref->type));
	switch (ref->type) {
	case BD_KEY_EXTENT_DATA_REF:
		print_data_ref(t, (const void *)&ref->offset);
		break;
	case BD_KEY_SHARED_DATA_REF:
		bd_text_put(t, " parent=%" PRIu64 " count=%u", offset, bd_le32(shared->count));
		break;
	case BD_KEY_SHARED_BLOCK_REF:
		bd_text_put(t, " parent=%" PRIu64, offset);
		break;
	default:
		bd_text_tree(t, "root", offset);
		break;
	}
	bd_text_put(t, "\n");
}

void bd_print_extent_item(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_extent_item *extent = item->data;
	const struct bd_disk_tree_block_info *info = (const void *)(extent + 1);
	uint64_t flags = bd_le64(extent->flags);
	const uint8_t *p = (const uint8_t *)(extent + 1);
	const uint8_t *end = (const uint8_t *)item->data + item->size;

	bd_text_put(t, "    refs=%" PRIu64 " generation=%" PRIu64, bd_le64(extent->refs),
		    bd_le64(extent->generation));
	bd_text_bits(t, "flags", flags, extent_flags);
	if (item->key.type == BD_KEY_EXTENT_ITEM && (flags & BD_EXTENT_FLAG_TREE_BLOCK)) {
		bd_text_key(t, "first_key", &info->key);
		bd_text_put(t, " level=%u", info->level);
		p += sizeof(*info);
	}
	bd_text_put(t, "\n");
	for (; p < end; p += bd_inline_ref_size(*p))
		print_inline_ref(t, (const void *)p);
}

void bd_print_data_refs(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_extent_data_ref *ref = item->data;

	for (uint32_t i = 0; i < item->size / sizeof(*ref); i++) {
		bd_text_put(t, "   ");
		print_data_ref(t, &ref[i]);
		bd_text_put(t, "\n");
	}
}

void bd_print_shared_data_ref(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_shared_data_ref *ref = item->data;

	bd_text_put(t, "    count=%u\n", bd_le32(ref->count));
}

void bd_print_block_group(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_block_group_item *bg = item->data;

	bd_text_put(t, "    used=%" PRIu64 " chunk_objectid=%" PRIu64, bd_le64(bg->used),
		    bd_le64(bg->chunk_objectid));
	bd_text_group_type(t, "type", bd_le64(bg->flags));
	bd_text_put(t, "\n");
}

void bd_print_free_space_info(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_free_space_info *info = item->data;

	bd_text_put(t, "    extents=%u", bd_le32(info->extent_count));
	bd_text_bits(t, "flags", bd_le32(info->flags), free_space_flags);
	bd_text_put(t, "\n");
}

void bd_print_space_cache(struct bd_text *t, const struct bd_item_view *item)
{
	const struct bd_disk_free_space_header *h = item->data;

	if (item->key.objectid != BD_OBJ_FREE_SPACE)
		return;
	bd_text_put(t, "   ");
	bd_text_key(t, "location", &h->location);
	bd_text_put(t, " generation=%" PRIu64 " entries=%" PRIu64 " bitmaps=%" PRIu64 "\n",
		    bd_le64(h->generation), bd_le64(h->num_entries), bd_le64(h->num_bitmaps));
}
