/* SPDX-License-Identifier: MIT */
/* tests/unit/test_repair.c - what fails to verify: the same copy again, other copies, exact errors
 */
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include "btrfsdio/btrfsdio.h"
#include "sample.h"

#define SECTOR	4096u
#define SECTORS 64u

/* An image with one file of SECTORS sectors in one extent, read through one queue. */
struct bench {
	struct img *img;
	struct bdio_fs *fs;
	struct bdio_file *file;
	uint64_t logical;
	uint8_t *bytes, *buf;
};

static void bench_init(struct bench *b, const struct img_opts *opts)
{
	size_t size = SECTORS * (opts->sectorsize ? opts->sectorsize : SECTOR);

	b->img = img_new(opts);
	b->bytes = malloc(size);
	b->buf = aligned_alloc(4096, size);
	img_bytes(b->bytes, size, 7);
	img_file(b->img, 257, "file", size, 0);
	b->logical = img_data(b->img, b->bytes, size);
	img_extent(b->img, 257, 0, b->logical, size);
	img_finish(b->img);
	CU_ASSERT_EQUAL_FATAL(img_open(b->img, 0, &b->fs), 0);
	b->file = img_open_file(b->fs, 257);
}

static void bench_fini(struct bench *b)
{
	bdio_file_close(b->file);
	bdio_close(b->fs);
	img_free(b->img);
	free(b->bytes);
	free(b->buf);
}

/* Bytes that came, all of them right; else -errno, or -1 for wrong ones. */
static ssize_t bench_read(struct bench *b, size_t len, uint64_t offset)
{
	ssize_t n;

	memset(b->buf, 0xee, len);
	n = bdio_file_read(b->file, b->buf, len, offset, 0);
	if (n > 0 && memcmp(b->buf, b->bytes + offset, (size_t)n))
		return -1;
	return n;
}

static struct bdio_counters counters(struct bench *b)
{
	struct bdio_counters c;

	bdio_fs_get_counters(b->fs, &c);
	return c;
}

/* True once for each sector. */
static uint64_t injected[SECTORS], inject_base;

static bool inject_once(uint64_t logical)
{
	return !injected[(logical - inject_base) / SECTOR % SECTORS]++;
}

static void first_verification_fails(void)
{
	struct bench b;

	bench_init(&b, &(struct img_opts){0});
	memset(injected, 0, sizeof(injected));
	inject_base = b.logical;
	b.fs->inodes.inject = inject_once;
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), SECTORS * SECTOR);
	CU_ASSERT_EQUAL(counters(&b).bounces, SECTORS);
	/* once more, through a bounce buffer, some sectors only */
	memset(injected, 0, sizeof(injected));
	CU_ASSERT_EQUAL(bench_read(&b, 10 * SECTOR, 5 * SECTOR + 77), 10 * SECTOR);
	b.fs->inodes.inject = NULL;
	CU_ASSERT_EQUAL(counters(&b).bounces, SECTORS + 11);
	CU_ASSERT_EQUAL(counters(&b).csum_errors + counters(&b).mirror_reads, 0);
	bench_fini(&b);
}

/* A tap that spoils what arrives in the caller's own buffer, or fails reads of a place. */
struct spoiler {
	struct bd_tap tap;
	const uint8_t *buf; /* the caller's */
	size_t len;
	uint64_t from, to; /* bytes of the device that cannot be read */
	unsigned int spoiled, failed;
};

static int spoil_before(struct bd_tap *tap, struct bd_io *io, int *res)
{
	struct spoiler *s = tap->priv;

	if (io->offset >= s->to || io->offset + io->len <= s->from)
		return 1;
	s->failed++;
	*res = -EIO;
	return 0;
}

static void spoil_after(struct bd_tap *tap, struct bd_io *io)
{
	struct spoiler *s = tap->priv;
	uint8_t *p = io->buf;

	if (p < s->buf || p >= s->buf + s->len)
		return;
	for (uint32_t i = 100; i < io->len; i += SECTOR, s->spoiled++)
		p[i] ^= 1;
}

static void spoiler_init(struct spoiler *s, struct bench *b)
{
	*s = (struct spoiler){.tap = {.before = spoil_before, .after = spoil_after, .priv = s}};
	img_tap(b->fs, 0, &s->tap);
}

