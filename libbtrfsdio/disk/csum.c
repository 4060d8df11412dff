/* SPDX-License-Identifier: MIT */
/* disk/csum.c - the four checksums of the format, each from the library that does it fastest */
#include "disk/csum.h"

#include <assert.h>
#include <gcrypt.h>
#include <isa-l/crc.h>
#include <pthread.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define CRC_PIECE ((size_t)1 << 30) /* ISA-L takes the length as an int */

static void crc32c(const void *data, size_t len, uint8_t *out)
{
	le32 crc = bd_to_le32(~bd_crc32c_raw(~0u, data, len));

	memcpy(out, &crc, sizeof(crc));
}

static void xxhash64(const void *data, size_t len, uint8_t *out)
{
	le64 hash = bd_to_le64(XXH64(data, len, 0));

	memcpy(out, &hash, sizeof(hash));
}

static pthread_once_t gcrypt_once = PTHREAD_ONCE_INIT;

/* The application may have set libgcrypt up in its own way: then nothing is changed. */
static void gcrypt_init(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P))
		return;
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

/* The one-shot call keeps its state on the stack: no allocation, no lock. */
static void gcrypt_hash(int algo, const void *data, size_t len, uint8_t *out)
{
	pthread_once(&gcrypt_once, gcrypt_init);
	gcry_md_hash_buffer(algo, out, data, len);
}

static void sha256(const void *data, size_t len, uint8_t *out)
{
	gcrypt_hash(GCRY_MD_SHA256, data, len, out);
}

static void blake2b(const void *data, size_t len, uint8_t *out)
{
	gcrypt_hash(GCRY_MD_BLAKE2B_256, data, len, out);
}

static const struct csum_algo {
	const char *name;
	unsigned int size;
	void (*hash)(const void *data, size_t len, uint8_t *out);
} algos[BD_CSUM_TYPES] = {
	[BD_CSUM_CRC32C] = {"crc32c", 4, crc32c},
	[BD_CSUM_XXHASH64] = {"xxhash64", 8, xxhash64},
	[BD_CSUM_SHA256] = {"sha256", 32, sha256},
	[BD_CSUM_BLAKE2B] = {"blake2b", 32, blake2b},
};

unsigned int bd_csum_size(unsigned int type)
{
	return type < BD_CSUM_TYPES ? algos[type].size : 0;
}

const char *bd_csum_name(unsigned int type)
{
	return type < BD_CSUM_TYPES ? algos[type].name : "unknown";
}

void bd_csum(unsigned int type, const void *data, size_t len, uint8_t *out)
{
	assert(type < BD_CSUM_TYPES);
	algos[type].hash(data, len, out);
}

void bd_csum_sectors(unsigned int type, const void *data, unsigned int sectorsize,
		     unsigned int nsectors, uint8_t *out)
{
	const uint8_t *sector = data;

	assert(type < BD_CSUM_TYPES);
	for (unsigned int i = 0; i < nsectors; i++) {
		algos[type].hash(sector, sectorsize, out);
		sector += sectorsize;
		out += algos[type].size;
	}
}

uint32_t bd_crc32c_raw(uint32_t seed, const void *data, size_t len)
{
	/* ISA-L only reads, its prototype merely lacks the const */
	unsigned char *p = (unsigned char *)(uintptr_t)data;

	for (; len > CRC_PIECE; len -= CRC_PIECE, p += CRC_PIECE)
		seed = crc32_iscsi(p, (int)CRC_PIECE, seed);
	return crc32_iscsi(p, (int)len, seed);
}
