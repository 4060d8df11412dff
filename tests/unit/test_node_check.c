/* SPDX-License-Identifier: MIT */
/* tests/unit/test_node_check.c - tree blocks: the right one, the wrong one, damaged ones */
#include "unit.h"

#include <stddef.h>
#include "base/err.h"
#include "disk/node_check.h"
#include "disk_build.h"

#define LOGICAL (1024u * 1024u)

static struct bd_super super;
static uint8_t block[BUILD_NODESIZE];

static struct bd_disk_header *header(void)
{
	return (struct bd_disk_header *)block;
}

static void leaf(uint64_t owner)
{
	build_super(&super);
	build_block(block, &super, 0, owner);
	/* a type that nobody knows: only its place is checked */
	memset(build_item(block, bd_key(300, 7, 1), 50), 1, 50);
	build_item(block, bd_key(300, 7, 2), 0);
	memset(build_item(block, bd_key(301, 7, 0), 200), 3, 200);
	build_seal_block(block, &super);
}

static void node(void)
{
	build_super(&super);
	build_block(block, &super, 2, BD_OBJ_FS_TREE);
	for (uint32_t i = 0; i < 5; i++)
		build_pointer(block, bd_key(300 + i, 1, 0), LOGICAL + (i + 1) * 4096, 80);
	build_seal_block(block, &super);
}

static struct bd_node_expect promise(uint64_t owner, uint8_t level)
{
	return (struct bd_node_expect){.logical = LOGICAL,
				       .generation = 90,
				       .owner = owner,
				       .level = level,
				       .has_first_key = true,
				       .first_key = bd_node_key(block, 0)};
}

static const char *header_refused(const struct bd_node_expect *want, int code)
{
	int err;

	bd_err_clear();
	err = bd_node_check_header(block, &super, want);
	CU_ASSERT_EQUAL(err, code);
	CU_ASSERT_EQUAL(bd_err_self()->has & BDIO_ERROR_LOGICAL, code ? BDIO_ERROR_LOGICAL : 0);
	return failed_site();
}

static const char *body_refused(void)
{
	bd_err_clear();
	if (bd_node_check_body(block, &super))
		CU_ASSERT_EQUAL(bd_err_self()->logical, LOGICAL);
	return failed_site();
}

static void sound_blocks_pass(void)
{
	struct bd_node_expect want;

	leaf(300);
	want = promise(300, 0);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, 0), "");
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
	node();
	want = promise(BD_OBJ_FS_TREE, 2);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, 0), "");
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
	want = (struct bd_node_expect){.logical = LOGICAL, .level = UINT8_MAX};
	CU_ASSERT_STRING_EQUAL(header_refused(&want, 0), "");
}

static void every_byte_is_under_the_checksum(void)
{
	struct bd_node_expect want;
	unsigned int accepted = 0;

	leaf(300);
	want = promise(300, 0);
	for (size_t i = 0; i < BUILD_NODESIZE; i++) {
		if (i == 4)
			i = BD_CSUM_SIZE;
		block[i] ^= 0x80;
		accepted += bd_node_check_header(block, &super, &want) != -EIO;
		block[i] ^= 0x80;
	}
	CU_ASSERT_EQUAL(accepted, 0);
	block[0] ^= 1;
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EIO), "NODE_CSUM");
	CU_ASSERT_EQUAL(bd_err_self()->csum_size, 4);
	CU_ASSERT_EQUAL(bd_err_self()->csum_expected[0], block[0]);
	CU_ASSERT_EQUAL(bd_err_self()->csum_found[0], block[0] ^ 1);
}

static void a_good_block_at_the_wrong_place_is_refused(void)
{
	struct bd_node_expect want;

	leaf(300);
	want = promise(300, 0);
	want.logical += 4096;
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_BYTENR");
	want = promise(300, 0);
	want.generation = 91;
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_GENERATION");
	want = promise(300, 1);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_LEVEL");
	want = promise(BD_OBJ_CSUM_TREE, 0);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_OWNER");
	want = promise(300, 0);
	want.first_key.offset++;
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_FIRST_KEY");
	header()->nritems = bd_to_le32(0);
	build_seal_block(block, &super);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_EMPTY_CHILD");
	leaf(300);
	want = promise(300, UINT8_MAX);
	header()->level = 8;
	build_seal_block(block, &super);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_LEVEL");
}

