/* SPDX-License-Identifier: MIT */
/* codec/lzo1x.c - the LZO1X byte code: one segment of an lzo extent */
#include "codec/lzo1x.h"

#include <stdbool.h>
#include <string.h>

/*
 * The byte code. Each operation begins with a byte that tells its kind; L and D are bits of the
 * length and the distance, S is how many plain bytes (0..3) follow the match:
 *
 *	0000LLLL		  plain bytes: L + 3, or with L = 0 a run and 15 + 3
 *	0000DDSS D8		  the same, after 1..3 plain bytes: match of 2, distance D + 1
 *	0000DDSS D8		  the same, after 4 or more: match of 3, distance D + 2049
 *	0001DLLL [run] D6:SS D8	  match of L + 2, distance D + 16384; D = 0 is the end marker
 *	001LLLLL [run] D6:SS D8	  match of L + 2, distance D + 1
 *	LLLDDDSS D8		  match of L + 1 (L >= 2), distance D + 1
 *
 * A length field of 0 stands for its largest value, to which a run adds: 255 for each zero
 * byte, then the first byte that is not zero. The first byte of a stream may also be 17 + n for
 * n plain bytes. Distances count back from the end of the output.
 */

/*
 * A sound stream ends in an end marker of three bytes. So where fewer are left the stream is
 * truncated, and where they are there an operation needs no check before its first byte and
 * the two of its distance.
 */
#define OP_MIN_LEFT 3

/* Copies of fixed size compile to a load and a store; they overshoot where there is room. */
#define CHUNK 16

struct lzo1x {
	const uint8_t *ip, *ip_end;
	uint8_t *op, *op_end;
	const uint8_t *dst;
	enum bd_lzo1x_status status; /* TRUNCATED until something else is found */
};

struct match {
	size_t len;
	size_t distance;    /* 0: not a match, the end marker */
	unsigned int plain; /* bytes that follow it */
};

static inline size_t in_left(const struct lzo1x *s)
{
	return (size_t)(s->ip_end - s->ip);
}

static inline size_t out_left(const struct lzo1x *s)
{
	return (size_t)(s->op_end - s->op);
}

static inline bool stop(struct lzo1x *s, enum bd_lzo1x_status status)
{
	s->status = status;
	return false;
}

static inline bool copy_plain(struct lzo1x *s, size_t len)
{
	if (len <= CHUNK && in_left(s) >= CHUNK && out_left(s) >= CHUNK) {
		memcpy(s->op, s->ip, CHUNK);
	} else if (len > in_left(s)) {
		return false;
	} else if (len > out_left(s)) {
		memcpy(s->op, s->ip, out_left(s));
		s->op = s->op_end;
		return stop(s, BD_LZO1X_FULL);
	} else {
		memcpy(s->op, s->ip, len);
	}
	s->ip += len;
	s->op += len;
	return true;
}

/* Any distance, no overshoot: each copy doubles the period that the next one can use. */
static void copy_periodic(uint8_t *to, size_t distance, size_t len)
{
	const uint8_t *from = to - distance;

	while (len > distance) {
		memcpy(to, from, distance);
		to += distance;
		len -= distance;
		distance *= 2;
	}
	memcpy(to, from, len);
}

static inline void copy_near(uint8_t *to, size_t distance, size_t len)
{
	const uint8_t *from = to - distance;

	if (len > CHUNK) {
		copy_periodic(to, distance, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		to[i] = from[i];
}

static inline bool copy_match(struct lzo1x *s, const struct match *m)
{
	if (m->distance > (size_t)(s->op - s->dst))
		return stop(s, BD_LZO1X_DISTANCE);
	if (m->len > out_left(s)) {
		copy_periodic(s->op, m->distance, out_left(s));
		s->op = s->op_end;
		return stop(s, BD_LZO1X_FULL);
	}
	if (m->distance >= CHUNK && out_left(s) - m->len >= CHUNK) {
		for (size_t i = 0; i < m->len; i += CHUNK)
			memcpy(s->op + i, s->op + i - m->distance, CHUNK);
	} else {
		copy_near(s->op, m->distance, m->len);
	}
	s->op += m->len;
	return true;
}

/* @len: the largest value of its field. The distance is in the input when true comes back. */
static bool read_run(struct lzo1x *s, size_t *len)
{
	while (in_left(s) && *s->ip == 0) {
		*len += 255;
		s->ip++;
	}
	if (in_left(s) < OP_MIN_LEFT)
		return false;
	*len += *s->ip++;
	return true;
}

static inline bool read_long_match(struct lzo1x *s, unsigned int op, struct match *m)
{
	unsigned int max = op < 32 ? 7 : 31;
	unsigned int low;

	m->len = op & max;
	if (m->len == 0) {
		m->len = max;
		if (!read_run(s, &m->len))
			return false;
	}
	m->len += 2;
	low = s->ip[0] | (unsigned int)s->ip[1] << 8;
	s->ip += 2;
	m->plain = low & 3;
	m->distance = low >> 2;
	if (op >= 32)
		m->distance += 1;
	else if ((op & 8) || m->distance)
		m->distance += ((op & 8) << 11) + 16384;
	return true;
}

/* @plain: how many plain bytes came before */
static inline bool read_match(struct lzo1x *s, unsigned int op, unsigned int plain, struct match *m)
{
	if (op >= 16 && op < 64)
		return read_long_match(s, op, m);

	unsigned int high = *s->ip++;

	m->plain = op & 3;
	if (op >= 64) {
		m->len = (op >> 5) + 1;
		m->distance = (high << 3) + (op >> 2 & 7) + 1;
	} else if (plain < 4) {
		m->len = 2;
		m->distance = (high << 2) + (op >> 2) + 1;
	} else {
		m->len = 3;
		m->distance = (high << 2) + (op >> 2) + 2049;
	}
	return true;
}

static inline bool read_plain(struct lzo1x *s, unsigned int op)
{
	size_t len = op;

	if (len == 0) {
		len = 15;
		if (!read_run(s, &len))
			return false;
	}
	return copy_plain(s, len + 3);
}

enum bd_lzo1x_status bd_lzo1x_decompress(const uint8_t *src, size_t src_len, uint8_t *dst,
					 size_t dst_len, size_t *out_len)
{
	struct lzo1x s = {src, src + src_len, dst, dst + dst_len, dst, BD_LZO1X_TRUNCATED};
	unsigned int plain = 0;
	bool more = true;

	if (src_len && *src > 17) {
		plain = *s.ip++ - 17u;
		more = copy_plain(&s, plain);
	}
	while (more && in_left(&s) >= OP_MIN_LEFT) {
		unsigned int op = *s.ip++;
		struct match m = {0};

		if (op < 16 && plain == 0) {
			more = read_plain(&s, op);
			plain = 4;
			continue;
		}
		more = read_match(&s, op, plain, &m);
		if (more && m.distance == 0)
			more = stop(&s, in_left(&s) ? BD_LZO1X_TRAILING : BD_LZO1X_END);
		more = more && copy_match(&s, &m) && copy_plain(&s, m.plain);
		plain = m.plain;
	}
	*out_len = (size_t)(s.op - dst);
	return s.status;
}
