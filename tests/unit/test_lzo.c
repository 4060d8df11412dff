/* SPDX-License-Identifier: MIT */
/* tests/unit/test_lzo.c - the LZO1X decoder against liblzo2 and against streams made by hand */
#include "codec/lzo1x.h"
#include "unit.h"

#include <lzo/lzo1x.h>
#include <stdbool.h>

#define MAX_LEN (64 * 1024)

/* Buffers of exactly the size used, so that a sanitizer sees the first byte outside. */
static enum bd_lzo1x_status decode(const uint8_t *src, size_t src_len, uint8_t *dst, size_t dst_len,
				   size_t *out_len)
{
	uint8_t *in = malloc(src_len), *out = malloc(dst_len);

	memcpy(in, src, src_len);
	enum bd_lzo1x_status status = bd_lzo1x_decompress(in, src_len, out, dst_len, out_len);

	memcpy(dst, out, *out_len);
	free(in);
	free(out);
	return status;
}

static uint32_t rnd_state;

static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)rnd_state * below) >> 32);
}

enum content { ZEROS, NOISE, TEXT, PERIODS, FAR_COPIES, CONTENTS };

static void fill(uint8_t *buf, size_t len, enum content content)
{
	rnd_state = (uint32_t)content + 1;
	for (size_t i = 0; i < len; i++) {
		size_t near = 1 + i / 97 % 40, far = 20000 + i / 500 % 20000;

		if (content == ZEROS)
			buf[i] = 0;
		else if (content == TEXT)
			buf[i] = "the quick brown fox\n"[(i * i / 60 + rnd(2)) % 20];
		else if (content == PERIODS && i >= near && rnd(60))
			buf[i] = buf[i - near];
		else if (content == FAR_COPIES && i >= far)
			buf[i] = buf[i - far];
		else
			buf[i] = (uint8_t)rnd(256);
	}
}

typedef int (*compressor)(const lzo_bytep src, lzo_uint src_len, lzo_bytep dst, lzo_uintp dst_len,
			  lzo_voidp wrkmem);

static const compressor compressors[] = {lzo1x_1_compress, lzo1x_1_11_compress, lzo1x_1_15_compress,
					 lzo1x_999_compress};
#define COMPRESSORS (sizeof(compressors) / sizeof(compressors[0]))

struct sample {
	uint8_t plain[MAX_LEN];
	size_t plain_len;
	uint8_t packed[MAX_LEN * 2];
	lzo_uint packed_len;
};

static void sample_make(struct sample *s, enum content content, size_t len, compressor compress)
{
	static lzo_align_t wrkmem[LZO1X_999_MEM_COMPRESS / sizeof(lzo_align_t)];

	fill(s->plain, len, content);
	s->plain_len = len;
	CU_ASSERT_EQUAL_FATAL(compress(s->plain, len, s->packed, &s->packed_len, wrkmem), LZO_E_OK);
}

static void check_whole(const struct sample *s, size_t room)
{
	static uint8_t out[MAX_LEN * 2];
	size_t got = 0;

	CU_ASSERT_EQUAL(decode(s->packed, s->packed_len, out, room, &got), BD_LZO1X_END);
	CU_ASSERT_EQUAL(got, s->plain_len);
	CU_ASSERT_EQUAL(memcmp(out, s->plain, s->plain_len), 0);
}

static void round_trip(void)
{
	static const size_t lens[] = {1,    2,	   3,	  4,	 5,	17,	18,
				      19,   19,	   238,	  239,	 300,	4095,	4096,
				      8192, 16384, 16385, 49151, 49152, MAX_LEN};
	static struct sample s;

	for (unsigned int c = 0; c < COMPRESSORS; c++) {
		for (unsigned int content = 0; content < CONTENTS; content++) {
			for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
				sample_make(&s, content, lens[i], compressors[c]);
				check_whole(&s, s.plain_len);
				check_whole(&s, s.plain_len + 100);
			}
		}
	}
}

