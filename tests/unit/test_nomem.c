/* SPDX-License-Identifier: MIT */
/* tests/unit/test_nomem.c - allocation number N fails, for every N: -ENOMEM, no leak, no damage */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include "fail_alloc.h"
#include "base/mem.h"
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

/* Sanitizers find what leaks and what is used after it was freed; the tests, what is wrong. */
static struct sample *sample;
static uint8_t buf[256 * 1024] __attribute__((aligned(4096)));

/* Everything that may go wrong for lack of memory, and nothing else. */
static bool fine(ssize_t ret)
{
	return ret >= 0 || ret == -ENOMEM;
}

/* Run @job with every single allocation failing once. @job returns what its call returned. */
static void fail_each(ssize_t (*job)(void))
{
	unsigned long n = 0, count;

	do {
		ssize_t ret;

		alloc_watch(++n);
		ret = job();
		count = alloc_unwatch();
		CU_ASSERT(fine(ret));
		if (!fine(ret))
			printf("# allocation %lu: %zd, %s\n", n, ret, bdio_error_get()->site);
		if (ret == -ENOMEM)
			CU_ASSERT_EQUAL(bdio_error_get()->code, -ENOMEM);
	} while (count >= n && n < 5000);
	CU_ASSERT(n > 1);
}

static ssize_t open_and_close(void)
{
	struct bdio_fs *fs;
	int err = img_open(sample->img, BDIO_OPEN_BLOCKING, &fs);

	if (!err)
		bdio_close(fs);
	return err;
}

static void open_fails(void)
{
	sample = sample_new(
		&(struct img_opts){.meta = BD_BG_RAID1, .data = BD_BG_RAID5, .num_devs = 3});
	fail_each(open_and_close);
	sample_free(sample);
}

static struct bdio_fs *fs;
static unsigned int kind;

/* Cold: nothing is cached. The data that comes must be right. */
static ssize_t open_and_read(void)
{
	struct sample_file *f = &sample->file[kind];
	struct bdio_file *file;
	ssize_t ret;

	ret = bdio_file_open(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, f->ino}, &file);
	if (ret)
		return ret;
	ret = bdio_file_read(file, buf, sizeof(buf), 0, 0);
	if (ret > 0)
		CU_ASSERT_EQUAL(memcmp(buf, f->bytes, (size_t)ret), 0);
	/* cut short: then the reason is in the record */
	if (ret >= 0 && (size_t)ret < sample_expect(f, 0, sizeof(buf)))
		ret = bdio_error_get()->code;
	bdio_file_close(file);
	return ret;
}

static void reads_fail(void)
{
	sample = sample_new(&(struct img_opts){.data = BD_BG_DUP});
	/* the first sector of each file comes from the second copy: repairs need memory, too */
	for (kind = 0; kind < SAMPLE_FILES; kind++) {
		if (sample->file[kind].logical && kind != SAMPLE_NOSUM)
			img_damage(sample->img, sample->file[kind].logical, 0);
		CU_ASSERT_EQUAL_FATAL(img_open(sample->img, BDIO_OPEN_BLOCKING, &fs), 0);
		fail_each(open_and_read);
		bdio_close(fs);
	}
	sample_free(sample);
}

static void rebuilds_fail(void)
{
	sample = sample_new(
		&(struct img_opts){.data = BD_BG_RAID6, .meta = BD_BG_RAID6, .num_devs = 4});
	sample->img->dev[2].missing = true;
	kind = SAMPLE_PLAIN;
	CU_ASSERT_EQUAL_FATAL(img_open(sample->img, BDIO_OPEN_DEGRADED | BDIO_OPEN_BLOCKING, &fs),
			      0);
	fail_each(open_and_read);
	bdio_close(fs);
	sample_free(sample);
}

