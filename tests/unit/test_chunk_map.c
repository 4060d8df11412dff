/* SPDX-License-Identifier: MIT */
/* tests/unit/test_chunk_map.c - the chunk map: order, overlaps, replacement, look-up */
#include "unit.h"

#include <errno.h>
#include "chunk/chunk_map.h"
#include "disk_build.h"

#define MIB (1024u * 1024u)

static struct bd_member member = {.devid = 1};
static struct bd_member *members[] = {&member, &member};

static int add_at(struct bd_chunk_map *map, uint64_t logical, uint64_t length, uint64_t physical)
{
	struct {
		struct bd_disk_chunk chunk;
		struct bd_disk_stripe stripe;
	} disk;
	struct bd_chunk_item item = {.logical = logical,
				     .length = length,
				     .type = BD_BG_DATA,
				     .num_stripes = 1,
				     .sub_stripes = 1};

	build_chunk(&disk);
	disk.stripe.offset = bd_to_le64(physical);
	return bd_chunk_map_add(map, &item, &disk, members);
}

static void any_order(void)
{
	static const uint64_t order[] = {5, 1, 9, 3, 7, 0};
	struct bd_chunk_map map = {0};

	for (unsigned int i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(add_at(&map, order[i] * MIB, MIB, order[i]), 0);
	CU_ASSERT_EQUAL_FATAL(map.n, 6);
	for (size_t i = 1; i < map.n; i++)
		CU_ASSERT(map.chunks[i - 1]->logical < map.chunks[i]->logical);
	for (uint64_t i = 0; i < 11; i++) {
		bool there = i < 10 && (i % 2 || !i);
		const struct bd_chunk *first = bd_chunk_find(&map, i * MIB);
		const struct bd_chunk *last = bd_chunk_find(&map, i * MIB + MIB - 1);

		CU_ASSERT_PTR_EQUAL(first, last);
		CU_ASSERT_EQUAL(first != NULL, there);
		if (first)
			CU_ASSERT_EQUAL(first->stripes[0].physical, i);
	}
	CU_ASSERT_PTR_NULL(bd_chunk_find(&map, UINT64_MAX));
	bd_chunk_map_fini(&map);
	CU_ASSERT_PTR_NULL(bd_chunk_find(&map, MIB));
}

static void overlaps_are_refused(void)
{
	static const struct {
		uint64_t start, end;
	} bad[] = {{9, 11}, {19, 21}, {10, 19}, {11, 20}, {9, 21}, {12, 13}, {10, 21}, {0, 40}};
	struct bd_chunk_map map = {0};

	CU_ASSERT_EQUAL(add_at(&map, 10 * MIB, 10 * MIB, 0), 0);
	CU_ASSERT_EQUAL(add_at(&map, 30 * MIB, 1 * MIB, 0), 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_EQUAL(add_at(&map, bad[i].start * MIB, (bad[i].end - bad[i].start) * MIB,
				       1),
				-EUCLEAN);
		CU_ASSERT_STRING_EQUAL(failed_site(), "CHUNK_OVERLAP");
	}
	CU_ASSERT_EQUAL(map.n, 2);
	/* neighbours that touch */
	CU_ASSERT_EQUAL(add_at(&map, 20 * MIB, 10 * MIB, 0), 0);
	CU_ASSERT_EQUAL(add_at(&map, 9 * MIB, MIB, 0), 0);
	CU_ASSERT_EQUAL(map.n, 4);
	bd_chunk_map_fini(&map);
}

/* What the chunk tree says of a SYSTEM chunk replaces what the superblock's array said. */
static void same_range_replaces(void)
{
	struct bd_chunk_map map = {0};

	CU_ASSERT_EQUAL(add_at(&map, MIB, MIB, 111), 0);
	CU_ASSERT_EQUAL(add_at(&map, 4 * MIB, MIB, 0), 0);
	CU_ASSERT_EQUAL(add_at(&map, MIB, MIB, 222), 0);
	CU_ASSERT_EQUAL_FATAL(map.n, 2);
	CU_ASSERT_EQUAL(bd_chunk_find(&map, MIB)->stripes[0].physical, 222);
	bd_chunk_map_fini(&map);
}

static void at_the_top_of_the_space(void)
{
	struct bd_chunk_map map = {0};
	uint64_t top = UINT64_MAX - MIB - 4095;

	CU_ASSERT_EQUAL(add_at(&map, top, MIB, 0), 0);
	CU_ASSERT_PTR_NOT_NULL(bd_chunk_find(&map, top + MIB - 1));
	CU_ASSERT_PTR_NULL(bd_chunk_find(&map, top + MIB));
	CU_ASSERT_PTR_NULL(bd_chunk_find(&map, top - 1));
	bd_chunk_map_fini(&map);
}

static const struct unit_test tests[] = {
	UNIT_TEST(any_order),
	UNIT_TEST(overlaps_are_refused),
	UNIT_TEST(same_range_replaces),
	UNIT_TEST(at_the_top_of_the_space),
};
UNIT_MAIN("chunk_map", tests)
