/* SPDX-License-Identifier: MIT */
/* disk/csum.h - the four checksums of the format */
#ifndef BD_DISK_CSUM_H
#define BD_DISK_CSUM_H

#include <stdbool.h>
#include <stddef.h>
#include "disk/format.h"

/* Bytes of one checksum: 4, 8, 32, 32; 0 for an unknown type. */
unsigned int bd_csum_size(unsigned int type);

/* "crc32c", "xxhash64", "sha256", "blake2b"; "unknown". Static. */
const char *bd_csum_name(unsigned int type);

/*
 * Checksum @len bytes into @out as it lies on disk (bd_csum_size() bytes are written).
 * @type must be known. Thread-safe, does not allocate.
 */
void bd_csum(unsigned int type, const void *data, size_t len, uint8_t *out);

/* Checksum @nsectors consecutive sectors of @sectorsize bytes into a packed array. */
void bd_csum_sectors(unsigned int type, const void *data, unsigned int sectorsize,
		     unsigned int nsectors, uint8_t *out);

/* crc32c as directory names and extent data references are hashed: seed given, not inverted at the
 * end. */
uint32_t bd_crc32c_raw(uint32_t seed, const void *data, size_t len);

/* Hash of a directory entry's or xattr's name: the offset of its DIR_ITEM or XATTR_ITEM key. */
static inline uint64_t bd_name_hash(const void *name, size_t len)
{
	return bd_crc32c_raw(~1u, name, len);
}

/* Offset of an INODE_EXTREF key. */
static inline uint64_t bd_extref_hash(uint64_t parent, const void *name, size_t len)
{
	return bd_crc32c_raw((uint32_t)parent, name, len);
}

#endif
