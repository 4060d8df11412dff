/* SPDX-License-Identifier: MIT */
/* tests/unit/test_codec.c - extents as btrfs stores them: padding, cuts, short and bad streams */
#include "codec/codec.h"
#include "base/err.h"
#include "unit.h"

#include <stdbool.h>
#include <zlib.h>
#include <zstd.h>

#define EXTENT_MAX (128 * 1024)
#define SECTOR	   4096u

struct buf {
	uint8_t *data;
	size_t len;
};

static struct buf text(size_t len)
{
	struct buf b = {malloc(len), len};
	uint32_t state = 1;

	for (size_t i = 0; i < len; i++) {
		state = state * 1664525u + 1013904223u;
		b.data[i] = (uint8_t)("to be or not to be, that is\n"[i % 28] ^ (state >> 29));
	}
	return b;
}

static struct buf pack_zlib(struct buf plain, int level)
{
	uLongf len = compressBound(plain.len);
	struct buf b = {malloc(len), 0};

	CU_ASSERT_EQUAL_FATAL(compress2(b.data, &len, plain.data, plain.len, level), Z_OK);
	b.len = len;
	return b;
}

/* Old kernels wrote frames that do not state their size. */
static struct buf pack_zstd(struct buf plain, int level, bool states_size, int window_log)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	struct buf b = {malloc(ZSTD_compressBound(plain.len)), 0};

	ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_contentSizeFlag, states_size);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_windowLog, window_log);
	b.len = ZSTD_compress2(cctx, b.data, ZSTD_compressBound(plain.len), plain.data, plain.len);
	CU_ASSERT_FATAL(!ZSTD_isError(b.len));
	ZSTD_freeCCtx(cctx);
	return b;
}

/* One context for all, as a reading thread has one. */
static struct bd_codec_ctx *ctx;

__attribute__((constructor)) static void context_begin(void)
{
	if (bd_codec_ctx_new(&ctx))
		abort();
}

__attribute__((destructor)) static void context_end(void)
{
	bd_codec_ctx_free(ctx);
}

/* Copies of exactly the size used, so that a sanitizer sees the first byte outside. */
static int run(enum bd_codec codec, struct buf packed, bool inlined, struct buf *out)
{
	size_t want = out->len;
	uint8_t *src = malloc(packed.len);

	memcpy(src, packed.data, packed.len);
	out->data = malloc(want);
	memset(out->data, 0xcc, want);
	bd_err_clear();
	struct bd_codec_job job = {.codec = codec,
				   .inlined = inlined,
				   .sectorsize = SECTOR,
				   .src = src,
				   .src_len = packed.len,
				   .dst = out->data,
				   .dst_len = want};
	int err = bd_decompress(ctx, &job);

	free(src);
	out->len = err ? 0 : job.out_len;
	CU_ASSERT_EQUAL(err, bd_err_self()->code);
	return err;
}

static void check(enum bd_codec codec, struct buf packed, bool inlined, struct buf plain,
		  size_t want)
{
	struct buf out = {NULL, want};
	size_t holds = want < plain.len ? want : plain.len;

	CU_ASSERT_EQUAL(run(codec, packed, inlined, &out), 0);
	CU_ASSERT_EQUAL(out.len, holds);
	CU_ASSERT_EQUAL(memcmp(out.data, plain.data, holds), 0);
	for (size_t i = holds; i < want; i++)
		CU_ASSERT_EQUAL_FATAL(out.data[i], 0);
	free(out.data);
}

