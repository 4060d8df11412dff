/* SPDX-License-Identifier: MIT */
/* tests/unit/image_finish.c - small whole filesystems: trees, parity, superblocks, opening */
#include "image_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/math.h"
#include "disk/csum.h"
#include "disk_build.h"

/* One tree block being filled. */
struct block {
	struct bd_key first;
	uint64_t logical;
};

static int item_cmp(const void *a, const void *b)
{
	const struct img_item *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	return bd_key_cmp(&x->key, &y->key);
}

static uint64_t new_block(struct img *img, uint64_t tree)
{
	uint64_t *next = tree == BD_OBJ_CHUNK_TREE ? &img->next_system : &img->next_meta;
	uint64_t logical = *next;

	*next += img->opts.nodesize;
	return logical;
}

static struct bd_disk_header *begin_block(const struct img *img, uint64_t logical, uint64_t tree,
					  uint8_t level)
{
	struct bd_disk_header *h = img_alloc(img->opts.nodesize);

	memcpy(h->fsid, img_fsid, BD_FSID_SIZE);
	h->bytenr = bd_to_le64(logical);
	h->flags = bd_to_le64(BD_HEADER_FLAG_WRITTEN | 1ULL << 56);
	h->generation = bd_to_le64(IMG_GENERATION);
	h->owner = bd_to_le64(tree);
	h->level = level;
	return h;
}

static void end_block(struct img *img, struct bd_disk_header *h)
{
	bd_csum(img->opts.csum_type, h->fsid, img->opts.nodesize - BD_CSUM_SIZE, h->csum);
	img_write(img, bd_le64(h->bytenr), h, img->opts.nodesize);
	free(h);
}

/* As many items as fit into one leaf; returns how many. */
static size_t write_leaf(struct img *img, uint64_t logical, const struct img_item *items, size_t n)
{
	struct bd_disk_header *h = begin_block(img, logical, items->tree, 0);
	struct bd_disk_item *heads = (struct bd_disk_item *)(h + 1);
	uint32_t end = img->opts.nodesize - (uint32_t)sizeof(*h);
	size_t i;

	for (i = 0; i < n && items[i].tree == items->tree; i++) {
		if ((i + 1) * sizeof(*heads) + items[i].size > end)
			break;
		end -= items[i].size;
		heads[i].key = bd_key_encode(&items[i].key);
		heads[i].offset = bd_to_le32(end);
		heads[i].size = bd_to_le32(items[i].size);
		memcpy((uint8_t *)heads + end, items[i].data, items[i].size);
	}
	if (!i)
		abort();
	h->nritems = bd_to_le32((uint32_t)i);
	end_block(img, h);
	return i;
}

/* A level above @n blocks, in place; returns how many blocks it has. */
static size_t write_level(struct img *img, uint64_t tree, uint8_t level, struct block *blocks,
			  size_t n)
{
	size_t max = (img->opts.nodesize - sizeof(struct bd_disk_header)) /
		     sizeof(struct bd_disk_key_ptr);
	size_t made = 0;

	for (size_t at = 0; at < n; made++) {
		struct block b = {blocks[at].first, new_block(img, tree)};
		struct bd_disk_header *h = begin_block(img, b.logical, tree, level);
		size_t count = bd_min_u64(max, n - at);

		for (size_t i = 0; i < count; i++, at++)
			build_pointer(h, blocks[at].first, blocks[at].logical, IMG_GENERATION);
		end_block(img, h);
		blocks[made] = b;
	}
	return made;
}

static void write_tree(struct img *img, uint64_t tree, struct bd_super_root *root)
{
	struct block *blocks = img_alloc((img->num_items + 1) * sizeof(*blocks));
	size_t n = 0, i = 0;
	uint8_t level = 0;

	while (i < img->num_items && img->items[i].tree != tree)
		i++;
	while (i < img->num_items && img->items[i].tree == tree) {
		blocks[n] = (struct block){img->items[i].key, new_block(img, tree)};
		i += write_leaf(img, blocks[n++].logical, &img->items[i], img->num_items - i);
	}
	if (!n) {
		blocks[n++].logical = new_block(img, tree);
		end_block(img, begin_block(img, blocks[0].logical, tree, 0));
	}
	while (n > 1)
		n = write_level(img, tree, ++level, blocks, n);
	*root = (struct bd_super_root){blocks[0].logical, IMG_GENERATION, level};
	free(blocks);
}

