/* SPDX-License-Identifier: MIT */
/* tests/unit/test_print.c - what the printers write, byte by byte */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include "disk/csum.h"
#include "disk/node_check.h"
#include "disk/print.h"
#include "disk_build.h"

static struct bd_super super;
static uint8_t block[BUILD_NODESIZE];

static struct {
	char text[16384];
	size_t len;
	int fail_after; /* writes; -1: never */
	int failures;
} sink;

static int sink_write(void *priv, const char *text, size_t len)
{
	(void)priv;
	if (sink.fail_after == 0) {
		sink.failures++;
		return -ENOSPC;
	}
	sink.fail_after -= sink.fail_after > 0;
	if (sink.len + len >= sizeof(sink.text))
		abort();
	memcpy(sink.text + sink.len, text, len);
	sink.len += len;
	sink.text[sink.len] = '\0';
	return 0;
}

static const struct bd_printer printer = {sink_write, NULL};

/* The text of the block, from its first item on. */
static const char *items(void)
{
	const char *first;

	memset(&sink, 0, sizeof(sink));
	sink.fail_after = -1;
	CU_ASSERT_EQUAL_FATAL(bd_node_check_body(block, &super), 0);
	CU_ASSERT_EQUAL(bd_print_node(&printer, &super, block), 0);
	first = strstr(sink.text, "  [0]");
	return first ? first : "";
}

static void begin(uint64_t owner)
{
	build_super(&super);
	build_block(block, &super, 0, owner);
}

static const char *key(uint64_t objectid, uint8_t type, uint64_t offset)
{
	static char text[BD_KEY_TEXT_MAX];
	struct bd_key k = bd_key(objectid, type, offset);

	return bd_key_text(&k, text);
}

static void keys(void)
{
	CU_ASSERT_STRING_EQUAL(key(256, BD_KEY_INODE_ITEM, 0), "(256 INODE_ITEM 0)");
	CU_ASSERT_STRING_EQUAL(key(5, BD_KEY_ROOT_ITEM, UINT64_MAX), "(FS_TREE ROOT_ITEM -1)");
	CU_ASSERT_STRING_EQUAL(key(1, BD_KEY_DEV_ITEM, 1), "(DEV_ITEMS DEV_ITEM 1)");
	CU_ASSERT_STRING_EQUAL(key(1, BD_KEY_DEV_EXTENT, 5), "(1 DEV_EXTENT 5)");
	CU_ASSERT_STRING_EQUAL(key(256, BD_KEY_CHUNK_ITEM, 5), "(FIRST_CHUNK_TREE CHUNK_ITEM 5)");
	CU_ASSERT_STRING_EQUAL(key(0, BD_KEY_PERSISTENT_ITEM, 1), "(DEV_STATS PERSISTENT_ITEM 1)");
	CU_ASSERT_STRING_EQUAL(key(BD_OBJ_ORPHAN, BD_KEY_ORPHAN_ITEM, 300),
			       "(ORPHAN ORPHAN_ITEM 300)");
	CU_ASSERT_STRING_EQUAL(key(0, BD_KEY_QGROUP_INFO, 1ULL << 48 | 7), "(0 QGROUP_INFO 1/7)");
	CU_ASSERT_STRING_EQUAL(key(5, BD_KEY_UUID_SUBVOL, 255),
			       "(0x0000000000000005 UUID_SUBVOL 0x00000000000000ff)");
	CU_ASSERT_STRING_EQUAL(key(300, 7, 8), "(300 7 8)");
	CU_ASSERT(strlen(key(1ULL << 63, BD_KEY_FREE_SPACE_EXTENT, UINT64_MAX - 1)) <
		  BD_KEY_TEXT_MAX);
	CU_ASSERT_PTR_NULL(bd_key_type_name(7));
	CU_ASSERT_PTR_NULL(bd_objectid_name(256));
	CU_ASSERT_STRING_EQUAL(bd_objectid_name(BD_OBJ_DATA_RELOC_TREE), "DATA_RELOC_TREE");
}

