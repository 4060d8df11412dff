/* SPDX-License-Identifier: MIT */
/* tests/unit/test_item_check_trees.c - items of the global trees: roots, extents, space, devices,
 * chunks */
#include "unit.h"

#include <errno.h>
#include "check_item.h"
#include "disk/chunk_item.h"
#include "disk_build.h"

static void root_items(void)
{
	struct bd_key key = bd_key(257, BD_KEY_ROOT_ITEM, 0);
	struct bd_disk_root_item root = {.generation = bd_to_le64(100),
					 .generation_v2 = bd_to_le64(101),
					 .bytenr = bd_to_le64(KIB(1024)),
					 .level = 7,
					 .drop_level = 7};

	items_first_in(BD_OBJ_ROOT_TREE);
	PASSES(key, &root, sizeof(root));
	PASSES(key, &root, BD_ROOT_ITEM_V0_SIZE);
	FAILS(key, &root, 300, "ROOT_SIZE");
	BROKEN(key, root, level, 8, "ROOT_LEVEL");
	BROKEN(key, root, drop_level, 8, "ROOT_LEVEL");
	BROKEN(key, root, bytenr, bd_to_le64(KIB(1024) + 1), "ROOT_BYTENR");
	BROKEN(key, root, generation, bd_to_le64(102), "ROOT_GENERATION");
	BROKEN(key, root, generation_v2, bd_to_le64(102), "ROOT_GENERATION");
	BROKEN(key, root, last_snapshot, bd_to_le64(102), "ROOT_GENERATION");
	BROKEN(key, root, flags, bd_to_le64(BD_ROOT_SUBVOL_RDONLY | BD_ROOT_SUBVOL_DEAD), "");
	BROKEN(key, root, flags, bd_to_le64(2), "ROOT_FLAGS");
	FAILS(bd_key(0, BD_KEY_ROOT_ITEM, 0), &root, sizeof(root), "ROOT_KEY");
	FAILS(bd_key(BD_OBJ_TREE_RELOC, BD_KEY_ROOT_ITEM, 0), &root, sizeof(root), "ROOT_KEY");
	PASSES(bd_key(BD_OBJ_TREE_RELOC, BD_KEY_ROOT_ITEM, 257), &root, sizeof(root));
}

static size_t put_ref(uint8_t *item, uint16_t name_len)
{
	struct bd_disk_root_ref ref = {.name_len = bd_to_le16(name_len)};

	memcpy(item, &ref, sizeof(ref));
	memcpy(item + sizeof(ref), "snap", 4);
	return sizeof(ref) + 4;
}

static void root_refs_and_uuids(void)
{
	uint8_t item[512];
	size_t size = put_ref(item, 4);

	items_first_in(BD_OBJ_ROOT_TREE);
	PASSES(bd_key(5, BD_KEY_ROOT_REF, 257), item, size);
	PASSES(bd_key(257, BD_KEY_ROOT_BACKREF, 5), item, size);
	FAILS(bd_key(5, BD_KEY_ROOT_REF, 257), item, size - 1, "ROOT_REF_NAME");
	FAILS(bd_key(5, BD_KEY_ROOT_REF, 257), item, size + 1, "ROOT_REF_NAME");
	put_ref(item, 0);
	FAILS(bd_key(5, BD_KEY_ROOT_REF, 257), item, size, "ROOT_REF_NAME");
	PASSES(bd_key(1, BD_KEY_UUID_SUBVOL, 2), item, 16);
	FAILS(bd_key(1, BD_KEY_UUID_RECEIVED, 2), item, 12, "UUID_SIZE");
}

/* An extent item while its references are appended. */
static struct {
	uint8_t bytes[512];
	size_t size;
} extent;

static void begin_extent(uint64_t refs, uint64_t flags)
{
	struct bd_disk_extent_item e = {bd_to_le64(refs), bd_to_le64(90), bd_to_le64(flags)};

	memset(&extent, 0, sizeof(extent));
	memcpy(extent.bytes, &e, sizeof(e));
	extent.size = sizeof(e);
}