static void check_fails(enum bd_codec codec, struct buf packed, bool inlined, size_t want,
			const char *site)
{
	struct buf out = {NULL, want};

	CU_ASSERT_EQUAL(run(codec, packed, inlined, &out), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(bd_err_self()->site ?: "", site);
	free(out.data);
}

/* Less, exactly, and more than the stream holds; with and without what follows it in its sector. */
static void check_lengths(enum bd_codec codec, struct buf packed, struct buf plain)
{
	const size_t wants[] = {
		0, 1, plain.len / 2, plain.len - 1, plain.len, plain.len + 1, plain.len + 5000,
	};
	size_t padded = (packed.len + SECTOR) / SECTOR * SECTOR;

	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		check(codec, packed, false, plain, wants[i]);
	packed.data = realloc(packed.data, padded);
	memset(packed.data + packed.len, 0x5a, padded - packed.len);
	packed.len = padded;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		check(codec, packed, false, plain, wants[i]);
	free(packed.data);
}

static const size_t sizes[] = {20,    300,   4095,  4096,	    4097,      8191,
			       12289, 65537, 69632, EXTENT_MAX - 1, EXTENT_MAX};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void zlib_levels_and_sizes(void)
{
	for (size_t i = 0; i < SIZES; i++) {
		struct buf plain = text(sizes[i]);

		for (int level = 0; level <= 9; level += 3)
			check_lengths(BD_CODEC_ZLIB, pack_zlib(plain, level), plain);
		free(plain.data);
	}
}

static void zstd_levels_and_sizes(void)
{
	static const int levels[] = {-15, 1, 3, 15};

	for (size_t i = 0; i < SIZES; i++) {
		struct buf plain = text(sizes[i]);

		for (int level = 0; level < 4; level++) {
			check_lengths(BD_CODEC_ZSTD, pack_zstd(plain, levels[level], true, 17),
				      plain);
			check_lengths(BD_CODEC_ZSTD, pack_zstd(plain, levels[level], false, 17),
				      plain);
		}
		free(plain.data);
	}
}

struct frame {
	enum bd_codec codec;
	const char *src;
	size_t src_len;
	const char *word;
};

/* Inline extents that Linux 6.18 wrote for a file of 100 bytes of text. */
static const struct frame kernel_frames[] = {
	{BD_CODEC_ZLIB,
	 "\x78\x5e\xaa\xca\xc9\x4c\x32\x34\x30\x50\xc8\xc9\xcc\x4b\x55\x30\x80\x02\x85\x92\x8c\x54"
	 "\x85\xc2\xd2\xcc\xe4\x6c\x85\xa4\xa2\xfc\xf2\x3c\x85\xb4\xfc\x0a\x05\x03\xae\x2a\x2c\x6a"
	 "\x0d\xb1\xaa\x35\xb7\x34\xb4\x44\x28\x07\x00\x00\x00\xff\xff\x03\x00\xf7\x71\x1e\x28",
	 65, "zlib"},
	{BD_CODEC_LZO,
	 "\x4d\x00\x00\x00\x45\x00\x00\x00\x0a\x6c\x7a\x6f\x31\x30\x30\x20\x6c\x69\x6e\x65\x20\x30"
	 "\xc0\x00\x00\x05\x20\x74\x68\x65\x20\x71\x75\x69\x63\x6b\x20\x62\x72\x6f\x77\x6e\x20\x66"
	 "\x6f\x78\x20\x30\x0a\x31\xa9\x00\x31\x32\xa8\x00\x0e\x20\x37\x39\x31\x39\x0a\x6c\x7a\x6f"
	 "\x31\x30\x30\x20\x6c\x69\x6e\x65\x11\x00\x00",
	 77, "lzo"},
	{BD_CODEC_ZSTD,
	 "\x28\xb5\x2f\xfd\x20\x64\xc5\x01\x00\xa4\x02\x7a\x73\x74\x64\x31\x30\x30\x20\x6c\x69\x6e"
	 "\x65\x20\x30\x20\x74\x68\x65\x20\x71\x75\x69\x63\x6b\x20\x62\x72\x6f\x77\x6e\x20\x66\x6f"
	 "\x78\x20\x30\x0a\x31\x37\x39\x31\x39\x04\x00\x52\x6d\x04\xbe\xfb\x29\xda\xb8\x40\x09",
	 65, "zstd"},
};

static struct buf frame_plain(const struct frame *f)
{
	struct buf b = {malloc(256), 100};
	int len = 0;

	for (int i = 0; i < 3; i++)
		len += sprintf((char *)b.data + len, "%s100 line %08d the quick brown fox %d\n",
			       f->word, i, i * 7919);
	return b;
}

static void frames_of_the_kernel(void)
{
	for (int i = 0; i < 3; i++) {
		const struct frame *f = &kernel_frames[i];
		struct buf packed = {(uint8_t *)f->src, f->src_len}, plain = frame_plain(f);

		for (size_t want = 0; want < 200; want++)
			check(f->codec, packed, true, plain, want);
		free(plain.data);
	}
}

/* Each shorter source fails, or had all that was wanted before it ended. */
static void truncated_frames(void)
{
	for (int i = 0; i < 3; i++) {
		const struct frame *f = &kernel_frames[i];
		struct buf plain = frame_plain(f);
		size_t refused = 0;

		for (size_t len = 0; len < f->src_len; len++) {
			struct buf out = {NULL, plain.len}, packed = {(uint8_t *)f->src, len};

			if (run(f->codec, packed, false, &out) == 0)
				CU_ASSERT_EQUAL(memcmp(out.data, plain.data, plain.len), 0);
			refused += out.len == 0;
			free(out.data);
		}
		CU_ASSERT(refused > f->src_len - 12);
		free(plain.data);
	}
}

/* Damage is refused or changes bytes (not with zlib, which has a checksum), and the context is
 * as good as new for the next extent. */
static void damaged_frames(void)
{
	for (int i = 0; i < 3; i++) {
		const struct frame *f = &kernel_frames[i];
		struct buf packed = {malloc(f->src_len), f->src_len}, plain = frame_plain(f);
		size_t refused = 0;

		for (size_t at = 0; at < 8 * f->src_len; at++) {
			struct buf out = {NULL, 5000};

			memcpy(packed.data, f->src, f->src_len);
			packed.data[at / 8] ^= (uint8_t)(1 << at % 8);
			int err = run(f->codec, packed, true, &out);

			CU_ASSERT(err == 0 || err == -EUCLEAN);
			if (!err && f->codec == BD_CODEC_ZLIB)
				CU_ASSERT_EQUAL(memcmp(out.data, plain.data, plain.len), 0);
			refused += err != 0;
			free(out.data);
			memcpy(packed.data, f->src, f->src_len);
			check(f->codec, packed, true, plain, 100);
		}
		CU_ASSERT(refused > f->src_len);
		free(packed.data);
		free(plain.data);
	}
}

static void inline_frame_covers_the_sector(void)
{
	struct buf plain = text(SECTOR);

	memset(plain.data + 300, 0, SECTOR - 300);
	struct buf zlib = pack_zlib(plain, 3), zstd = pack_zstd(plain, 3, true, 17);

	check(BD_CODEC_ZLIB, zlib, true, plain, 300);
	check(BD_CODEC_ZSTD, zstd, true, plain, 300);
	free(plain.data);
	free(zlib.data);
	free(zstd.data);
}

static void zlib_checksum_and_dictionary(void)
{
	struct buf plain = text(70000), packed = pack_zlib(plain, 3);

	packed.data[packed.len - 1] ^= 1;
	check_fails(BD_CODEC_ZLIB, packed, false, plain.len, "ZLIB_DATA");
	check_fails(BD_CODEC_ZLIB, packed, false, plain.len + 1, "ZLIB_DATA");
	check(BD_CODEC_ZLIB, packed, false, plain, plain.len - 1000);
	memcpy(packed.data, "\x78\xbb", 2); /* a right header, with the dictionary bit */
	check_fails(BD_CODEC_ZLIB, packed, false, plain.len, "ZLIB_DATA");
	CU_ASSERT_PTR_NOT_NULL(strstr(bd_err_self()->message, "dictionary"));
	check_fails(BD_CODEC_ZLIB, plain, false, plain.len, "ZLIB_DATA");
	free(plain.data);
	free(packed.data);
}

static void zstd_foreign_frames(void)
{
	struct buf plain = text(3000), packed = pack_zstd(plain, 3, true, 17);
	static const char *const magics[] = {
		"\x50\x2a\x4d\x18", /* skippable */
		"\x27\xb5\x2f\xfd", /* of zstd 0.7 */
	};

	for (int i = 0; i < 2; i++) {
		memcpy(packed.data, magics[i], 4);
		check_fails(BD_CODEC_ZSTD, packed, false, plain.len, "ZSTD_MAGIC");
	}
	free(plain.data);
	free(packed.data);
}

static void zstd_second_frame_is_padding(void)
{
	struct buf plain = text(3000), packed = pack_zstd(plain, 3, true, 17);
	size_t len = packed.len;

	packed.data = realloc(packed.data, 2 * len);
	memcpy(packed.data + len, packed.data, len);
	packed.len = 2 * len;
	check(BD_CODEC_ZSTD, packed, false, plain, 2 * plain.len);
	free(plain.data);
	free(packed.data);
}

static void zstd_window_is_limited(void)
{
	struct buf plain = text(3 * EXTENT_MAX);
	struct buf most = pack_zstd(plain, 3, false, 17), more = pack_zstd(plain, 3, false, 18);

	check(BD_CODEC_ZSTD, most, false, plain, plain.len);
	check(BD_CODEC_ZSTD, most, false, plain, 1000);
	check_fails(BD_CODEC_ZSTD, more, false, plain.len, "ZSTD_DATA");
	free(plain.data);
	free(most.data);
	free(more.data);
}

/* 64 MiB out of some kilobytes: no more of it is decoded than is wanted. */
static void bombs_cost_what_is_wanted(void)
{
	struct buf plain = {calloc(64, 1 << 20), 64 << 20};
	struct buf zlib = pack_zlib(plain, 9), zstd = pack_zstd(plain, 3, false, 17);

	for (int i = 0; i < 5000; i++) {
		check(BD_CODEC_ZLIB, zlib, false, plain, 100);
		check(BD_CODEC_ZSTD, zstd, false, plain, 100);
	}
	free(plain.data);
	free(zlib.data);
	free(zstd.data);
}

static void bad_arguments_from_disk(void)
{
	const size_t limit = (size_t)128 << 20;
	uint8_t byte = 0;

	for (unsigned int codec = 0; codec < 260; codec++) {
		struct buf none = {&byte, 1};

		if (codec == 0 || codec > BD_CODEC_ZSTD)
			check_fails((enum bd_codec)codec, none, false, 1, "CODEC_UNKNOWN");
	}
	struct bd_codec_job job = {.codec = BD_CODEC_LZO,
				   .sectorsize = SECTOR,
				   .src = &byte,
				   .src_len = limit + 1,
				   .dst = &byte,
				   .dst_len = 1};
	CU_ASSERT_EQUAL(bd_decompress(ctx, &job), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(bd_err_self()->site, "CODEC_LENGTH");
	job.src_len = 1;
	job.dst_len = limit + 1;
	CU_ASSERT_EQUAL(bd_decompress(ctx, &job), -EUCLEAN);
	CU_ASSERT_STRING_EQUAL(bd_err_self()->site, "CODEC_LENGTH");
	CU_ASSERT_EQUAL(job.out_len, 0);
	bd_codec_ctx_free(NULL);
}

static const struct unit_test tests[] = {
	UNIT_TEST(zlib_levels_and_sizes),
	UNIT_TEST(zstd_levels_and_sizes),
	UNIT_TEST(frames_of_the_kernel),
	UNIT_TEST(truncated_frames),
	UNIT_TEST(damaged_frames),
	UNIT_TEST(inline_frame_covers_the_sector),
	UNIT_TEST(zlib_checksum_and_dictionary),
	UNIT_TEST(zstd_foreign_frames),
	UNIT_TEST(zstd_second_frame_is_padding),
	UNIT_TEST(zstd_window_is_limited),
	UNIT_TEST(bombs_cost_what_is_wanted),
	UNIT_TEST(bad_arguments_from_disk),
};
UNIT_MAIN("codec", tests)