static void flags_and_uuids(void)
{
	const uint8_t uuid[BD_UUID_SIZE] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
	char text[40];

	bd_bg_flags_text(BD_BG_DATA | BD_BG_RAID1, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "DATA|RAID1");
	bd_bg_flags_text(BD_BG_SYSTEM, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "SYSTEM|single");
	bd_bg_flags_text(BD_BG_DATA | 1ULL << 40, text, sizeof(text));
	CU_ASSERT_STRING_EQUAL(text, "DATA|0x10000000000|single");
	bd_bg_flags_text(UINT64_MAX, text, 8);
	CU_ASSERT_STRING_EQUAL(text, "DATA|SY");
	bd_uuid_text(uuid, text);
	CU_ASSERT_STRING_EQUAL(text, "01234567-89ab-cdef-0123-456789abcdef");
}

static void put_entry(uint8_t type, struct bd_key location, const char *name, const char *value)
{
	uint8_t key_type = type == BD_FT_XATTR ? BD_KEY_XATTR_ITEM : BD_KEY_DIR_ITEM;
	struct bd_key k = bd_key(256, key_type, bd_name_hash(name, strlen(name)));
	struct bd_disk_dir_item *e =
		build_item(block, k, (uint32_t)(sizeof(*e) + strlen(name) + strlen(value)));

	e->location = bd_key_encode(&location);
	e->name_len = bd_to_le16((uint16_t)strlen(name));
	e->data_len = bd_to_le16((uint16_t)strlen(value));
	e->type = type;
	memcpy(e + 1, name, strlen(name));
	memcpy((uint8_t *)(e + 1) + strlen(name), value, strlen(value));
}

static void names_are_escaped(void)
{
	begin(BD_OBJ_FS_TREE);
	put_entry(BD_FT_XATTR, BD_KEY_MIN, "user.a", "x\"\n");
	put_entry(BD_FT_REG_FILE, bd_key(257, 1, 0), "a\x1b\\\xff b", "");
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), "    location=(0 0 0) type=xattr transid=0"
					       " name=\"user.a\" value=\"x\\x22\\x0a\"\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), "    location=(257 INODE_ITEM 0) type=file"
					       " transid=0 name=\"a\\x1b\\x5c\\xff b\"\n"));
}

static void a_long_name_is_whole(void)
{
	char name[256] = "", want[1100] = "name=\"";

	for (int i = 0; i < 255; i++)
		strcat(want, "\\x01");
	strcat(want, "\"\n");
	memset(name, 1, 255);
	begin(BD_OBJ_FS_TREE);
	put_entry(BD_FT_REG_FILE, bd_key(257, 1, 0), name, "");
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), want));
}

static void inodes(void)
{
	struct bd_disk_inode_item *i;

	begin(BD_OBJ_FS_TREE);
	i = build_item(block, bd_key(257, BD_KEY_INODE_ITEM, 0), sizeof(*i));
	i->generation = bd_to_le64(7);
	i->size = bd_to_le64(5);
	i->nlink = bd_to_le32(1);
	i->mode = bd_to_le32(S_IFREG | 0640);
	i->flags = bd_to_le64(BD_INODE_NODATASUM | BD_INODE_RO_VERITY);
	i->mtime.sec = bd_to_le64((uint64_t)-3);
	i->mtime.nsec = bd_to_le32(5000);
	CU_ASSERT_STRING_EQUAL(items(),
			       "  [0] (257 INODE_ITEM 0) 160 bytes at 3835\n"
			       "    inode generation=7 transid=0 size=5 nbytes=0 block_group=0\n"
			       "    mode=0100640 nlink=1 uid=0 gid=0 rdev=0x0 sequence=0"
			       " flags=NODATASUM|VERITY\n"
			       "    atime=0.000000000 ctime=0.000000000 mtime=-3.000005000"
			       " otime=0.000000000\n");
}