static void add_ref(uint8_t type, uint64_t offset)
{
	struct bd_disk_extent_inline_ref ref = {type, bd_to_le64(offset)};

	memcpy(extent.bytes + extent.size, &ref, sizeof(ref));
	extent.size += sizeof(ref);
}

static void add_shared_data(uint64_t parent, uint32_t count)
{
	le32 n = bd_to_le32(count);

	add_ref(BD_KEY_SHARED_DATA_REF, parent);
	memcpy(extent.bytes + extent.size, &n, sizeof(n));
	extent.size += sizeof(n);
}

static void add_data(uint64_t root, uint64_t inode, uint64_t offset, uint32_t count)
{
	struct bd_disk_extent_data_ref ref = {bd_to_le64(root), bd_to_le64(inode),
					      bd_to_le64(offset), bd_to_le32(count)};

	extent.bytes[extent.size] = BD_KEY_EXTENT_DATA_REF;
	memcpy(extent.bytes + extent.size + 1, &ref, sizeof(ref));
	extent.size += 1 + sizeof(ref);
}

static const struct bd_key data_key = {KIB(1024), KIB(8), BD_KEY_EXTENT_ITEM};
static const struct bd_key skinny_key = {KIB(1024), 0, BD_KEY_METADATA_ITEM};
static const struct bd_key block_key = {KIB(1024), BUILD_NODESIZE, BD_KEY_EXTENT_ITEM};

#define EXTENT(key, site) CU_ASSERT_STRING_EQUAL(item_refused(key, extent.bytes, extent.size), site)

static void extents_of_data(void)
{
	items_first_in(BD_OBJ_EXTENT_TREE);
	begin_extent(9, BD_EXTENT_FLAG_DATA);
	EXTENT(data_key, "");
	add_ref(BD_KEY_EXTENT_OWNER_REF, 257);
	add_data(5, 257, (uint64_t)-KIB(4), 2);
	add_shared_data(KIB(2048), 3);
	add_shared_data(KIB(1024), 4);
	EXTENT(data_key, "");
	for (size_t cut = 25; cut < extent.size; cut++) {
		bool whole = cut == 33 || cut == 62 || cut == 75;

		FAILS(data_key, extent.bytes, cut, whole ? "" : "INLINE_REF_TYPE");
	}
	EXTENT(bd_key(KIB(1024) + 1, BD_KEY_EXTENT_ITEM, KIB(8)), "EXTENT_KEY");
	EXTENT(bd_key(KIB(1024), BD_KEY_EXTENT_ITEM, KIB(8) + 1), "EXTENT_KEY");
	EXTENT(bd_key(KIB(1024), BD_KEY_EXTENT_ITEM, 0), "EXTENT_KEY");
	EXTENT(bd_key(-KIB(4), BD_KEY_EXTENT_ITEM, KIB(8)), "EXTENT_KEY");
	EXTENT(skinny_key, "EXTENT_KEY");
	extent.bytes[0] = 8;
	EXTENT(data_key, "EXTENT_REFS");
}

static void references_of_data_are_checked(void)
{
	static const struct {
		uint64_t root, inode, offset;
		uint32_t count;
		const char *site;
	} refs[] = {
		{257, 257, 0, 1, ""},
		{BD_OBJ_ROOT_TREE, 256, 0, 1, ""},
		{BD_OBJ_DATA_RELOC_TREE, 256, 0, 1, ""},
		{257, BD_OBJ_FREE_INO, 0, 1, ""},
		{BD_OBJ_CSUM_TREE, 257, 0, 1, "DATA_REF_OWNER"},
		{257, 255, 0, 1, "DATA_REF_OWNER"},
		{257, 257, 1, 1, "DATA_REF_OFFSET"},
		{257, 257, 0, 0, "DATA_REF_COUNT"},
	};

	items_first_in(BD_OBJ_EXTENT_TREE);
	for (size_t i = 0; i < sizeof(refs) / sizeof(refs[0]); i++) {
		begin_extent(9, BD_EXTENT_FLAG_DATA);
		add_data(refs[i].root, refs[i].inode, refs[i].offset, refs[i].count);
		EXTENT(data_key, refs[i].site);
		FAILS(bd_key(KIB(1024), BD_KEY_EXTENT_DATA_REF, 1), extent.bytes + 25, 28,
		      refs[i].site);
	}
	begin_extent(9, BD_EXTENT_FLAG_DATA);
	add_shared_data(KIB(1024), 0);
	EXTENT(data_key, "SHARED_REF_COUNT");
	begin_extent(9, BD_EXTENT_FLAG_DATA);
	add_shared_data(KIB(1024) + 7, 1);
	EXTENT(data_key, "SHARED_REF_PARENT");
	begin_extent(9, BD_EXTENT_FLAG_DATA);
	add_ref(BD_KEY_TREE_BLOCK_REF, 5);
	EXTENT(data_key, "INLINE_REF_TYPE");
}