static void every_output_length_cuts_exactly(void)
{
	static struct sample s;
	static uint8_t out[MAX_LEN];

	for (unsigned int content = 0; content < CONTENTS; content++) {
		sample_make(&s, content, 1500, lzo1x_999_compress);
		for (size_t len = 0; len < s.plain_len; len++) {
			size_t got = MAX_LEN;

			CU_ASSERT_EQUAL(decode(s.packed, s.packed_len, out, len, &got),
					BD_LZO1X_FULL);
			CU_ASSERT_EQUAL(got, len);
			CU_ASSERT_EQUAL(memcmp(out, s.plain, len), 0);
		}
	}
}

static void every_input_length_is_noticed(void)
{
	static struct sample s;
	static uint8_t out[MAX_LEN];
	size_t got;

	for (unsigned int content = 0; content < CONTENTS; content++) {
		sample_make(&s, content, 1500, lzo1x_1_15_compress);
		for (size_t len = 0; len < s.packed_len; len++) {
			CU_ASSERT_EQUAL(decode(s.packed, len, out, s.plain_len, &got),
					BD_LZO1X_TRUNCATED);
			CU_ASSERT_EQUAL(memcmp(out, s.plain, got), 0);
		}
		s.packed[s.packed_len] = 0;
		CU_ASSERT_EQUAL(decode(s.packed, s.packed_len + 1, out, s.plain_len, &got),
				BD_LZO1X_TRAILING);
	}
}

/* What liblzo2 takes we take, with the same bytes, and nothing else. */
static void damage_is_judged_as_liblzo2_does(void)
{
	static struct sample s;
	static uint8_t ours[4096], theirs[4096];
	unsigned int agreed = 0, refused = 0;

	for (unsigned int n = 0; n < 40000; n++) {
		lzo_uint want = sizeof(theirs);
		size_t got;

		if (n % 1000 == 0)
			sample_make(&s, n / 1000 % CONTENTS, 200 + n / 10,
				    compressors[n / 1000 % 4]);
		rnd_state = n;
		size_t at = rnd((uint32_t)s.packed_len);
		uint8_t old = s.packed[at];

		s.packed[at] = (uint8_t)rnd(256);
		int ret = lzo1x_decompress_safe(s.packed, s.packed_len, theirs, &want, NULL);
		bool end = decode(s.packed, s.packed_len, ours, sizeof(ours), &got) == BD_LZO1X_END;

		CU_ASSERT_EQUAL(end, ret == LZO_E_OK);
		if (end) {
			CU_ASSERT_EQUAL(got, want);
			CU_ASSERT_EQUAL(memcmp(ours, theirs, got), 0);
		}
		agreed += end;
		refused += !end;
		s.packed[at] = old;
	}
	CU_ASSERT(agreed > 1000 && refused > 1000);
}

struct by_hand {
	const char *src;
	size_t src_len;
	enum bd_lzo1x_status status;
	const char *dst;
};

#define BYTES(s) (s), sizeof(s) - 1
#define END_MARK "\x11\0\0"

