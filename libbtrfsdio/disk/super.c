/* SPDX-License-Identifier: MIT */
/* disk/super.c - check a superblock, then decode it */
#include "disk/super.h"

#include <inttypes.h>
#include <string.h>
#include "base/err.h"
#include "base/math.h"
#include "disk/csum.h"

#define MAX_DEVICES	(1ULL << 31)
#define MIN_TREE_BLOCKS 6 /* no filesystem exists without that many */

uint64_t bd_super_offset(unsigned int copy)
{
	return copy ? 16384ULL << (12 * copy) : 65536ULL;
}

bool bd_super_has_magic(const struct bd_disk_super *disk)
{
	return bd_le64(disk->magic) == BD_SUPER_MAGIC;
}

int bd_super_check_seal(const struct bd_disk_super *disk, unsigned int copy)
{
	unsigned int type = bd_le16(disk->csum_type);
	uint8_t found[BD_CSUM_SIZE];

	if (!bd_super_has_magic(disk))
		return BD_FAIL(-EUCLEAN, SUPER_MAGIC,
			       "corrupt super: copy %u, no btrfs magic, 0x%016" PRIx64, copy,
			       bd_le64(disk->magic));
	if (!bd_csum_size(type))
		return BD_FAIL(-EUCLEAN, SUPER_CSUM_TYPE,
			       "corrupt super: copy %u, unknown checksum type, %u", copy, type);
	bd_csum(type, disk->fsid, BD_SUPER_SIZE - BD_CSUM_SIZE, found);
	if (memcmp(found, disk->csum, bd_csum_size(type))) {
		int err = BD_FAIL(-EUCLEAN, SUPER_CSUM, "corrupt super: copy %u, wrong %s checksum",
				  copy, bd_csum_name(type));

		bd_err_csums(disk->csum, found, bd_csum_size(type));
		return err;
	}
	if (bd_le64(disk->bytenr) != bd_super_offset(copy))
		return BD_FAIL(-EUCLEAN, SUPER_BYTENR,
			       "corrupt super: copy %u, says it belongs elsewhere, %" PRIu64, copy,
			       bd_le64(disk->bytenr));
	return 0;
}

static bool valid_blocksize(uint32_t size)
{
	return bd_is_pow2(size) && size >= BD_MIN_BLOCKSIZE && size <= BD_MAX_BLOCKSIZE;
}

static int check_geometry(const struct bd_disk_super *disk, unsigned int copy)
{
	uint32_t sectorsize = bd_le32(disk->sectorsize);
	uint32_t nodesize = bd_le32(disk->nodesize);
	uint32_t array = bd_le32(disk->sys_chunk_array_size);
	uint32_t array_min = sizeof(struct bd_disk_key) + sizeof(struct bd_disk_chunk) +
			     sizeof(struct bd_disk_stripe);

	if (!valid_blocksize(sectorsize))
		return BD_FAIL(-EUCLEAN, SUPER_SECTORSIZE,
			       "corrupt super: copy %u, invalid sectorsize, %u", copy, sectorsize);
	if (!valid_blocksize(nodesize) || nodesize < sectorsize)
		return BD_FAIL(-EUCLEAN, SUPER_NODESIZE,
			       "corrupt super: copy %u, invalid nodesize, %u", copy, nodesize);
	if (bd_le32(disk->leafsize) != nodesize)
		return BD_FAIL(-EUCLEAN, SUPER_LEAFSIZE,
			       "corrupt super: copy %u, leafsize differs from nodesize, %u", copy,
			       bd_le32(disk->leafsize));
	if (!bd_is_pow2(bd_le32(disk->stripesize)))
		return BD_FAIL(-EUCLEAN, SUPER_STRIPESIZE,
			       "corrupt super: copy %u, invalid stripesize, %u", copy,
			       bd_le32(disk->stripesize));
	if (array < array_min || array > BD_SYS_CHUNK_ARRAY_SIZE)
		return BD_FAIL(-EUCLEAN, SUPER_SYS_ARRAY_SIZE,
			       "corrupt super: copy %u, invalid sys_chunk_array_size, %u", copy,
			       array);
	return 0;
}