static void inline_references_are_in_order(void)
{
	items_first_in(BD_OBJ_EXTENT_TREE);
	begin_extent(9, BD_EXTENT_FLAG_DATA);
	add_shared_data(KIB(1024), 1);
	add_data(5, 257, 0, 1);
	EXTENT(data_key, "INLINE_REF_ORDER");
	begin_extent(9, BD_EXTENT_FLAG_DATA);
	add_shared_data(KIB(1024), 1);
	add_shared_data(KIB(2048), 1);
	EXTENT(data_key, "INLINE_REF_ORDER");
	begin_extent(9, BD_EXTENT_FLAG_TREE_BLOCK);
	add_ref(BD_KEY_TREE_BLOCK_REF, 258);
	add_ref(BD_KEY_TREE_BLOCK_REF, 257);
	EXTENT(skinny_key, "");
	begin_extent(9, BD_EXTENT_FLAG_TREE_BLOCK);
	add_ref(BD_KEY_TREE_BLOCK_REF, 257);
	add_ref(BD_KEY_TREE_BLOCK_REF, 258);
	EXTENT(skinny_key, "INLINE_REF_ORDER");
}

static void extents_of_tree_blocks(void)
{
	struct bd_disk_tree_block_info info = {.level = 7};

	items_first_in(BD_OBJ_EXTENT_TREE);
	begin_extent(2, BD_EXTENT_FLAG_TREE_BLOCK | BD_EXTENT_FLAG_FULL_BACKREF);
	add_ref(BD_KEY_SHARED_BLOCK_REF, KIB(2048));
	EXTENT(skinny_key, "");
	EXTENT(bd_key(KIB(1024), BD_KEY_METADATA_ITEM, 7), "");
	EXTENT(bd_key(KIB(1024), BD_KEY_METADATA_ITEM, 8), "EXTENT_KEY");
	EXTENT(bd_key(KIB(1024), BD_KEY_EXTENT_ITEM, KIB(8)), "EXTENT_KEY");
	item_super.incompat_flags &= ~BD_INCOMPAT_SKINNY_METADATA;
	EXTENT(skinny_key, "EXTENT_SKINNY");
	begin_extent(2, BD_EXTENT_FLAG_TREE_BLOCK);
	memcpy(extent.bytes + extent.size, &info, sizeof(info));
	extent.size += sizeof(info);
	add_ref(BD_KEY_TREE_BLOCK_REF, 5);
	EXTENT(block_key, "");
	FAILS(block_key, extent.bytes, 24 + 17, "EXTENT_BLOCK_INFO");
	extent.bytes[24 + 17] = 8;
	EXTENT(block_key, "EXTENT_BLOCK_INFO");
	begin_extent(2, BD_EXTENT_FLAG_TREE_BLOCK);
	memcpy(extent.bytes + extent.size, &info, sizeof(info));
	extent.size += sizeof(info);
	add_shared_data(KIB(1024), 1);
	EXTENT(block_key, "INLINE_REF_TYPE");
}

