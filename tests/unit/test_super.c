/* SPDX-License-Identifier: MIT */
/* tests/unit/test_super.c - superblocks, their chunk array, feature bits: sound ones and damaged */
#include "unit.h"

#include <stddef.h>
#include "base/err.h"
#include "disk/chunk_item.h"
#include "disk/csum.h"
#include "disk/features.h"
#include "disk_build.h"

static struct bd_disk_super disk;

static void decodes_what_was_written(void)
{
	struct bd_super s;

	build_disk_super(&disk);
	disk.backup_roots[3].fs_root = bd_to_le64(777);
	disk.backup_roots[3].fs_root_gen = bd_to_le64(55);
	disk.backup_roots[3].fs_root_level = 2;
	disk.log_root = bd_to_le64(8192);
	memset(disk.label, 'x', BD_LABEL_SIZE);
	build_seal_super(&disk);
	CU_ASSERT_EQUAL_FATAL(bd_super_decode(&disk, 0, &s), 0);
	CU_ASSERT_EQUAL(s.bytenr, 65536);
	CU_ASSERT_EQUAL(s.generation, 100);
	CU_ASSERT_EQUAL(s.root.bytenr, 1024 * 1024 + 4096);
	CU_ASSERT_EQUAL(s.root.generation, 100);
	CU_ASSERT_EQUAL(s.chunk_root.generation, 90);
	CU_ASSERT_EQUAL(s.log_root.generation, 101);
	CU_ASSERT_EQUAL(s.nodesize, BUILD_NODESIZE);
	CU_ASSERT_EQUAL(s.csum_size, 4);
	CU_ASSERT_EQUAL(strlen(s.label), BD_LABEL_SIZE);
	CU_ASSERT_EQUAL(memcmp(s.fsid, disk.fsid, BD_FSID_SIZE), 0);
	CU_ASSERT_EQUAL(memcmp(s.metadata_uuid, disk.fsid, BD_FSID_SIZE), 0);
	CU_ASSERT_EQUAL(s.backup[3].fs.bytenr, 777);
	CU_ASSERT_EQUAL(s.backup[3].fs.generation, 55);
	CU_ASSERT_EQUAL(s.backup[3].fs.level, 2);
	CU_ASSERT_EQUAL(s.num_seeds, 0);
}

static void copies_lie_where_linux_puts_them(void)
{
	CU_ASSERT_EQUAL(bd_super_offset(0), 64ULL << 10);
	CU_ASSERT_EQUAL(bd_super_offset(1), 64ULL << 20);
	CU_ASSERT_EQUAL(bd_super_offset(2), 256ULL << 30);
}

static void every_byte_is_sealed(void)
{
	struct bd_super s;
	unsigned int accepted = 0;

	build_disk_super(&disk);
	for (size_t i = 0; i < BD_SUPER_SIZE; i++) {
		/* of the room for a checksum, crc32c takes 4 bytes */
		if (i == 4)
			i = BD_CSUM_SIZE;
		((uint8_t *)&disk)[i] ^= 0x10;
		accepted += bd_super_decode(&disk, 0, &s) == 0;
		((uint8_t *)&disk)[i] ^= 0x10;
	}
	CU_ASSERT_EQUAL(accepted, 0);
	CU_ASSERT_EQUAL(bd_super_decode(&disk, 0, &s), 0);
}

static void a_wrong_checksum_is_shown(void)
{
	const struct bdio_error *e = bd_err_self();
	struct bd_super s;

	build_disk_super(&disk);
	disk.csum[0] ^= 1;
	CU_ASSERT_EQUAL(bd_super_decode(&disk, 0, &s), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "SUPER_CSUM");
	CU_ASSERT_EQUAL_FATAL(e->csum_size, 4);
	CU_ASSERT_EQUAL(memcmp(e->csum_expected, disk.csum, 4), 0);
	CU_ASSERT_EQUAL(e->csum_found[0], disk.csum[0] ^ 1);
}

static void a_copy_that_belongs_elsewhere_is_refused(void)
{
	struct bd_super s;

	build_disk_super(&disk);
	CU_ASSERT_EQUAL(bd_super_decode(&disk, 1, &s), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "SUPER_BYTENR");
	disk.bytenr = bd_to_le64(64 << 20);
	build_seal_super(&disk);
	CU_ASSERT_EQUAL(bd_super_decode(&disk, 1, &s), 0);
}

