/* SPDX-License-Identifier: MIT */
/* tests/unit/test_csum.c - checksums against published vectors, name hashes against real images */
#include "unit.h"

#include "disk/csum.h"
#include "disk/item_check.h"

static void check_vector(unsigned int type, const char *text, const char *hex)
{
	uint8_t out[BD_CSUM_SIZE];
	char found[2 * BD_CSUM_SIZE + 1];
	unsigned int size = bd_csum_size(type);

	bd_csum(type, text, strlen(text), out);
	for (unsigned int i = 0; i < size; i++)
		sprintf(found + 2 * i, "%02x", out[i]);
	CU_ASSERT_STRING_EQUAL(found, hex);
}

/* As it lies on disk: the numbers of the first two are little-endian. */
static void published_vectors(void)
{
	check_vector(BD_CSUM_CRC32C, "", "00000000");
	check_vector(BD_CSUM_CRC32C, "123456789", "839206e3");
	check_vector(BD_CSUM_XXHASH64, "", "99e9d85137db46ef");
	check_vector(BD_CSUM_XXHASH64, "abc", "990977adf52cbc44");
	check_vector(BD_CSUM_SHA256, "abc",
		     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check_vector(BD_CSUM_BLAKE2B, "abc",
		     "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

/* iSCSI's vectors (RFC 3720, B.4) are longer than the step of any vectorised loop's tail. */
static void crc_of_blocks(void)
{
	uint8_t block[32], out[BD_CSUM_SIZE];
	static const uint8_t zeros[4] = {0xaa, 0x36, 0x91, 0x8a};
	static const uint8_t ones[4] = {0x43, 0xab, 0xa8, 0x62};
	static const uint8_t ascending[4] = {0x4e, 0x79, 0xdd, 0x46};

	memset(block, 0, sizeof(block));
	bd_csum(BD_CSUM_CRC32C, block, sizeof(block), out);
	CU_ASSERT_EQUAL(memcmp(out, zeros, 4), 0);
	memset(block, 0xff, sizeof(block));
	bd_csum(BD_CSUM_CRC32C, block, sizeof(block), out);
	CU_ASSERT_EQUAL(memcmp(out, ones, 4), 0);
	for (unsigned int i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)i;
	bd_csum(BD_CSUM_CRC32C, block, sizeof(block), out);
	CU_ASSERT_EQUAL(memcmp(out, ascending, 4), 0);
}

static uint32_t crc_bit_by_bit(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

static void crc_of_every_length_and_alignment(void)
{
	uint8_t data[300];
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 167 + 13);
	for (size_t start = 0; start < 16; start++) {
		for (size_t len = 0; start + len <= sizeof(data); len++)
			wrong += bd_crc32c_raw(0x12345678, data + start, len) !=
				 crc_bit_by_bit(0x12345678, data + start, len);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void sectors_are_checksummed_one_by_one(void)
{
	static uint8_t data[3 * 4096];
	uint8_t packed[3 * BD_CSUM_SIZE + 1], one[BD_CSUM_SIZE];

	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i >> 3);
	for (unsigned int type = 0; type < BD_CSUM_TYPES; type++) {
		unsigned int size = bd_csum_size(type);

		memset(packed, 0xee, sizeof(packed));
		bd_csum_sectors(type, data, 4096, 3, packed);
		for (unsigned int i = 0; i < 3; i++) {
			bd_csum(type, data + i * 4096, 4096, one);
			CU_ASSERT_EQUAL(memcmp(packed + i * size, one, size), 0);
		}
		CU_ASSERT_EQUAL(packed[3 * size], 0xee);
	}
}

static void sizes_and_names(void)
{
	CU_ASSERT_EQUAL(bd_csum_size(BD_CSUM_CRC32C), 4);
	CU_ASSERT_EQUAL(bd_csum_size(BD_CSUM_XXHASH64), 8);
	CU_ASSERT_EQUAL(bd_csum_size(BD_CSUM_SHA256), 32);
	CU_ASSERT_EQUAL(bd_csum_size(BD_CSUM_BLAKE2B), 32);
	CU_ASSERT_EQUAL(bd_csum_size(BD_CSUM_TYPES), 0);
	CU_ASSERT_EQUAL(bd_csum_size(0xffff), 0);
	CU_ASSERT_STRING_EQUAL(bd_csum_name(BD_CSUM_XXHASH64), "xxhash64");
	CU_ASSERT_STRING_EQUAL(bd_csum_name(0xffff), "unknown");
}

/* Offsets of DIR_ITEM, INODE_EXTREF and EXTENT_DATA_REF keys in filesystems that Linux wrote. */
static void hashes_of_names(void)
{
	struct bd_disk_extent_data_ref ref = {bd_to_le64(5), bd_to_le64(267), bd_to_le64(2129920),
					      bd_to_le32(1)};

	CU_ASSERT_EQUAL(bd_name_hash("default", 7), 2378154706);
	CU_ASSERT_EQUAL(bd_name_hash("dev", 3), 145260132);
	CU_ASSERT_EQUAL(bd_name_hash("btrfs.compression", 17), 550297449);
	CU_ASSERT_EQUAL(
		bd_extref_hash(
			257, "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_72", 63),
		37632475);
	CU_ASSERT_EQUAL(bd_data_ref_hash(&ref), 1007496934287921081);
}

static const struct unit_test tests[] = {
	UNIT_TEST(published_vectors),
	UNIT_TEST(crc_of_blocks),
	UNIT_TEST(crc_of_every_length_and_alignment),
	UNIT_TEST(sectors_are_checksummed_one_by_one),
	UNIT_TEST(sizes_and_names),
	UNIT_TEST(hashes_of_names),
};

UNIT_MAIN("csum", tests)