static void extent_flags_and_generation(void)
{
	struct bd_key before = bd_key(KIB(1024) - KIB(8), BD_KEY_EXTENT_ITEM, KIB(8));

	items_first_in(BD_OBJ_EXTENT_TREE);
	begin_extent(1, 0);
	EXTENT(data_key, "EXTENT_FLAGS");
	begin_extent(1, BD_EXTENT_FLAG_DATA | BD_EXTENT_FLAG_TREE_BLOCK);
	EXTENT(data_key, "EXTENT_FLAGS");
	begin_extent(1, BD_EXTENT_FLAG_DATA | BD_EXTENT_FLAG_FULL_BACKREF);
	EXTENT(data_key, "EXTENT_FLAGS");
	begin_extent(1, BD_EXTENT_FLAG_DATA);
	extent.bytes[8] = 102;
	EXTENT(data_key, "EXTENT_GENERATION");
	begin_extent(1, BD_EXTENT_FLAG_DATA);
	items_after(BD_OBJ_EXTENT_TREE, &before, NULL, 0);
	EXTENT(data_key, "");
	before.offset = KIB(12);
	items_after(BD_OBJ_EXTENT_TREE, &before, NULL, 0);
	EXTENT(data_key, "EXTENT_OVERLAP");
	before = bd_key(KIB(1024) - KIB(4), BD_KEY_METADATA_ITEM, 0);
	items_after(BD_OBJ_EXTENT_TREE, &before, NULL, 0);
	EXTENT(data_key, "");
	item_super.nodesize = 16384;
	EXTENT(data_key, "EXTENT_OVERLAP");
}

static void keyed_references(void)
{
	le32 count = bd_to_le32(1), none = bd_to_le32(0);
	static const uint8_t zeros[56];

	items_first_in(BD_OBJ_EXTENT_TREE);
	PASSES(bd_key(KIB(1024), BD_KEY_TREE_BLOCK_REF, 257), "", 0);
	FAILS(bd_key(KIB(1024) + 1, BD_KEY_TREE_BLOCK_REF, 257), "", 0, "REF_KEY");
	PASSES(bd_key(KIB(1024), BD_KEY_SHARED_BLOCK_REF, KIB(2048)), "", 0);
	FAILS(bd_key(KIB(1024), BD_KEY_SHARED_BLOCK_REF, 257), "", 0, "REF_KEY");
	PASSES(bd_key(KIB(1024), BD_KEY_SHARED_DATA_REF, KIB(2048)), &count, 4);
	FAILS(bd_key(KIB(1024), BD_KEY_SHARED_DATA_REF, 257), &count, 4, "REF_KEY");
	FAILS(bd_key(KIB(1024), BD_KEY_SHARED_DATA_REF, KIB(2048)), &none, 4, "SHARED_KEYED_COUNT");
	FAILS(bd_key(KIB(1024), BD_KEY_EXTENT_DATA_REF, 1), zeros, 55, "DATA_REFS_SIZE");
	FAILS(bd_key(KIB(1) + 1, BD_KEY_EXTENT_DATA_REF, 1), zeros, 28, "DATA_REFS_SIZE");
}

static void block_groups(void)
{
	struct bd_key key = bd_key(KIB(1024), BD_KEY_BLOCK_GROUP_ITEM, KIB(1024));
	struct bd_disk_block_group_item bg = {bd_to_le64(KIB(1024)), bd_to_le64(256),
					      bd_to_le64(BD_BG_DATA | BD_BG_RAID1)};

	items_first_in(BD_OBJ_EXTENT_TREE);
	PASSES(key, &bg, sizeof(bg));
	BROKEN(key, bg, used, bd_to_le64(KIB(1024) + 1), "GROUP_USED");
	BROKEN(key, bg, chunk_objectid, bd_to_le64(255), "GROUP_CHUNK_OBJECTID");
	BROKEN(key, bg, flags, bd_to_le64(BD_BG_DATA | BD_BG_METADATA), "");
	BROKEN(key, bg, flags, bd_to_le64(BD_BG_DATA | BD_BG_SYSTEM), "GROUP_FLAGS");
	BROKEN(key, bg, flags, bd_to_le64(BD_BG_RAID1), "GROUP_FLAGS");
	BROKEN(key, bg, flags, bd_to_le64(BD_BG_DATA | BD_BG_RAID1 | BD_BG_DUP), "GROUP_FLAGS");
	FAILS(bd_key(KIB(1024), BD_KEY_BLOCK_GROUP_ITEM, 0), &bg, sizeof(bg), "SPACE_RANGE");
	FAILS(bd_key(1, BD_KEY_BLOCK_GROUP_ITEM, KIB(1024)), &bg, sizeof(bg), "SPACE_RANGE");
	FAILS(bd_key(-KIB(4), BD_KEY_BLOCK_GROUP_ITEM, KIB(1024)), &bg, sizeof(bg), "SPACE_RANGE");
}

