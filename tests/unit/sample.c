/* SPDX-License-Identifier: MIT */
/* tests/unit/sample.c - an image with files of every kind, and the bytes that they must have */
#include "sample.h"

#include <endian.h>
#include <libdeflate.h>
#include <lzo/lzo1x.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "base/math.h"

#define FIRST_INO 257u
#define KIB	  1024u
#define ZIP_RAM	  (128u * KIB) /* of a compressed extent */
#define GUARD	  64u
#define CANARY	  0xc5

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Bytes that compress to about a fifth. */
static void soft_bytes(uint8_t *buf, size_t size, uint64_t seed)
{
	img_bytes(buf, size, seed);
	for (size_t i = 0; i < size; i++)
		buf[i] = i % 4 ? (uint8_t)(i >> 9) : buf[i] & 0x1f;
}

static struct sample_file *add(struct sample *s, enum sample_kind kind, const char *name,
			       uint64_t size, uint64_t flags)
{
	struct sample_file *f = &s->file[kind];

	*f = (struct sample_file){
		.ino = FIRST_INO + kind, .size = size, .bytes = must(calloc(1, size + 1))};
	img_file(s->img, f->ino, name, size, flags);
	return f;
}

/* [offset, +len) of the file as one extent of plain data. */
static void add_extent(struct sample *s, struct sample_file *f, uint64_t offset, uint64_t len)
{
	uint64_t logical = img_data(s->img, f->bytes + offset, bd_min_u64(len, f->size - offset));

	if (!f->logical)
		f->logical = logical;
	img_extent(s->img, f->ino, offset, logical, len);
}

static void add_plain(struct sample *s)
{
	uint64_t sector = s->img->opts.sectorsize, size = 150 * sector + 777, at = 0;
	struct sample_file *f = add(s, SAMPLE_PLAIN, "plain", size, 0);
	static const unsigned int sectors[] = {1, 5, 70, 33, 2, 40};

	img_bytes(f->bytes, size, 1);
	for (unsigned int i = 0; i < 6; i++) {
		uint64_t len = bd_min_u64(sectors[i] * sector, size - at);

		add_extent(s, f, at, len);
		at += len;
	}
}

static void add_holes(struct sample *s)
{
	uint64_t sector = s->img->opts.sectorsize, size = 40 * sector + 100;
	struct sample_file *f = add(s, SAMPLE_HOLES, "holes", size, 0);
	struct img_fe hole = {.len = 3 * sector, .type = BD_FILE_EXTENT_REG};
	struct img_fe pre = {.disk_len = 4 * sector,
			     .ram = 4 * sector,
			     .len = 4 * sector,
			     .type = BD_FILE_EXTENT_PREALLOC};
	struct img_fe end = {.disk_len = 9 * sector,
			     .ram = 9 * sector,
			     .skip = 4 * sector,
			     .len = 2 * sector,
			     .type = BD_FILE_EXTENT_REG};
	uint8_t *big = must(malloc(9 * sector));

	img_bytes(f->bytes + 2 * sector, 2 * sector, 2);
	add_extent(s, f, 2 * sector, 2 * sector);
	img_extent_of(s->img, f->ino, 4 * sector, &hole);
	img_bytes(big, 4 * sector, 3);
	pre.logical = img_data(s->img, big, 4 * sector);
	img_extent_of(s->img, f->ino, 10 * sector, &pre);
	/* two sectors in the middle of a larger extent */
	img_bytes(big, 9 * sector, 4);
	end.logical = img_data(s->img, big, 9 * sector);
	memcpy(f->bytes + 14 * sector, big + 4 * sector, 2 * sector);
	img_extent_of(s->img, f->ino, 14 * sector, &end);
	free(big);
}

static size_t zlib_pack(const uint8_t *src, size_t n, uint8_t *dst, size_t room)
{
	struct libdeflate_compressor *c = must(libdeflate_alloc_compressor(6));
	size_t size = libdeflate_zlib_compress(c, src, n, dst, room);

	libdeflate_free_compressor(c);
	return size;
}

