/* SPDX-License-Identifier: MIT */
/* tests/unit/image_build.c - small whole filesystems: devices, chunks, data, files */
#include "image_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/math.h"
#include "disk/csum.h"

#define KIB	   1024u
#define MIB	   (1024u * KIB)
#define FIXED_SIZE (12u * MIB) /* of a device, without data */
#define STRIPE	   ((uint64_t)BD_STRIPE_LEN)

const uint8_t img_fsid[BD_FSID_SIZE] = "an image of test";

void *img_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		abort();
	return p;
}

void img_bytes(void *buf, size_t size, uint64_t seed)
{
	uint64_t x = seed * 0x9E3779B97F4A7C15ULL + 0x2545F4914F6CDD1DULL;
	uint8_t *p = buf;

	for (size_t i = 0; i < size; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (uint8_t)(x >> 24);
	}
}

/* How many stripes a chunk has on @n devices, and what they hold. */
static void set_profile(struct img_chunk *chunk, unsigned int n)
{
	uint64_t profile = chunk->type & BD_BG_PROFILE_MASK;

	*chunk = (struct img_chunk){.type = chunk->type, .num_stripes = 1, .copies = 1};
	if (profile == BD_BG_DUP || profile == BD_BG_RAID1)
		chunk->num_stripes = chunk->copies = 2;
	if (profile == BD_BG_RAID1C3)
		chunk->num_stripes = chunk->copies = 3;
	if (profile == BD_BG_RAID1C4)
		chunk->num_stripes = chunk->copies = 4;
	if (profile == BD_BG_RAID10)
		chunk->copies = 2;
	chunk->parity = profile == BD_BG_RAID5 ? 1 : profile == BD_BG_RAID6 ? 2 : 0;
	if (profile & (BD_BG_RAID0 | BD_BG_RAID10 | BD_BG_RAID5 | BD_BG_RAID6))
		chunk->num_stripes = n;
	chunk->data_stripes = 1;
	if (chunk->num_stripes == n && n > 1)
		chunk->data_stripes = (n - chunk->parity) / chunk->copies;
	if (chunk->num_stripes > IMG_MAX_STRIPES || !chunk->data_stripes)
		abort();
}

static void make_chunk(struct img *img, struct img_chunk *chunk, uint64_t type, uint64_t logical,
		       uint64_t bytes)
{
	uint64_t stripe_size;

	chunk->type = type;
	set_profile(chunk, img->opts.num_devs);
	stripe_size = bd_align_up((bytes + chunk->data_stripes - 1) / chunk->data_stripes, STRIPE);
	chunk->logical = logical;
	chunk->length = stripe_size * chunk->data_stripes;
	for (unsigned int i = 0; i < chunk->num_stripes; i++) {
		unsigned int dev = type & BD_BG_DUP ? 0 : i;

		chunk->stripe[i].dev = dev;
		chunk->stripe[i].physical = img->dev[dev].next;
		img->dev[dev].next += stripe_size;
		if (img->dev[dev].next > img->dev[dev].size)
			abort();
	}
}

struct img *img_new(const struct img_opts *opts)
{
	struct img *img = img_alloc(sizeof(*img));
	uint64_t size;

	img->opts = *opts;
	img->opts.num_devs = opts->num_devs ? opts->num_devs : 1;
	img->opts.sectorsize = opts->sectorsize ? opts->sectorsize : 4096;
	img->opts.nodesize = opts->nodesize ? opts->nodesize : img->opts.sectorsize;
	img->opts.data_bytes = opts->data_bytes ? opts->data_bytes : 8 * MIB;
	size = FIXED_SIZE + img->opts.data_bytes * (opts->data & BD_BG_DUP ? 2 : 1);
	for (unsigned int i = 0; i < img->opts.num_devs; i++) {
		img->dev[i] = (struct img_dev){.img = img,
					       .mem = img_alloc(size),
					       .size = size,
					       .next = MIB,
					       .generation = IMG_GENERATION};
	}
	make_chunk(img, &img->system, BD_BG_SYSTEM | opts->meta, 1 * MIB, MIB);
	make_chunk(img, &img->meta, BD_BG_METADATA | opts->meta, 16 * MIB, 4 * MIB);
	/* Apart, so that nothing is mapped in between; in the middle of a 1 MiB pin range. */
	make_chunk(img, &img->data, BD_BG_DATA | opts->data, 64 * MIB + 512 * KIB,
		   img->opts.data_bytes);
	img->next_system = img->system.logical;
	img->next_meta = img->meta.logical;
	img->next_data = img->data.logical;
	img->next_index = 2;
	return img;
}

