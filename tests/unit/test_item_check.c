/* SPDX-License-Identifier: MIT */
/* tests/unit/test_item_check.c - items of inodes: sound ones pass, damage of each field is named */
#include "unit.h"

#include <sys/stat.h>
#include "base/err.h"
#include "check_item.h"
#include "disk/csum.h"

static void sizes_are_limited(void)
{
	static const struct {
		uint8_t type;
		uint32_t below, above; /* sizes that are wrong; 0: there is none */
	} limits[] = {
		{BD_KEY_INODE_ITEM, 159, 161},	   {BD_KEY_INODE_REF, 10, 0},
		{BD_KEY_INODE_EXTREF, 18, 0},	   {BD_KEY_XATTR_ITEM, 30, 0},
		{BD_KEY_DIR_ITEM, 30, 0},	   {BD_KEY_DIR_INDEX, 30, 0},
		{BD_KEY_DIR_LOG_ITEM, 7, 9},	   {BD_KEY_DIR_LOG_INDEX, 7, 9},
		{BD_KEY_EXTENT_DATA, 21, 0},	   {BD_KEY_ROOT_ITEM, 238, 440},
		{BD_KEY_ROOT_REF, 18, 0},	   {BD_KEY_ROOT_BACKREF, 18, 0},
		{BD_KEY_EXTENT_ITEM, 23, 0},	   {BD_KEY_METADATA_ITEM, 23, 0},
		{BD_KEY_EXTENT_DATA_REF, 27, 0},   {BD_KEY_TREE_BLOCK_REF, 0, 1},
		{BD_KEY_SHARED_BLOCK_REF, 0, 1},   {BD_KEY_SHARED_DATA_REF, 3, 5},
		{BD_KEY_BLOCK_GROUP_ITEM, 23, 25}, {BD_KEY_FREE_SPACE_INFO, 7, 9},
		{BD_KEY_FREE_SPACE_EXTENT, 0, 1},  {BD_KEY_FREE_SPACE_BITMAP, 0, 257},
		{BD_KEY_DEV_EXTENT, 47, 49},	   {BD_KEY_DEV_ITEM, 97, 99},
		{BD_KEY_CHUNK_ITEM, 48, 0},	   {BD_KEY_QGROUP_STATUS, 31, 41},
		{BD_KEY_QGROUP_INFO, 39, 41},	   {BD_KEY_QGROUP_LIMIT, 39, 41},
		{BD_KEY_QGROUP_RELATION, 0, 1},	   {BD_KEY_UUID_SUBVOL, 7, 0},
		{BD_KEY_UUID_RECEIVED, 7, 0},	   {BD_KEY_EXTENT_CSUM, 0, 0},
	};
	static const uint8_t zeros[512];

	items_first_in(BD_OBJ_FS_TREE);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct bd_key key = bd_key(256, limits[i].type, 0);

		if (limits[i].below || !limits[i].above)
			FAILS(key, zeros, limits[i].below, "ITEM_SIZE");
		if (limits[i].above)
			FAILS(key, zeros, limits[i].above, "ITEM_SIZE");
	}
}

static void unknown_types_pass(void)
{
	items_first_in(BD_OBJ_FS_TREE);
	PASSES(bd_key(256, 8, 0), "", 0);
	PASSES(bd_key(256, 255, 0), "anything", 8);
	PASSES(bd_key(256, BD_KEY_VERITY_MERKLE, 0), "tree", 4);
	PASSES(bd_key(BD_OBJ_ORPHAN, BD_KEY_ORPHAN_ITEM, 257), "", 0);
}

static struct bd_disk_inode_item sound_inode(void)
{
	return (struct bd_disk_inode_item){.generation = bd_to_le64(100),
					   .transid = bd_to_le64(101),
					   .nlink = bd_to_le32(1),
					   .mode = bd_to_le32(S_IFREG | 0644)};
}