static void add_root_item(struct img *img, uint64_t tree)
{
	struct bd_super_root root;
	struct bd_disk_root_item item = {.generation = bd_to_le64(IMG_GENERATION),
					 .root_dirid = bd_to_le64(BDIO_INODE_ROOT),
					 .refs = bd_to_le32(1),
					 .generation_v2 = bd_to_le64(IMG_GENERATION)};

	write_tree(img, tree, &root);
	item.bytenr = bd_to_le64(root.bytenr);
	item.level = root.level;
	item.inode.mode = bd_to_le32(S_IFDIR | 0755);
	img_item(img, BD_OBJ_ROOT_TREE, bd_key(tree, BD_KEY_ROOT_ITEM, 0), &item, sizeof(item));
}

static void dev_uuid(unsigned int dev, uint8_t uuid[BD_UUID_SIZE])
{
	memset(uuid, (int)(dev + 1), BD_UUID_SIZE);
}

static size_t chunk_item(struct img *img, const struct img_chunk *chunk, void *buf)
{
	struct bd_disk_chunk *d = buf;
	struct bd_disk_stripe *stripes = (struct bd_disk_stripe *)(d + 1);

	memset(d, 0, sizeof(*d));
	d->length = bd_to_le64(chunk->length);
	d->owner = bd_to_le64(BD_OBJ_EXTENT_TREE);
	d->stripe_len = bd_to_le64(BD_STRIPE_LEN);
	d->type = bd_to_le64(chunk->type);
	d->sector_size = bd_to_le32(img->opts.sectorsize);
	d->num_stripes = bd_to_le16((uint16_t)chunk->num_stripes);
	d->sub_stripes = bd_to_le16(chunk->type & BD_BG_RAID10 ? 2 : 1);
	for (unsigned int i = 0; i < chunk->num_stripes; i++) {
		stripes[i].devid = bd_to_le64(chunk->stripe[i].dev + 1);
		stripes[i].offset = bd_to_le64(chunk->stripe[i].physical);
		dev_uuid(chunk->stripe[i].dev, stripes[i].dev_uuid);
	}
	return sizeof(*d) + chunk->num_stripes * sizeof(*stripes);
}

static void fill_dev_item(struct img *img, unsigned int dev, struct bd_disk_dev_item *item)
{
	memset(item, 0, sizeof(*item));
	item->devid = bd_to_le64(dev + 1);
	item->total_bytes = bd_to_le64(img->dev[dev].size);
	item->bytes_used = bd_to_le64(img->dev[dev].next);
	item->sector_size = bd_to_le32(img->opts.sectorsize);
	dev_uuid(dev, item->uuid);
	memcpy(item->fsid, img_fsid, BD_FSID_SIZE);
}

