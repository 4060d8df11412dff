/* SPDX-License-Identifier: MIT */
/* tests/unit/test_lzo_extent.c - how btrfs puts LZO1X segments into an extent */
#include "codec/codec.h"
#include "base/err.h"
#include "unit.h"

#include <stdbool.h>

#define EXTENT_MAX (128 * 1024)
#define SECTOR	   4096u
#define END_MARK   "\x11\0\0"

struct extent {
	uint8_t data[3 * EXTENT_MAX];
	size_t len;
};

static uint8_t plain[2 * EXTENT_MAX];

static void put_le32(uint8_t *p, size_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void extent_begin(struct extent *e)
{
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (uint8_t)(i * 7 + i / 251);
	put_le32(e->data, 4);
	e->len = 4;
}

static void add_raw(struct extent *e, const void *data, size_t len)
{
	put_le32(e->data + e->len, len);
	memcpy(e->data + e->len + 4, data, len);
	e->len += 4 + len;
	put_le32(e->data, e->len);
}

/* A length that would straddle a sector boundary moves behind it; the gap is not zeros here. */
static void add_gap(struct extent *e, size_t sectorsize)
{
	size_t gap = sectorsize - e->len % sectorsize;

	if (gap >= 4)
		return;
	memset(e->data + e->len, 0xee, gap);
	e->len += gap;
}

/* Without matches, so that the packed length is known: len + 5 and one for each whole 255. */
static void add_plain(struct extent *e, const uint8_t *src, size_t len)
{
	static uint8_t packed[2 * EXTENT_MAX + 2000];
	size_t run = len - 18, n = 1;

	packed[0] = 0;
	for (; run > 255; run -= 255)
		packed[n++] = 0;
	packed[n++] = (uint8_t)run;
	memcpy(packed + n, src, len);
	memcpy(packed + n + len, END_MARK, 3);
	add_raw(e, packed, n + len + 3);
}

static void add_sectors(struct extent *e, size_t len, size_t sectorsize)
{
	for (size_t i = 0; i < len; i += sectorsize) {
		add_gap(e, sectorsize);
		add_plain(e, plain + i, len - i < sectorsize ? len - i : sectorsize);
	}
}

static int run(const struct extent *e, unsigned int sectorsize, bool inlined, uint8_t *out,
	       size_t want, size_t *got)
{
	struct bd_codec_ctx *ctx;
	uint8_t *src = malloc(e->len), *dst = malloc(want);

	CU_ASSERT_EQUAL_FATAL(bd_codec_ctx_new(&ctx), 0);
	memcpy(src, e->data, e->len);
	memset(dst, 0xcc, want);
	struct bd_codec_job job = {.codec = BD_CODEC_LZO,
				   .inlined = inlined,
				   .sectorsize = sectorsize,
				   .src = src,
				   .src_len = e->len,
				   .dst = dst,
				   .dst_len = want};
	int err = bd_decompress(ctx, &job);

	*got = job.out_len;

	memcpy(out, dst, want);
	free(src);
	free(dst);
	bd_codec_ctx_free(ctx);
	return err;
}

static void check(const struct extent *e, unsigned int sectorsize, bool inlined, size_t len,
		  size_t want)
{
	static uint8_t out[2 * EXTENT_MAX];
	size_t got = 0, holds = want < len ? want : len;

	CU_ASSERT_EQUAL(run(e, sectorsize, inlined, out, want, &got), 0);
	CU_ASSERT_EQUAL(got, holds);
	CU_ASSERT_EQUAL(memcmp(out, plain, holds), 0);
	for (size_t i = holds; i < want; i++)
		CU_ASSERT_EQUAL_FATAL(out[i], 0);
}

static void check_fails(const struct extent *e, bool inlined, size_t want, const char *site)
{
	static uint8_t out[2 * EXTENT_MAX];
	size_t got;

	bd_err_clear();
	CU_ASSERT_EQUAL(run(e, SECTOR, inlined, out, want, &got), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(bd_err_self()->site ?: "", site);
}

static void sizes_and_sectors(void)
{
	static const size_t lens[] = {20, 300, 4095, 4096, 4128, 8191, 65536 + 40, EXTENT_MAX};
	static struct extent e;

	for (unsigned int sectorsize = 4096; sectorsize <= 65536; sectorsize *= 2) {
		for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
			size_t len = lens[i],
			       wants[] = {1,	      len / 2, len - 1, len, len + 5000,   4095,
					  sectorsize, 4097,    4096,	0,   len - len / 7};

			extent_begin(&e);
			add_sectors(&e, len, sectorsize);
			for (size_t w = 0; w < sizeof(wants) / sizeof(wants[0]); w++)
				check(&e, sectorsize, true, len, wants[w]);
			memset(e.data + e.len, 0x5a, sectorsize);
			e.len += sectorsize - e.len % sectorsize;
			for (size_t w = 0; w < sizeof(wants) / sizeof(wants[0]); w++)
				check(&e, sectorsize, false, len, wants[w]);
		}
	}
}

/* The first segment ends 0..10 bytes before a sector boundary; a short one is no end. */
static void lengths_never_straddle(void)
{
	static struct extent e;

	for (size_t before = 0; before <= 10; before++) {
		size_t first = SECTOR - 28 - before;

		extent_begin(&e);
		add_plain(&e, plain, first);
		CU_ASSERT_EQUAL(e.len, SECTOR - before);
		add_gap(&e, SECTOR);
		CU_ASSERT_EQUAL(e.len, before < 4 ? SECTOR : SECTOR - before);
		add_plain(&e, plain + first, 500);
		check(&e, SECTOR, false, first + 500, first + 500);
	}
}

/* The kernel counts the gap behind the last segment into the total, others do not. */
static void gap_at_the_end(void)
{
	static struct extent e;

	for (size_t before = 1; before < 4; before++) {
		extent_begin(&e);
		add_plain(&e, plain, SECTOR - 28 - before);
		check(&e, SECTOR, true, SECTOR - 28 - before, SECTOR);
		add_gap(&e, SECTOR);
		put_le32(e.data, e.len);
		check(&e, SECTOR, true, SECTOR - 28 - before, SECTOR);
	}
}

static void total_length(void)
{
	static struct extent e;

	extent_begin(&e);
	check(&e, SECTOR, false, 0, 100);
	add_plain(&e, plain, 100);
	size_t len = e.len;

	for (size_t bad = 0; bad < 4; bad++) {
		put_le32(e.data, bad);
		check_fails(&e, false, 100, "LZO_TOTAL");
	}
	put_le32(e.data, len + 1);
	check_fails(&e, false, 100, "LZO_TOTAL");
	put_le32(e.data, SIZE_MAX);
	check_fails(&e, false, 100, "LZO_TOTAL");
	put_le32(e.data, len);
	e.len = len + 1;
	check(&e, SECTOR, false, 100, 100);
	check_fails(&e, true, 100, "LZO_TOTAL");
	for (e.len = 0; e.len < 4; e.len++)
		check_fails(&e, false, 100, "LZO_HEADER");
}

static void segment_lengths(void)
{
	static struct extent e;

	extent_begin(&e);
	add_plain(&e, plain, 100);
	size_t len = e.len;

	for (size_t cut = len - 1; cut > 4; cut--) {
		put_le32(e.data, cut);
		check_fails(&e, false, 100, "LZO_SEGMENT");
	}
	put_le32(e.data, len);
	put_le32(e.data + 4, len - 7);
	check_fails(&e, false, 100, "LZO_SEGMENT");
	put_le32(e.data + 4, SIZE_MAX);
	check_fails(&e, false, 100, "LZO_SEGMENT");
	put_le32(e.data + 4, 0);
	check_fails(&e, false, 100, "LZO_SEGMENT");
	put_le32(e.data + 4, len - 9);
	check_fails(&e, false, 100, "LZO_DATA");
}

static void segment_of_more_than_a_sector(void)
{
	static struct extent e;

	extent_begin(&e);
	add_plain(&e, plain, SECTOR + 1);
	check_fails(&e, false, SECTOR + 1, "LZO_DATA");
	check_fails(&e, false, 2 * SECTOR, "LZO_DATA");
	check(&e, SECTOR, false, SECTOR + 1, SECTOR - 1);
	check(&e, 2 * SECTOR, false, SECTOR + 1, 2 * SECTOR);
}

/* Each segment has its own past: the kernel decodes it into a buffer of its own. */
static void segments_do_not_share_matches(void)
{
	static struct extent e;

	extent_begin(&e);
	add_plain(&e, plain, 100);
	add_raw(&e, "\x12x\x04\0" END_MARK, 7);
	check_fails(&e, false, 200, "LZO_DATA");
	check(&e, SECTOR, false, 100, 100);
}

static const struct unit_test tests[] = {
	UNIT_TEST(sizes_and_sectors),
	UNIT_TEST(lengths_never_straddle),
	UNIT_TEST(gap_at_the_end),
	UNIT_TEST(total_length),
	UNIT_TEST(segment_lengths),
	UNIT_TEST(segment_of_more_than_a_sector),
	UNIT_TEST(segments_do_not_share_matches),
};
UNIT_MAIN("lzo_extent", tests)