static void operations_by_hand(void)
{
	static const struct by_hand cases[] = {
		{BYTES(END_MARK), BD_LZO1X_END, ""},
		{BYTES(""), BD_LZO1X_TRUNCATED, ""},
		{BYTES("\x11\0"), BD_LZO1X_TRUNCATED, ""},
		{BYTES(END_MARK "x"), BD_LZO1X_TRAILING, ""},
		/* an end marker with a longer length field, one with a run, one with plain bytes */
		{BYTES("\x12x\x15\0\0"), BD_LZO1X_END, "x"},
		{BYTES("\x10\x01\0\0"), BD_LZO1X_END, ""},
		{BYTES("\x12x\x11\x01\0"), BD_LZO1X_END, "x"},
		/* plain bytes: by the first byte, by an operation, by a run */
		{BYTES("\x12x" END_MARK), BD_LZO1X_END, "x"},
		{BYTES("\x16lmnop" END_MARK), BD_LZO1X_END, "lmnop"},
		{BYTES("\x01lmno" END_MARK), BD_LZO1X_END, "lmno"},
		{BYTES("\0\x01ghijklmnopqrstuvwxy" END_MARK), BD_LZO1X_END, "ghijklmnopqrstuvwxy"},
		/* match of 2 after 1..3 plain bytes, of 3 or more, with plain bytes behind it */
		{BYTES("\x13xy\x04\0" END_MARK), BD_LZO1X_END, "xyxy"},
		{BYTES("\x13xy\x01\0z\0\0" END_MARK), BD_LZO1X_END, "xyyyzzz"},
		{BYTES("\x13xy\x44\0" END_MARK), BD_LZO1X_END, "xyxyx"},
		{BYTES("\x13xy\xe4\0" END_MARK), BD_LZO1X_END, "xyxyxyxyxy"},
		{BYTES("\x13xy\x26\x06\0uv" END_MARK), BD_LZO1X_END, "xyxyxyxyxyuv"},
		{BYTES("\x12x\x20\x01\0\0" END_MARK), BD_LZO1X_END,
		 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		/* from before the start, in each kind of operation */
		{BYTES("\x12x\x04\0" END_MARK), BD_LZO1X_DISTANCE, "x"},
		{BYTES("\x15lmno\0\0" END_MARK), BD_LZO1X_DISTANCE, "lmno"},
		{BYTES("\x12x\x44\0" END_MARK), BD_LZO1X_DISTANCE, "x"},
		{BYTES("\x12x\x21\x04\0" END_MARK), BD_LZO1X_DISTANCE, "x"},
		{BYTES("\x12x\x11\x04\0" END_MARK), BD_LZO1X_DISTANCE, "x"},
		{BYTES("\x12x\x19\0\0" END_MARK), BD_LZO1X_DISTANCE, "x"},
		{BYTES("\x11\x04\0" END_MARK), BD_LZO1X_DISTANCE, ""},
		/* a run that never ends */
		{BYTES("\0\0\0\0\0\0"), BD_LZO1X_TRUNCATED, ""},
		{BYTES("\x12x\x20\0\0\0"), BD_LZO1X_TRUNCATED, "x"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct by_hand *c = &cases[i];
		uint8_t out[64];
		size_t got;

		CU_ASSERT_EQUAL(decode((const uint8_t *)c->src, c->src_len, out, sizeof(out), &got),
				c->status);
		CU_ASSERT_EQUAL(got, strlen(c->dst));
		CU_ASSERT_EQUAL(memcmp(out, c->dst, got), 0);
	}
}

/* The distances at which one kind of operation ends and the next begins. */
static void far_matches_by_hand(void)
{
	static const struct {
		uint8_t op[3];
		size_t op_len, distance, len;
	} cases[] = {
		{{0x0c, 0xff}, 2, 1023 + 2049, 3},	   /* nearly the farthest match of 3 */
		{{0x00, 0x00}, 2, 2049, 3},		   /* the nearest */
		{{0x5c, 0xff}, 2, 2048, 3},		   /* the farthest of the short form */
		{{0x21, 0xfc, 0xff}, 3, 16384, 3},	   /* of the 16K form */
		{{0x11, 0x04, 0x00}, 3, 16385, 3},	   /* the nearest of the 32K form */
		{{0x1f, 0xfc, 0xff}, 3, 32768 + 16383, 9}, /* its farthest */
	};
	static uint8_t src[MAX_LEN], out[MAX_LEN];
	const size_t plain = 50000;
	size_t runs = (plain - 18) / 255, got;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t pos = 1 + runs;

		memset(src, 0, pos);
		src[pos++] = (uint8_t)((plain - 18) % 255);
		fill(src + pos, plain, NOISE);
		const uint8_t *from = src + pos + plain - cases[i].distance;

		pos += plain;
		memcpy(src + pos, cases[i].op, cases[i].op_len);
		pos += cases[i].op_len;
		memcpy(src + pos, END_MARK, 3);
		CU_ASSERT_EQUAL(decode(src, pos + 3, out, sizeof(out), &got), BD_LZO1X_END);
		CU_ASSERT_EQUAL(got, plain + cases[i].len);
		CU_ASSERT_EQUAL(memcmp(out + plain, from, cases[i].len), 0);
	}
}

static const struct unit_test tests[] = {
	UNIT_TEST(round_trip),
	UNIT_TEST(every_output_length_cuts_exactly),
	UNIT_TEST(every_input_length_is_noticed),
	UNIT_TEST(damage_is_judged_as_liblzo2_does),
	UNIT_TEST(operations_by_hand),
	UNIT_TEST(far_matches_by_hand),
};
UNIT_MAIN("lzo", tests)