/* The caller changes its buffer while the device writes to it: the data is right all the same. */
static void buffer_changes_during_read(void)
{
	struct spoiler s;
	struct bench b;

	bench_init(&b, &(struct img_opts){0});
	spoiler_init(&s, &b);
	s.buf = b.buf;
	s.len = SECTORS * SECTOR;
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), SECTORS * SECTOR);
	CU_ASSERT_EQUAL(s.spoiled, SECTORS);
	CU_ASSERT_EQUAL(counters(&b).bounces, SECTORS);
	CU_ASSERT_EQUAL(counters(&b).csum_errors, 0);
	bench_fini(&b);
}

#ifdef __SANITIZE_THREAD__
static void another_thread_scribbles(void)
{
	unit_skip("the race is what is tested");
}
#else
static atomic_bool scribbling;

static void *scribble(void *arg)
{
	volatile uint8_t *p = arg;

	for (size_t i = 0; scribbling; i = (i + 61) % (SECTORS * SECTOR))
		p[i]++;
	return NULL;
}

static void another_thread_scribbles(void)
{
	pthread_t thread;
	struct bench b;

	bench_init(&b, &(struct img_opts){.data = BD_BG_DUP});
	scribbling = true;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, scribble, b.buf), 0);
	for (unsigned int i = 0; i < 200; i++)
		CU_ASSERT_EQUAL(bdio_file_read(b.file, b.buf, SECTORS * SECTOR, 0, 0),
				SECTORS * SECTOR);
	scribbling = false;
	pthread_join(thread, NULL);
	CU_ASSERT_EQUAL(counters(&b).csum_errors + counters(&b).mirror_reads, 0);
	bench_fini(&b);
}
#endif

static void other_copy_after_bad_data(void)
{
	static const uint64_t profiles[] = {BD_BG_DUP, BD_BG_RAID1, BD_BG_RAID1C3, BD_BG_RAID1C4};

	for (unsigned int i = 0; i < 4; i++) {
		struct bench b;
		unsigned int copies = i ? i + 1 : 2;

		bench_init(&b, &(struct img_opts){.data = profiles[i], .num_devs = i ? copies : 1});
		/* one sector after the other has one good copy left, each time another one */
		for (unsigned int s = 0; s < 8; s++) {
			for (unsigned int c = 0; c < copies; c++)
				if (c != s % copies)
					img_damage(b.img, b.logical + s * SECTOR + 9, c);
		}
		CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), SECTORS * SECTOR);
		CU_ASSERT(counters(&b).csum_errors >= 4);
		CU_ASSERT(counters(&b).mirror_reads >= 1);
		CU_ASSERT_EQUAL(counters(&b).bounces, 0);
		CU_ASSERT_EQUAL(bench_read(&b, 20000, 333), 20000);
		bench_fini(&b);
	}
}

static void other_copy_after_read_error(void)
{
	struct spoiler s;
	struct bench b;

	bench_init(&b, &(struct img_opts){.data = BD_BG_DUP});
	spoiler_init(&s, &b);
	s.from = (uint64_t)(img_at(b.img, b.logical, 0) - b.img->dev[0].mem);
	s.to = s.from + 1;
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), SECTORS * SECTOR);
	CU_ASSERT_EQUAL(s.failed, 1); /* no use in trying it again */
	CU_ASSERT_EQUAL(counters(&b).read_errors, 1);
	CU_ASSERT_EQUAL(counters(&b).mirror_reads, 1);
	CU_ASSERT_EQUAL(counters(&b).csum_errors, 0);
	bench_fini(&b);
}