static size_t zstd_pack(const uint8_t *src, size_t n, uint8_t *dst, size_t room)
{
	size_t size = ZSTD_compress(dst, room, src, n, 3);

	return ZSTD_isError(size) ? 0 : size;
}

/* The first sector size that was set is the one of every image of this program's tests. */
static size_t lzo_sector;

/* Total length, then for each sector its length and stream; no length crosses a sector. */
static size_t lzo_pack(const uint8_t *src, size_t n, uint8_t *dst, size_t room)
{
	uint8_t *work = must(malloc(LZO1X_1_MEM_COMPRESS)), *seg = must(malloc(2 * lzo_sector));
	size_t out = 4;
	uint32_t le;

	for (size_t at = 0; at < n; at += lzo_sector) {
		lzo_uint len = 2 * lzo_sector;

		lzo1x_1_compress(src + at, bd_min_u64(lzo_sector, n - at), seg, &len, work);
		if (lzo_sector - out % lzo_sector < 4)
			out += lzo_sector - out % lzo_sector;
		if (out + 4 + len > room)
			abort();
		le = htole32((uint32_t)len);
		memcpy(dst + out, &le, 4);
		memcpy(dst + out + 4, seg, len);
		out += 4 + len;
	}
	le = htole32((uint32_t)out);
	memcpy(dst, &le, 4);
	free(work);
	free(seg);
	return out;
}

typedef size_t pack_fn(const uint8_t *src, size_t n, uint8_t *dst, size_t room);

/* @offset: of @len bytes of the file that are bytes @skip... of the decompressed extent */
static void add_zipped(struct sample *s, struct sample_file *f, uint64_t offset, uint64_t skip,
		       uint64_t len, const uint8_t *plain, size_t n, pack_fn *pack, uint8_t type)
{
	uint8_t *packed = must(calloc(1, ZIP_RAM));
	struct img_fe fe = {.disk_len = pack(plain, n, packed, ZIP_RAM),
			    .ram = ZIP_RAM,
			    .skip = skip,
			    .len = len,
			    .type = BD_FILE_EXTENT_REG,
			    .compression = type};

	if (!fe.disk_len)
		abort();
	fe.logical = img_data(s->img, packed, fe.disk_len);
	if (!f->logical)
		f->logical = fe.logical;
	img_extent_of(s->img, f->ino, offset, &fe);
	memcpy(f->bytes + offset, plain + skip, skip < n ? bd_min_u64(len, n - skip) : 0);
	free(packed);
}

static void add_compressed(struct sample *s, enum sample_kind kind, const char *name, pack_fn *pack,
			   uint8_t type)
{
	uint64_t sector = s->img->opts.sectorsize, cut = ZIP_RAM - sector;
	struct sample_file *f = add(s, kind, name, ZIP_RAM + cut, 0);
	uint8_t *plain = must(malloc(ZIP_RAM));

	soft_bytes(plain, ZIP_RAM, 10 + type);
	add_zipped(s, f, 0, 0, ZIP_RAM, plain, ZIP_RAM, pack, type);
	/* of a second extent all but its first sector */
	soft_bytes(plain, ZIP_RAM, 20 + type);
	add_zipped(s, f, ZIP_RAM, sector, cut, plain, ZIP_RAM, pack, type);
	free(plain);
}

static void add_short_zip(struct sample *s)
{
	struct sample_file *f = add(s, SAMPLE_SHORT_ZIP, "short_zip", ZIP_RAM, 0);
	uint8_t *plain = must(malloc(ZIP_RAM));

	soft_bytes(plain, ZIP_RAM, 30);
	add_zipped(s, f, 0, 0, ZIP_RAM, plain, 50001, zlib_pack, BD_COMPRESS_ZLIB);
	free(plain);
}

