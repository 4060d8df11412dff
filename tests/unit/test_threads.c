/* SPDX-License-Identifier: MIT */
/* tests/unit/test_threads.c - one filesystem, many threads: queues of their own, shared files */
#include "unit.h"

#include <pthread.h>
#include "base/mem.h"
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

#define THREADS 4u
#define ROUNDS	25u
#define DEPTH	16u

static struct sample *sample;
static struct bdio_fs *fs;
static struct bdio_file *files[SAMPLE_FILES];
static atomic_uint wrong;
static uint64_t queue_flags;

struct worker {
	pthread_t id;
	uint64_t state;
};

static uint64_t rnd(struct worker *w, uint64_t below)
{
	w->state = w->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (w->state >> 33) % below;
}

static void batch(struct worker *w, struct bdio_queue *q, uint8_t *buf)
{
	struct bdio_completion done[DEPTH];
	struct {
		unsigned int file;
		uint64_t offset;
		size_t len;
	} want[DEPTH];

	for (unsigned int i = 0; i < DEPTH; i++) {
		want[i].file = (unsigned int)rnd(w, SAMPLE_FILES);
		want[i].offset = rnd(w, sample->file[want[i].file].size + 1);
		want[i].len = 1 + rnd(w, 16000);
		if (bdio_queue_read(q, files[want[i].file], buf + i * 16384, want[i].len,
				    want[i].offset, 0, i))
			atomic_fetch_add(&wrong, 1);
	}
	if (bdio_queue_submit(q) != (int)DEPTH ||
	    bdio_queue_wait(q, done, DEPTH, DEPTH, -1) != (int)DEPTH)
		atomic_fetch_add(&wrong, 1);
	for (unsigned int n = 0; n < DEPTH; n++) {
		uint64_t i = done[n].user_data;
		const struct sample_file *f = &sample->file[want[i].file];
		size_t size = sample_expect(f, want[i].offset, want[i].len);

		if (done[n].result != (ssize_t)size ||
		    memcmp(buf + i * 16384, f->bytes + want[i].offset, size))
			atomic_fetch_add(&wrong, 1);
	}
}

/* Reads through a queue, reads that block, and the calls that read trees. */
static void *work(void *arg)
{
	struct bdio_queue_opts opts = {.size = sizeof(opts), .flags = queue_flags, .depth = DEPTH};
	uint8_t *buf = bd_alloc_aligned(4096, DEPTH * 16384);
	struct worker *w = arg;
	struct bdio_counters counters;
	struct bdio_dirent entry;
	struct bdio_dir *dir;
	struct bdio_queue *q;
	unsigned int names = 0;

	if (bdio_queue_create(fs, &opts, &q)) {
		atomic_fetch_add(&wrong, 1);
		free(buf);
		return NULL;
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int k = (unsigned int)rnd(w, SAMPLE_FILES);

		batch(w, q, buf);
		if (!sample_reads(files[k], &sample->file[k], rnd(w, sample->file[k].size + 1),
				  30000, i))
			atomic_fetch_add(&wrong, 1);
		bdio_fs_get_counters(fs, &counters);
	}
	if (bdio_dir_open(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, BDIO_INODE_ROOT}, &dir) == 0) {
		while (bdio_dir_next(dir, &entry) == 1)
			names++;
		bdio_dir_close(dir);
	}
	if (names != SAMPLE_FILES)
		atomic_fetch_add(&wrong, 1);
	bdio_queue_destroy(q);
	free(buf);
	return NULL;
}

static void run(const struct img_opts *img, uint64_t cache_bytes)
{
	struct bdio_open_opts open = {.cache_bytes = cache_bytes};
	struct worker workers[THREADS];

	sample = sample_new(img);
	/* repairs on several threads at once, too */
	if (img->data)
		img_damage(sample->img, sample->file[SAMPLE_PLAIN].logical + 8192, 0);
	CU_ASSERT_EQUAL_FATAL(img_open_opts(sample->img, &open, &fs), 0);
	for (unsigned int i = 0; i < SAMPLE_FILES; i++)
		files[i] = img_open_file(fs, sample->file[i].ino);
	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i].state = i + 1;
		CU_ASSERT_EQUAL_FATAL(pthread_create(&workers[i].id, NULL, work, &workers[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(workers[i].id, NULL);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(!bd_is_pinned(&fs->vol.ls.pins, 0, UINT64_MAX));
	for (unsigned int i = 0; i < SAMPLE_FILES; i++)
		bdio_file_close(files[i]);
	bdio_close(fs);
	sample_free(sample);
}

static void own_queues(void)
{
	queue_flags = 0;
	run(&(struct img_opts){.data = BD_BG_RAID1, .num_devs = 2}, 0);
	queue_flags = BDIO_QUEUE_SINGLE_ISSUER;
	run(&(struct img_opts){0}, 0);
}

/* Everything is evicted while others still use it. */
static void small_cache(void)
{
	queue_flags = BDIO_QUEUE_BLOCKING;
	run(&(struct img_opts){.nodesize = 16384, .data = BD_BG_RAID5, .num_devs = 3}, 1u << 20);
}

static const struct unit_test tests[] = {
	UNIT_TEST(own_queues),
	UNIT_TEST(small_cache),
};
UNIT_MAIN("threads", tests)
