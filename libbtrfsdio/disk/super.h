/* SPDX-License-Identifier: MIT */
/* disk/super.h - decode and check a superblock */
#ifndef BD_DISK_SUPER_H
#define BD_DISK_SUPER_H

#include <stdbool.h>
#include "disk/format.h"

struct bd_super_root {
	uint64_t bytenr;
	uint64_t generation;
	uint8_t level;
};

struct bd_super_backup {
	struct bd_super_root tree, chunk, extent, fs, dev, csum;
	uint64_t total_bytes, bytes_used, num_devices;
};

struct bd_super_dev {
	uint64_t devid, total_bytes, bytes_used, type, generation, start_offset;
	uint32_t io_align, io_width, sector_size, dev_group;
	uint8_t seek_speed, bandwidth;
	uint8_t uuid[BD_UUID_SIZE];
	uint8_t fsid[BD_FSID_SIZE];
};

#define BD_MAX_SEEDS 16

/* A superblock in host order. Arrays are copied, so the disk block may be dropped. */
struct bd_super {
	uint8_t fsid[BD_FSID_SIZE];
	uint8_t metadata_uuid[BD_FSID_SIZE]; /* fsid in tree blocks; equals fsid without the feature
					      */
	uint64_t bytenr, flags, generation;
	struct bd_super_root root, chunk_root, log_root; /* log_root.bytenr 0: none */
	uint64_t total_bytes, bytes_used, root_dir_objectid, num_devices;
	uint64_t compat_flags, compat_ro_flags, incompat_flags;
	uint64_t cache_generation, uuid_tree_generation;
	uint32_t sectorsize, nodesize, stripesize;
	uint16_t csum_type, csum_size;
	struct bd_super_dev dev;
	char label[BD_LABEL_SIZE + 1]; /* always terminated */
	uint32_t sys_chunk_array_size;
	uint8_t sys_chunk_array[BD_SYS_CHUNK_ARRAY_SIZE];
	struct bd_super_backup backup[BD_NUM_BACKUP_ROOTS];
	/*
	 * Not in the block: filesystems that this one sprouted from. Tree blocks on seed devices
	 * keep their fsid. bd_super_decode() leaves none, whoever meets their device items adds.
	 */
	unsigned int num_seeds;
	uint8_t seed_fsid[BD_MAX_SEEDS][BD_FSID_SIZE];
};

/* Physical address of superblock copy @copy, 0..BD_SUPER_COPIES - 1. */
uint64_t bd_super_offset(unsigned int copy);

/* True when the block has the magic number: worth decoding, worth complaining about. */
bool bd_super_has_magic(const struct bd_disk_super *disk);

/* Magic, checksum, own address: is the block what was written there? 0; -EUCLEAN (reported). */
int bd_super_check_seal(const struct bd_disk_super *disk, unsigned int copy);

/*
 * Check one 4 KiB block as superblock copy @copy and decode it: its seal, sizes (power of two,
 * limits, nodesize >= sectorsize), alignment of roots, levels, array size, dev_item.fsid against
 * fsid or metadata_uuid, num_devices, total_bytes, bytes_used. Does not look at feature bits: see
 * bd_features_check().
 *
 * Return: 0; -EUCLEAN damaged (reported). *out is written only on success.
 */
int bd_super_decode(const struct bd_disk_super *disk, unsigned int copy, struct bd_super *out);

/* Add a seed's fsid, once however often it is called. Return: 0; -EUCLEAN too many (reported). */
int bd_super_add_seed(struct bd_super *super, const uint8_t fsid[BD_FSID_SIZE]);
#endif