/* Set a field of any width, little-endian, seal, decode: the site that refused. */
static const char *refused(size_t offset, size_t width, uint64_t value)
{
	le64 v = bd_to_le64(value);
	struct bd_super s;
	uint8_t before[sizeof(s)];

	build_disk_super(&disk);
	memcpy((uint8_t *)&disk + offset, &v, width);
	build_seal_super(&disk);
	memset(&s, 0x5a, sizeof(s));
	memcpy(before, &s, sizeof(s));
	bd_err_clear();
	if (bd_super_decode(&disk, 0, &s) == -EUCLEAN)
		CU_ASSERT_EQUAL(memcmp(before, &s, sizeof(s)), 0);
	return failed_site();
}

#define REFUSED(field, value, site)                                                               \
	CU_ASSERT_STRING_EQUAL(refused(offsetof(struct bd_disk_super, field),                     \
				       sizeof(disk.field) < 8 ? sizeof(disk.field) : 8, (value)), \
			       (site))

static void fields_out_of_range_are_refused(void)
{
	REFUSED(magic, BD_SUPER_MAGIC + 1, "SUPER_MAGIC");
	REFUSED(sectorsize, 512, "SUPER_SECTORSIZE");
	REFUSED(sectorsize, 131072, "SUPER_SECTORSIZE");
	REFUSED(sectorsize, 4097, "SUPER_SECTORSIZE");
	REFUSED(sectorsize, 8192, "SUPER_NODESIZE"); /* larger than a node */
	REFUSED(nodesize, 0, "SUPER_NODESIZE");
	REFUSED(nodesize, 24576, "SUPER_NODESIZE");
	REFUSED(nodesize, 131072, "SUPER_NODESIZE");
	REFUSED(leafsize, 8192, "SUPER_LEAFSIZE");
	REFUSED(stripesize, 0, "SUPER_STRIPESIZE");
	REFUSED(stripesize, 593920, "SUPER_STRIPESIZE");
	REFUSED(sys_chunk_array_size, 0, "SUPER_SYS_ARRAY_SIZE");
	REFUSED(sys_chunk_array_size, 96, "SUPER_SYS_ARRAY_SIZE");
	REFUSED(sys_chunk_array_size, 2049, "SUPER_SYS_ARRAY_SIZE");
	REFUSED(sys_chunk_array_size, 2048, "");
	REFUSED(root, 4097, "SUPER_ROOT_ALIGN");
	REFUSED(root, 0, "SUPER_ROOT_ZERO");
	REFUSED(chunk_root, 2048, "SUPER_ROOT_ALIGN");
	REFUSED(chunk_root, 0, "SUPER_ROOT_ZERO");
	REFUSED(log_root, 1, "SUPER_ROOT_ALIGN");
	REFUSED(log_root, 0, "");
	REFUSED(root_level, 8, "SUPER_ROOT_LEVEL");
	REFUSED(root_level, 7, "");
	REFUSED(chunk_root_level, 255, "SUPER_ROOT_LEVEL");
	REFUSED(log_root_level, 8, "SUPER_ROOT_LEVEL");
	REFUSED(num_devices, 0, "SUPER_NUM_DEVICES");
	REFUSED(num_devices, UINT64_MAX, "SUPER_NUM_DEVICES");
	REFUSED(total_bytes, 0, "SUPER_TOTAL_BYTES");
	REFUSED(bytes_used, 6 * BUILD_NODESIZE - 1, "SUPER_BYTES_USED");
	REFUSED(dev_item.fsid, 0, "SUPER_DEV_FSID");
	REFUSED(metadata_uuid, 1, ""); /* means nothing without its feature */
}

static void an_unknown_checksum_type_is_refused(void)
{
	struct bd_super s;

	build_disk_super(&disk);
	disk.csum_type = bd_to_le16(9);
	CU_ASSERT_EQUAL(bd_super_decode(&disk, 0, &s), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "SUPER_CSUM_TYPE");
}

