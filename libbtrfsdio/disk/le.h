/* SPDX-License-Identifier: MIT */
/* disk/le.h - little-endian integers as they lie on disk; unconverted use does not compile */
#ifndef BD_DISK_LE_H
#define BD_DISK_LE_H

#include <endian.h>
#include <stdint.h>

typedef struct {
	uint16_t raw;
} __attribute__((packed)) le16;

typedef struct {
	uint32_t raw;
} __attribute__((packed)) le32;

typedef struct {
	uint64_t raw;
} __attribute__((packed)) le64;

static inline uint16_t bd_le16(le16 v)
{
	return le16toh(v.raw);
}

static inline uint32_t bd_le32(le32 v)
{
	return le32toh(v.raw);
}

static inline uint64_t bd_le64(le64 v)
{
	return le64toh(v.raw);
}

static inline le16 bd_to_le16(uint16_t v)
{
	return (le16){htole16(v)};
}

static inline le32 bd_to_le32(uint32_t v)
{
	return (le32){htole32(v)};
}

static inline le64 bd_to_le64(uint64_t v)
{
	return (le64){htole64(v)};
}

#endif