void img_free(struct img *img)
{
	for (unsigned int i = 0; i < IMG_MAX_DEVS; i++)
		free(img->dev[i].mem);
	for (size_t i = 0; i < img->num_items; i++)
		free(img->items[i].data);
	free(img->items);
	free(img);
}

static const struct img_chunk *chunk_of(const struct img *img, uint64_t logical)
{
	const struct img_chunk *all[] = {&img->system, &img->meta, &img->data};

	for (unsigned int i = 0; i < 3; i++) {
		if (logical - all[i]->logical < all[i]->length)
			return all[i];
	}
	abort();
}

unsigned int img_stripe_of(const struct img_chunk *chunk, uint64_t offset, unsigned int copy,
			   uint64_t *in_stripe)
{
	unsigned int order[IMG_MAX_STRIPES], first, n = chunk->num_stripes;
	uint64_t row = 0;

	if (chunk->data_stripes == 1 && !chunk->parity) {
		*in_stripe = offset;
		return copy;
	}
	/* Deal the stripes out like cards, row by row; parity moves every row on by one. */
	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (; offset >= STRIPE * chunk->data_stripes; row++) {
		offset -= STRIPE * chunk->data_stripes;
		first = order[0];
		for (unsigned int i = 1; chunk->parity && i < n; i++)
			order[i - 1] = order[i];
		if (chunk->parity)
			order[n - 1] = first;
	}
	*in_stripe = row * STRIPE + offset % STRIPE;
	return order[offset / STRIPE * chunk->copies + copy];
}

uint8_t *img_at(struct img *img, uint64_t logical, unsigned int copy)
{
	const struct img_chunk *chunk = chunk_of(img, logical);
	uint64_t in_stripe;
	unsigned int i;

	if (copy >= chunk->copies)
		return NULL;
	i = img_stripe_of(chunk, logical - chunk->logical, copy, &in_stripe);
	return img->dev[chunk->stripe[i].dev].mem + chunk->stripe[i].physical + in_stripe;
}

unsigned int img_dev_of(struct img *img, uint64_t logical, unsigned int copy)
{
	const struct img_chunk *chunk = chunk_of(img, logical);
	uint64_t in_stripe;

	return chunk->stripe[img_stripe_of(chunk, logical - chunk->logical, copy, &in_stripe)].dev;
}

void img_damage(struct img *img, uint64_t logical, unsigned int copy)
{
	*img_at(img, logical, copy) ^= 0x55;
}

void img_write(struct img *img, uint64_t logical, const void *bytes, size_t size)
{
	/* 4 KiB at a time: no stripe is smaller. */
	for (size_t done = 0; done < size; done += 4096) {
		unsigned int copies = chunk_of(img, logical + done)->copies;

		for (unsigned int copy = 0; copy < copies; copy++)
			memcpy(img_at(img, logical + done, copy), (const uint8_t *)bytes + done,
			       bd_min_u64(4096, size - done));
	}
}

void img_item(struct img *img, uint64_t tree, struct bd_key key, const void *data, size_t size)
{
	struct img_item *item;

	if (img->num_items == img->items_cap) {
		img->items_cap = img->items_cap ? 2 * img->items_cap : 256;
		img->items = realloc(img->items, img->items_cap * sizeof(*img->items));
		if (!img->items)
			abort();
	}
	item = &img->items[img->num_items++];
	*item = (struct img_item){tree, key, img_alloc(size), (uint32_t)size};
	if (size)
		memcpy(item->data, data, size);
}

uint64_t img_data_nosum(struct img *img, const void *bytes, size_t size)
{
	uint64_t logical = img->next_data;

	img->next_data += bd_align_up(size, img->opts.sectorsize);
	if (img->next_data > img->data.logical + img->data.length)
		abort();
	img_write(img, logical, bytes, size);
	return logical;
}

uint64_t img_data(struct img *img, const void *bytes, size_t size)
{
	uint64_t logical = img_data_nosum(img, bytes, size);
	uint32_t sector = img->opts.sectorsize, csum_size = bd_csum_size(img->opts.csum_type);
	uint8_t *copy = img_alloc(bd_align_up(size, sector)), csums[1024];
	uint64_t at = 0;

	if (size)
		memcpy(copy, bytes, size);
	while (at < size) {
		struct bd_key key = bd_key(BD_OBJ_EXTENT_CSUM, BD_KEY_EXTENT_CSUM, logical + at);
		uint32_t n = 0;

		for (; at < size && (n + 1) * csum_size <= sizeof(csums); at += sector)
			bd_csum(img->opts.csum_type, copy + at, sector, csums + n++ * csum_size);
		img_item(img, BD_OBJ_CSUM_TREE, key, csums, n * csum_size);
	}
	free(copy);
	return logical;
}