static void a_known_block_is_held_to_another_promise(void)
{
	struct bd_node_expect want;

	leaf(300);
	want = promise(300, 0);
	block[0] ^= 1; /* the checksum was looked at when the block was read */
	CU_ASSERT_EQUAL(bd_node_check_promise(block, &want), 0);
	want.generation++;
	CU_ASSERT_EQUAL(bd_node_check_promise(block, &want), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "NODE_GENERATION");
	want = promise(300, 0);
	want.first_key.objectid++;
	CU_ASSERT_EQUAL(bd_node_check_promise(block, &want), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "NODE_FIRST_KEY");
}

static void fsid_of_the_filesystem_or_of_a_seed(void)
{
	uint8_t seed[BD_FSID_SIZE] = "the seed's fsid";
	struct bd_node_expect want;

	leaf(300);
	want = promise(300, 0);
	memcpy(header()->fsid, seed, BD_FSID_SIZE);
	build_seal_block(block, &super);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, -EUCLEAN), "NODE_FSID");
	CU_ASSERT_EQUAL(bd_super_add_seed(&super, seed), 0);
	CU_ASSERT_STRING_EQUAL(header_refused(&want, 0), "");
}

static bool owner_accepted(uint64_t want_owner, uint64_t found)
{
	struct bd_node_expect want;

	leaf(found);
	want = promise(want_owner, 0);
	return bd_node_check_header(block, &super, &want) == 0;
}

static void owners(void)
{
	CU_ASSERT_TRUE(owner_accepted(300, 300));
	CU_ASSERT_TRUE(owner_accepted(300, BD_OBJ_FS_TREE));
	CU_ASSERT_TRUE(owner_accepted(BD_OBJ_FS_TREE, 256));
	CU_ASSERT_TRUE(owner_accepted(300, BD_OBJ_TREE_RELOC));
	CU_ASSERT_TRUE(owner_accepted(300, BD_OBJ_DATA_RELOC_TREE));
	CU_ASSERT_TRUE(owner_accepted(0, BD_OBJ_CSUM_TREE));
	CU_ASSERT_TRUE(owner_accepted(BD_OBJ_TREE_LOG, BD_OBJ_TREE_LOG));
	CU_ASSERT_FALSE(owner_accepted(300, BD_OBJ_CSUM_TREE));
	CU_ASSERT_FALSE(owner_accepted(300, BD_OBJ_TREE_LOG));
	CU_ASSERT_FALSE(owner_accepted(300, 255));
	CU_ASSERT_FALSE(owner_accepted(300, 1ULL << 48));
	CU_ASSERT_FALSE(owner_accepted(BD_OBJ_CSUM_TREE, 300));
	CU_ASSERT_FALSE(owner_accepted(BD_OBJ_DATA_RELOC_TREE, 300));
}

static void items_that_do_not_lie_back_to_back(void)
{
	struct bd_disk_item *items = (struct bd_disk_item *)(header() + 1);
	unsigned int accepted = 0;

	for (unsigned int i = 0; i < 3; i++) {
		for (size_t byte = offsetof(struct bd_disk_item, offset); byte < sizeof(*items);
		     byte++) {
			leaf(300);
			((uint8_t *)&items[i])[byte] ^= 0x04;
			accepted += bd_node_check_body(block, &super) == 0;
			CU_ASSERT_STRING_EQUAL(failed_site(), "LEAF_ITEM_PLACE");
		}
	}
	CU_ASSERT_EQUAL(accepted, 0);
	/* an end that is right only modulo 2^32 */
	leaf(300);
	items[0].offset = bd_to_le32(UINT32_MAX - 99);
	items[0].size = bd_to_le32(BUILD_NODESIZE - 101 + 100);
	CU_ASSERT_STRING_EQUAL(body_refused(), "LEAF_ITEM_PLACE");
	/* data that reach into the item heads */
	leaf(300);
	items[2].size = bd_to_le32(bd_le32(items[1].offset) - 74);
	items[2].offset = bd_to_le32(74);
	CU_ASSERT_STRING_EQUAL(body_refused(), "LEAF_ITEM_PLACE");
	items[2].size = bd_to_le32(bd_le32(items[1].offset) - 75);
	items[2].offset = bd_to_le32(75);
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
}

static void impossible_numbers_of_items(void)
{
	leaf(300);
	header()->nritems = bd_to_le32(UINT32_MAX);
	CU_ASSERT_STRING_EQUAL(body_refused(), "LEAF_NRITEMS");
	header()->nritems = bd_to_le32((BUILD_NODESIZE - 101) / 25 + 1);
	CU_ASSERT_STRING_EQUAL(body_refused(), "LEAF_NRITEMS");
	header()->nritems = bd_to_le32(4);
	CU_ASSERT_STRING_EQUAL(body_refused(), "LEAF_ITEM_PLACE");
	node();
	header()->nritems = bd_to_le32(0);
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_NRITEMS");
	header()->nritems = bd_to_le32((BUILD_NODESIZE - 101) / 33 + 1);
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_NRITEMS");
	header()->nritems = bd_to_le32(UINT32_MAX);
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_NRITEMS");
	header()->level = 8;
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_LEVEL_RANGE");
}