/* @optional: address 0 means that there is no such tree */
static int check_root(const struct bd_disk_super *disk, unsigned int copy, const char *name,
		      const struct bd_super_root *root, bool optional)
{
	if (!root->bytenr && !optional)
		return BD_FAIL(-EUCLEAN, SUPER_ROOT_ZERO, "corrupt super: copy %u, no %s", copy,
			       name);
	if (!bd_is_aligned(root->bytenr, bd_le32(disk->sectorsize)))
		return BD_FAIL(-EUCLEAN, SUPER_ROOT_ALIGN,
			       "corrupt super: copy %u, unaligned %s, %" PRIu64, copy, name,
			       root->bytenr);
	if (root->level >= BD_MAX_LEVEL)
		return BD_FAIL(-EUCLEAN, SUPER_ROOT_LEVEL,
			       "corrupt super: copy %u, invalid level of %s, %u", copy, name,
			       root->level);
	return 0;
}

/* What tree blocks and device items carry as fsid. */
static const uint8_t *metadata_fsid(const struct bd_disk_super *disk)
{
	if (bd_le64(disk->incompat_flags) & BD_INCOMPAT_METADATA_UUID)
		return disk->metadata_uuid;
	return disk->fsid;
}

static int check_members(const struct bd_disk_super *disk, unsigned int copy)
{
	uint64_t devices = bd_le64(disk->num_devices);
	uint64_t used = bd_le64(disk->bytes_used);

	if (memcmp(disk->dev_item.fsid, metadata_fsid(disk), BD_FSID_SIZE))
		return BD_FAIL(-EUCLEAN, SUPER_DEV_FSID,
			       "corrupt super: copy %u, device belongs to another fsid", copy);
	if (!devices || devices > MAX_DEVICES)
		return BD_FAIL(-EUCLEAN, SUPER_NUM_DEVICES,
			       "corrupt super: copy %u, invalid num_devices, %" PRIu64, copy,
			       devices);
	if (!bd_le64(disk->total_bytes))
		return BD_FAIL(-EUCLEAN, SUPER_TOTAL_BYTES,
			       "corrupt super: copy %u, total_bytes is 0", copy);
	if (used < (uint64_t)MIN_TREE_BLOCKS * bd_le32(disk->nodesize))
		return BD_FAIL(-EUCLEAN, SUPER_BYTES_USED,
			       "corrupt super: copy %u, bytes_used too small, %" PRIu64, copy,
			       used);
	return 0;
}

static struct bd_super_root decode_root(le64 bytenr, le64 generation, uint8_t level)
{
	return (struct bd_super_root){bd_le64(bytenr), bd_le64(generation), level};
}

static void decode_backup(const struct bd_disk_backup_root *d, struct bd_super_backup *b)
{
	b->tree = decode_root(d->tree_root, d->tree_root_gen, d->tree_root_level);
	b->chunk = decode_root(d->chunk_root, d->chunk_root_gen, d->chunk_root_level);
	b->extent = decode_root(d->extent_root, d->extent_root_gen, d->extent_root_level);
	b->fs = decode_root(d->fs_root, d->fs_root_gen, d->fs_root_level);
	b->dev = decode_root(d->dev_root, d->dev_root_gen, d->dev_root_level);
	b->csum = decode_root(d->csum_root, d->csum_root_gen, d->csum_root_level);
	b->total_bytes = bd_le64(d->total_bytes);
	b->bytes_used = bd_le64(d->bytes_used);
	b->num_devices = bd_le64(d->num_devices);
}

static void decode_dev(const struct bd_disk_dev_item *d, struct bd_super_dev *dev)
{
	dev->devid = bd_le64(d->devid);
	dev->total_bytes = bd_le64(d->total_bytes);
	dev->bytes_used = bd_le64(d->bytes_used);
	dev->io_align = bd_le32(d->io_align);
	dev->io_width = bd_le32(d->io_width);
	dev->sector_size = bd_le32(d->sector_size);
	dev->type = bd_le64(d->type);
	dev->generation = bd_le64(d->generation);
	dev->start_offset = bd_le64(d->start_offset);
	dev->dev_group = bd_le32(d->dev_group);
	dev->seek_speed = d->seek_speed;
	dev->bandwidth = d->bandwidth;
	memcpy(dev->uuid, d->uuid, BD_UUID_SIZE);
	memcpy(dev->fsid, d->fsid, BD_FSID_SIZE);
}

