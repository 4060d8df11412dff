/* SPDX-License-Identifier: MIT */
/* tests/unit/test_read.c - file data: every kind of extent, any alignment, holes, seeks */
#include "unit.h"

#include "base/math.h"
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

static uint64_t state = 42;

static uint64_t rnd(uint64_t below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % below;
}

/* Random offsets, lengths and alignments, half of them round ones. */
static unsigned int bad_reads(struct bdio_fs *fs, const struct sample_file *want, unsigned int n)
{
	struct bdio_file *file = img_open_file(fs, want->ino);
	unsigned int bad = bdio_file_size(file) != want->size;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t offset = rnd(want->size + 5000);
		size_t len = rnd(i % 4 ? 20000 : 700000);
		unsigned int skew = (unsigned int)rnd(4096);

		if (i % 2) {
			offset = bd_align_down(offset, 4096);
			skew = i % 3 ? 0 : 512;
			len = bd_align_up(len, i % 5 ? 4096 : 512);
		}
		bad += !sample_reads(file, want, offset, len, skew);
	}
	bdio_file_close(file);
	return bad;
}

static void check_image(const struct img_opts *opts, uint64_t flags, unsigned int n)
{
	struct sample *s = sample_new(opts);
	struct bdio_counters counters;
	struct bdio_fs *fs;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, flags, &fs), 0);
	for (unsigned int i = 0; i < SAMPLE_FILES; i++)
		CU_ASSERT_EQUAL(bad_reads(fs, &s->file[i], n), 0);
	bdio_fs_get_counters(fs, &counters);
	CU_ASSERT_EQUAL(counters.csum_errors + counters.bounces + counters.read_errors +
				counters.mirror_reads + counters.metadata_errors,
			0);
	CU_ASSERT(counters.verified_bytes > 0);
	bdio_close(fs);
	CU_ASSERT_EQUAL(s->img->dev[0].closes, 1);
	sample_free(s);
}

static void random_ranges(void)
{
	check_image(&(struct img_opts){.nodesize = 4096}, 0, 60);
	check_image(&(struct img_opts){.nodesize = 16384}, BDIO_OPEN_BLOCKING, 30);
}

static void all_checksums(void)
{
	for (unsigned int type = 0; type < BD_CSUM_TYPES; type++)
		check_image(&(struct img_opts){.csum_type = type}, 0, 4);
}

static void all_sector_sizes(void)
{
	for (uint32_t size = 8192; size <= 65536; size *= 2)
		check_image(&(struct img_opts){.sectorsize = size, .data_bytes = 40u << 20}, 0, 8);
}

static void all_profiles(void)
{
	static const struct {
		uint64_t flag;
		unsigned int devs;
	} profiles[] = {
		{BD_BG_DUP, 1},	    {BD_BG_RAID0, 1},	{BD_BG_RAID0, 3},  {BD_BG_RAID1, 2},
		{BD_BG_RAID1C3, 3}, {BD_BG_RAID1C4, 4}, {BD_BG_RAID10, 4}, {BD_BG_RAID10, 6},
		{BD_BG_RAID5, 2},   {BD_BG_RAID5, 4},	{BD_BG_RAID6, 3},  {BD_BG_RAID6, 5},
	};

	for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++)
		check_image(&(struct img_opts){.meta = profiles[i].flag,
					       .data = profiles[i].flag,
					       .num_devs = profiles[i].devs},
			    0, 3);
}

/* A whole file in one call, larger than what is in flight at once. */
static void whole_files(void)
{
	struct sample *s = sample_new(&(struct img_opts){.data = BD_BG_RAID0, .num_devs = 2});
	struct bdio_fs *fs;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	for (unsigned int i = 0; i < SAMPLE_FILES; i++) {
		struct bdio_file *file = img_open_file(fs, s->file[i].ino);

		CU_ASSERT(sample_reads(file, &s->file[i], 0, s->file[i].size, 0));
		CU_ASSERT(sample_reads(file, &s->file[i], 0, s->file[i].size + 9999, 1));
		CU_ASSERT(sample_reads(file, &s->file[i], s->file[i].size, 10, 0));
		bdio_file_close(file);
	}
	bdio_close(fs);
	sample_free(s);
}

struct span {
	uint64_t start, end; /* in sectors */
	uint32_t type;
};

/* What add_holes() of sample.c makes, sector by sector. */
static const struct span spans[] = {
	{0, 2, BDIO_EXTENT_HOLE},   {2, 4, BDIO_EXTENT_DATA},	    {4, 7, BDIO_EXTENT_HOLE},
	{7, 10, BDIO_EXTENT_HOLE},  {10, 14, BDIO_EXTENT_PREALLOC}, {14, 16, BDIO_EXTENT_DATA},
	{16, 41, BDIO_EXTENT_HOLE},
};