void img_inode(struct img *img, uint64_t tree, uint64_t ino, uint32_t mode, uint64_t size,
	       uint64_t flags)
{
	struct bd_disk_inode_item item = {
		.generation = bd_to_le64(IMG_GENERATION),
		.transid = bd_to_le64(IMG_GENERATION),
		.size = bd_to_le64(size),
		.nlink = bd_to_le32(1),
		.mode = bd_to_le32(mode),
		.flags = bd_to_le64(flags),
	};

	img_item(img, tree, bd_key(ino, BD_KEY_INODE_ITEM, 0), &item, sizeof(item));
}

void img_file(struct img *img, uint64_t ino, const char *name, uint64_t size, uint64_t flags)
{
	struct {
		struct bd_disk_dir_item item;
		char name[BD_NAME_MAX];
	} entry = {.item = {.location = {bd_to_le64(ino), BD_KEY_INODE_ITEM, bd_to_le64(0)},
			    .transid = bd_to_le64(IMG_GENERATION),
			    .name_len = bd_to_le16((uint16_t)strlen(name)),
			    .type = BD_FT_REG_FILE}};
	struct {
		struct bd_disk_inode_ref ref;
		char name[BD_NAME_MAX];
	} ref = {.ref = {bd_to_le64(img->next_index), entry.item.name_len}};
	size_t len = strlen(name);

	memcpy(entry.name, name, len);
	memcpy(ref.name, name, len);
	img_inode(img, BD_OBJ_FS_TREE, ino, S_IFREG | 0644, size, flags);
	img_item(img, BD_OBJ_FS_TREE, bd_key(ino, BD_KEY_INODE_REF, BDIO_INODE_ROOT), &ref,
		 sizeof(ref.ref) + len);
	img_item(img, BD_OBJ_FS_TREE,
		 bd_key(BDIO_INODE_ROOT, BD_KEY_DIR_ITEM, bd_name_hash(name, len)), &entry,
		 sizeof(entry.item) + len);
	img_item(img, BD_OBJ_FS_TREE, bd_key(BDIO_INODE_ROOT, BD_KEY_DIR_INDEX, img->next_index++),
		 &entry, sizeof(entry.item) + len);
}

void img_extent_of(struct img *img, uint64_t ino, uint64_t offset, const struct img_fe *fe)
{
	uint32_t sector = img->opts.sectorsize;
	struct bd_disk_file_extent item = {
		.generation = bd_to_le64(IMG_GENERATION),
		.ram_bytes = bd_to_le64(bd_align_up(fe->ram, sector)),
		.compression = fe->compression,
		.type = fe->type,
		.disk_bytenr = bd_to_le64(fe->logical),
		.disk_num_bytes = bd_to_le64(bd_align_up(fe->disk_len, sector)),
		.offset = bd_to_le64(fe->skip),
		.num_bytes = bd_to_le64(bd_align_up(fe->len, sector)),
	};

	img_item(img, BD_OBJ_FS_TREE, bd_key(ino, BD_KEY_EXTENT_DATA, offset), &item, sizeof(item));
}

void img_extent(struct img *img, uint64_t ino, uint64_t offset, uint64_t logical, uint64_t len)
{
	struct img_fe fe = {
		.logical = logical,
		.disk_len = len,
		.ram = len,
		.len = len,
		.type = BD_FILE_EXTENT_REG,
	};

	img_extent_of(img, ino, offset, &fe);
}

void img_inline(struct img *img, uint64_t ino, const void *data, size_t size, uint64_t ram,
		uint8_t compression)
{
	struct {
		struct bd_disk_file_extent fe;
		uint8_t room[BD_MAX_BLOCKSIZE];
	} *item = img_alloc(sizeof(*item));

	item->fe.generation = bd_to_le64(IMG_GENERATION);
	item->fe.ram_bytes = bd_to_le64(ram);
	item->fe.compression = compression;
	item->fe.type = BD_FILE_EXTENT_INLINE;
	memcpy((uint8_t *)item + BD_FILE_EXTENT_INLINE_HDR, data, size);
	img_item(img, BD_OBJ_FS_TREE, bd_key(ino, BD_KEY_EXTENT_DATA, 0), item,
		 BD_FILE_EXTENT_INLINE_HDR + size);
	free(item);
}