static void decode_scalars(const struct bd_disk_super *d, struct bd_super *s)
{
	s->bytenr = bd_le64(d->bytenr);
	s->flags = bd_le64(d->flags);
	s->generation = bd_le64(d->generation);
	s->total_bytes = bd_le64(d->total_bytes);
	s->bytes_used = bd_le64(d->bytes_used);
	s->root_dir_objectid = bd_le64(d->root_dir_objectid);
	s->num_devices = bd_le64(d->num_devices);
	s->compat_flags = bd_le64(d->compat_flags);
	s->compat_ro_flags = bd_le64(d->compat_ro_flags);
	s->incompat_flags = bd_le64(d->incompat_flags);
	s->cache_generation = bd_le64(d->cache_generation);
	s->uuid_tree_generation = bd_le64(d->uuid_tree_generation);
	s->sectorsize = bd_le32(d->sectorsize);
	s->nodesize = bd_le32(d->nodesize);
	s->stripesize = bd_le32(d->stripesize);
	s->csum_type = bd_le16(d->csum_type);
	s->csum_size = (uint16_t)bd_csum_size(s->csum_type);
	s->sys_chunk_array_size = bd_le32(d->sys_chunk_array_size);
}

static void decode(const struct bd_disk_super *d, struct bd_super *s)
{
	memset(s, 0, sizeof(*s));
	decode_scalars(d, s);
	memcpy(s->fsid, d->fsid, BD_FSID_SIZE);
	memcpy(s->metadata_uuid, metadata_fsid(d), BD_FSID_SIZE);
	memcpy(s->label, d->label, BD_LABEL_SIZE);
	memcpy(s->sys_chunk_array, d->sys_chunk_array, BD_SYS_CHUNK_ARRAY_SIZE);
	s->root = decode_root(d->root, d->generation, d->root_level);
	s->chunk_root = decode_root(d->chunk_root, d->chunk_root_generation, d->chunk_root_level);
	/* The log is written by the transaction that has not committed yet. */
	s->log_root = decode_root(d->log_root, bd_to_le64(s->generation + 1), d->log_root_level);
	decode_dev(&d->dev_item, &s->dev);
	for (int i = 0; i < BD_NUM_BACKUP_ROOTS; i++)
		decode_backup(&d->backup_roots[i], &s->backup[i]);
}

int bd_super_decode(const struct bd_disk_super *disk, unsigned int copy, struct bd_super *out)
{
	struct bd_super s;
	int err = bd_super_check_seal(disk, copy);

	if (!err)
		err = check_geometry(disk, copy);
	if (!err)
		err = check_members(disk, copy);
	if (err)
		return err;
	decode(disk, &s);
	err = check_root(disk, copy, "root tree", &s.root, false);
	if (!err)
		err = check_root(disk, copy, "chunk tree", &s.chunk_root, false);
	if (!err)
		err = check_root(disk, copy, "log tree", &s.log_root, true);
	if (!err)
		*out = s;
	return err;
}

int bd_super_add_seed(struct bd_super *super, const uint8_t fsid[BD_FSID_SIZE])
{
	for (unsigned int i = 0; i < super->num_seeds; i++) {
		if (!memcmp(super->seed_fsid[i], fsid, BD_FSID_SIZE))
			return 0;
	}
	if (super->num_seeds == BD_MAX_SEEDS)
		return BD_FAIL(-EUCLEAN, SUPER_SEEDS, "corrupt device items: more than %u seeds",
			       BD_MAX_SEEDS);
	memcpy(super->seed_fsid[super->num_seeds++], fsid, BD_FSID_SIZE);
	return 0;
}