static void extents_are_listed(void)
{
	struct sample *s = sample_new(&(struct img_opts){0});
	struct bdio_extent_iter *iter;
	struct bdio_extent e;
	struct bdio_fs *fs;
	struct bdio_file *file;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	file = img_open_file(fs, s->file[SAMPLE_HOLES].ino);
	CU_ASSERT_EQUAL_FATAL(bdio_extent_iter_open(file, 0, &iter), 0);
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(bdio_extent_iter_next(iter, &e), 1);
		CU_ASSERT_EQUAL(e.file_offset, spans[i].start * 4096);
		CU_ASSERT_EQUAL(e.length, (spans[i].end - spans[i].start) * 4096);
		CU_ASSERT_EQUAL(e.type, spans[i].type);
	}
	CU_ASSERT_EQUAL(bdio_extent_iter_next(iter, &e), 0);
	CU_ASSERT_EQUAL(bdio_extent_iter_next(iter, &e), 0);
	bdio_extent_iter_close(iter);

	/* from the middle of the bookend */
	CU_ASSERT_EQUAL_FATAL(bdio_extent_iter_open(file, 15 * 4096 + 7, &iter), 0);
	CU_ASSERT_EQUAL_FATAL(bdio_extent_iter_next(iter, &e), 1);
	CU_ASSERT_EQUAL(e.file_offset, 15 * 4096);
	CU_ASSERT_EQUAL(e.extent_offset, 5 * 4096);
	CU_ASSERT_EQUAL(e.disk_length, 9 * 4096);
	bdio_extent_iter_close(iter);
	bdio_file_close(file);
	bdio_close(fs);
	sample_free(s);
}

static uint64_t sought(struct bdio_file *file, uint64_t offset, int whence)
{
	uint64_t out = 12345;

	return bdio_file_seek(file, offset, whence, &out) ? UINT64_MAX : out;
}

static void seeks(void)
{
	struct sample *s = sample_new(&(struct img_opts){0});
	struct bdio_fs *fs;
	struct bdio_file *file;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	file = img_open_file(fs, s->file[SAMPLE_HOLES].ino);
	CU_ASSERT_EQUAL(sought(file, 0, BDIO_SEEK_DATA), 2 * 4096);
	CU_ASSERT_EQUAL(sought(file, 2 * 4096 + 1, BDIO_SEEK_DATA), 2 * 4096 + 1);
	CU_ASSERT_EQUAL(sought(file, 4 * 4096, BDIO_SEEK_DATA), 14 * 4096);
	CU_ASSERT_EQUAL(sought(file, 16 * 4096, BDIO_SEEK_DATA), UINT64_MAX);
	CU_ASSERT_EQUAL(sought(file, 0, BDIO_SEEK_HOLE), 0);
	CU_ASSERT_EQUAL(sought(file, 2 * 4096, BDIO_SEEK_HOLE), 4 * 4096);
	CU_ASSERT_EQUAL(sought(file, 11 * 4096, BDIO_SEEK_HOLE), 11 * 4096);
	CU_ASSERT_EQUAL(sought(file, 40 * 4096 + 99, BDIO_SEEK_HOLE), 40 * 4096 + 99);
	CU_ASSERT_EQUAL(sought(file, 40 * 4096 + 100, BDIO_SEEK_HOLE), UINT64_MAX);
	bdio_file_close(file);

	file = img_open_file(fs, s->file[SAMPLE_PLAIN].ino);
	CU_ASSERT_EQUAL(sought(file, 5, BDIO_SEEK_DATA), 5);
	CU_ASSERT_EQUAL(sought(file, 5, BDIO_SEEK_HOLE), s->file[SAMPLE_PLAIN].size);
	bdio_file_close(file);
	bdio_close(fs);
	sample_free(s);
}

static void stored_checksums(void)
{
	struct sample *s = sample_new(&(struct img_opts){.csum_type = BD_CSUM_SHA256});
	const struct sample_file *f = &s->file[SAMPLE_PLAIN];
	uint8_t csums[70 * 32], present[70], own[32];
	struct bdio_fs *fs;

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	/* the first extent's sector, then those of the next ones: they lie behind each other */
	CU_ASSERT_EQUAL(bdio_csum_get(fs, f->logical, 70, csums, present), 70);
	for (unsigned int i = 0; i < 70; i++) {
		bdio_csum_compute(fs, f->bytes + i * 4096, 4096, own);
		CU_ASSERT_EQUAL(memcmp(own, csums + 32 * i, 32), 0);
		CU_ASSERT_EQUAL(present[i], 1);
	}
	CU_ASSERT_EQUAL(bdio_csum_get(fs, s->file[SAMPLE_NOSUM].logical, 20, csums, present), 0);
	CU_ASSERT_EQUAL(present[0] | present[19], 0);
	CU_ASSERT_EQUAL(bdio_csum_get(fs, f->logical + 1, 1, csums, present), -EINVAL);
	bdio_close(fs);
	sample_free(s);
}

static const struct unit_test tests[] = {
	UNIT_TEST(random_ranges), UNIT_TEST(all_checksums),    UNIT_TEST(all_sector_sizes),
	UNIT_TEST(all_profiles),  UNIT_TEST(whole_files),      UNIT_TEST(extents_are_listed),
	UNIT_TEST(seeks),	  UNIT_TEST(stored_checksums),
};
UNIT_MAIN("read", tests)