static void a_full_node_passes(void)
{
	build_super(&super);
	build_block(block, &super, 1, BD_OBJ_FS_TREE);
	for (uint32_t i = 0; i < (BUILD_NODESIZE - 101) / 33; i++)
		build_pointer(block, bd_key(i, 0, 0), 4096, 1);
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
}

static void some_trees_are_never_empty(void)
{
	static const uint64_t never[] = {0,
					 BD_OBJ_ROOT_TREE,
					 BD_OBJ_EXTENT_TREE,
					 BD_OBJ_CHUNK_TREE,
					 BD_OBJ_DEV_TREE,
					 BD_OBJ_FS_TREE,
					 BD_OBJ_DATA_RELOC_TREE};

	build_super(&super);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		build_block(block, &super, 0, never[i]);
		CU_ASSERT_STRING_EQUAL(body_refused(), "LEAF_NRITEMS");
	}
	header()->flags = bd_to_le64(bd_le64(header()->flags) | BD_HEADER_FLAG_RELOC);
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
	build_block(block, &super, 0, BD_OBJ_CSUM_TREE);
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
}

static void keys_ascend(void)
{
	struct bd_disk_item *items = (struct bd_disk_item *)(header() + 1);
	struct bd_disk_key_ptr *ptrs = (struct bd_disk_key_ptr *)(header() + 1);

	leaf(300);
	items[1].key.offset = bd_to_le64(1);
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_KEY_ORDER");
	leaf(300);
	items[2].key.objectid = bd_to_le64(299);
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_KEY_ORDER");
	node();
	ptrs[4].key = ptrs[3].key;
	CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_KEY_ORDER");
}

static void pointers_are_aligned_and_not_zero(void)
{
	struct bd_disk_key_ptr *ptrs = (struct bd_disk_key_ptr *)(header() + 1);

	for (unsigned int i = 0; i < 5; i += 4) {
		node();
		ptrs[i].blockptr = bd_to_le64(0);
		CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_POINTER");
		node();
		ptrs[i].blockptr = bd_to_le64(LOGICAL + 2048);
		CU_ASSERT_STRING_EQUAL(body_refused(), "NODE_POINTER");
	}
}

static void items_are_checked_with_their_neighbours(void)
{
	struct bd_disk_dir_item *entry;

	build_super(&super);
	build_block(block, &super, 0, BD_OBJ_FS_TREE);
	build_item(block, bd_key(300, 7, 0), 4);
	entry = build_item(block, bd_key(300, BD_KEY_DIR_INDEX, 5), sizeof(*entry) + 1);
	entry->location.objectid = bd_to_le64(301);
	entry->location.type = BD_KEY_INODE_ITEM;
	entry->name_len = bd_to_le16(1);
	entry->type = BD_FT_REG_FILE;
	CU_ASSERT_STRING_EQUAL(body_refused(), "");
	entry->name_len = bd_to_le16(2);
	CU_ASSERT_STRING_EQUAL(body_refused(), "DIR_END");
	entry->name_len = bd_to_le16(1);
	((struct bd_disk_item *)(header() + 1))[0].key.objectid = bd_to_le64(299);
	CU_ASSERT_STRING_EQUAL(body_refused(), "INODE_MISSING");
}

static const struct unit_test tests[] = {
	UNIT_TEST(sound_blocks_pass),
	UNIT_TEST(every_byte_is_under_the_checksum),
	UNIT_TEST(a_good_block_at_the_wrong_place_is_refused),
	UNIT_TEST(a_known_block_is_held_to_another_promise),
	UNIT_TEST(fsid_of_the_filesystem_or_of_a_seed),
	UNIT_TEST(owners),
	UNIT_TEST(items_that_do_not_lie_back_to_back),
	UNIT_TEST(impossible_numbers_of_items),
	UNIT_TEST(a_full_node_passes),
	UNIT_TEST(some_trees_are_never_empty),
	UNIT_TEST(keys_ascend),
	UNIT_TEST(pointers_are_aligned_and_not_zero),
	UNIT_TEST(items_are_checked_with_their_neighbours),
};

UNIT_MAIN("node_check", tests)