/* What the record says of one bad sector of the file, against what is known of copy 0. */
static void check_record(struct bench *b, const struct bdio_error *e, uint64_t sector)
{
	uint64_t logical = b->logical + sector * SECTOR;
	uint8_t *mem = img_at(b->img, logical, 0), csum[32];
	uint32_t all = BDIO_ERROR_LOGICAL | BDIO_ERROR_DEVICE | BDIO_ERROR_INODE | BDIO_ERROR_FILE |
		       BDIO_ERROR_CSUM;

	CU_ASSERT_EQUAL(e->code, -EIO);
	CU_ASSERT_EQUAL(e->has, all);
	CU_ASSERT_EQUAL(e->subvol, BDIO_SUBVOL_TOP);
	CU_ASSERT_EQUAL(e->inode, 257);
	CU_ASSERT_EQUAL(e->file_offset, sector * SECTOR);
	CU_ASSERT_EQUAL(e->file_length, SECTOR);
	CU_ASSERT_EQUAL(e->logical, logical);
	CU_ASSERT_EQUAL(e->logical_length, SECTOR);
	CU_ASSERT_EQUAL(e->devid, 1);
	CU_ASSERT_EQUAL(e->physical, (uint64_t)(mem - b->img->dev[0].mem));
	CU_ASSERT_EQUAL(e->csum_size, 4);
	bdio_csum_compute(b->fs, b->bytes + sector * SECTOR, SECTOR, csum);
	CU_ASSERT_EQUAL(memcmp(e->csum_expected, csum, 4), 0);
	bdio_csum_compute(b->fs, mem, SECTOR, csum);
	CU_ASSERT_EQUAL(memcmp(e->csum_found, csum, 4), 0);
}

static void exactly_the_bad_sectors(void)
{
	static const uint64_t bad[] = {3, 7, 8, 63};
	struct bench b;

	bench_init(&b, &(struct img_opts){.data = BD_BG_DUP});
	for (unsigned int i = 0; i < 4; i++) {
		img_damage(b.img, b.logical + bad[i] * SECTOR + 1, 0);
		img_damage(b.img, b.logical + bad[i] * SECTOR + 4000, 1);
	}
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), 3 * SECTOR);
	check_record(&b, bdio_error_get(), 3);
	CU_ASSERT_EQUAL(bench_read(&b, SECTOR, 3 * SECTOR), -EIO);
	check_record(&b, bdio_error_get(), 3);
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 4 * SECTOR), 3 * SECTOR);
	CU_ASSERT_EQUAL(bdio_error_get()->file_offset, 7 * SECTOR);
	CU_ASSERT_EQUAL(bdio_error_get()->file_length, 2 * SECTOR);
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 9 * SECTOR), 54 * SECTOR);
	check_record(&b, bdio_error_get(), 63);
	/* only the bytes that were asked for count */
	CU_ASSERT_EQUAL(bench_read(&b, 100, 3 * SECTOR + 50), -EIO);
	CU_ASSERT_EQUAL(bdio_error_get()->file_offset, 3 * SECTOR + 50);
	CU_ASSERT_EQUAL(bdio_error_get()->file_length, 100);
	CU_ASSERT_EQUAL(bench_read(&b, 3 * SECTOR, 0), 3 * SECTOR);
	bench_fini(&b);
}

/* One of two bad sectors can be had from the other copy: the record is about the other one. */
static void record_is_of_the_lost_sector(void)
{
	struct bench b;

	bench_init(&b, &(struct img_opts){.data = BD_BG_DUP});
	img_damage(b.img, b.logical + 2 * SECTOR, 0);
	img_damage(b.img, b.logical + 5 * SECTOR, 0);
	img_damage(b.img, b.logical + 5 * SECTOR + 8, 1);
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), 5 * SECTOR);
	check_record(&b, bdio_error_get(), 5);
	bench_fini(&b);
}

static void missing_checksum(void)
{
	struct sample *s = sample_new(&(struct img_opts){0});
	struct sample_file *f = &s->file[SAMPLE_NOSUM];
	struct bdio_file *file;
	struct bdio_fs *fs;
	uint8_t buf[SECTOR];

	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	file = img_open_file(fs, f->ino);
	file->inode.item.flags = 0; /* as if the checksums had been lost */
	CU_ASSERT_EQUAL(bdio_file_read(file, buf, SECTOR, 0, 0), -EIO);
	CU_ASSERT_STRING_EQUAL(bdio_error_get()->site, "DATA_NO_CSUM");
	CU_ASSERT_EQUAL(bdio_file_read(file, buf, SECTOR, 0, BDIO_READ_NO_VERIFY), SECTOR);
	CU_ASSERT_EQUAL(memcmp(buf, f->bytes, SECTOR), 0);
	bdio_file_close(file);
	bdio_close(fs);
	sample_free(s);
}