static void add_chunk(struct img *img, const struct img_chunk *chunk)
{
	struct bd_disk_block_group_item group = {.chunk_objectid =
							 bd_to_le64(BD_OBJ_FIRST_CHUNK_TREE),
						 .flags = bd_to_le64(chunk->type)};
	struct bd_disk_dev_extent extent = {
		.chunk_tree = bd_to_le64(BD_OBJ_CHUNK_TREE),
		.chunk_objectid = bd_to_le64(BD_OBJ_FIRST_CHUNK_TREE),
		.chunk_offset = bd_to_le64(chunk->logical),
		.length = bd_to_le64(chunk->length / chunk->data_stripes)};
	uint8_t buf[sizeof(struct bd_disk_chunk) + IMG_MAX_STRIPES * sizeof(struct bd_disk_stripe)];

	img_item(img, BD_OBJ_CHUNK_TREE,
		 bd_key(BD_OBJ_FIRST_CHUNK_TREE, BD_KEY_CHUNK_ITEM, chunk->logical), buf,
		 chunk_item(img, chunk, buf));
	img_item(img, BD_OBJ_EXTENT_TREE,
		 bd_key(chunk->logical, BD_KEY_BLOCK_GROUP_ITEM, chunk->length), &group,
		 sizeof(group));
	for (unsigned int i = 0; i < chunk->num_stripes; i++)
		img_item(img, BD_OBJ_DEV_TREE,
			 bd_key(chunk->stripe[i].dev + 1, BD_KEY_DEV_EXTENT,
				chunk->stripe[i].physical),
			 &extent, sizeof(extent));
}

static void add_devices(struct img *img)
{
	struct bd_disk_dev_item item;

	for (unsigned int i = 0; i < img->opts.num_devs; i++) {
		fill_dev_item(img, i, &item);
		img_item(img, BD_OBJ_CHUNK_TREE, bd_key(BD_OBJ_DEV_ITEMS, BD_KEY_DEV_ITEM, i + 1),
			 &item, sizeof(item));
	}
}

/* P is the sum of a row's data stripes, Q by Horner's rule the sum of 2^i times the i-th. */
static void write_parity(struct img *img, const struct img_chunk *chunk)
{
	uint64_t row_size = (uint64_t)chunk->data_stripes * BD_STRIPE_LEN;
	unsigned int n = chunk->num_stripes;

	for (uint64_t row = 0; chunk->parity && row < chunk->length / row_size; row++) {
		uint8_t *column[IMG_MAX_STRIPES];

		for (unsigned int i = 0; i < n; i++) {
			unsigned int s = (unsigned int)((row + i) % n);

			column[i] = img->dev[chunk->stripe[s].dev].mem + chunk->stripe[s].physical +
				    row * BD_STRIPE_LEN;
		}
		for (uint32_t b = 0; b < BD_STRIPE_LEN; b++) {
			uint8_t p = 0, q = 0;

			for (unsigned int i = chunk->data_stripes; i-- > 0;) {
				p ^= column[i][b];
				q = (uint8_t)(q << 1 ^ (q & 0x80 ? 0x1d : 0)) ^ column[i][b];
			}
			column[chunk->data_stripes][b] = p;
			if (chunk->parity > 1)
				column[chunk->data_stripes + 1][b] = q;
		}
	}
}

void img_write_supers(struct img *img)
{
	struct bd_disk_key key = {bd_to_le64(BD_OBJ_FIRST_CHUNK_TREE), BD_KEY_CHUNK_ITEM,
				  bd_to_le64(img->system.logical)};

	for (unsigned int i = 0; i < img->opts.num_devs; i++) {
		struct bd_disk_super *d = (void *)(img->dev[i].mem + bd_super_offset(0));
		size_t size;

		build_disk_super(d);
		memcpy(d->fsid, img_fsid, BD_FSID_SIZE);
		d->generation = bd_to_le64(img->dev[i].generation);
		d->root = bd_to_le64(img->super.root.bytenr);
		d->root_level = img->super.root.level;
		d->chunk_root = bd_to_le64(img->super.chunk_root.bytenr);
		d->chunk_root_level = img->super.chunk_root.level;
		d->chunk_root_generation = bd_to_le64(IMG_GENERATION);
		d->total_bytes = bd_to_le64(img->opts.num_devs * img->dev[0].size);
		d->num_devices = bd_to_le64(img->opts.num_devs);
		d->sectorsize = d->stripesize = bd_to_le32(img->opts.sectorsize);
		d->nodesize = d->leafsize = bd_to_le32(img->opts.nodesize);
		d->csum_type = bd_to_le16((uint16_t)img->opts.csum_type);
		fill_dev_item(img, i, &d->dev_item);
		memcpy(d->sys_chunk_array, &key, sizeof(key));
		size = chunk_item(img, &img->system, d->sys_chunk_array + sizeof(key));
		d->sys_chunk_array_size = bd_to_le32((uint32_t)(sizeof(key) + size));
		build_seal_super(d);
	}
}

