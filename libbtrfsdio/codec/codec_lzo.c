/* SPDX-License-Identifier: MIT */
/* codec/codec_lzo.c - extents that are a list of LZO1X segments */
#include "codec/codec_internal.h"
#include "codec/lzo1x.h"
#include "base/err.h"
#include "base/math.h"

#include <endian.h>
#include <string.h>

/*
 * The extent: le32 length of the whole, then segments of le32 length and data, each of which
 * decodes to one sector, the last to the rest. A length never straddles a sector boundary
 * (counted from the start of the extent): fewer than four bytes before one are skipped.
 */
#define LEN_SIZE 4

static uint32_t read_len(const uint8_t *p)
{
	uint32_t len;

	memcpy(&len, p, LEN_SIZE);
	return le32toh(len);
}

/* A regular extent is padded up to its last sector; an item ends where the stream does. */
static int read_total(const struct bd_codec_job *job, size_t *total)
{
	if (job->src_len < LEN_SIZE)
		return BD_FAIL(-EUCLEAN, LZO_HEADER, "corrupt lzo extent: only %zu bytes",
			       job->src_len);
	*total = read_len(job->src);
	if (*total < LEN_SIZE || *total > job->src_len || (job->inlined && *total != job->src_len))
		return BD_FAIL(-EUCLEAN, LZO_TOTAL,
			       "corrupt lzo extent: %zu bytes, wrong total length %zu",
			       job->src_len, *total);
	return 0;
}

static int decode_segment(struct bd_codec_job *job, size_t pos, size_t len)
{
	static const char *const reasons[] = {
		[BD_LZO1X_FULL] = "decodes to more than a sector",
		[BD_LZO1X_TRUNCATED] = "ends too early",
		[BD_LZO1X_DISTANCE] = "refers to before its start",
		[BD_LZO1X_TRAILING] = "goes on after its end marker",
	};
	size_t room = bd_min_u64(job->dst_len - job->out_len, job->sectorsize);
	size_t got;
	enum bd_lzo1x_status status =
		bd_lzo1x_decompress(job->src + pos, len, job->dst + job->out_len, room, &got);
	bool cut = status == BD_LZO1X_FULL && room < job->sectorsize;

	if (status != BD_LZO1X_END && !cut)
		return BD_FAIL(-EUCLEAN, LZO_DATA, "corrupt lzo segment: %zu bytes at %zu, %s", len,
			       pos, reasons[status]);
	job->out_len += got;
	return 0;
}

int bd_lzo_decompress(struct bd_codec_job *job)
{
	size_t pos = LEN_SIZE, total = 0;
	int err = read_total(job, &total);

	if (err)
		return err;
	while (!err && pos < total && job->out_len < job->dst_len) {
		size_t left = total - pos, in_sector = job->sectorsize - pos % job->sectorsize;
		size_t len;

		if (in_sector < LEN_SIZE) {
			pos += in_sector;
			continue;
		}
		len = left < LEN_SIZE ? 0 : read_len(job->src + pos);
		if (len == 0 || len > left - LEN_SIZE)
			return BD_FAIL(-EUCLEAN, LZO_SEGMENT,
				       "corrupt lzo segment: at %zu of %zu, wrong length %zu", pos,
				       total, len);
		err = decode_segment(job, pos + LEN_SIZE, len);
		pos += LEN_SIZE + len;
	}
	return err;
}