/* Damage anywhere in a compressed extent loses all that refers to it, and names that range. */
static void bad_compressed_extent(void)
{
	struct sample *s = sample_new(&(struct img_opts){.data = BD_BG_DUP});
	struct sample_file *f = &s->file[SAMPLE_ZLIB];
	struct bdio_file *file;
	struct bdio_fs *fs;
	uint8_t buf[SECTOR];

	img_damage(s->img, f->logical + 200, 0);
	CU_ASSERT_EQUAL_FATAL(img_open(s->img, 0, &fs), 0);
	file = img_open_file(fs, f->ino);
	CU_ASSERT(sample_reads(file, f, 0, f->size, 0));
	img_damage(s->img, f->logical + 300, 1);
	CU_ASSERT_EQUAL(bdio_file_read(file, buf, SECTOR, 100000, 0), -EIO);
	CU_ASSERT_EQUAL(bdio_error_get()->file_offset, 100000);
	CU_ASSERT_EQUAL(bdio_error_get()->logical, f->logical);
	CU_ASSERT(bdio_error_get()->has & BDIO_ERROR_CSUM);
	CU_ASSERT(sample_reads(file, f, 128 * 1024, 5000, 0));
	bdio_file_close(file);
	bdio_close(fs);
	sample_free(s);
}

/* A device limit that is no multiple of the sector: no part of a sector goes unverified. */
static void odd_device_limits(void)
{
	static const uint32_t limits[] = {252 * 1024, 20 * 1024, 4096};

	for (unsigned int i = 0; i < 3; i++) {
		struct bench b;
		size_t size = SECTORS * 16384;

		bench_init(&b, &(struct img_opts){.data = BD_BG_DUP, .sectorsize = 16384});
		b.fs->vol.ls.members[0]->dev->max_io = limits[i];
		for (uint64_t at = 0; at < size; at += 16384)
			img_damage(b.img, b.logical + at + 16383, 0);
		CU_ASSERT_EQUAL(bench_read(&b, size, 0), (ssize_t)size);
		CU_ASSERT_EQUAL(counters(&b).csum_errors, SECTORS);
		bench_fini(&b);
	}
}

/* A device that refuses each range with one sector in it: that sector alone is lost. */
static void exactly_the_unreadable_sector(void)
{
	struct spoiler s;
	struct bench b;

	bench_init(&b, &(struct img_opts){0});
	spoiler_init(&s, &b);
	s.from = (uint64_t)(img_at(b.img, b.logical + 5 * SECTOR, 0) - b.img->dev[0].mem);
	s.to = s.from + 1;
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), 5 * SECTOR);
	CU_ASSERT_EQUAL(bdio_error_get()->file_offset, 5 * SECTOR);
	CU_ASSERT_EQUAL(bdio_error_get()->file_length, SECTOR);
	CU_ASSERT_EQUAL(bdio_error_get()->logical, b.logical + 5 * SECTOR);
	CU_ASSERT_EQUAL(bdio_error_get()->physical, s.from);
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR - 6 * SECTOR, 6 * SECTOR),
			SECTORS * SECTOR - 6 * SECTOR);
	bench_fini(&b);
}

/* Two copies, each with another unreadable sector: together they have everything. */
static void unreadable_sectors_of_two_copies(void)
{
	struct spoiler s;
	struct bench b;

	bench_init(&b, &(struct img_opts){.data = BD_BG_DUP});
	spoiler_init(&s, &b);
	s.from = (uint64_t)(img_at(b.img, b.logical + 5 * SECTOR, 0) - b.img->dev[0].mem);
	s.to = s.from + 1;
	img_damage(b.img, b.logical + 9 * SECTOR, 1);
	CU_ASSERT_EQUAL(bench_read(&b, SECTORS * SECTOR, 0), SECTORS * SECTOR);
	bench_fini(&b);
}

static const struct unit_test tests[] = {
	UNIT_TEST(first_verification_fails),	  UNIT_TEST(buffer_changes_during_read),
	UNIT_TEST(another_thread_scribbles),	  UNIT_TEST(other_copy_after_bad_data),
	UNIT_TEST(other_copy_after_read_error),	  UNIT_TEST(exactly_the_bad_sectors),
	UNIT_TEST(record_is_of_the_lost_sector),  UNIT_TEST(missing_checksum),
	UNIT_TEST(bad_compressed_extent),	  UNIT_TEST(odd_device_limits),
	UNIT_TEST(exactly_the_unreadable_sector), UNIT_TEST(unreadable_sectors_of_two_copies),
};
UNIT_MAIN("repair", tests)