static void free_space(void)
{
	struct bd_key key = bd_key(KIB(1024), BD_KEY_FREE_SPACE_INFO, KIB(16));
	struct bd_disk_free_space_info info = {bd_to_le32(4), bd_to_le32(1)};
	static const uint8_t zeros[256];

	items_first_in(BD_OBJ_FREE_SPACE_TREE);
	PASSES(key, &info, sizeof(info));
	BROKEN(key, info, extent_count, bd_to_le32(5), "FREE_SPACE_COUNT");
	BROKEN(key, info, flags, bd_to_le32(2), "FREE_SPACE_FLAGS");
	FAILS(bd_key(KIB(1), BD_KEY_FREE_SPACE_INFO, KIB(16)), &info, 8, "SPACE_RANGE");
	PASSES(bd_key(KIB(1024), BD_KEY_FREE_SPACE_EXTENT, KIB(4)), "", 0);
	FAILS(bd_key(KIB(1024), BD_KEY_FREE_SPACE_EXTENT, KIB(3)), "", 0, "SPACE_RANGE");
	PASSES(bd_key(KIB(1024), BD_KEY_FREE_SPACE_BITMAP, KIB(4) * 2048), zeros, 256);
	PASSES(bd_key(KIB(1024), BD_KEY_FREE_SPACE_BITMAP, KIB(4) * 9), zeros, 2);
	FAILS(bd_key(KIB(1024), BD_KEY_FREE_SPACE_BITMAP, KIB(4) * 2049), zeros, 256,
	      "FREE_SPACE_BITMAP");
	FAILS(bd_key(KIB(1024), BD_KEY_FREE_SPACE_BITMAP, KIB(4) * 8), zeros, 2,
	      "FREE_SPACE_BITMAP");
	FAILS(bd_key(KIB(1024), BD_KEY_FREE_SPACE_BITMAP, 0), zeros, 1, "SPACE_RANGE");
	PASSES(bd_key(BD_OBJ_FREE_SPACE, 0, KIB(1024)), zeros, 41);
	FAILS(bd_key(BD_OBJ_FREE_SPACE, 0, KIB(1024)), zeros, 40, "SPACE_CACHE_SIZE");
}

static void devices(void)
{
	struct bd_key key = bd_key(BD_OBJ_DEV_ITEMS, BD_KEY_DEV_ITEM, 3);
	struct bd_disk_dev_item dev = {.devid = bd_to_le64(3),
				       .total_bytes = bd_to_le64(10),
				       .bytes_used = bd_to_le64(10)};

	items_first_in(BD_OBJ_CHUNK_TREE);
	PASSES(key, &dev, sizeof(dev));
	BROKEN(key, dev, devid, bd_to_le64(4), "DEV_ITEM_KEY");
	BROKEN(key, dev, bytes_used, bd_to_le64(11), "DEV_ITEM_USED");
	FAILS(bd_key(2, BD_KEY_DEV_ITEM, 3), &dev, sizeof(dev), "DEV_ITEM_KEY");
}

