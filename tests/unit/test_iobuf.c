/* SPDX-License-Identifier: MIT */
/* tests/unit/test_iobuf.c - the buffer pool: alignment, reuse, the limit, threads */
#include "unit.h"

#include <pthread.h>
#include "base/math.h"
#include "dev/iobuf.h"

static void buffers_are_aligned_and_large_enough(void)
{
	static const size_t sizes[] = {
		1, 4096, 4097, 16384, 65536, 65537, 256 << 10, (256 << 10) + 1, 1 << 20};
	struct bd_iobuf_pool pool;
	CU_ASSERT_EQUAL_FATAL(bd_iobuf_pool_init(&pool, 1 << 20), 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *buf = bd_iobuf_get(&pool, sizes[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(buf);
		CU_ASSERT(bd_is_aligned((uintptr_t)buf, 4096));
		memset(buf, 1, sizes[i]); /* the sanitizer says when it is too small */
		bd_iobuf_put(&pool, buf, sizes[i]);
	}
	bd_iobuf_put(&pool, NULL, 4096);
	bd_iobuf_pool_fini(&pool);
}

static void buffers_are_reused_within_their_class(void)
{
	struct bd_iobuf_pool pool;
	CU_ASSERT_EQUAL_FATAL(bd_iobuf_pool_init(&pool, 1 << 20), 0);
	void *buf = bd_iobuf_get(&pool, 5000);
	bd_iobuf_put(&pool, buf, 5000);
	CU_ASSERT_EQUAL(pool.kept, 16384);
	void *other = bd_iobuf_get(&pool, 4096);
	CU_ASSERT_PTR_NOT_EQUAL(other, buf);
	void *same = bd_iobuf_get(&pool, 16384);
	CU_ASSERT_PTR_EQUAL(same, buf);
	CU_ASSERT_EQUAL(pool.kept, 0);
	bd_iobuf_put(&pool, other, 4096);
	bd_iobuf_put(&pool, same, 16384);
	bd_iobuf_pool_fini(&pool);
}

static void no_more_than_the_limit_is_kept(void)
{
	struct bd_iobuf_pool pool;
	void *bufs[4];

	CU_ASSERT_EQUAL_FATAL(bd_iobuf_pool_init(&pool, 10000), 0);
	for (int i = 0; i < 4; i++)
		bufs[i] = bd_iobuf_get(&pool, 4096);
	for (int i = 0; i < 4; i++)
		bd_iobuf_put(&pool, bufs[i], 4096);
	CU_ASSERT_EQUAL(pool.kept, 8192);
	void *large = bd_iobuf_get(&pool, 1 << 20);
	bd_iobuf_put(&pool, large, 1 << 20);
	CU_ASSERT_EQUAL(pool.kept, 8192);
	bd_iobuf_pool_fini(&pool);
}

static void *get_and_put(void *arg)
{
	struct bd_iobuf_pool *pool = arg;
	for (unsigned int i = 0; i < 2000; i++) {
		size_t size = (size_t)4096 << (i % 7);
		uint8_t *buf = bd_iobuf_get(pool, size);
		buf[0] = (uint8_t)i;
		buf[size - 1] = (uint8_t)i;
		bd_iobuf_put(pool, buf, size);
	}
	return NULL;
}

static void threads_share_a_pool(void)
{
	struct bd_iobuf_pool pool;
	pthread_t threads[4];

	CU_ASSERT_EQUAL_FATAL(bd_iobuf_pool_init(&pool, 300000), 0);
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, get_and_put, &pool), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CU_ASSERT(pool.kept <= 300000);
	bd_iobuf_pool_fini(&pool);
}

static const struct unit_test tests[] = {
	UNIT_TEST(buffers_are_aligned_and_large_enough),
	UNIT_TEST(buffers_are_reused_within_their_class),
	UNIT_TEST(no_more_than_the_limit_is_kept),
	UNIT_TEST(threads_share_a_pool),
};

UNIT_MAIN("iobuf", tests)
