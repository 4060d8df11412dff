/* SPDX-License-Identifier: MIT */
/* disk/item_check_data.c - file extents and data checksums */
#include "disk/item_check_priv.h"

/* First byte of the file behind an extent that was checked. */
static uint64_t extent_end(const struct bd_super *super, uint64_t start,
			   const struct bd_disk_file_extent *fe)
{
	if (fe->type == BD_FILE_EXTENT_INLINE)
		return bd_align_up(start + bd_le64(fe->ram_bytes), super->sectorsize);
	return start + bd_le64(fe->num_bytes);
}

static int check_encoding(const struct bd_item *it, const struct bd_disk_file_extent *fe)
{
	if (fe->type > BD_FILE_EXTENT_PREALLOC)
		return ITEM_FAIL(it, FILE_EXTENT_TYPE, "unknown extent type, %u", fe->type);
	if (fe->compression > BD_COMPRESS_ZSTD)
		return ITEM_FAIL(it, FILE_EXTENT_COMPRESSION, "unknown compression, %u",
				 fe->compression);
	if (fe->encryption || bd_le16(fe->other_encoding))
		return ITEM_FAIL(it, FILE_EXTENT_ENCODING, "unknown encoding, %u %u",
				 fe->encryption, bd_le16(fe->other_encoding));
	return 0;
}

static int check_inline(const struct bd_item *it, const struct bd_disk_file_extent *fe)
{
	uint64_t ram_bytes = bd_le64(fe->ram_bytes);
	uint32_t stored = it->size - BD_FILE_EXTENT_INLINE_HDR;

	if (it->key->offset)
		return ITEM_FAIL(it, INLINE_OFFSET, "inline data not at the file's start");
	if (!ram_bytes || ram_bytes > it->ctx->super->sectorsize)
		return ITEM_FAIL(it, INLINE_RAM_BYTES, "invalid size of inline data, %" PRIu64,
				 ram_bytes);
	if (!fe->compression && ram_bytes != stored)
		return ITEM_FAIL(it, INLINE_SIZE, "%u bytes of inline data, should be %" PRIu64,
				 stored, ram_bytes);
	return 0;
}

static int check_alignment(const struct bd_item *it, const struct bd_disk_file_extent *fe)
{
	uint64_t all = bd_le64(fe->ram_bytes) | bd_le64(fe->disk_bytenr) |
		       bd_le64(fe->disk_num_bytes) | bd_le64(fe->offset) | bd_le64(fe->num_bytes);

	if (bd_is_aligned(all, it->ctx->super->sectorsize))
		return 0;
	return ITEM_FAIL(it, FILE_EXTENT_ALIGN, "unaligned extent at %" PRIu64,
			 bd_le64(fe->disk_bytenr));
}

static int check_ranges(const struct bd_item *it, const struct bd_disk_file_extent *fe)
{
	uint64_t disk_bytenr = bd_le64(fe->disk_bytenr);
	uint64_t disk_bytes = bd_le64(fe->disk_num_bytes);
	uint64_t num_bytes = bd_le64(fe->num_bytes);
	uint64_t end, space = bd_le64(fe->ram_bytes);

	if (!num_bytes || !bd_add_u64(it->key->offset, num_bytes, &end))
		return ITEM_FAIL(it, FILE_EXTENT_LENGTH, "invalid length, %" PRIu64, num_bytes);
	if (!disk_bytenr)
		return 0; /* a hole: nothing else of it is ever used */
	if (!disk_bytes || !bd_add_u64(disk_bytenr, disk_bytes, &end))
		return ITEM_FAIL(it, FILE_EXTENT_DISK,
				 "invalid extent, %" PRIu64 " bytes at %" PRIu64, disk_bytes,
				 disk_bytenr);
	/* Some kernels left ram_bytes too large after a short write. */
	if (!fe->compression)
		space = bd_min_u64(space, disk_bytes);
	if (!bd_add_u64(bd_le64(fe->offset), num_bytes, &end) || end > space)
		return ITEM_FAIL(it, FILE_EXTENT_END,
				 "reaches beyond its extent, %" PRIu64 " bytes at %" PRIu64
				 " of %" PRIu64,
				 num_bytes, bd_le64(fe->offset), space);
	return 0;
}

static int check_overlap(const struct bd_item *it)
{
	const struct bd_key *prev = it->ctx->prev_key;
	uint64_t end;

	if (!prev || prev->objectid != it->key->objectid || prev->type != BD_KEY_EXTENT_DATA)
		return 0;
	end = extent_end(it->ctx->super, prev->offset, it->ctx->prev_data);
	if (end > it->key->offset)
		return ITEM_FAIL(it, FILE_EXTENT_OVERLAP,
				 "overlaps the extent before, which ends at %" PRIu64, end);
	return 0;
}

int bd_check_file_extent(const struct bd_item *it)
{
	const struct bd_disk_file_extent *fe = it->data;
	int err = bd_check_same_inode(it);

	if (!err)
		err = check_encoding(it, fe);
	if (err)
		return err;
	if (fe->type == BD_FILE_EXTENT_INLINE)
		return check_inline(it, fe);
	if (it->size != sizeof(*fe))
		return ITEM_FAIL(it, FILE_EXTENT_SIZE, "invalid item size, %u", it->size);
	if (!bd_is_aligned(it->key->offset, it->ctx->super->sectorsize))
		return ITEM_FAIL(it, FILE_EXTENT_OFFSET, "unaligned file offset");
	err = check_alignment(it, fe);
	if (!err)
		err = check_ranges(it, fe);
	return err ? err : check_overlap(it);
}

static bool csum_end(const struct bd_super *super, uint64_t start, uint32_t size, uint64_t *end)
{
	return bd_add_u64(start, (uint64_t)(size / super->csum_size) * super->sectorsize, end);
}

int bd_check_csums(const struct bd_item *it)
{
	const struct bd_super *super = it->ctx->super;
	uint64_t end;

	if (it->key->objectid != BD_OBJ_EXTENT_CSUM ||
	    !bd_is_aligned(it->key->offset, super->sectorsize))
		return ITEM_FAIL(it, CSUM_KEY, "invalid key of checksums");
	if (it->size % super->csum_size || !csum_end(super, it->key->offset, it->size, &end))
		return ITEM_FAIL(it, CSUM_SIZE, "invalid size of checksums, %u", it->size);
	if (!it->ctx->prev_key || it->ctx->prev_key->type != BD_KEY_EXTENT_CSUM)
		return 0;
	if (csum_end(super, it->ctx->prev_key->offset, it->ctx->prev_size, &end) &&
	    end > it->key->offset)
		return ITEM_FAIL(it, CSUM_OVERLAP,
				 "overlaps the checksums before, which end at %" PRIu64, end);
	return 0;
}