static void metadata_uuid_rules_with_its_feature(void)
{
	struct bd_super s;

	build_disk_super(&disk);
	disk.incompat_flags = bd_to_le64(bd_le64(disk.incompat_flags) | BD_INCOMPAT_METADATA_UUID);
	memcpy(disk.metadata_uuid, disk.fsid, BD_FSID_SIZE);
	disk.fsid[0] ^= 0xff; /* users see a new fsid, blocks and devices keep the old one */
	build_seal_super(&disk);
	CU_ASSERT_EQUAL_FATAL(bd_super_decode(&disk, 0, &s), 0);
	CU_ASSERT_EQUAL(memcmp(s.metadata_uuid, disk.metadata_uuid, BD_FSID_SIZE), 0);
	CU_ASSERT_EQUAL(memcmp(s.fsid, disk.fsid, BD_FSID_SIZE), 0);
	memcpy(disk.dev_item.fsid, disk.fsid, BD_FSID_SIZE);
	build_seal_super(&disk);
	CU_ASSERT_EQUAL(bd_super_decode(&disk, 0, &s), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(failed_site(), "SUPER_DEV_FSID");
}

static void all_checksum_types_seal(void)
{
	struct bd_super s;

	for (unsigned int type = 0; type < BD_CSUM_TYPES; type++) {
		build_disk_super(&disk);
		disk.csum_type = bd_to_le16((uint16_t)type);
		build_seal_super(&disk);
		CU_ASSERT_EQUAL(bd_super_decode(&disk, 0, &s), 0);
		CU_ASSERT_EQUAL(s.csum_size, bd_csum_size(type));
		disk.csum[s.csum_size - 1] ^= 1;
		CU_ASSERT_EQUAL(bd_super_decode(&disk, 0, &s), -EUCLEAN);
	}
}

static void seeds_are_added_once_and_bounded(void)
{
	uint8_t fsid[BD_FSID_SIZE] = {0};
	struct bd_super s;

	build_super(&s);
	for (unsigned int i = 0; i < BD_MAX_SEEDS; i++) {
		fsid[0] = (uint8_t)i;
		CU_ASSERT_EQUAL(bd_super_add_seed(&s, fsid), 0);
		CU_ASSERT_EQUAL(bd_super_add_seed(&s, fsid), 0);
	}
	CU_ASSERT_EQUAL(s.num_seeds, BD_MAX_SEEDS);
	fsid[0] = BD_MAX_SEEDS;
	CU_ASSERT_EQUAL(bd_super_add_seed(&s, fsid), -EUCLEAN);
	CU_ASSERT_EQUAL(s.num_seeds, BD_MAX_SEEDS);
}

static void chunk_array_is_walked(void)
{
	const size_t entry = sizeof(struct bd_disk_key) + sizeof(struct bd_disk_chunk) +
			     sizeof(struct bd_disk_stripe);
	struct bd_chunk_item chunk;
	struct bd_chunk_item_stripe stripe;
	struct bd_super s;
	const void *data;
	uint32_t pos = 0;
	size_t size;

	build_super(&s);
	memcpy(s.sys_chunk_array + entry, s.sys_chunk_array, entry);
	s.sys_chunk_array_size = (uint32_t)(2 * entry);
	for (int i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(bd_sys_chunk_next(&s, &pos, &chunk, &data, &size), 1);
		CU_ASSERT_EQUAL(chunk.logical, 1024 * 1024);
		CU_ASSERT_EQUAL(chunk.length, 4 * 1024 * 1024);
		CU_ASSERT_EQUAL(chunk.num_stripes, 1);
		bd_chunk_item_stripe(data, 0, &stripe);
		CU_ASSERT_EQUAL(stripe.devid, 1);
		CU_ASSERT_EQUAL(stripe.physical, 1024 * 1024);
	}
	CU_ASSERT_EQUAL(bd_sys_chunk_next(&s, &pos, &chunk, &data, &size), 0);
}

static const char *array_refused(const struct bd_super *s)
{
	struct bd_chunk_item chunk;
	const void *data;
	uint32_t pos = 0;
	size_t size;

	bd_err_clear();
	CU_ASSERT_EQUAL(bd_sys_chunk_next(s, &pos, &chunk, &data, &size), -EUCLEAN);
	CU_ASSERT_EQUAL(pos, 0);
	return failed_site();
}

static void damaged_chunk_arrays_are_refused(void)
{
	struct bd_super s;
	struct bd_disk_chunk *d = (void *)(s.sys_chunk_array + sizeof(struct bd_disk_key));

	build_super(&s);
	s.sys_chunk_array_size = sizeof(struct bd_disk_key) + sizeof(*d) - 1;
	CU_ASSERT_STRING_EQUAL(array_refused(&s), "SYS_ARRAY_CUT");
	build_super(&s);
	((struct bd_disk_key *)s.sys_chunk_array)->type = BD_KEY_DEV_ITEM;
	CU_ASSERT_STRING_EQUAL(array_refused(&s), "SYS_ARRAY_KEY");
	build_super(&s);
	d->num_stripes = bd_to_le16(2);
	CU_ASSERT_STRING_EQUAL(array_refused(&s), "SYS_ARRAY_STRIPES");
	d->num_stripes = bd_to_le16(UINT16_MAX);
	CU_ASSERT_STRING_EQUAL(array_refused(&s), "SYS_ARRAY_STRIPES");
	d->num_stripes = bd_to_le16(0);
	CU_ASSERT_STRING_EQUAL(array_refused(&s), "CHUNK_NUM_STRIPES");
	build_super(&s);
	d->type = bd_to_le64(BD_BG_DATA);
	CU_ASSERT_STRING_EQUAL(array_refused(&s), "SYS_ARRAY_TYPE");
}

static const char *features(uint64_t incompat, uint64_t compat_ro, bool writable)
{
	struct bd_super s = {.incompat_flags = incompat | BD_INCOMPAT_MIXED_BACKREF,
			     .compat_ro_flags = compat_ro,
			     .compat_flags = UINT64_MAX};

	bd_err_clear();
	if (!bd_features_check(&s, writable))
		return "";
	CU_ASSERT_EQUAL(bd_err_self()->code, -EOPNOTSUPP);
	return bd_err_self()->message;
}

static void refused_features_are_named(void)
{
	struct bd_super old = {.incompat_flags = 0};

	CU_ASSERT_STRING_EQUAL(features(0xfff, UINT64_MAX, false), "");
	CU_ASSERT_STRING_EQUAL(features(BD_INCOMPAT_ZONED, 0, false),
			       "unsupported features: zoned");
	CU_ASSERT_STRING_EQUAL(
		features(BD_INCOMPAT_EXTENT_TREE_V2 | BD_INCOMPAT_RAID_STRIPE_TREE |
				 BD_INCOMPAT_REMAP_TREE,
			 0, false),
		"unsupported features: extent-tree-v2, raid-stripe-tree, remap-tree");
	CU_ASSERT_STRING_EQUAL(features(1ULL << 40, 0, false),
			       "unsupported features: unknown incompat bit 0x10000000000");
	CU_ASSERT_STRING_EQUAL(features(1ULL << 63 | 1ULL << 15 | BD_INCOMPAT_ZONED, 0, false),
			       "unsupported features: zoned, unknown incompat bits "
			       "0x8000000000008000");
	CU_ASSERT_STRING_EQUAL(features(0, 1ULL << 40 | BD_COMPAT_RO_VERITY, true),
			       "unsupported features: unknown compat_ro bit 0x10000000000");
	CU_ASSERT_STRING_EQUAL(features(BD_INCOMPAT_SIMPLE_QUOTA, 0, false), "");
	CU_ASSERT_STRING_EQUAL(features(BD_INCOMPAT_SIMPLE_QUOTA, 0, true),
			       "unsupported features: simple-quota");
	CU_ASSERT_EQUAL(bd_features_check(&old, false), -EOPNOTSUPP);
	CU_ASSERT_PTR_NOT_NULL(strstr(bd_err_self()->message, "no mixed-backref"));
}

static void feature_bits_have_one_name_each(void)
{
	size_t n;
	const struct bd_feature *f = bd_features(&n);
	uint64_t seen[3] = {0};

	CU_ASSERT_EQUAL(n, 21);
	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(f[i].bit & (f[i].bit - 1), 0);
		CU_ASSERT_EQUAL(seen[f[i].set] & f[i].bit, 0);
		seen[f[i].set] |= f[i].bit;
		CU_ASSERT(f[i].read || !f[i].write);
	}
}