static void file_extents(void)
{
	struct bd_disk_file_extent *fe;

	begin(BD_OBJ_FS_TREE);
	fe = build_item(block, bd_key(257, BD_KEY_EXTENT_DATA, 0), 31);
	fe->ram_bytes = bd_to_le64(77);
	fe->compression = BD_COMPRESS_LZO;
	fe = build_item(block, bd_key(257, BD_KEY_EXTENT_DATA, 4096), sizeof(*fe));
	fe->type = BD_FILE_EXTENT_REG;
	fe->num_bytes = bd_to_le64(8192);
	CU_ASSERT_STRING_EQUAL(items(), "  [0] (257 EXTENT_DATA 0) 31 bytes at 3964\n"
					"    inline compression=lzo generation=0 ram_bytes=77"
					" inline_bytes=10\n"
					"  [1] (257 EXTENT_DATA 4096) 53 bytes at 3911\n"
					"    regular compression=none generation=0 ram_bytes=0"
					" disk_bytenr=0 disk_num_bytes=0 offset=0 num_bytes=8192"
					" hole\n");
}

static void extents_with_references(void)
{
	struct bd_disk_extent_item *e;
	struct bd_disk_extent_inline_ref *ref;

	begin(BD_OBJ_EXTENT_TREE);
	e = build_item(block, bd_key(1 << 20, BD_KEY_METADATA_ITEM, 1), sizeof(*e) + 18);
	e->refs = bd_to_le64(2);
	e->flags = bd_to_le64(BD_EXTENT_FLAG_TREE_BLOCK);
	ref = (struct bd_disk_extent_inline_ref *)(e + 1);
	ref[0] = (struct bd_disk_extent_inline_ref){BD_KEY_TREE_BLOCK_REF, bd_to_le64(7)};
	ref[1] = (struct bd_disk_extent_inline_ref){BD_KEY_SHARED_BLOCK_REF, bd_to_le64(8192)};
	CU_ASSERT_STRING_EQUAL(items(), "  [0] (1048576 METADATA_ITEM 1) 42 bytes at 3953\n"
					"    refs=2 generation=0 flags=TREE_BLOCK\n"
					"    TREE_BLOCK_REF root=CSUM_TREE\n"
					"    SHARED_BLOCK_REF parent=8192\n");
}

static void chunks_and_statistics(void)
{
	le64 *errors;

	begin(BD_OBJ_CHUNK_TREE);
	errors = build_item(block, bd_key(0, BD_KEY_PERSISTENT_ITEM, 1), 16);
	errors[1] = bd_to_le64(9);
	build_chunk(build_item(block, bd_key(256, BD_KEY_CHUNK_ITEM, 1 << 20), 80));
	CU_ASSERT_STRING_EQUAL(items(),
			       "  [0] (DEV_STATS PERSISTENT_ITEM 1) 16 bytes at 3979\n"
			       "    errors write=0 read=9\n"
			       "  [1] (FIRST_CHUNK_TREE CHUNK_ITEM 1048576) 80 bytes at 3899\n"
			       "    length=4194304 owner=2 stripe_len=65536 type=SYSTEM|single"
			       " io_align=0 io_width=0 sector_size=4096 stripes=1 sub_stripes=1\n"
			       "    stripe 0 devid=1 physical=1048576"
			       " dev_uuid=00000000-0000-0000-0000-000000000000\n");
}

static void checksums(void)
{
	uint8_t *csums;

	begin(BD_OBJ_CSUM_TREE);
	csums = build_item(block, bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, 8192), 36);
	csums[0] = 0xab;
	csums[35] = 0xcd;
	CU_ASSERT_STRING_EQUAL(items(), "  [0] (EXTENT_CSUM EXTENT_CSUM 8192) 36 bytes at 3959\n"
					"    9 crc32c of logical 8192 to 45056\n"
					"    ab000000 00000000 00000000 00000000 00000000 00000000"
					" 00000000 00000000\n"
					"    000000cd\n");
}

/* Types whose size is not checked: a size that nobody knows is shown as bytes. */
static void items_of_unknown_size(void)
{
	begin(300);
	build_item(block, bd_key(300, 7, 0), 65);
	build_item(block, bd_key(300, BD_KEY_TEMPORARY_ITEM, 0), 2);
	build_item(block, bd_key(300, BD_KEY_DEV_REPLACE, 0), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), "000000...\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), " 2 bytes at 3928\n    bytes=0000\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), " 1 bytes at 3927\n    bytes=00\n"));
}