static void device_extents(void)
{
	struct bd_key key = bd_key(1, BD_KEY_DEV_EXTENT, KIB(2048));
	struct bd_key before = bd_key(1, BD_KEY_DEV_EXTENT, KIB(1024));
	struct bd_disk_dev_extent de = {.chunk_tree = bd_to_le64(3),
					.chunk_objectid = bd_to_le64(256),
					.chunk_offset = bd_to_le64(KIB(1024)),
					.length = bd_to_le64(KIB(1024))};
	struct bd_disk_dev_extent prev = de;

	items_after(BD_OBJ_DEV_TREE, &before, &prev, sizeof(prev));
	PASSES(key, &de, sizeof(de));
	BROKEN(key, de, chunk_tree, bd_to_le64(2), "DEV_EXTENT_CHUNK");
	BROKEN(key, de, chunk_objectid, bd_to_le64(1), "DEV_EXTENT_CHUNK");
	BROKEN(key, de, chunk_offset, bd_to_le64(1), "DEV_EXTENT_RANGE");
	BROKEN(key, de, length, bd_to_le64(0), "DEV_EXTENT_RANGE");
	BROKEN(key, de, length, bd_to_le64(100), "DEV_EXTENT_RANGE");
	BROKEN(key, de, length, bd_to_le64(-KIB(4)), "DEV_EXTENT_RANGE");
	FAILS(bd_key(1, BD_KEY_DEV_EXTENT, KIB(2048) + 1), &de, sizeof(de), "DEV_EXTENT_RANGE");
	prev.length = bd_to_le64(KIB(1028));
	FAILS(key, &de, sizeof(de), "DEV_EXTENT_OVERLAP");
	PASSES(bd_key(2, BD_KEY_DEV_EXTENT, KIB(1024)), &de, sizeof(de));
}

/* A chunk with room for 5 stripes. */
struct chunk5 {
	struct bd_disk_chunk c;
	struct bd_disk_stripe s[5];
};

static const char *profile_refused(uint64_t type, uint16_t stripes, uint16_t sub_stripes)
{
	struct chunk5 item = {0};

	build_chunk(&item);
	item.c.type = bd_to_le64(type);
	item.c.num_stripes = bd_to_le16(stripes);
	item.c.sub_stripes = bd_to_le16(sub_stripes);
	return item_refused(bd_key(256, BD_KEY_CHUNK_ITEM, KIB(1024)), &item,
			    sizeof(item.c) + stripes * sizeof(item.s[0]));
}

static void profiles_of_chunks(void)
{
	static const struct {
		uint64_t profile;
		uint16_t sub_stripes;
		const char *good; /* for 1, 2, 3, 4, 5 stripes */
	} rules[] = {
		{0, 0, "+----"},
		{BD_BG_DUP, 1, "-+---"},
		{BD_BG_RAID0, 1, "+++++"},
		{BD_BG_RAID1, 1, "-+---"},
		{BD_BG_RAID1C3, 1, "--+--"},
		{BD_BG_RAID1C4, 1, "---+-"},
		{BD_BG_RAID10, 2, "-+ + "},
		{BD_BG_RAID5, 1, "-++++"},
		{BD_BG_RAID6, 1, "--+++"},
	};

	items_first_in(BD_OBJ_CHUNK_TREE);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		for (uint16_t n = 1; n <= 5; n++) {
			char good = rules[i].good[n - 1];

			CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_DATA | rules[i].profile, n,
							       rules[i].sub_stripes),
					       good == '+'   ? ""
					       : good == '-' ? "CHUNK_NUM_STRIPES"
							     : "CHUNK_SUB_STRIPES");
		}
	}
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_DATA | BD_BG_RAID10, 4, 1),
			       "CHUNK_SUB_STRIPES");
}

static void types_of_chunks(void)
{
	items_first_in(BD_OBJ_CHUNK_TREE);
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_METADATA, 1, 1), "");
	CU_ASSERT_STRING_EQUAL(profile_refused(0, 1, 1), "CHUNK_TYPE");
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_SYSTEM | BD_BG_DATA, 1, 1), "CHUNK_TYPE");
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_DATA | BD_BG_REMAPPED, 1, 1), "CHUNK_TYPE");
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_DATA | BD_BG_RAID0 | BD_BG_RAID1, 2, 1),
			       "CHUNK_TYPE");
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_DATA | BD_BG_METADATA, 1, 1), "CHUNK_TYPE");
	item_super.incompat_flags |= BD_INCOMPAT_MIXED_GROUPS;
	CU_ASSERT_STRING_EQUAL(profile_refused(BD_BG_DATA | BD_BG_METADATA, 1, 1), "");
}