static void inode_items(void)
{
	struct bd_key key = bd_key(257, BD_KEY_INODE_ITEM, 0);
	struct bd_disk_inode_item inode = sound_inode();
	static const uint32_t types[] = {S_IFREG, S_IFDIR, S_IFLNK, S_IFCHR,
					 S_IFBLK, S_IFIFO, S_IFSOCK};

	items_first_in(BD_OBJ_FS_TREE);
	for (size_t i = 0; i < 7; i++)
		BROKEN(key, inode, mode, bd_to_le32(types[i] | 07777), "");
	BROKEN(key, inode, mode, bd_to_le32(0644), "INODE_MODE");
	BROKEN(key, inode, mode, bd_to_le32(S_IFMT), "INODE_MODE");
	BROKEN(key, inode, mode, bd_to_le32(S_IFREG | 1 << 16), "INODE_MODE");
	BROKEN(key, inode, generation, bd_to_le64(101), "");
	BROKEN(key, inode, generation, bd_to_le64(102), "INODE_GENERATION");
	BROKEN(key, inode, transid, bd_to_le64(102), "INODE_TRANSID");
	BROKEN(key, inode, flags, bd_to_le64(0xfff | 1u << 31), "");
	BROKEN(key, inode, flags, bd_to_le64(1 << 12), "INODE_FLAGS");
	BROKEN(key, inode, flags, bd_to_le64(UINT64_MAX << 32), "");
	inode.mode = bd_to_le32(S_IFDIR | 0755);
	BROKEN(key, inode, nlink, bd_to_le32(0), "");
	BROKEN(key, inode, nlink, bd_to_le32(2), "INODE_DIR_NLINK");
	PASSES(bd_key(BD_OBJ_ROOT_TREE_DIR, BD_KEY_INODE_ITEM, 0), &inode, sizeof(inode));
	PASSES(bd_key(BD_OBJ_FREE_INO, BD_KEY_INODE_ITEM, 0), &inode, sizeof(inode));
	FAILS(bd_key(255, BD_KEY_INODE_ITEM, 0), &inode, sizeof(inode), "INODE_KEY");
	FAILS(bd_key((uint64_t)-255, BD_KEY_INODE_ITEM, 0), &inode, sizeof(inode), "INODE_KEY");
	FAILS(bd_key(257, BD_KEY_INODE_ITEM, 1), &inode, sizeof(inode), "INODE_KEY");
}

/* Append a name behind a header whose last field is its length. */
static size_t put_name(uint8_t *item, size_t at, size_t head, const char *name, uint16_t len)
{
	le16 n = bd_to_le16(len);

	memset(item + at, 0, head);
	memcpy(item + at + head - 2, &n, 2);
	memcpy(item + at + head, name, strlen(name));
	return at + head + strlen(name);
}

static void check_refs(uint8_t type, size_t head)
{
	struct bd_key key = bd_key(257, type, 256);
	uint8_t item[1024];
	char long_name[257] = "";
	size_t one = put_name(item, 0, head, "one", 3);
	size_t two = put_name(item, one, head, "second", 6);

	items_first_in(BD_OBJ_FS_TREE);
	PASSES(key, item, one);
	PASSES(key, item, two);
	for (size_t cut = one + 1; cut < two; cut++)
		FAILS(key, item, cut, "INODE_REF_NAME");
	put_name(item, one, head, "second", 0);
	FAILS(key, item, two, "INODE_REF_NAME");
	put_name(item, one, head, "second", UINT16_MAX);
	FAILS(key, item, two, "INODE_REF_NAME");
	memset(long_name, 'n', 255);
	PASSES(key, item, put_name(item, 0, head, long_name, 255));
	long_name[255] = 'n';
	FAILS(key, item, put_name(item, 0, head, long_name, 256), "INODE_REF_NAME");
}

static void names_of_inodes(void)
{
	check_refs(BD_KEY_INODE_REF, sizeof(struct bd_disk_inode_ref));
	check_refs(BD_KEY_INODE_EXTREF, sizeof(struct bd_disk_inode_extref));
}

static void items_follow_their_inode(void)
{
	struct bd_key other = bd_key(256, BD_KEY_INODE_ITEM, 0);
	uint8_t item[64];
	size_t size = put_name(item, 0, sizeof(struct bd_disk_inode_ref), "one", 3);

	items_after(BD_OBJ_FS_TREE, &other, NULL, 0);
	FAILS(bd_key(257, BD_KEY_INODE_REF, 256), item, size, "INODE_MISSING");
	PASSES(bd_key(256, BD_KEY_INODE_REF, 256), item, size);
	items_after(BD_OBJ_TREE_LOG, &other, NULL, 0);
	PASSES(bd_key(257, BD_KEY_INODE_REF, 256), item, size);
}

static size_t put_entry(uint8_t *item, size_t at, struct bd_key location, uint8_t type,
			const char *name, const char *value)
{
	struct bd_disk_dir_item entry = {.location = bd_key_encode(&location),
					 .name_len = bd_to_le16((uint16_t)strlen(name)),
					 .data_len = bd_to_le16((uint16_t)strlen(value)),
					 .type = type};

	memcpy(item + at, &entry, sizeof(entry));
	at += sizeof(entry);
	memcpy(item + at, name, strlen(name));
	at += strlen(name);
	memcpy(item + at, value, strlen(value));
	return at + strlen(value);
}