static void replacement_and_balance(void)
{
	struct bd_disk_dev_replace *r;
	struct bd_disk_balance *b;

	begin(300);
	b = build_item(block, bd_key(BD_OBJ_BALANCE, BD_KEY_TEMPORARY_ITEM, 0), sizeof(*b));
	b->flags = bd_to_le64(5);
	b->meta.vend = bd_to_le64(99);
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), "    balance flags=0x5\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), " logical=0..99 "));
	begin(300);
	r = build_item(block, bd_key(0, BD_KEY_DEV_REPLACE, 0), sizeof(*r));
	r->state = bd_to_le64(1);
	r->src_devid = bd_to_le64(3);
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), "    state=started source=3 "));
	r->state = bd_to_le64(UINT64_MAX);
	CU_ASSERT_PTR_NOT_NULL(strstr(items(), "    state=unknown "));
}

static void nodes(void)
{
	build_super(&super);
	build_block(block, &super, 1, 300);
	build_pointer(block, bd_key(256, BD_KEY_DIR_INDEX, 3), 8192, 60);
	CU_ASSERT_STRING_EQUAL(items(), "  [0] (256 DIR_INDEX 3) block=8192 generation=60\n");
	CU_ASSERT_PTR_EQUAL(
		strstr(sink.text,
		       "node 1048576 level=1 items=1 generation=90 owner=300 flags=WRITTEN"
		       " backref=1\n  fsid=616e2066-7369-6420-6f66-207465737473 "),
		sink.text);
}

static void superblocks(void)
{
	build_super(&super);
	memset(&sink, 0, sizeof(sink));
	sink.fail_after = -1;
	CU_ASSERT_EQUAL(bd_print_super(&printer, &super), 0);
	CU_ASSERT_PTR_EQUAL(strstr(sink.text, "super 65536 generation=100 csum=crc32c flags=WRITTEN"
					      " label=\"tests\"\n"),
			    sink.text);
	CU_ASSERT_PTR_NOT_NULL(strstr(sink.text, "\n  incompat=mixed-backref,skinny-metadata\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(sink.text, "\n  chunk_root=1048576 level=0 generation=90\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(sink.text, "\n  (FIRST_CHUNK_TREE CHUNK_ITEM 1048576)\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(sink.text, "\n  backup 3 total_bytes=0 "));
	super.sys_chunk_array_size--;
	memset(&sink, 0, sizeof(sink));
	sink.fail_after = -1;
	CU_ASSERT_EQUAL(bd_print_super(&printer, &super), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(sink.text, "sys_chunk_array is damaged at byte 0\n"));
}

static void a_failed_write_ends_it(void)
{
	begin(300);
	for (uint64_t i = 0; i < 9; i++)
		build_item(block, bd_key(300, 7, i), 9);
	for (int after = 0; after < 40; after++) {
		memset(&sink, 0, sizeof(sink));
		sink.fail_after = after;
		CU_ASSERT_EQUAL(bd_print_node(&printer, &super, block), -ENOSPC);
		CU_ASSERT_EQUAL(sink.failures, 1);
	}
	sink.fail_after = 3;
	CU_ASSERT_EQUAL(bd_print_super(&printer, &super), -ENOSPC);
}

static const struct unit_test tests[] = {
	UNIT_TEST(keys),
	UNIT_TEST(flags_and_uuids),
	UNIT_TEST(names_are_escaped),
	UNIT_TEST(a_long_name_is_whole),
	UNIT_TEST(inodes),
	UNIT_TEST(file_extents),
	UNIT_TEST(extents_with_references),
	UNIT_TEST(chunks_and_statistics),
	UNIT_TEST(checksums),
	UNIT_TEST(items_of_unknown_size),
	UNIT_TEST(replacement_and_balance),
	UNIT_TEST(nodes),
	UNIT_TEST(superblocks),
	UNIT_TEST(a_failed_write_ends_it),
};

UNIT_MAIN("print", tests)
