/* SPDX-License-Identifier: MIT */
/* tests/unit/test_hostile.c - sound checksums over nonsense: items, trees and chunks that lie */
#include "unit.h"

#include <errno.h>
#include <sys/stat.h>
#include "base/mem.h"
#include "btrfsdio/btrfsdio.h"
#include "image_build.h"
#include "image_priv.h"

/* An item that is shorter than the struct that it should hold, at the very end of its block. */
static void short_device_statistics(void)
{
	uint64_t written = 7;
	struct bdio_device_info info;
	struct img *img = img_new(&(struct img_opts){0});
	struct bdio_fs *fs;

	img_item(img, BD_OBJ_DEV_TREE, bd_key(BD_OBJ_DEV_STATS, BD_KEY_PERSISTENT_ITEM, 1),
		 &written, sizeof(written));
	img_finish(img);
	CU_ASSERT_EQUAL_FATAL(img_open(img, 0, &fs), 0);
	CU_ASSERT_EQUAL_FATAL(bdio_device_get_info(fs, 0, &info), 0);
	CU_ASSERT_EQUAL(info.write_errors, 7);
	CU_ASSERT_EQUAL(info.read_errors | info.flush_errors | info.corruption_errors |
				info.generation_errors,
			0);
	bdio_close(fs);
	img_free(img);
}

static void add_root(struct img *img, uint64_t id)
{
	struct bd_disk_root_item item = {.generation = bd_to_le64(IMG_GENERATION),
					 .bytenr = bd_to_le64(img->meta.logical),
					 .refs = bd_to_le32(1)};

	img_item(img, BD_OBJ_ROOT_TREE, bd_key(id, BD_KEY_ROOT_ITEM, 0), &item, sizeof(item));
}

static void add_subvol_entry(struct img *img, uint64_t id)
{
	struct {
		struct bd_disk_dir_item item;
		char name[2];
	} entry = {{{bd_to_le64(id), BD_KEY_ROOT_ITEM, bd_to_le64(UINT64_MAX)},
		    bd_to_le64(IMG_GENERATION),
		    bd_to_le16(0),
		    bd_to_le16(2),
		    BD_FT_DIR},
		   "sv"};
	struct {
		struct bd_disk_root_ref ref;
		char name[2];
	} ref = {{bd_to_le64(BDIO_INODE_ROOT), bd_to_le64(2), bd_to_le16(2)}, "sv"};

	img_item(img, BD_OBJ_FS_TREE, bd_key(BDIO_INODE_ROOT, BD_KEY_DIR_INDEX, 2), &entry,
		 sizeof(entry));
	img_item(img, BD_OBJ_ROOT_TREE, bd_key(BDIO_SUBVOL_TOP, BD_KEY_ROOT_REF, id), &ref,
		 sizeof(ref));
}

/* Where the root tree's leaf with the item of tree @id lies. */
static uint64_t root_leaf(struct bdio_fs *fs, uint64_t id)
{
	struct bd_key key = bd_key(id, BD_KEY_ROOT_ITEM, 0);
	struct bd_path path;
	uint64_t logical;

	bd_path_init(&path);
	CU_ASSERT_EQUAL_FATAL(bd_tree_search(&fs->vol.root_tree, &key, &path), 0);
	logical = path.nodes[0]->logical;
	bd_path_release(&path);
	return logical;
}

/* A subvolume that cannot be read is an error, not an empty directory. */
static void unreadable_subvolume(void)
{
	struct img *img = img_new(&(struct img_opts){0});
	struct bdio_dirent entry;
	struct bdio_dir *dir;
	struct bdio_fs *fs;
	uint64_t leaf;

	/* enough trees that the last ones have a leaf of their own */
	for (uint64_t id = 256; id < 276; id++)
		add_root(img, id);
	add_subvol_entry(img, 275);
	img_finish(img);
	CU_ASSERT_EQUAL_FATAL(img_open(img, 0, &fs), 0);
	leaf = root_leaf(fs, 275);
	CU_ASSERT_NOT_EQUAL(leaf, root_leaf(fs, BDIO_SUBVOL_TOP));
	bdio_close(fs);

	for (unsigned int damaged = 0; damaged < 2; damaged++) {
		if (damaged)
			img_damage(img, leaf + 3000, 0);
		CU_ASSERT_EQUAL_FATAL(img_open(img, 0, &fs), 0);
		CU_ASSERT_EQUAL_FATAL(
			bdio_dir_open(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, BDIO_INODE_ROOT},
				      &dir),
			0);
		CU_ASSERT_EQUAL(bdio_dir_next(dir, &entry), damaged ? -EIO : 1);
		if (!damaged)
			CU_ASSERT_EQUAL(entry.ino.subvol, 275);
		CU_ASSERT_EQUAL(bdio_dir_next(dir, &entry), 0);
		bdio_dir_close(dir);
		bdio_close(fs);
	}
	img_free(img);
}

