/* SPDX-License-Identifier: MIT */
/* tests/unit/test_hot_path.c - what a warm read costs, in counters; the bound of the caches */
#include "unit.h"

#include <stdio.h>
#include "fail_alloc.h"
#include "base/mem.h"
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

#define READS 2000u
#define DEPTH 16u

static uint64_t state = 99;

static uint64_t rnd(uint64_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

static struct bdio_counters counters(struct bdio_fs *fs)
{
	struct bdio_counters c;

	bdio_fs_get_counters(fs, &c);
	return c;
}

static unsigned int bad; /* reads that returned something else */

static void read_sync(struct bdio_file *file, const struct sample_file *f, uint8_t *buf,
		      unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		uint64_t at = rnd(f->size / 4096) * 4096;

		bad += bdio_file_read(file, buf, 4096, at, 0) != 4096 ||
		       memcmp(buf, f->bytes + at, 4096);
	}
}

static void read_queued(struct bdio_queue *q, struct bdio_file *file, const struct sample_file *f,
			uint8_t *buf, unsigned int n)
{
	struct bdio_completion done[DEPTH];
	unsigned int flying = 0;

	while (n || flying) {
		for (; n && flying < DEPTH; n--, flying++)
			bad += bdio_queue_read(q, file, buf + (n % DEPTH) * 4096, 4096,
					       rnd(f->size / 4096) * 4096, 0, n) != 0;
		bad += bdio_queue_submit(q) < 0;
		for (int i = bdio_queue_wait(q, done, DEPTH, DEPTH, -1); i > 0; i--, flying--)
			bad += done[i - 1].result != 4096;
	}
}

/* Random single reads in any order warm a file completely, however its extents lie. */
static void warm_reads_cost_nothing(void)
{
	static const enum sample_kind kinds[] = {SAMPLE_PLAIN, SAMPLE_FRAGMENTS};
	uint8_t *buf = bd_alloc_aligned(4096, DEPTH * 4096);
	struct sample *s = sample_new(&(struct img_opts){.nodesize = 16384});
	struct bdio_queue *q;
	struct bdio_fs *fs;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	CU_ASSERT_EQUAL_FATAL(bdio_queue_create(fs, NULL, &q), 0);
	for (unsigned int k = 0; k < 2; k++) {
		const struct sample_file *f = &s->file[kinds[k]];
		struct bdio_file *file = img_open_file(fs, f->ino);
		struct bdio_counters before, after;
		unsigned long allocations;

		read_sync(file, f, buf, READS);
		read_queued(q, file, f, buf, READS);
		before = counters(fs);
		alloc_watch(0);
		read_sync(file, f, buf, READS);
		read_queued(q, file, f, buf, READS);
		allocations = alloc_unwatch();
		after = counters(fs);
		CU_ASSERT_EQUAL(bad, 0);
		CU_ASSERT_EQUAL(allocations, 0);
		CU_ASSERT_EQUAL(after.tree_searches, before.tree_searches);
		CU_ASSERT_EQUAL(after.node_reads, before.node_reads);
		CU_ASSERT_EQUAL(after.copied_bytes, 0);
		CU_ASSERT_EQUAL(after.user_read_bytes - before.user_read_bytes,
				2 * READS * 4096ull);
		CU_ASSERT_EQUAL(after.device_read_bytes - before.device_read_bytes,
				2 * READS * 4096ull);
		CU_ASSERT_EQUAL(after.device_reads - before.device_reads, 2 * READS);
		bdio_file_close(file);
	}
	bdio_queue_destroy(q);
	bdio_close(fs);
	sample_free(s);
	free(buf);
}

/* Aligned buffers are filled by the device, whatever the length. */
static void aligned_reads_copy_nothing(void)
{
	struct sample *s = sample_new(&(struct img_opts){0});
	const struct sample_file *f = &s->file[SAMPLE_FRAGMENTS];
	uint8_t *buf = bd_alloc_aligned(4096, f->size);
	struct bdio_file *file;
	struct bdio_fs *fs;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	file = img_open_file(fs, f->ino);
	CU_ASSERT_EQUAL(bdio_file_read(file, buf, f->size, 0, 0), (ssize_t)f->size);
	CU_ASSERT_EQUAL(counters(fs).copied_bytes, 0);
	CU_ASSERT_EQUAL(counters(fs).verified_bytes, f->size);
	/* one byte off: all of it, once */
	CU_ASSERT_EQUAL(bdio_file_read(file, buf + 1, 40960, 8192, 0), 40960);
	CU_ASSERT_EQUAL(counters(fs).copied_bytes, 40960);
	/* a head, and then what is aligned */
	CU_ASSERT_EQUAL(bdio_file_read(file, buf + 100, 40960 - 100, 8192 + 100, 0), 40860);
	CU_ASSERT_EQUAL(counters(fs).copied_bytes, 40960 + 3996);
	bdio_file_close(file);
	bdio_close(fs);
	sample_free(s);
	free(buf);
}

#define MANY_FILES 1500u

/* Walk many files with small extents and names: metadata of several times the limit. */
static void check_bound(const struct img_opts *opts, uint64_t limit)
{
	struct bdio_open_opts open = {.cache_bytes = limit};
	struct img *img = img_new(opts);
	uint8_t data[4096], buf[100];
	struct bdio_fs *fs;
	uint64_t logical, most = 0;
	char name[200];

	img_bytes(data, sizeof(data), 5);
	logical = img_data(img, data, sizeof(data));
	for (unsigned int i = 0; i < MANY_FILES; i++) {
		snprintf(name, sizeof(name), "%0190u", i);
		img_file(img, 257 + i, name, 4096, 0);
		img_extent(img, 257 + i, 0, logical, 4096);
	}
	img_finish(img);
	CU_ASSERT_EQUAL_FATAL(img_open_opts(img, &open, &fs), 0);
	for (unsigned int i = 0; i < 2 * MANY_FILES; i++) {
		struct bdio_file *file = img_open_file(fs, 257 + rnd(MANY_FILES));

		CU_ASSERT_EQUAL(bdio_file_read(file, buf, 100, 50, 0), 100);
		bdio_file_close(file);
		if (counters(fs).cache_bytes > most)
			most = counters(fs).cache_bytes;
	}
	CU_ASSERT(most <= limit);
	CU_ASSERT(most > limit / 4);
	bdio_close(fs);
	img_free(img);
}

static void caches_are_bounded(void)
{
	check_bound(&(struct img_opts){.nodesize = 4096}, 1u << 20);
	check_bound(&(struct img_opts){.nodesize = 16384}, 1u << 20);
	check_bound(&(struct img_opts){.nodesize = 65536}, 1u << 20);
}

static const struct unit_test tests[] = {
	UNIT_TEST(warm_reads_cost_nothing),
	UNIT_TEST(aligned_reads_copy_nothing),
	UNIT_TEST(caches_are_bounded),
};
UNIT_MAIN("hot_path", tests)