static const char *entry_refused(struct bd_key location, uint8_t type)
{
	uint8_t item[64];
	size_t size = put_entry(item, 0, location, type, "default", "");

	return item_refused(bd_key(256, BD_KEY_DIR_ITEM, bd_name_hash("default", 7)), item, size);
}

static void directory_entries_name_inodes_or_subvolumes(void)
{
	items_first_in(BD_OBJ_FS_TREE);
	for (uint8_t type = BD_FT_UNKNOWN; type < BD_FT_XATTR; type++)
		CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, 1, 0), type), "");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, 1, 0), BD_FT_DIR | BD_FT_ENCRYPTED), "");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, BD_KEY_ROOT_ITEM, UINT64_MAX), 2), "");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, 1, 0), BD_FT_XATTR), "DIR_TYPE");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, 1, 0), BD_FT_MAX), "DIR_TYPE");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, 1, 1), 1), "DIR_LOCATION");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(7, 1, 0), 1), "DIR_LOCATION");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, 0, 0), 1), "DIR_LOCATION");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(257, BD_KEY_DIR_ITEM, 0), 1), "DIR_LOCATION");
	CU_ASSERT_STRING_EQUAL(entry_refused(bd_key(7, BD_KEY_ROOT_ITEM, 0), 2), "DIR_LOCATION");
}

static void directory_entries_keep_to_their_item(void)
{
	struct bd_key index = bd_key(256, BD_KEY_DIR_INDEX, 2);
	struct bd_key key = bd_key(256, BD_KEY_DIR_ITEM, bd_name_hash("default", 7));
	struct bd_key location = bd_key(257, BD_KEY_INODE_ITEM, 0);
	uint8_t item[512];
	char long_name[257] = "";
	size_t one = put_entry(item, 0, location, BD_FT_REG_FILE, "default", "");
	size_t two = put_entry(item, one, location, BD_FT_REG_FILE, "default", "");

	items_first_in(BD_OBJ_FS_TREE);
	PASSES(index, item, one);
	FAILS(index, item, two, "DIR_INDEX_SIZE");
	PASSES(key, item, two);
	for (size_t cut = one + 1; cut < two; cut++)
		FAILS(key, item, cut, cut - one <= 30 ? "DIR_CUT" : "DIR_END");
	put_entry(item, one, location, BD_FT_REG_FILE, "defaulT", "");
	FAILS(key, item, two, "DIR_HASH");
	FAILS(bd_key(256, BD_KEY_DIR_ITEM, key.offset | 1ULL << 32), item, one, "DIR_HASH");
	FAILS(index, item, put_entry(item, 0, location, BD_FT_REG_FILE, "default", "data"),
	      "DIR_DATA");
	FAILS(index, item, put_entry(item, 0, location, BD_FT_REG_FILE, "", "x"), "DIR_NAME_LEN");
	memset(long_name, 'n', 256);
	FAILS(index, item, put_entry(item, 0, location, BD_FT_REG_FILE, long_name, ""),
	      "DIR_NAME_LEN");
	long_name[255] = '\0';
	PASSES(index, item, put_entry(item, 0, location, BD_FT_REG_FILE, long_name, ""));
}

static void xattrs(void)
{
	struct bd_key key = bd_key(256, BD_KEY_XATTR_ITEM, bd_name_hash("btrfs.compression", 17));
	struct bd_key none = BD_KEY_MIN;
	uint8_t item[512];
	size_t size = put_entry(item, 0, none, BD_FT_XATTR, "btrfs.compression", "zstd");

	items_first_in(BD_OBJ_FS_TREE);
	PASSES(key, item, size);
	FAILS(key, item, size - 1, "DIR_END");
	PASSES(key, item, put_entry(item, 0, none, BD_FT_XATTR, "btrfs.compression", ""));
	put_entry(item, 0, none, BD_FT_REG_FILE, "btrfs.compression", "zstd");
	FAILS(key, item, size, "DIR_TYPE");
	put_entry(item, 0, bd_key(257, 1, 0), BD_FT_XATTR, "btrfs.compression", "zstd");
	FAILS(key, item, size, "DIR_LOCATION");
}

static void verity_descriptors(void)
{
	static const uint8_t zeros[300];

	items_first_in(BD_OBJ_FS_TREE);
	PASSES(bd_key(257, BD_KEY_VERITY_DESC, 0), zeros, 25);
	FAILS(bd_key(257, BD_KEY_VERITY_DESC, 0), zeros, 24, "VERITY_SIZE");
	PASSES(bd_key(257, BD_KEY_VERITY_DESC, 1), zeros, 300);
}