static void feature_names_are_listed_and_cut(void)
{
	char buf[64];

	bd_features_names(BD_FEATURE_INCOMPAT, BD_INCOMPAT_NO_HOLES | BD_INCOMPAT_RAID56 | 1 << 15,
			  buf, sizeof(buf));
	CU_ASSERT_STRING_EQUAL(buf, "raid56,no-holes,0x8000");
	bd_features_names(BD_FEATURE_COMPAT, 0, buf, sizeof(buf));
	CU_ASSERT_STRING_EQUAL(buf, "");
	memset(buf, 'z', sizeof(buf));
	bd_features_names(BD_FEATURE_INCOMPAT, UINT64_MAX, buf, 10);
	CU_ASSERT_STRING_EQUAL(buf, "mixed-bac");
	CU_ASSERT_EQUAL(buf[10], 'z');
}

static const struct unit_test tests[] = {
	UNIT_TEST(decodes_what_was_written),
	UNIT_TEST(copies_lie_where_linux_puts_them),
	UNIT_TEST(every_byte_is_sealed),
	UNIT_TEST(a_wrong_checksum_is_shown),
	UNIT_TEST(a_copy_that_belongs_elsewhere_is_refused),
	UNIT_TEST(fields_out_of_range_are_refused),
	UNIT_TEST(an_unknown_checksum_type_is_refused),
	UNIT_TEST(metadata_uuid_rules_with_its_feature),
	UNIT_TEST(all_checksum_types_seal),
	UNIT_TEST(seeds_are_added_once_and_bounded),
	UNIT_TEST(chunk_array_is_walked),
	UNIT_TEST(damaged_chunk_arrays_are_refused),
	UNIT_TEST(refused_features_are_named),
	UNIT_TEST(feature_bits_have_one_name_each),
	UNIT_TEST(feature_names_are_listed_and_cut),
};

UNIT_MAIN("super", tests)
