/* SPDX-License-Identifier: MIT */
/* tests/unit/test_pin.c - pinned ranges: never missed, whatever their place and number */
#include "unit.h"

#include <pthread.h>
#include "chunk/pin.h"

#define MIB (1ULL << BD_PIN_SHIFT)

static struct bd_pins pins;

static bool empty(void)
{
	for (uint32_t i = 0; i < BD_PIN_SLOTS; i++) {
		if (pins.slots[i])
			return false;
	}
	return true;
}

static void edges(void)
{
	static const uint64_t bases[] = {0, 5 * MIB, 1ULL << 40, UINT64_MAX - 4 * MIB + 1};

	for (unsigned int i = 0; i < 4; i++) {
		uint64_t at = bases[i] + MIB - 4096;

		CU_ASSERT(!bd_is_pinned(&pins, at, 8192));
		bd_pin(&pins, at, 8192); /* across the border of two ranges */
		CU_ASSERT(bd_is_pinned(&pins, at, 4096));
		CU_ASSERT(bd_is_pinned(&pins, at + 4096, 4096));
		CU_ASSERT(bd_is_pinned(&pins, bases[i], 3 * MIB));
		bd_unpin(&pins, at, 8192);
		CU_ASSERT(empty());
	}
}

static void nests(void)
{
	for (unsigned int i = 0; i < 1000; i++)
		bd_pin(&pins, 7 * MIB + i * 512, 4096);
	for (unsigned int i = 0; i < 999; i++)
		bd_unpin(&pins, 7 * MIB + i * 512, 4096);
	CU_ASSERT(bd_is_pinned(&pins, 7 * MIB + 999 * 512, 1));
	bd_unpin(&pins, 7 * MIB + 999 * 512, 4096);
	CU_ASSERT(empty());
}

/* A range larger than the table has slots is pinned when anything is. */
static void huge_ranges(void)
{
	CU_ASSERT(!bd_is_pinned(&pins, 0, UINT64_MAX));
	for (uint64_t at = 0; at < 1ULL << 45; at += (1ULL << 45) / 64) {
		bd_pin(&pins, at, 4096);
		CU_ASSERT(bd_is_pinned(&pins, 0, UINT64_MAX));
		CU_ASSERT(bd_is_pinned(&pins, at & ~(BD_PIN_SLOTS * MIB - 1), BD_PIN_SLOTS * MIB));
		bd_unpin(&pins, at, 4096);
	}
	CU_ASSERT(empty());
}

/* Neighbours do not share slots: else a busy file would hold back the whole filesystem. */
static void spreads(void)
{
	unsigned int collisions = 0;

	bd_pin(&pins, 0, 4096);
	for (uint64_t i = 1; i < 1000; i++)
		collisions += bd_is_pinned(&pins, i * MIB, 4096);
	bd_unpin(&pins, 0, 4096);
	CU_ASSERT(collisions < 10);
}

static void *pin_much(void *arg)
{
	uint64_t base = (uintptr_t)arg;

	for (unsigned int i = 0; i < 20000; i++) {
		bd_pin(&pins, base + i % 64 * MIB, 2 * MIB);
		if (!bd_is_pinned(&pins, base + i % 64 * MIB, 4096))
			return arg;
		bd_unpin(&pins, base + i % 64 * MIB, 2 * MIB);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];
	void *failed;

	for (uintptr_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&ids[i], NULL, pin_much, (void *)(i * 8 * MIB + 1)), 0);
	for (unsigned int i = 0; i < 4; i++) {
		pthread_join(ids[i], &failed);
		CU_ASSERT_PTR_NULL(failed);
	}
	CU_ASSERT(empty());
}

static const struct unit_test tests[] = {
	UNIT_TEST(edges),   UNIT_TEST(nests),	UNIT_TEST(huge_ranges),
	UNIT_TEST(spreads), UNIT_TEST(threads),
};
UNIT_MAIN("pin", tests)