/* 8 KiB of a 16 KiB extent at 1 MiB. */
static struct bd_disk_file_extent sound_extent(void)
{
	return (struct bd_disk_file_extent){.generation = bd_to_le64(90),
					    .ram_bytes = bd_to_le64(KIB(16)),
					    .type = BD_FILE_EXTENT_REG,
					    .disk_bytenr = bd_to_le64(KIB(1024)),
					    .disk_num_bytes = bd_to_le64(KIB(16)),
					    .offset = bd_to_le64(KIB(4)),
					    .num_bytes = bd_to_le64(KIB(8))};
}

static void file_extents(void)
{
	struct bd_key key = bd_key(257, BD_KEY_EXTENT_DATA, KIB(64));
	struct bd_disk_file_extent fe = sound_extent();
	struct bd_disk_file_extent hole = {.type = BD_FILE_EXTENT_REG,
					   .num_bytes = bd_to_le64(KIB(4))};

	items_first_in(BD_OBJ_FS_TREE);
	PASSES(key, &fe, sizeof(fe));
	PASSES(key, &hole, sizeof(hole));
	FAILS(key, &fe, sizeof(fe) - 1, "FILE_EXTENT_SIZE");
	FAILS(bd_key(257, BD_KEY_EXTENT_DATA, 100), &fe, sizeof(fe), "FILE_EXTENT_OFFSET");
	BROKEN(key, fe, type, BD_FILE_EXTENT_PREALLOC, "");
	BROKEN(key, fe, type, 3, "FILE_EXTENT_TYPE");
	BROKEN(key, fe, compression, BD_COMPRESS_ZSTD, "");
	BROKEN(key, fe, compression, 4, "FILE_EXTENT_COMPRESSION");
	BROKEN(key, fe, encryption, 1, "FILE_EXTENT_ENCODING");
	BROKEN(key, fe, other_encoding, bd_to_le16(1), "FILE_EXTENT_ENCODING");
	BROKEN(key, fe, ram_bytes, bd_to_le64(KIB(16) + 1), "FILE_EXTENT_ALIGN");
	BROKEN(key, fe, disk_bytenr, bd_to_le64(KIB(1024) + 512), "FILE_EXTENT_ALIGN");
	BROKEN(key, fe, disk_num_bytes, bd_to_le64(KIB(16) + 2048), "FILE_EXTENT_ALIGN");
	BROKEN(key, fe, offset, bd_to_le64(1), "FILE_EXTENT_ALIGN");
	BROKEN(key, fe, num_bytes, bd_to_le64(KIB(8) - 1), "FILE_EXTENT_ALIGN");
	BROKEN(key, fe, num_bytes, bd_to_le64(0), "FILE_EXTENT_LENGTH");
	BROKEN(key, hole, num_bytes, bd_to_le64(-KIB(64)), "FILE_EXTENT_LENGTH");
	BROKEN(key, fe, disk_num_bytes, bd_to_le64(0), "FILE_EXTENT_DISK");
	BROKEN(key, fe, disk_bytenr, bd_to_le64(-KIB(4)), "FILE_EXTENT_DISK");
	BROKEN(key, fe, offset, bd_to_le64(KIB(12)), "FILE_EXTENT_END");
	BROKEN(key, fe, offset, bd_to_le64(-KIB(4)), "FILE_EXTENT_END");
	BROKEN(key, fe, ram_bytes, bd_to_le64(KIB(8)), "FILE_EXTENT_END");
	BROKEN(key, fe, ram_bytes, bd_to_le64(KIB(128)), "");
	BROKEN(key, fe, disk_num_bytes, bd_to_le64(KIB(8)), "FILE_EXTENT_END");
	fe.compression = BD_COMPRESS_LZO;
	BROKEN(key, fe, disk_num_bytes, bd_to_le64(KIB(4)), "");
}

static void inline_extents(void)
{
	struct bd_key key = bd_key(257, BD_KEY_EXTENT_DATA, 0);
	struct {
		struct bd_disk_file_extent fe;
		uint8_t rest[5000];
	} item;
	struct bd_disk_file_extent *fe = &item.fe;

	items_first_in(BD_OBJ_FS_TREE);
	memset(&item, 0, sizeof(item));
	fe->ram_bytes = bd_to_le64(100);
	PASSES(key, fe, 121);
	FAILS(key, fe, 120, "INLINE_SIZE");
	FAILS(key, fe, 122, "INLINE_SIZE");
	FAILS(bd_key(257, BD_KEY_EXTENT_DATA, 4096), fe, 121, "INLINE_OFFSET");
	fe->ram_bytes = bd_to_le64(4096);
	PASSES(key, fe, 4096 + 21);
	fe->compression = BD_COMPRESS_ZLIB;
	PASSES(key, fe, 60);
	fe->ram_bytes = bd_to_le64(4097);
	FAILS(key, fe, 60, "INLINE_RAM_BYTES");
	fe->ram_bytes = bd_to_le64(0);
	FAILS(key, fe, 60, "INLINE_RAM_BYTES");
}