/* Walks that go on after an error. */
static void goes_on_after_errors(void)
{
	struct img *img = img_new(&(struct img_opts){0});
	struct bdio_used_iter *used;
	struct bdio_used range;
	struct bdio_fs *fs;

	img_finish(img);
	CU_ASSERT_EQUAL_FATAL(img_open(img, 0, &fs), 0);
	img_damage(img, fs->vol.extent_tree.bytenr + 1000, 0);
	CU_ASSERT_EQUAL_FATAL(bdio_used_open(fs, 0, &used), 0);
	for (unsigned int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(bdio_used_next(used, &range), -EIO);
	bdio_used_close(used);
	bdio_close(fs);
	img_free(img);
}

/* A symlink's target in two sectors of which the second is bad. */
static void half_a_symlink(void)
{
	struct img *img = img_new(&(struct img_opts){0});
	uint8_t target[8192], buf[8192];
	struct bdio_ino ino = {BDIO_SUBVOL_TOP, 257};
	struct bdio_fs *fs;
	uint64_t logical;

	memset(target, 'x', sizeof(target));
	img_inode(img, BD_OBJ_FS_TREE, 257, S_IFLNK | 0777, sizeof(target), 0);
	logical = img_data(img, target, sizeof(target));
	img_extent(img, 257, 0, logical, sizeof(target));
	img_finish(img);
	CU_ASSERT_EQUAL_FATAL(img_open(img, 0, &fs), 0);
	CU_ASSERT_EQUAL(bdio_readlink(fs, ino, (char *)buf, sizeof(buf)), 8192);
	img_damage(img, logical + 5000, 0);
	CU_ASSERT_EQUAL(bdio_readlink(fs, ino, (char *)buf, sizeof(buf)), -EIO);
	/* what was asked for is there */
	CU_ASSERT_EQUAL(bdio_readlink(fs, ino, (char *)buf, 4096), 8192);
	bdio_close(fs);
	img_free(img);
}

#define WIDE	     100u
#define WIDE_LOGICAL (1ULL << 40)

/* A chunk of @n stripes, all on the one device that there is, over what lies there anyway. */
static void add_wide_chunk(struct img *img, uint64_t type, unsigned int n, uint64_t length)
{
	size_t size = sizeof(struct bd_disk_chunk) + n * sizeof(struct bd_disk_stripe);
	struct bd_disk_chunk *d = img_alloc(size);
	struct bd_disk_stripe *stripes = (struct bd_disk_stripe *)(d + 1);

	d->length = bd_to_le64(length);
	d->owner = bd_to_le64(BD_OBJ_EXTENT_TREE);
	d->stripe_len = bd_to_le64(BD_STRIPE_LEN);
	d->type = bd_to_le64(type);
	d->sector_size = bd_to_le32(img->opts.sectorsize);
	d->num_stripes = bd_to_le16((uint16_t)n);
	d->sub_stripes = bd_to_le16(1);
	for (unsigned int i = 0; i < n; i++) {
		stripes[i].devid = bd_to_le64(1);
		stripes[i].offset = bd_to_le64((uint64_t)i * BD_STRIPE_LEN);
		memset(stripes[i].dev_uuid, 1, BD_UUID_SIZE);
	}
	img_item(img, BD_OBJ_CHUNK_TREE,
		 bd_key(BD_OBJ_FIRST_CHUNK_TREE, BD_KEY_CHUNK_ITEM, WIDE_LOGICAL), d, size);
	free(d);
}

/* To rebuild one bad sector in every conceivable way must not take the day. */
static void wide_parity_on_one_device(void)
{
	struct img *img = img_new(&(struct img_opts){.nodesize = 16384});
	uint8_t buf[4096], zeros[64] = {0};
	struct bdio_file *file;
	struct bdio_fs *fs;

	add_wide_chunk(img, BD_BG_DATA | BD_BG_RAID6, WIDE, (WIDE - 2) * BD_STRIPE_LEN);
	img_file(img, 257, "file", 65536, 0);
	img_extent(img, 257, 0, WIDE_LOGICAL, 65536);
	img_item(img, BD_OBJ_CSUM_TREE,
		 bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, WIDE_LOGICAL), zeros, 64);
	img_finish(img);
	if (img_open(img, BDIO_OPEN_BLOCKING, &fs) == 0) {
		file = img_open_file(fs, 257);
		img->reads = 0;
		CU_ASSERT_EQUAL(bdio_file_read(file, buf, 4096, 0, 0), -EIO);
		CU_ASSERT(img->reads < 1000);
		bdio_file_close(file);
		bdio_close(fs);
	} else {
		CU_ASSERT_EQUAL(bdio_error_get()->code, -EUCLEAN);
	}
	img_free(img);
}

