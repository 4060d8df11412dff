/* SPDX-License-Identifier: MIT */
/* tests/unit/test_degraded.c - missing, stale and failing devices; errors at every device read */
#include "unit.h"

#include <errno.h>
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

static const struct setting {
	uint64_t flag;
	unsigned int devs, tolerated;
} settings[] = {
	{BD_BG_RAID1, 2, 1}, {BD_BG_RAID1C3, 3, 2}, {BD_BG_RAID1C4, 4, 3}, {BD_BG_RAID10, 4, 1},
	{BD_BG_RAID5, 2, 1}, {BD_BG_RAID5, 3, 1},   {BD_BG_RAID5, 4, 1},   {BD_BG_RAID6, 3, 2},
	{BD_BG_RAID6, 4, 2}, {BD_BG_RAID6, 5, 2},
};
#define NUM_SETTINGS (sizeof(settings) / sizeof(settings[0]))

static struct sample *make(const struct setting *s)
{
	return sample_new(
		&(struct img_opts){.meta = s->flag, .data = s->flag, .num_devs = s->devs});
}

static bool all_files_are_right(struct bdio_fs *fs, const struct sample *s)
{
	bool good = true;

	for (unsigned int i = 0; i < SAMPLE_FILES; i++) {
		struct bdio_file *file = img_open_file(fs, s->file[i].ino);

		good &= sample_reads(file, &s->file[i], 0, 160 * 1024, 0);
		good &= sample_reads(file, &s->file[i], 5000, 30000, 3);
		bdio_file_close(file);
	}
	return good;
}

static void lose(struct img *img, unsigned int set)
{
	for (unsigned int i = 0; i < img->opts.num_devs; i++)
		img->dev[i].missing = set >> i & 1;
}

static void every_set_of_missing_devices(void)
{
	for (size_t n = 0; n < NUM_SETTINGS; n++) {
		struct sample *s = make(&settings[n]);
		struct bdio_fs_info info;
		struct bdio_fs *fs;

		for (unsigned int set = 1; set < (1u << settings[n].devs) - 1; set++) {
			unsigned int missing = (unsigned int)__builtin_popcount(set);

			if (missing > settings[n].tolerated)
				continue;
			lose(s->img, set);
			CU_ASSERT_EQUAL(img_open(s->img, BDIO_OPEN_BLOCKING, &fs), -ENXIO);
			CU_ASSERT_EQUAL_FATAL(
				img_open(s->img, BDIO_OPEN_DEGRADED | BDIO_OPEN_BLOCKING, &fs), 0);
			bdio_fs_get_info(fs, &info);
			CU_ASSERT_EQUAL(info.missing_devices, missing);
			CU_ASSERT(all_files_are_right(fs, s));
			bdio_close(fs);
		}
		sample_free(s);
	}
}

/* More than the profile survives: an error, never other bytes. */
static void too_many_missing(void)
{
	for (size_t n = 0; n < NUM_SETTINGS; n++) {
		struct sample *s = sample_new(&(struct img_opts){.meta = BD_BG_RAID1,
								 .data = settings[n].flag,
								 .num_devs = settings[n].devs});
		/* raid10 survives two when they are not a pair */
		unsigned int lost =
			settings[n].flag == BD_BG_RAID10 ? 3 : settings[n].tolerated + 1;
		unsigned int bad = 0;
		struct sample_file *f = &s->file[SAMPLE_FRAGMENTS];
		struct bdio_file *file;
		struct bdio_fs *fs;
		uint8_t buf[4096];

		/* metadata lies on the first two devices: keep one */
		lose(s->img, ((1u << lost) - 1) << 1 & ((1u << settings[n].devs) - 1));
		if (lost >= settings[n].devs || img_open(s->img, BDIO_OPEN_DEGRADED, &fs)) {
			sample_free(s);
			continue;
		}
		file = img_open_file(fs, f->ino);
		for (uint64_t at = 0; at < f->size; at += 4096) {
			ssize_t got = bdio_file_read(file, buf, 4096, at, 0);

			CU_ASSERT(got == -EIO || got == 4096);
			CU_ASSERT(got < 0 || !memcmp(buf, f->bytes + at, 4096));
			bad += got < 0;
		}
		CU_ASSERT(bad > 0);
		bdio_file_close(file);
		bdio_close(fs);
		sample_free(s);
	}
}

/* One sector damaged on each device in turn, on top of a missing one. */
static void damage_on_top_of_missing(void)
{
	struct sample *s = make(&(struct setting){BD_BG_RAID6, 5, 2});
	struct sample_file *f = &s->file[SAMPLE_PLAIN];
	struct bdio_fs *fs;

	for (uint64_t at = 0; at < 100; at += 20)
		img_damage(s->img, f->logical + at * 4096 + 5, 0);
	for (unsigned int i = 0; i < 5; i++) {
		lose(s->img, 1u << i);
		CU_ASSERT_EQUAL_FATAL(
			img_open(s->img, BDIO_OPEN_DEGRADED | BDIO_OPEN_BLOCKING, &fs), 0);
		CU_ASSERT(all_files_are_right(fs, s));
		bdio_close(fs);
	}
	sample_free(s);
}