static void add_inlines(struct sample *s)
{
	struct sample_file *f = add(s, SAMPLE_INLINE, "inline", 1111, 0);
	uint8_t packed[2048];

	img_bytes(f->bytes, f->size, 40);
	img_inline(s->img, f->ino, f->bytes, f->size, f->size, BD_COMPRESS_NONE);
	f = add(s, SAMPLE_INLINE_ZIP, "inline_zip", 3333, 0);
	soft_bytes(f->bytes, f->size, 41);
	img_inline(s->img, f->ino, packed, zlib_pack(f->bytes, f->size, packed, sizeof(packed)),
		   f->size, BD_COMPRESS_ZLIB);
	add(s, SAMPLE_EMPTY, "empty", 0, 0);
}

static void add_nosum(struct sample *s)
{
	uint64_t size = 20 * (uint64_t)s->img->opts.sectorsize;
	struct sample_file *f = add(s, SAMPLE_NOSUM, "nosum", size, BD_INODE_NODATASUM);

	img_bytes(f->bytes, size, 50);
	f->logical = img_data_nosum(s->img, f->bytes, size);
	img_extent(s->img, f->ino, 0, f->logical, size);
}

/* On disk in reverse order: no two neighbours can be read together. */
static void add_fragments(struct sample *s)
{
	uint64_t sector = s->img->opts.sectorsize, n = sector == 4096 ? 1000 : 300;
	uint64_t size = n * sector;
	struct sample_file *f = add(s, SAMPLE_FRAGMENTS, "fragments", size, 0);
	uint8_t *reverse = must(malloc(size));

	for (unsigned int i = 0; i < n; i++) {
		img_bytes(f->bytes + i * sector, sector, 1000 + i);
		memcpy(reverse + (n - 1 - i) * sector, f->bytes + i * sector, sector);
	}
	f->logical = img_data(s->img, reverse, size);
	for (unsigned int i = 0; i < n; i++)
		img_extent(s->img, f->ino, i * sector, f->logical + (n - 1 - i) * sector, sector);
	f->logical += (n - 1) * sector;
	free(reverse);
}

struct sample *sample_new(const struct img_opts *opts)
{
	struct sample *s = must(calloc(1, sizeof(*s)));

	s->img = img_new(opts);
	lzo_sector = s->img->opts.sectorsize;
	add_plain(s);
	add_holes(s);
	add_inlines(s);
	add_compressed(s, SAMPLE_ZLIB, "zlib", zlib_pack, BD_COMPRESS_ZLIB);
	add_compressed(s, SAMPLE_LZO, "lzo", lzo_pack, BD_COMPRESS_LZO);
	add_compressed(s, SAMPLE_ZSTD, "zstd", zstd_pack, BD_COMPRESS_ZSTD);
	add_short_zip(s);
	add_nosum(s);
	add_fragments(s);
	img_finish(s->img);
	return s;
}

void sample_free(struct sample *s)
{
	for (unsigned int i = 0; i < SAMPLE_FILES; i++)
		free(s->file[i].bytes);
	img_free(s->img);
	free(s);
}

bool sample_reads(struct bdio_file *file, const struct sample_file *want, uint64_t offset,
		  size_t len, unsigned int skew)
{
	size_t n = sample_expect(want, offset, len);
	uint8_t *mem = must(aligned_alloc(4096, bd_align_up(skew + n + GUARD, 4096)));
	uint8_t *buf = mem + skew;
	bool good;

	memset(mem, CANARY, bd_align_up(skew + n + GUARD, 4096));
	good = bdio_file_read(file, buf, len, offset, 0) == (ssize_t)n &&
	       !memcmp(buf, want->bytes + (n ? offset : 0), n);
	/* Neither before the buffer nor behind the file's end. */
	for (unsigned int i = 0; i < skew; i++)
		good &= mem[i] == CANARY;
	for (unsigned int i = 0; i < GUARD; i++)
		good &= buf[n + i] == CANARY;
	free(mem);
	return good;
}