static void places_of_chunks(void)
{
	struct bd_key key = bd_key(256, BD_KEY_CHUNK_ITEM, KIB(1024));
	struct {
		struct bd_disk_chunk c;
		struct bd_disk_stripe s;
	} item;
	struct bd_chunk_item chunk;

	items_first_in(BD_OBJ_CHUNK_TREE);
	build_chunk(&item);
	PASSES(key, &item, sizeof(item));
	FAILS(key, &item, sizeof(item) - 1, "CHUNK_SIZE");
	CU_ASSERT_EQUAL(bd_chunk_item_decode(&item, 47, KIB(1024), &item_super, &chunk), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "CHUNK_SHORT");
	FAILS(bd_key(255, BD_KEY_CHUNK_ITEM, 0), &item, sizeof(item), "CHUNK_KEY");
	FAILS(bd_key(256, BD_KEY_CHUNK_ITEM, 1), &item, sizeof(item), "CHUNK_LOGICAL");
	FAILS(bd_key(256, BD_KEY_CHUNK_ITEM, -KIB(4)), &item, sizeof(item), "CHUNK_LENGTH");
	BROKEN(key, item, c.num_stripes, bd_to_le16(0), "CHUNK_SIZE");
	BROKEN(key, item, c.num_stripes, bd_to_le16(2), "CHUNK_SIZE");
	BROKEN(key, item, c.sector_size, bd_to_le32(512), "CHUNK_SECTOR_SIZE");
	BROKEN(key, item, c.length, bd_to_le64(0), "CHUNK_LENGTH");
	BROKEN(key, item, c.length, bd_to_le64(KIB(1024) + 1), "CHUNK_LENGTH");
	BROKEN(key, item, c.length, bd_to_le64((uint64_t)UINT32_MAX << 16), "CHUNK_LENGTH");
	BROKEN(key, item, c.stripe_len, bd_to_le64(32768), "CHUNK_STRIPE_LEN");
	BROKEN(key, item, s.offset, bd_to_le64(512), "CHUNK_STRIPE");
	BROKEN(key, item, s.offset, bd_to_le64(-KIB(4)), "CHUNK_STRIPE");
}

static void quota_status(void)
{
	static const uint8_t zeros[40];

	items_first_in(BD_OBJ_QUOTA_TREE);
	PASSES(bd_key(0, BD_KEY_QGROUP_STATUS, 0), zeros, 32);
	PASSES(bd_key(0, BD_KEY_QGROUP_STATUS, 0), zeros, 40);
	FAILS(bd_key(0, BD_KEY_QGROUP_STATUS, 0), zeros, 36, "QGROUP_STATUS_SIZE");
	PASSES(bd_key(0, BD_KEY_QGROUP_INFO, 257), zeros, 40);
}

static const struct unit_test tests[] = {
	UNIT_TEST(root_items),
	UNIT_TEST(root_refs_and_uuids),
	UNIT_TEST(extents_of_data),
	UNIT_TEST(references_of_data_are_checked),
	UNIT_TEST(inline_references_are_in_order),
	UNIT_TEST(extents_of_tree_blocks),
	UNIT_TEST(extent_flags_and_generation),
	UNIT_TEST(keyed_references),
	UNIT_TEST(block_groups),
	UNIT_TEST(free_space),
	UNIT_TEST(devices),
	UNIT_TEST(device_extents),
	UNIT_TEST(profiles_of_chunks),
	UNIT_TEST(types_of_chunks),
	UNIT_TEST(places_of_chunks),
	UNIT_TEST(quota_status),
};

UNIT_MAIN("item_check_trees", tests)