/* A device that missed the last transactions: its checksummed data is tried, other data never. */
static void stale_devices(void)
{
	static const struct setting profiles[] = {{BD_BG_RAID1, 2, 1}, {BD_BG_RAID5, 3, 1}};

	for (unsigned int p = 0; p < 2; p++) {
		struct sample *s = make(&profiles[p]);
		struct sample_file *f = &s->file[SAMPLE_NOSUM];
		struct bdio_fs_info info;
		struct bdio_file *file;
		struct bdio_fs *fs;
		uint8_t buf[4096];
		unsigned int last = profiles[p].devs - 1;

		s->img->dev[last].generation = IMG_GENERATION - 2;
		img_write_supers(s->img);
		for (uint64_t at = 0; at < f->size; at += 4096) {
			unsigned int copies = s->img->data.copies;

			for (unsigned int c = 0; c < copies; c++) {
				if (img_dev_of(s->img, f->logical + at, c) == last)
					img_damage(s->img, f->logical + at, c);
			}
		}
		CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
		bdio_fs_get_info(fs, &info);
		CU_ASSERT(info.super_remarks & BDIO_SUPER_DEVICE_STALE);
		file = img_open_file(fs, f->ino);
		for (uint64_t at = 0; at < f->size; at += 4096) {
			ssize_t got = bdio_file_read(file, buf, 4096, at, 0);

			CU_ASSERT(got == 4096 || (p == 1 && got == -EIO));
			CU_ASSERT(got < 0 || !memcmp(buf, f->bytes + at, 4096));
		}
		bdio_file_close(file);
		bdio_close(fs);
		/* with the others gone nothing of it can be told */
		lose(s->img, 1);
		if (p == 0 && !img_open(s->img, BDIO_OPEN_DEGRADED, &fs)) {
			file = img_open_file(fs, f->ino);
			CU_ASSERT_EQUAL(bdio_file_read(file, buf, 4096, 0, 0), -EIO);
			CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "DATA_STALE");
			bdio_file_close(file);
			bdio_close(fs);
		}
		sample_free(s);
	}
}

#define WALK_BYTES (80u * 1024) /* of each file */

/* Open and read every file: an error, or the right bytes. Returns device reads; *errors grows. */
static unsigned int walk(struct sample *s, unsigned int *errors)
{
	struct bdio_fs *fs;
	uint8_t *buf = malloc(WALK_BYTES);

	s->img->reads = 0;
	if (img_open(s->img, BDIO_OPEN_BLOCKING, &fs)) {
		++*errors;
		free(buf);
		return s->img->reads;
	}
	for (unsigned int i = 0; i < SAMPLE_FILES; i++) {
		struct sample_file *f = &s->file[i];
		struct bdio_file *file;
		size_t len = f->size < WALK_BYTES ? f->size : WALK_BYTES;
		ssize_t got;

		if (bdio_file_open(fs, (struct bdio_ino){BDIO_SUBVOL_TOP, f->ino}, &file)) {
			CU_ASSERT_NOT_EQUAL(bdio_error_get()->code, 0);
			++*errors;
			continue;
		}
		got = bdio_file_read(file, buf, len, 0, 0);
		CU_ASSERT(got <= (ssize_t)len);
		*errors += got < (ssize_t)len;
		if (got > 0)
			CU_ASSERT_EQUAL(memcmp(buf, f->bytes, (size_t)got), 0);
		bdio_file_close(file);
	}
	bdio_close(fs);
	free(buf);
	return s->img->reads;
}

/* The N-th read fails, for every N; then it and all behind it. */
static void error_at_every_read(void)
{
	static const struct img_opts opts[] = {
		{0},
		{.meta = BD_BG_DUP, .data = BD_BG_DUP},
		{.meta = BD_BG_RAID5, .data = BD_BG_RAID6, .num_devs = 4},
	};

	for (unsigned int o = 0; o < 3; o++) {
		struct sample *s = sample_new(&opts[o]);
		unsigned int errors = 0, total = walk(s, &errors),
			     supers = 2 * s->img->opts.num_devs;

		CU_ASSERT_EQUAL(errors, 0);
		for (unsigned int all = 0; all < 2; all++) {
			s->img->fail_all = all;
			for (unsigned int n = 1; n <= total; n += n < 60 ? 1 : 41) {
				errors = 0;
				s->img->fail_at = n;
				walk(s, &errors);
				/* one copy that fails is no error, but for superblocks */
				CU_ASSERT(o == 0 || all || n <= supers || errors == 0);
				CU_ASSERT(!all || errors > 0);
			}
		}
		sample_free(s);
	}
}

static const struct unit_test tests[] = {
	UNIT_TEST(every_set_of_missing_devices), UNIT_TEST(too_many_missing),
	UNIT_TEST(damage_on_top_of_missing),	 UNIT_TEST(stale_devices),
	UNIT_TEST(error_at_every_read),
};
UNIT_MAIN("degraded", tests)