static ssize_t queue_once(void)
{
	struct iovec iov[3] = {{buf, 5000}, {buf + 5000, 1}, {buf + 5001, 60000}};
	struct sample_file *f = &sample->file[SAMPLE_PLAIN];
	struct bdio_completion c;
	struct bdio_queue *q;
	struct bdio_file *file;
	ssize_t ret = bdio_file_open(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, f->ino}, &file);

	if (ret)
		return ret;
	ret = bdio_queue_create(fs, NULL, &q);
	if (ret) {
		bdio_file_close(file);
		return ret;
	}
	ret = bdio_queue_readv(q, file, iov, 3, 77, 0, 9);
	if (!ret) {
		CU_ASSERT_EQUAL(bdio_queue_submit(q), 1);
		CU_ASSERT_EQUAL(bdio_queue_wait(q, &c, 1, 1, -1), 1);
		CU_ASSERT(fine(c.result));
		CU_ASSERT_EQUAL(c.user_data, 9);
		if (c.result > 0)
			CU_ASSERT_EQUAL(memcmp(buf, f->bytes + 77, (size_t)c.result), 0);
	}
	bdio_queue_destroy(q);
	bdio_file_close(file);
	return ret;
}

static void queues_fail(void)
{
	sample = sample_new(&(struct img_opts){0});
	CU_ASSERT_EQUAL_FATAL(img_open(sample->img, BDIO_OPEN_BLOCKING, &fs), 0);
	fail_each(queue_once);
	bdio_close(fs);
	sample_free(sample);
}

static int ignore_path(void *priv, const char *path, size_t len)
{
	(void)priv, (void)path, (void)len;
	return 0;
}

static int ignore_text(void *priv, const char *text, size_t len)
{
	(void)priv, (void)text, (void)len;
	return 0;
}

static ssize_t walk_names(void)
{
	struct bdio_ino root = {BDIO_SUBVOL_TOP, BDIO_INODE_ROOT}, ino;
	struct bdio_subvol subvol;
	struct bdio_dirent entry;
	struct bdio_dir *dir;
	char path[64];
	ssize_t ret = bdio_dir_open(fs, root, &dir);

	if (ret)
		return ret;
	while ((ret = bdio_dir_next(dir, &entry)) == 1)
		;
	bdio_dir_close(dir);
	if (!ret)
		ret = bdio_lookup(fs, root, "plain", 5, 0, &ino);
	if (!ret)
		ret = bdio_paths(fs, ino, ignore_path, NULL);
	if (!ret)
		ret = bdio_xattr_list(fs, ino, NULL, 0);
	if (!ret)
		ret = bdio_subvol_path(fs, BDIO_SUBVOL_TOP, path, sizeof(path));
	if (!ret)
		ret = bdio_subvol_next(fs, 0, &subvol);
	return ret;
}

static ssize_t walk_all(void)
{
	struct bdio_changed_iter *changed;
	struct bdio_used_iter *used;
	struct bdio_changed change;
	struct bdio_used range;
	ssize_t ret = bdio_used_open(fs, 0, &used);

	if (ret)
		return ret;
	while ((ret = bdio_used_next(used, &range)) == 1)
		;
	bdio_used_close(used);
	if (!ret)
		ret = bdio_changed_open(fs, BDIO_SUBVOL_TOP, 0, &changed);
	if (ret)
		return ret;
	while ((ret = bdio_changed_next(changed, &change)) == 1)
		;
	bdio_changed_close(changed);
	return ret ? ret : bdio_dump_all(fs, ignore_text, NULL);
}

static void walks_fail(void)
{
	sample = sample_new(&(struct img_opts){0});
	CU_ASSERT_EQUAL_FATAL(img_open_opts(sample->img,
					    &(struct bdio_open_opts){.flags = BDIO_OPEN_BLOCKING,
								     .cache_bytes = 1u << 20},
					    &fs),
			      0);
	fail_each(walk_names);
	fail_each(walk_all);
	bdio_close(fs);
	sample_free(sample);
}

static const struct unit_test tests[] = {
	UNIT_TEST(open_fails),	UNIT_TEST(reads_fail), UNIT_TEST(rebuilds_fail),
	UNIT_TEST(queues_fail), UNIT_TEST(walks_fail),
};
UNIT_MAIN("nomem", tests)
