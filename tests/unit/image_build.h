/* SPDX-License-Identifier: MIT */
/* tests/unit/image_build.h - small whole filesystems in memory, of any profile, for tests to read
 */
#ifndef BD_TESTS_IMAGE_BUILD_H
#define BD_TESTS_IMAGE_BUILD_H

#include "disk/key.h"
#include "fs/fs.h"

/*
 *	struct img *img = img_new(&(struct img_opts){.data = BD_BG_RAID5, .num_devs = 3});
 *	img_file(img, 257, "a", size, 0);
 *	img_extent(img, 257, 0, img_data(img, bytes, size), size);
 *	img_finish(img);
 *	CU_ASSERT_EQUAL_FATAL(img_open(img, 0, &fs), 0);
 *
 * Everything is written by code of its own, but for the checksums. It aborts on misuse.
 */
#define IMG_MAX_DEVS	6
#define IMG_MAX_STRIPES 8
#define IMG_GENERATION	7u

struct img_opts {
	uint64_t meta, data;	       /* profile bits, 0: single */
	unsigned int num_devs;	       /* default 1 */
	unsigned int csum_type;	       /* default crc32c */
	uint32_t sectorsize, nodesize; /* default 4096 */
	uint64_t data_bytes;	       /* room for data, default 8 MiB */
};

struct img;

struct img_dev {
	struct img *img;
	uint8_t *mem;
	size_t size;
	bool missing;	     /* not given to img_open() */
	uint64_t generation; /* of its superblock */
	uint64_t next;	     /* free from here */
	unsigned int closes; /* calls of the device's close() */
};

struct img_chunk {
	uint64_t logical, length, type;
	unsigned int num_stripes, data_stripes, copies, parity;
	struct {
		unsigned int dev;
		uint64_t physical;
	} stripe[IMG_MAX_STRIPES];
};

struct img_item;

struct img {
	struct img_opts opts;
	struct img_dev dev[IMG_MAX_DEVS];
	struct img_chunk system, meta, data;
	uint64_t next_system, next_meta, next_data; /* logical */
	struct img_item *items;
	size_t num_items, items_cap;
	uint64_t next_index; /* of the root directory's entries */
	struct bd_super super;
	atomic_uint reads;    /* of all devices */
	unsigned int fail_at; /* the read of this number fails, counted from 1; 0: none */
	bool fail_all;	      /* and all that follow */
};

struct img *img_new(const struct img_opts *opts);
void img_free(struct img *img);

/* Put @size bytes (padded to sectors) into the data chunk, with checksums unless @nosum. */
uint64_t img_data(struct img *img, const void *bytes, size_t size);
uint64_t img_data_nosum(struct img *img, const void *bytes, size_t size);

/* An item of tree @tree. @data is copied. */
void img_item(struct img *img, uint64_t tree, struct bd_key key, const void *data, size_t size);
/* A regular file in the root directory of the top level; @flags: BD_INODE_* */
void img_file(struct img *img, uint64_t ino, const char *name, uint64_t size, uint64_t flags);
/* Extents of it, plain, and of any kind; @len and @disk_len are rounded up to sectors. */
void img_extent(struct img *img, uint64_t ino, uint64_t offset, uint64_t logical, uint64_t len);
struct img_fe {
	uint64_t logical, disk_len, ram, skip, len;
	uint8_t type, compression;
};
void img_extent_of(struct img *img, uint64_t ino, uint64_t offset, const struct img_fe *fe);
void img_inline(struct img *img, uint64_t ino, const void *data, size_t size, uint64_t ram,
		uint8_t compression);

/* Write the trees, parity and superblocks. Nothing can be added behind this. */
void img_finish(struct img *img);

/* Where a logical byte of the three chunks lies, by a model of its own. NULL: no such copy. */
uint8_t *img_at(struct img *img, uint64_t logical, unsigned int copy);
/* Number of the device that holds it. */
unsigned int img_dev_of(struct img *img, uint64_t logical, unsigned int copy);
/* Flip a byte of it. */
void img_damage(struct img *img, uint64_t logical, unsigned int copy);
/* Give a changed tree block its checksum, in one copy. */
void img_seal(struct img *img, uint64_t logical, unsigned int copy);
/* Write superblock 0 of each device anew, after img->super was changed. */
void img_write_supers(struct img *img);

/* Open with devices of the caller; the cache has @cache bytes, 0: default. */
int img_open_opts(struct img *img, const struct bdio_open_opts *opts, struct bdio_fs **out);
int img_open(struct img *img, uint64_t flags, struct bdio_fs **out);
/* Open an inode of the top level. Aborts when it is not there. */
struct bdio_file *img_open_file(struct bdio_fs *fs, uint64_t ino);

/* Put a tap in front of a member's device, by its index. */
struct bd_dev *img_tap(struct bdio_fs *fs, size_t member, struct bd_tap *tap);

/* @size pseudo-random bytes, which depend on @seed alone. */
void img_bytes(void *buf, size_t size, uint64_t seed);

#endif