/* A chunk and an extent of a size that no device has: the list of what is used ends. */
static void giant_chunk(void)
{
	struct bd_disk_extent_item extent = {.refs = bd_to_le64(1),
					     .generation = bd_to_le64(IMG_GENERATION),
					     .flags = bd_to_le64(BD_EXTENT_FLAG_DATA)};
	struct img *img = img_new(&(struct img_opts){0});
	uint64_t length = 1ULL << 46;
	struct bdio_used_iter *used;
	unsigned int steps = 0, beyond = 0;
	struct bdio_used range;
	struct bdio_fs *fs;

	add_wide_chunk(img, BD_BG_DATA | BD_BG_RAID0, 2, length);
	img_item(img, BD_OBJ_EXTENT_TREE, bd_key(WIDE_LOGICAL, BD_KEY_EXTENT_ITEM, length), &extent,
		 sizeof(extent));
	img_finish(img);
	if (img_open(img, 0, &fs) == 0) {
		CU_ASSERT_EQUAL_FATAL(bdio_used_open(fs, 0, &used), 0);
		while (steps < 10000 && bdio_used_next(used, &range) == 1) {
			beyond += range.physical + range.length > img->dev[0].size;
			steps++;
		}
		CU_ASSERT_EQUAL(beyond, 0);
		CU_ASSERT(steps < 10000);
		bdio_used_close(used);
		bdio_close(fs);
	} else {
		CU_ASSERT_EQUAL(bdio_error_get()->code, -EUCLEAN);
	}
	img_free(img);
}

/* However early the open fails: what the caller handed over is closed, once. */
static void every_device_is_closed(void)
{
	struct img *img = img_new(&(struct img_opts){.data = BD_BG_RAID1, .num_devs = 2});
	struct bdio_fs *fs;

	img_finish(img);
	for (unsigned int i = 0; i < 2; i++) {
		img->dev[i].mem[65536 + 100] ^= 1; /* its superblock */
		img->dev[0].closes = img->dev[1].closes = 0;
		CU_ASSERT(img_open(img, 0, &fs) < 0);
		CU_ASSERT_EQUAL(img->dev[0].closes, 1);
		CU_ASSERT_EQUAL(img->dev[1].closes, 1);
		img->dev[i].mem[65536 + 100] ^= 1;
	}
	img->dev[0].closes = img->dev[1].closes = 0;
	CU_ASSERT_EQUAL(img_open(img, 1ULL << 60, &fs), -EINVAL);
	CU_ASSERT_EQUAL(img->dev[0].closes + img->dev[1].closes, 2);
	img_free(img);
}

static const struct unit_test tests[] = {
	UNIT_TEST(short_device_statistics),   UNIT_TEST(unreadable_subvolume),
	UNIT_TEST(goes_on_after_errors),      UNIT_TEST(half_a_symlink),
	UNIT_TEST(wide_parity_on_one_device), UNIT_TEST(giant_chunk),
	UNIT_TEST(every_device_is_closed),
};
UNIT_MAIN("hostile", tests)