static void file_extents_do_not_overlap(void)
{
	struct bd_key before = bd_key(257, BD_KEY_EXTENT_DATA, KIB(64));
	struct bd_disk_file_extent prev = sound_extent(), fe = sound_extent();
	struct bd_disk_file_extent small = {.ram_bytes = bd_to_le64(10)};

	items_after(BD_OBJ_FS_TREE, &before, &prev, sizeof(prev));
	PASSES(bd_key(257, BD_KEY_EXTENT_DATA, KIB(72)), &fe, sizeof(fe));
	FAILS(bd_key(257, BD_KEY_EXTENT_DATA, KIB(68)), &fe, sizeof(fe), "FILE_EXTENT_OVERLAP");
	before.offset = 0;
	items_after(BD_OBJ_FS_TREE, &before, &small, 31);
	PASSES(bd_key(257, BD_KEY_EXTENT_DATA, KIB(4)), &fe, sizeof(fe));
	small.ram_bytes = bd_to_le64(4096);
	PASSES(bd_key(257, BD_KEY_EXTENT_DATA, KIB(4)), &fe, sizeof(fe));
	item_super.sectorsize = 2048;
	FAILS(bd_key(257, BD_KEY_EXTENT_DATA, KIB(2)), &fe, sizeof(fe), "FILE_EXTENT_OVERLAP");
	before = bd_key(256, BD_KEY_EXTENT_DATA, KIB(64));
	items_after(BD_OBJ_ROOT_TREE, &before, &prev, sizeof(prev));
	PASSES(bd_key(257, BD_KEY_EXTENT_DATA, 0), &fe, sizeof(fe));
}

static void checksums(void)
{
	static const uint8_t zeros[64];
	struct bd_key key = bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, KIB(1024));
	struct bd_key before = bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, KIB(1024) - KIB(16));

	items_first_in(BD_OBJ_CSUM_TREE);
	PASSES(key, zeros, 40);
	FAILS(key, zeros, 41, "CSUM_SIZE");
	FAILS(bd_key(256, BD_KEY_EXTENT_CSUM, KIB(1024)), zeros, 40, "CSUM_KEY");
	FAILS(bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, 2048), zeros, 40, "CSUM_KEY");
	FAILS(bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, -KIB(4)), zeros, 4, "CSUM_SIZE");
	items_after(BD_OBJ_CSUM_TREE, &before, zeros, 16);
	PASSES(key, zeros, 40);
	items_after(BD_OBJ_CSUM_TREE, &before, zeros, 20);
	FAILS(key, zeros, 40, "CSUM_OVERLAP");
	item_super.csum_type = BD_CSUM_SHA256;
	item_super.csum_size = 32;
	FAILS(key, zeros, 40, "CSUM_SIZE");
}

static void failures_say_where(void)
{
	static const uint8_t zeros[160];
	struct bd_key before = bd_key(257, BD_KEY_INODE_ITEM, 0);

	items_after(BD_OBJ_FS_TREE, &before, NULL, 0);
	FAILS(bd_key(258, BD_KEY_INODE_ITEM, 0), zeros, 160, "INODE_MODE");
	CU_ASSERT_STRING_EQUAL(bd_err_self()->message,
			       "corrupt leaf: logical 1048576 slot 1 (258 INODE_ITEM 0)"
			       ", invalid mode, 00");
}

static const struct unit_test tests[] = {
	UNIT_TEST(sizes_are_limited),
	UNIT_TEST(unknown_types_pass),
	UNIT_TEST(inode_items),
	UNIT_TEST(names_of_inodes),
	UNIT_TEST(items_follow_their_inode),
	UNIT_TEST(directory_entries_name_inodes_or_subvolumes),
	UNIT_TEST(directory_entries_keep_to_their_item),
	UNIT_TEST(xattrs),
	UNIT_TEST(verity_descriptors),
	UNIT_TEST(file_extents),
	UNIT_TEST(inline_extents),
	UNIT_TEST(file_extents_do_not_overlap),
	UNIT_TEST(checksums),
	UNIT_TEST(failures_say_where),
};

UNIT_MAIN("item_check", tests)
