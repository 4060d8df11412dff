/* SPDX-License-Identifier: MIT */
/* tests/unit/test_rcache.c - the range cache: look-up, limit, order of eviction, threads */
#include "unit.h"

#include <pthread.h>
#include "base/rcache.h"

struct object {
	struct bd_range range;
	uint64_t payload;
};

static struct bd_range *make(uint64_t a, uint64_t b, uint64_t start, uint64_t end, size_t bytes)
{
	struct object *o = malloc(sizeof(*o));

	*o = (struct object){
		.range = {.a = a, .b = b, .start = start, .end = end, .bytes = bytes, .refs = 1},
		.payload = a ^ b ^ start};
	return &o->range;
}

static void add(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t start, uint64_t end)
{
	struct bd_range *range = make(a, b, start, end, 100);

	bd_rcache_add(cache, range);
	bd_range_put(range);
}

/* Start of what covers @pos; UINT64_MAX: nothing does. */
static uint64_t found(struct bd_rcache *cache, uint64_t a, uint64_t b, uint64_t pos)
{
	struct bd_range *range = bd_rcache_find(cache, a, b, pos);
	uint64_t start = range ? range->start : UINT64_MAX;

	if (range) {
		CU_ASSERT(range->start <= pos && pos < range->end);
		CU_ASSERT_EQUAL(((struct object *)range)->payload, a ^ b ^ start);
	}
	bd_range_put(range);
	return start;
}

static void covers(void)
{
	struct bd_rcache cache;

	bd_rcache_init(&cache, 10000);
	add(&cache, 5, 257, 0, 4096);
	add(&cache, 5, 257, 8192, UINT64_MAX);
	add(&cache, 5, 258, 4096, 8192);
	add(&cache, 6, 257, 4096, 8192);
	CU_ASSERT_EQUAL(found(&cache, 5, 257, 0), 0);
	CU_ASSERT_EQUAL(found(&cache, 5, 257, 4095), 0);
	CU_ASSERT_EQUAL(found(&cache, 5, 257, 4096), UINT64_MAX);
	CU_ASSERT_EQUAL(found(&cache, 5, 257, 8191), UINT64_MAX);
	CU_ASSERT_EQUAL(found(&cache, 5, 257, 8192), 8192);
	CU_ASSERT_EQUAL(found(&cache, 5, 257, UINT64_MAX - 1), 8192);
	CU_ASSERT_EQUAL(found(&cache, 5, 258, 4096), 4096);
	CU_ASSERT_EQUAL(found(&cache, 5, 258, 0), UINT64_MAX);
	CU_ASSERT_EQUAL(found(&cache, 5, 256, 5000), UINT64_MAX);
	CU_ASSERT_EQUAL(found(&cache, 6, 257, 5000), 4096);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 400);
	bd_rcache_fini(&cache);
}

/* Whatever is added: an object never covers what another one does. */
static void never_overlaps(void)
{
	struct bd_rcache cache;

	bd_rcache_init(&cache, 10000);
	add(&cache, 1, 1, 1000, 2000);
	add(&cache, 1, 1, 1000, 2000); /* the same */
	add(&cache, 1, 1, 500, 1001);
	add(&cache, 1, 1, 1999, 3000);
	add(&cache, 1, 1, 0, 9000);
	add(&cache, 1, 1, 1200, 1300);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 100);
	CU_ASSERT_EQUAL(found(&cache, 1, 1, 1250), 1000);
	CU_ASSERT_EQUAL(found(&cache, 1, 1, 999), UINT64_MAX);
	add(&cache, 1, 1, 500, 1000);
	add(&cache, 1, 1, 2000, 3000);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 300);
	bd_rcache_fini(&cache);
}

static void evicts_the_least_recent(void)
{
	struct bd_rcache cache;
	struct bd_range *kept;

	bd_rcache_init(&cache, 1000);
	for (uint64_t i = 0; i < 10; i++)
		add(&cache, 1, 0, i * 10, i * 10 + 10);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 1000);
	CU_ASSERT_EQUAL(found(&cache, 1, 0, 0), 0); /* now 1 is the oldest */
	kept = bd_rcache_find(&cache, 1, 0, 25);    /* then 3, as 2 was used */
	add(&cache, 1, 0, 100, 110);
	add(&cache, 1, 0, 110, 120);
	CU_ASSERT_EQUAL(found(&cache, 1, 0, 10), UINT64_MAX);
	CU_ASSERT_EQUAL(found(&cache, 1, 0, 30), UINT64_MAX);
	CU_ASSERT_EQUAL(found(&cache, 1, 0, 0), 0);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 1000);
	/* What is in use survives its eviction until it is let go. */
	for (uint64_t i = 0; i < 20; i++)
		add(&cache, 2, 0, i * 10, i * 10 + 10);
	CU_ASSERT_EQUAL(found(&cache, 1, 0, 25), UINT64_MAX);
	CU_ASSERT_EQUAL(((struct object *)kept)->payload, 1 ^ 20);
	bd_range_put(kept);
	bd_rcache_fini(&cache);
}

/* One that is larger than the limit is kept alone: whoever asked for it can use it again. */
static void larger_than_the_limit(void)
{
	struct bd_rcache cache;
	struct bd_range *range = make(1, 0, 0, 10, 5000);

	bd_rcache_init(&cache, 1000);
	add(&cache, 1, 0, 20, 30);
	bd_rcache_add(&cache, range);
	bd_range_put(range);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 5000);
	CU_ASSERT_EQUAL(found(&cache, 1, 0, 5), 0);
	add(&cache, 1, 0, 20, 30);
	CU_ASSERT_EQUAL(bd_rcache_bytes(&cache), 100);
	bd_rcache_fini(&cache);
}

static struct bd_rcache shared;
static atomic_uint wrong;

static void *work(void *arg)
{
	uint64_t x = (uintptr_t)arg;

	for (unsigned int i = 0; i < 20000; i++) {
		uint64_t b, start;
		struct bd_range *range;

		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		b = x >> 60;
		start = (x >> 33) % 50 * 10;
		range = bd_rcache_find(&shared, 9, b, start + 5);
		if (!range) {
			range = make(9, b, start, start + 10, 64);
			bd_rcache_add(&shared, range);
		}
		if (range->start != start || ((struct object *)range)->payload != (9 ^ b ^ start))
			atomic_fetch_add(&wrong, 1);
		bd_range_put(range);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];

	bd_rcache_init(&shared, 6400); /* 100 of 800 */
	for (uintptr_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&ids[i], NULL, work, (void *)(i + 1)), 0);
	for (unsigned int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(bd_rcache_bytes(&shared) <= 6400 && bd_rcache_bytes(&shared) > 5000);
	bd_rcache_fini(&shared);
}

static const struct unit_test tests[] = {
	UNIT_TEST(covers),
	UNIT_TEST(never_overlaps),
	UNIT_TEST(evicts_the_least_recent),
	UNIT_TEST(larger_than_the_limit),
	UNIT_TEST(threads),
};
UNIT_MAIN("rcache", tests)