void img_finish(struct img *img)
{
	static const uint64_t trees[] = {BD_OBJ_EXTENT_TREE, BD_OBJ_DEV_TREE, BD_OBJ_FS_TREE,
					 BD_OBJ_CSUM_TREE};

	img_inode(img, BD_OBJ_FS_TREE, BDIO_INODE_ROOT, S_IFDIR | 0755, 0, 0);
	add_devices(img);
	add_chunk(img, &img->system);
	add_chunk(img, &img->meta);
	add_chunk(img, &img->data);
	qsort(img->items, img->num_items, sizeof(*img->items), item_cmp);
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		add_root_item(img, trees[i]);
		qsort(img->items, img->num_items, sizeof(*img->items), item_cmp);
	}
	write_tree(img, BD_OBJ_ROOT_TREE, &img->super.root);
	write_tree(img, BD_OBJ_CHUNK_TREE, &img->super.chunk_root);
	if (img->next_meta > img->meta.logical + img->meta.length)
		abort();
	write_parity(img, &img->system);
	write_parity(img, &img->meta);
	write_parity(img, &img->data);
	img_write_supers(img);
}

void img_seal(struct img *img, uint64_t logical, unsigned int copy)
{
	struct bd_disk_header *h = (void *)img_at(img, logical, copy);

	bd_csum(img->opts.csum_type, h->fsid, img->opts.nodesize - BD_CSUM_SIZE, h->csum);
}

static int mem_read(void *priv, void *buf, size_t len, uint64_t offset)
{
	struct img_dev *dev = priv;
	unsigned int nr = atomic_fetch_add(&dev->img->reads, 1) + 1;

	if (nr == dev->img->fail_at ||
	    (dev->img->fail_all && dev->img->fail_at && nr > dev->img->fail_at))
		return -EIO;
	memcpy(buf, dev->mem + offset, len);
	return 0;
}

static int mem_size(void *priv, uint64_t *out)
{
	*out = ((struct img_dev *)priv)->size;
	return 0;
}

static void mem_close(void *priv)
{
	((struct img_dev *)priv)->closes++;
}

int img_open_opts(struct img *img, const struct bdio_open_opts *opts, struct bdio_fs **out)
{
	struct bdio_device devices[IMG_MAX_DEVS];
	struct bdio_open_opts own = *opts;

	own.size = sizeof(own);
	own.devices = devices;
	own.num_devices = 0;
	for (unsigned int i = 0; i < img->opts.num_devs; i++) {
		if (img->dev[i].missing)
			continue;
		devices[own.num_devices++] = (struct bdio_device){.size = sizeof(devices[0]),
								  .priv = &img->dev[i],
								  .name = "image",
								  .read = mem_read,
								  .size_bytes = mem_size,
								  .close = mem_close};
	}
	return bdio_open(NULL, 0, &own, out);
}

int img_open(struct img *img, uint64_t flags, struct bdio_fs **out)
{
	return img_open_opts(img, &(struct bdio_open_opts){.flags = flags}, out);
}

struct bdio_file *img_open_file(struct bdio_fs *fs, uint64_t ino)
{
	struct bdio_file *file;
	char text[512];

	if (bdio_file_open(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, ino}, &file)) {
		bdio_error_format(bdio_error_get(), text, sizeof(text));
		fprintf(stderr, "inode %llu: %s\n", (unsigned long long)ino, text);
		abort();
	}
	return file;
}

struct bd_dev *img_tap(struct bdio_fs *fs, size_t member, struct bd_tap *tap)
{
	struct bd_member *m = fs->vol.ls.members[member];

	if (bd_dev_open_tap(m->dev, tap, &m->dev))
		abort();
	return m->dev;
}
